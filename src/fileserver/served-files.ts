// Files from the backends that `fileserver_backend` names, in order; the first backend that has a file wins.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, str, truthy, type Value } from '../data/mod.ts'
import type { FileBackend, FileUse, FolderEntry, FolderListing, ServedFile, UpdateRequest } from './backend.ts'
import { currentName, isBuiltIn } from './names.ts'

export interface FoundFile extends ServedFile {
  /** The name of the backend that has it. */
  back: string
}

const wordsOf = (value: Value): string[] =>
  (isList(value) ? value.map(str) : str(value).split(',')).map((name) => name.trim())

/** No system takes longer paths. Minions send any: to resolve the `..` of a very long one takes minutes. */
export const LONGEST_PATH = 4096

/** Most backends that a request names. */
const MOST_NAMES = 100

/** Return the names of the backends that the options want. */
export const wantedBackends = (opts: Dict): string[] => wordsOf(option(opts, 'fileserver_backend')).map(currentName)

/** Receives the tag and data of an update event. */
export type Tell = (tag: string, data: Dict) => unknown

export class ServedFiles {
  private readonly all: FileBackend[]
  private readonly opts: Dict
  private readonly log: Log
  private readonly wanted: string[]

  /** `make` returns the backend of a name; undefined if there is none. */
  constructor(opts: Dict, log: Log, make: (name: string) => FileBackend | undefined) {
    this.opts = opts
    this.log = log
    this.wanted = wantedBackends(opts)
    // `unknown` reports a backend that does not exist
    this.all = this.wanted.flatMap((name) => make(name) ?? [])
  }

  /** The wanted backends that are neither built in nor in a file of users' own. */
  get unknown(): string[] {
    return this.wanted.filter((name) => !isBuiltIn(name) && !this.all.some((one) => one.name === name))
  }

  /** Return the named backends, or all but those with a minus; all if no name is given. */
  backends(back: Value = null): FileBackend[] {
    if (!truthy(back)) return this.all
    const names = wordsOf(back).slice(0, MOST_NAMES)
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

  /**
   * Find a file. A path that begins with `|` is literal; otherwise, as in Salt, the text after a question mark is a
   * query.
   */
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
    if (path.length > LONGEST_PATH) return undefined
    const named = query === '' ? saltenv : (new URLSearchParams(query).get('saltenv') ?? saltenv)
    for (const backend of this.backends(back)) {
      const found = await backend.find(path, named, use)
      // a field behind a spread costs V8 a hidden class each time
      if (found) return { back: backend.name, ...found }
    }
    return undefined
  }

  /** One folder of the tree, sorted by name; undefined where no backend has it. Of two entries of one name the first backend's counts. */
  async folder(path: string, saltenv: string): Promise<FolderEntry[] | undefined> {
    if (path.length > LONGEST_PATH) return undefined
    const parts = await Promise.all(this.all.map((backend) => backend.folder(path, saltenv)))
    if (parts.every((part) => part === undefined))
      return path === '' && (await this.envs()).includes(saltenv) ? [] : undefined
    const entries = new Map<string, FolderEntry>()
    for (const entry of parts.flatMap((part) => part ?? []))
      if (!entries.has(entry.name)) entries.set(entry.name, entry)
    return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Update backends; fire an event for each with `fileserver_events`, and for a failing source in any case. */
  async update(tell: Tell, back: Value = null, wish: UpdateRequest = {}): Promise<void> {
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

  /** Throw for problems with the configuration of a backend. */
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
