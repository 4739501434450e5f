// The remotes of the external pillar `git`: their configuration, and their fetches.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { type Log, makeOwnFolder, PRIVATE_FILE } from '../../base/mod.ts'
import { option, rawOption } from '../../config/mod.ts'
import { type Dict, isDict, str, type Value } from '../../data/mod.ts'
import {
  type ConfiguredRemote,
  configuredRemotes,
  failedToLoad,
  fetchFailure,
  GitError,
  type GitMirror,
  type GitRefs,
  isKnownProvider,
  LockFiles,
  type LockType,
  mirrorOf,
  type RoleRules,
  writeRemoteMap,
} from '../../git/mod.ts'
import { gitEntries } from '../git-entries.ts'

const ROLE = 'git_pillar'

/** The parameters of a remote that have a global option, in the order in which errors list them. */
const sharedBy = (opts: Dict): Array<[string, Value]> => [
  ['base', rawOption(opts, 'git_pillar_base')],
  ['env', rawOption(opts, 'git_pillar_env')],
  ['root', rawOption(opts, 'git_pillar_root')],
  ['ssl_verify', rawOption(opts, 'git_pillar_ssl_verify')],
  ['refspecs', rawOption(opts, 'git_pillar_refspecs')],
  ['fallback', rawOption(opts, 'git_pillar_fallback')],
  ['proxy', rawOption(opts, 'git_pillar_proxy')],
  ['ref_types', rawOption(opts, 'git_pillar_ref_types')],
  ['disable_saltenv_mapping', rawOption(opts, 'git_pillar_disable_saltenv_mapping')],
  ['depth', rawOption(opts, 'git_pillar_depth')],
  ['user', rawOption(opts, 'git_pillar_user')],
  ['password', rawOption(opts, 'git_pillar_password')],
  ['pubkey', rawOption(opts, 'git_pillar_pubkey')],
  ['privkey', rawOption(opts, 'git_pillar_privkey')],
  ['passphrase', rawOption(opts, 'git_pillar_passphrase')],
  ['insecure_auth', rawOption(opts, 'git_pillar_insecure_auth')],
]

const providerOf = (opts: Dict): string => str(rawOption(opts, 'git_pillar_provider') ?? '').toLowerCase()

/** Return whether the configured provider has a known name; log an unknown one. */
export const hasProvider = (opts: Dict, log: Log): boolean => isKnownProvider(ROLE, providerOf(opts), log)

/** Return the remotes of one entry of `ext_pillar`; log and throw for an invalid remote. */
export function pillarRemotes(opts: Dict, given: Value, log: Log): ConfiguredRemote[] {
  if (!hasProvider(opts, log)) throw failedToLoad(ROLE)
  const rules: RoleRules = {
    role: ROLE,
    globals: new Map(sharedBy(opts)),
    only: ['name', 'mountpoint', 'all_saltenvs'],
    provider: providerOf(opts),
    hashType: option(opts, 'hash_type'),
    branch: str(rawOption(opts, 'git_pillar_branch')),
  }
  return configuredRemotes(given, rules, log)
}

/** Return the remotes of all entries `git` of `ext_pillar`. */
export function allPillarRemotes(opts: Dict, log: Log): ConfiguredRemote[] {
  return gitEntries(opts).flatMap((entry) => {
    const given = entry.get('git')!
    return pillarRemotes(opts, isDict(given) ? remotesOf(given) : given, log)
  })
}

/** Return the remotes of a mapping in place of a list: one for each key. */
export const remotesOf = (given: Dict): Value[] => [...given].map(([id, settings]): Dict => new Map([[id, settings]]))

/** Check the remotes as a master does before it starts; throw when one is wrong. */
export function verifyGitPillars(opts: Dict, log: Log): void {
  if (option(opts, 'git_pillar_verify_config')) allPillarRemotes(opts, log)
}

/** The context in which remotes are used. */
interface Surroundings {
  opts: Dict
  log: Log
}

/** Milliseconds before a process repeats a fetch: requests of minions can name missing refs at any rate. */
const PAUSE_MS = 2000

const fetchedAt = new WeakMap<GitMirror, number>()

/** The mirrors of remotes: each is fetched at most once, however many remotes share it. */
export class PillarMirrors {
  private readonly cachedir: string
  private readonly log: Log
  private readonly locks: LockFiles
  private readonly fetches = new Map<GitMirror, Promise<GitError | undefined>>()

  constructor({ opts, log }: Surroundings) {
    this.cachedir = option(opts, 'cachedir')
    this.log = log
    this.locks = new LockFiles(this.cachedir, option(opts, 'git_pillar_global_lock'), log)
  }

  of({ git }: ConfiguredRemote): GitMirror {
    return mirrorOf(this.cachedir, git)
  }

  /** Record which folders of the cache belong to which remotes. */
  note(remotes: readonly ConfiguredRemote[]): void {
    writeRemoteMap(join(this.cachedir, ROLE), ROLE, remotes)
  }

  /** Return the refs of a remote; fetch them if they are insufficient, but not too often. */
  async refs(
    remote: ConfiguredRemote,
    suffice: (refs: GitRefs) => boolean,
    isFetched: boolean,
  ): Promise<GitRefs | undefined> {
    const mirror = this.of(remote)
    const refs = await mirror.refs()
    const isRecent = performance.now() - (fetchedAt.get(mirror) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS
    const isDue = isFetched || refs === undefined || !suffice(refs)
    if (isDue && !isRecent) await this.fetch(remote)
    const current = await mirror.refs()
    if (current && !existsSync(this.markOf(remote))) this.mark(remote, current)
    return current
  }

  /** Fetch a remote, and return true for news, null for none, and false for a failure; a failure that is known is not logged again. */
  async fetch(remote: ConfiguredRemote, isQuiet = false): Promise<boolean | null> {
    if (this.locks.isHeldBack(remote)) return false
    const mirror = this.of(remote)
    const running = this.fetches.get(mirror) ?? this.update(mirror)
    this.fetches.set(mirror, running)
    const error = await running
    if (error) {
      if (!isQuiet) this.log('error', fetchFailure(remote, error))
      return false
    }
    const refs = await mirror.refs()
    return refs && this.mark(remote, refs) ? true : null
  }

  private async update(mirror: GitMirror): Promise<GitError | undefined> {
    try {
      await mirror.update()
      return undefined
    } catch (error) {
      if (error instanceof GitError) return error
      throw error
    } finally {
      fetchedAt.set(mirror, performance.now())
    }
  }

  /**
   * Record the refs as known to a remote; return whether they are new to it. Another remote may have fetched them
   * before.
   */
  private mark(remote: ConfiguredRemote, { digest }: GitRefs): boolean {
    const path = this.markOf(remote)
    if (existsSync(path) && readFileSync(path, 'utf8') === digest) return false
    makeOwnFolder(dirname(path))
    writeFileSync(path, digest, { mode: PRIVATE_FILE })
    return true
  }

  private markOf({ folder }: ConfiguredRemote): string {
    return join(this.cachedir, ROLE, 'work', folder, '_', 'refs')
  }

  /** Remove a stale update lock. */
  unlock(remote: ConfiguredRemote): void {
    this.locks.clear([remote], null)
  }
}

/** Fetch remotes as a master does from time to time: it logs when one begins to fail, and when it works again. */
export async function refreshGitPillars(
  surroundings: Surroundings,
  remotes: readonly ConfiguredRemote[],
): Promise<void> {
  const mirrors = new PillarMirrors(surroundings)
  mirrors.note(remotes)
  for (const remote of remotes) {
    const isFailing = mirrors.of(remote).status().error !== null
    const result = await mirrors.fetch(remote, isFailing)
    if (isFailing && result !== false) surroundings.log('info', `The git_pillar remote '${remote.shownId}' works again`)
  }
}

/** Remove lock files of the remotes whose URL matches; return what was done. */
export function clearPillarLocks(
  { opts, log }: Surroundings,
  types: readonly LockType[],
  pattern: string | null,
): string[] {
  const locks = new LockFiles(option(opts, 'cachedir'), option(opts, 'git_pillar_global_lock'), log)
  const remotes = allPillarRemotes(opts, log)
  return types.flatMap((type) => locks.clear(remotes, pattern, type))
}

export interface WantedRemotes {
  branch: Value
  /** A URL, or the name of a remote. */
  repo: Value
}

/** Fetch the remotes: true for changes, None for no changes, false for a failure. */
export async function updateGitPillars(surroundings: Surroundings, { branch, repo }: WantedRemotes): Promise<Dict> {
  const remotes = allPillarRemotes(surroundings.opts, surroundings.log)
  const mirrors = new PillarMirrors(surroundings)
  mirrors.note(remotes)
  const updated: Dict = new Map()
  for (const remote of remotes) {
    if (branch !== null && branch !== remote.branch) continue
    if (repo !== null && repo !== remote.url && repo !== remote.name) continue
    updated.set(remote.shownId, await mirrors.fetch(remote))
    mirrors.unlock(remote)
  }
  return updated
}
