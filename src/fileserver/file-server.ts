// The file server: the backends that `fileserver_backend` names, in order; the first that has a file wins.
import { type Log, lookup, silentLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { FileBackend, FileUse, FolderEntry, FolderListing, ServedFile, UpdateWish } from './backend.ts'
import { openGitFiles } from './gitfs/mod.ts'
import { MinionFiles } from './minionfs.ts'
import { ownBackend } from './own-backends.ts'
import { Roots } from './roots.ts'
import { openS3Files } from './s3fs/mod.ts'
import { openHgFiles, openSvnFiles } from './trees/mod.ts'

export interface FoundFile extends ServedFile {
  /** The name of the backend that has it. */
  back: string
}

type Make = (opts: Dict, host: Host, log: Log) => FileBackend | undefined

const BACKENDS: Readonly<Record<string, Make>> = lookup({
  roots: (opts, host) => new Roots(opts, host),
  minionfs: (opts, host) => (option(mastersOf(opts), 'file_recv') ? new MinionFiles(mastersOf(opts), host) : undefined),
  gitfs: (opts, _, log) => openGitFiles(opts, log),
  svnfs: openSvnFiles,
  hgfs: openHgFiles,
  s3fs: openS3Files,
})

/** A target of salt-ssh is served the files that the master keeps. */
function mastersOf(opts: Dict): Dict {
  const masters = opts.get('__master_opts__')
  return masters !== undefined && isDict(masters) ? masters : opts
}

/** Names of old are the same backends. */
const OLD_NAMES: Readonly<Record<string, string>> = lookup({
  file: 'roots',
  minion: 'minionfs',
  git: 'gitfs',
  svn: 'svnfs',
  hg: 'hgfs',
})

const wordsOf = (value: Value): string[] =>
  (isList(value) ? value.map(str) : str(value).split(',')).map((name) => name.trim())

const currentName = (name: string): string => OLD_NAMES[name] ?? name

const own =
  (name: string): Make =>
  (opts, host, log) =>
    ownBackend(name, opts, host, log)

/** The names that backends of Brine are wanted by. */
export const backendNames: readonly string[] = [...Object.keys(BACKENDS), ...Object.keys(OLD_NAMES)]

/** What is to be told of an update: a tag and its data. */
export type Tell = (tag: string, data: Dict) => unknown

export class FileServer {
  private readonly all: FileBackend[]
  private readonly opts: Dict
  private readonly log: Log
  private readonly wanted: string[]

  constructor(opts: Dict, host: Host, log: Log = silentLog) {
    this.opts = opts
    this.log = log
    this.wanted = wordsOf(option(opts, 'fileserver_backend')).map(currentName)
    // of a backend that does not exist, `unknown` tells
    this.all = this.wanted.flatMap((name) => (BACKENDS[name] ?? own(name))(opts, host, log) ?? [])
  }

  /** The wanted backends that are neither built in nor in a file of users' own. */
  get unknown(): string[] {
    return this.wanted.filter((name) => !Object.hasOwn(BACKENDS, name) && !this.all.some((one) => one.name === name))
  }

  /** Those that are named, or all but those named with a minus; all when none is named. */
  backends(back: Value = null): FileBackend[] {
    if (!truthy(back)) return this.all
    const names = wordsOf(back)
    if (names.every((name) => name.startsWith('-'))) {
      const excluded = names.map((name) => currentName(name.slice(1)))
      return this.all.filter(({ name }) => !excluded.includes(name))
    }
    for (const name of names) {
      if (this.wanted.includes(currentName(name))) continue
      const known = [...new Set(this.wanted.flatMap((one) => [one, one.replace(/fs$/, '')]))].sort()
      const list = known.map((one) => `'${one}'`).join(', ')
      this.log(
        'error',
        `Failed to load function ${name}.envs because its module (${name}) is not in the whitelist: [${list}]`,
      )
    }
    const chosen = names.map(currentName)
    return this.all.filter(({ name }) => chosen.includes(name))
  }

  /** The same, each with the name that it was called by. */
  called(back: Value = null): Array<readonly [string, FileBackend]> {
    const names = truthy(back) ? wordsOf(back) : []
    return this.backends(back).map((backend) => [
      names.find((name) => currentName(name) === backend.name) ?? backend.name,
      backend,
    ])
  }

  async envs(back: Value = null): Promise<string[]> {
    const lists = await Promise.all(this.backends(back).map((backend) => backend.envs()))
    return [...new Set(lists.flat())].sort()
  }

  /** A path that begins with `|` is taken as it is; otherwise what is behind a question mark are parameters, as in Salt. */
  find(given: string, saltenv: string, back: Value = null): Promise<FoundFile | undefined> {
    return this.found(given, saltenv, back, 'read')
  }

  /** Find a file without reading it. The file may not be on disk afterwards. */
  look(given: string, saltenv: string, back: Value = null): Promise<FoundFile | undefined> {
    return this.found(given, saltenv, back, 'look')
  }

  private async found(given: string, saltenv: string, back: Value, use: FileUse): Promise<FoundFile | undefined> {
    const [, path = given, query = ''] = given.startsWith('|')
      ? ['', given.slice(1)]
      : (/^([^?]*)\?(.*)$/s.exec(given) ?? [])
    const named = new URLSearchParams(query).get('saltenv') ?? saltenv
    for (const backend of this.backends(back)) {
      const found = await backend.find(path, named, use)
      if (found) return { ...found, back: backend.name }
    }
    return undefined
  }

  /** One folder of the tree, sorted by name; undefined where no backend has it. Of two entries of one name the first backend's counts. */
  async folder(path: string, saltenv: string): Promise<FolderEntry[] | undefined> {
    const parts = await Promise.all(this.all.map((backend) => backend.folder(path, saltenv)))
    if (parts.every((part) => part === undefined))
      return path === '' && (await this.envs()).includes(saltenv) ? [] : undefined
    const entries = new Map<string, FolderEntry>()
    for (const entry of parts.flatMap((part) => part ?? []))
      if (!entries.has(entry.name)) entries.set(entry.name, entry)
    return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Bring backends up to date; with `fileserver_events` each is told, and a failing source in any case. */
  async update(tell: Tell, back: Value = null, wish: UpdateWish = {}): Promise<void> {
    const isTold = option(this.opts, 'fileserver_events')
    for (const backend of this.backends(back)) {
      const report = await backend.update?.(wish)
      for (const [kind, data] of report?.events ?? []) await tell(`salt/fileserver/${backend.name}/${kind}`, data)
      const data = isTold ? (report?.data ?? (await backend.changes?.())) : undefined
      if (data) await tell(`salt/fileserver/${backend.name}/update`, data)
    }
  }

  /** Fetch news as a program does that serves itself. */
  async refresh(): Promise<void> {
    for (const backend of this.all) await backend.refresh?.()
  }

  /** Raise what is wrong with the configuration of a backend. */
  check(): void {
    for (const backend of this.all) backend.check?.()
  }

  async list(saltenv: string, back: Value = null): Promise<FolderListing> {
    const listings = await Promise.all(this.backends(back).map((backend) => backend.list(saltenv)))
    if (listings.length === 1) return listings[0]!
    const merged = (pick: (listing: FolderListing) => string[]): string[] => [...new Set(listings.flatMap(pick))].sort()
    return {
      files: merged(({ files }) => files),
      dirs: merged(({ dirs }) => dirs),
      emptyDirs: merged(({ emptyDirs }) => emptyDirs),
      // of two links with one name the first counts, as for files
      links: new Map([...listings].reverse().flatMap(({ links }) => [...links])),
    }
  }
}
