// The bare copy of a repository below the cache: one for each address, shared by all users. Objects are only added, and
// the refs are read from a file that is replaced as a whole, so readers never wait, and after a killed fetch the last
// refs are served.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path/posix'
import { makeOwnFolder, readJson, toError, withoutLogin, writeWhole } from '../base/mod.ts'
import { parseAddress } from './address.ts'
import { GitError, type GitErrorCode } from './errors.ts'
import { looksOfRefs } from './local-look.ts'
import { GitObjects } from './objects.ts'
import { RefWatch } from './ref-watch.ts'
import { type GitCommit, GitRefs, parseRefs, REF_FORMAT, type RefEntry } from './refs.ts'
import { BRANCHES_REFSPEC, fetchedRefspecs, type GitRemote, TAGS_REFSPEC } from './remote.ts'
import { runGit } from './run-git.ts'
import { GitTrees } from './trees.ts'

/** The status of the last fetches; times in seconds since the epoch. */
export interface MirrorStatus {
  url: string
  /** When the repository last answered. */
  checkedAt: number | null
  /** When a ref last changed. */
  changedAt: number | null
  /** Why the last attempt failed, and since when all have. */
  error: { code: GitErrorCode; text: string; since: number; at: number } | null
}

export interface MirrorUpdateOptions {
  /** Maximum age in seconds: query the repository only if its last answer is older. */
  maxAge?: number
  signal?: AbortSignal
}

const LOOK_SECONDS = 120
const FETCH_SECONDS = 3600
const LOCK_SECONDS = 600

/** A copy that was found whole is not looked through again within this time, in milliseconds. */
const SURE_MS = 3_600_000

/** A success is not noted again within this time. */
const NOTED_SECONDS = 1

/** A file of git itself that a killed process left behind. */
const STALE_LOCK = /Unable to create '[^']*\.lock': File exists|cannot lock ref/

/** The copy is damaged, for example after a full disk; another fetch does not bring the missing objects. */
const DAMAGED =
  /bad object|corrupt|not a git repository|missing (blob|tree|commit|object)|did not send all necessary objects|unable to (find|read) [0-9a-f]{40}/i

const REFS_FILE = 'brine-refs.json'
const STATUS_FILE = 'brine-status.json'

const now = (): number => Date.now() / 1000

export class GitMirror {
  readonly folder: string
  readonly objects: GitObjects
  readonly trees: GitTrees
  private remote: GitRemote
  private running: Promise<boolean> | undefined
  private hasListed = false
  private watch: RefWatch | undefined
  private wholeUntil = 0
  /** The state of the refs of a local repository at the last fetch. */
  private looks: string | undefined
  private seen: { looks: string; refs: GitRefs; heads: string } | undefined
  private noted: { looks: string | undefined; status: MirrorStatus } | undefined

  /** Mirrors are shared: get one by `mirrorOf`. */
  constructor(folder: string, remote: GitRemote) {
    this.folder = folder
    this.remote = remote
    this.objects = new GitObjects(folder)
    this.trees = new GitTrees(this.objects)
  }

  /** A password that was changed is used from now on. */
  takeCredentials(remote: GitRemote): void {
    this.remote = remote
  }

  /** Return the refs of the last fetch; undefined before the first one. */
  async refs(): Promise<GitRefs | undefined> {
    return this.kept()?.refs
  }

  private kept(): { refs: GitRefs; heads: string } | undefined {
    const path = join(this.folder, REFS_FILE)
    const looks = looksOf(path)
    if (looks === undefined) return undefined
    if (this.seen?.looks !== looks) {
      const { heads, entries } = readJson<{ heads: string; entries: RefEntry[] }>(path) ?? {}
      if (heads === undefined || entries === undefined) return undefined
      this.seen = { looks, heads, refs: new GitRefs(entries) }
    }
    return this.seen
  }

  /** Return the commit with an id, which may be abbreviated. */
  async commit(id: string): Promise<GitCommit | undefined> {
    if (!/^[0-9a-f]{4,64}$/i.test(id) || !existsSync(join(this.folder, 'HEAD'))) return undefined
    const found = await this.objects.look(`${id}^{commit}`)
    // a tag with this name is no commit id
    if (!found?.id.startsWith(id.toLowerCase())) return undefined
    const tree = await this.objects.look(`${found.id}^{tree}`)
    return tree && { commit: found.id, tree: tree.id }
  }

  status(): MirrorStatus {
    const path = join(this.folder, STATUS_FILE)
    const looks = looksOf(path)
    if (looks === undefined || this.noted?.looks !== looks) {
      const none = { url: withoutLogin(this.remote.url), checkedAt: null, changedAt: null, error: null }
      this.noted = { looks, status: { ...none, ...readJson<MirrorStatus>(path) } }
    }
    return this.noted.status
  }

  /** Update the mirror; return whether a ref changed. Concurrent callers share the result. */
  update({ maxAge = 0, signal }: MirrorUpdateOptions = {}): Promise<boolean> {
    const { checkedAt, error } = maxAge > 0 ? this.status() : { checkedAt: null, error: null }
    if (checkedAt !== null && error === null && Math.abs(now() - checkedAt) < maxAge) return Promise.resolve(false)
    this.running ??= this.updateNow(signal).finally(() => {
      this.running = undefined
    })
    return this.running
  }

  /** Remove all that was fetched. */
  clear(): void {
    this.objects.close()
    this.watch?.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private async updateNow(signal: AbortSignal | undefined): Promise<boolean> {
    const before = this.status()
    try {
      parseAddress(this.remote.url)
      const isChanged = await this.fetchNews(signal)
      const at = now()
      const isNoted = !isChanged && before.error === null && at - (before.checkedAt ?? 0) < NOTED_SECONDS
      if (!isNoted) this.note({ ...before, checkedAt: at, changedAt: isChanged ? at : before.changedAt, error: null })
      return isChanged
    } catch (thrown) {
      signal?.throwIfAborted()
      const error =
        thrown instanceof GitError ? thrown : new GitError('GitFailed', toError(thrown).message, { cause: thrown })
      const at = now()
      this.note({ ...before, error: { code: error.code, text: error.message, since: before.error?.since ?? at, at } })
      throw error
    }
  }

  private async fetchNews(signal: AbortSignal | undefined): Promise<boolean> {
    this.prepare()
    const looks = localLooks(this.remote.url)
    const isAsBefore = looks !== undefined && looks === this.looks && this.kept() !== undefined
    if (isAsBefore) return false
    const isChanged = await this.fetchListed(signal)
    this.looks = looks
    return isChanged
  }

  private async fetchListed(signal: AbortSignal | undefined): Promise<boolean> {
    const listed = (await this.watched(signal)) ?? (await this.listed(signal))
    const heads = createHash('sha256').update(listed.split('\n').sort().join('\n')).digest('hex')
    const before = this.kept()
    if (before?.heads === heads) return false
    this.settleFormat(listed)
    const fetched = await this.fetch(this.wantedFrom(listed), signal)
    const refs = new GitRefs(fetched)
    writeWhole(join(this.folder, REFS_FILE), JSON.stringify({ heads, entries: fetched }))
    if (isCrowded(this.folder)) await this.git(['gc', '--auto', '--quiet'], FETCH_SECONDS, { signal, isLocked: true })
    return before?.refs.digest !== refs.digest
  }

  /** Fetch, and return the refs; a mirror that a killed process or a full disk left unusable is put right first. */
  private async fetch(refspecs: readonly string[], signal: AbortSignal | undefined): Promise<RefEntry[]> {
    const attempt = async (): Promise<RefEntry[]> => {
      const options = ['--quiet', '--prune', '--force', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules']
      const words = ['fetch', ...options, '--', 'origin', ...refspecs]
      await this.git(words, FETCH_SECONDS, { signal, isTalking: true, isLocked: true })
      return this.listRefs(signal)
    }
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      if (STALE_LOCK.test(error.message)) removeLocks(this.folder)
      else if (DAMAGED.test(error.message) && !(await this.isWhole(signal))) this.startAnew()
      else throw error
      return attempt()
    }
  }

  /**
   * Return whether the copy has all its objects: then the repository itself is damaged, and its last good state stays.
   */
  private async isWhole(signal: AbortSignal | undefined): Promise<boolean> {
    if (performance.now() < this.wholeUntil) return true
    try {
      await this.git(['rev-list', '--objects', '--all', '--quiet'], FETCH_SECONDS, { signal, isLocked: true })
    } catch (error) {
      if (error instanceof GitError && error.code === 'TimedOut') throw error
      return false
    }
    this.wholeUntil = performance.now() + SURE_MS
    return true
  }

  private async listRefs(signal: AbortSignal | undefined): Promise<RefEntry[]> {
    const { entries, nested } = parseRefs(
      await this.git(['for-each-ref', `--format=${REF_FORMAT}`], LOOK_SECONDS, { signal }),
    )
    for (const name of nested) {
      const [commit, tree] = [await this.objects.look(`${name}^{}`), await this.objects.look(`${name}^{tree}`)]
      if (commit && tree) entries.push([name, commit.id, tree.id])
    }
    return entries
  }

  /** List only branches and tags if nothing else is wanted: some servers have a ref for each merge request. */
  private listed(signal: AbortSignal | undefined): Promise<string> {
    const words = ['ls-remote', '--quiet', ...(this.isUsual() ? ['--heads', '--tags'] : []), '--', 'origin']
    return this.git(words, LOOK_SECONDS, { signal, isTalking: true })
  }

  private isUsual(): boolean {
    return fetchedRefspecs(this.remote).every((refspec) => [BRANCHES_REFSPEC, TAGS_REFSPEC].includes(refspec))
  }

  /** List refs over a connection that stays: not the first time, since most programs ask once. */
  private async watched(signal: AbortSignal | undefined): Promise<string | undefined> {
    const isFirst = !this.hasListed
    this.hasListed = true
    if (isFirst || !/^https?$/.test(parseAddress(this.remote.url).scheme) || !this.isUsual()) return undefined
    if (!this.watch?.isFor(this.remote)) {
      this.watch?.close()
      this.watch = new RefWatch(this.folder, this.remote)
    }
    const listed = await this.watch.list(signal)
    signal?.throwIfAborted()
    return listed
  }

  /** A refspec of one ref that does not exist would make the whole fetch fail. */
  private wantedFrom(listed: string): string[] {
    const names = new Set(listed.split('\n').map((line) => line.split('\t')[1] ?? ''))
    return fetchedRefspecs(this.remote).filter((refspec) => {
      const source = refspec.slice(1).split(':')[0]!
      const isSome = ['', 'refs/', 'refs/heads/', 'refs/tags/'].some((before) => names.has(`${before}${source}`))
      return source.includes('*') || isSome || /^[0-9a-f]{40,64}$/.test(source)
    })
  }

  private git(
    words: readonly string[],
    timeout: number,
    { signal, isTalking, isLocked }: { signal?: AbortSignal | undefined; isTalking?: boolean; isLocked?: boolean },
  ): Promise<string> {
    return runGit({
      folder: this.folder,
      words,
      timeout,
      ...(isTalking && { remote: this.remote }),
      ...(isLocked && { lock: { file: `${this.folder}.lock`, seconds: LOCK_SECONDS } }),
      ...(signal && { signal }),
    })
  }

  /** Make an empty repository as `git init --bare` does; each file is written only if it is missing. */
  private prepare(): void {
    if (existsSync(join(this.folder, 'config'))) return
    makeOwnFolder(join(this.folder, '..'))
    makeOwnFolder(this.folder)
    for (const part of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
      mkdirSync(join(this.folder, part), { recursive: true })
    }
    writeWhole(join(this.folder, 'HEAD'), 'ref: refs/heads/none\n')
    writeWhole(join(this.folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n')
  }

  /** Repositories have ids by SHA-1 or by SHA-256, and a mirror has to be of the same kind. */
  private settleFormat(listed: string): void {
    const config = join(this.folder, 'config')
    const isLong = /^[0-9a-f]{64}\t/.test(listed)
    if (listed === '' || isLong === readFileSync(config, 'utf8').includes('sha256')) return
    // keep the served refs: this answer of the remote is not verified
    if (this.kept() !== undefined)
      throw new GitError(
        'GitFailed',
        `the repository has ids of another kind than its copy ${this.folder}; remove the copy to fetch it anew`,
      )
    if (!isLong) return this.startAnew()
    writeWhole(config, '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n')
  }

  private startAnew(): void {
    const status = this.status()
    this.clear()
    this.prepare()
    this.note(status)
  }

  private note(status: MirrorStatus): void {
    if (existsSync(this.folder)) writeWhole(join(this.folder, STATUS_FILE), JSON.stringify(status))
  }
}

/** Return the state of the refs of a local repository; undefined for others. */
function localLooks(url: string): string | undefined {
  const address = parseAddress(url)
  if (address.scheme !== 'file') return undefined
  return looksOfRefs(address.url.replace(/^file:\/\/(localhost(?=\/))?/, ''))
}

/** Whether git would find something to pack, by the same look that it takes itself: one of 256 folders, and the number of packs. */
function isCrowded(folder: string): boolean {
  const count = (name: string): number => (existsSync(join(folder, name)) ? readdirSync(join(folder, name)).length : 0)
  return count('objects/17') > 27 || count('objects/pack') > 150
}

/**
 * Remove git's lock files: called when a fetch failed because of one. The kernel lock excludes other fetches of Brine.
 */
function removeLocks(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.lock') && !name.startsWith('objects/')) rmSync(join(folder, name), { force: true })
  }
}

/** Return a text that changes when a file is replaced; undefined if the file does not exist. */
function looksOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat && `${stat.ino} ${stat.mtimeNs} ${stat.size}`
}

/** Seconds without an update after which a mirror counts as no longer configured. */
const FORGOTTEN_SECONDS = 30 * 86_400

/** Remove unused mirrors: neither this process uses them, nor has another one updated them for long. */
export function removeForgottenMirrors(cachedir: string): void {
  const root = join(cachedir, 'git')
  if (!existsSync(root)) return
  for (const name of readdirSync(root)) {
    const folder = join(root, name.replace(/\.lock$/, ''))
    const noted = statSync(join(folder, STATUS_FILE), { throwIfNoEntry: false }) ?? statSync(join(root, name))
    if (mirrors.has(folder) || now() - noted.mtimeMs / 1000 < FORGOTTEN_SECONDS) continue
    rmSync(join(root, name), { recursive: true, force: true })
  }
}

const mirrors = new Map<string, GitMirror>()

/**
 * Return the mirror of a remote below a cache directory; one instance per process. A password is not part of its
 * identity: a new one does not need a new copy, and the folder name must not reveal it.
 */
export function mirrorOf(cachedir: string, remote: GitRemote): GitMirror {
  const { url, refspecs, user, privkey, sslVerify, proxy } = remote
  const identity = JSON.stringify([url, [...refspecs].sort(), user, privkey, sslVerify, proxy])
  const key = createHash('sha256').update(identity).digest('hex').slice(0, 32)
  const folder = join(cachedir, 'git', key)
  const mirror = mirrors.get(folder) ?? new GitMirror(folder, remote)
  mirror.takeCredentials(remote)
  mirrors.set(folder, mirror)
  return mirror
}
