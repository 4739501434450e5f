// The file server: the backends that `fileserver_backend` names, in order; the first that has a file wins.
import { lookup } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, str, truthy, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { MinionFiles } from './minionfs.ts'
import { type FileBackend, type FolderEntry, type Listing, Roots, type ServedFile } from './roots.ts'

export interface FoundFile extends ServedFile {
  /** The name of the backend that has it. */
  back: string
}

type Make = (opts: Dict, host: Host) => FileBackend | undefined

const BACKENDS: Readonly<Record<string, Make>> = {
  roots: (opts, host) => new Roots(opts, host),
  minionfs: (opts, host) => (option(opts, 'file_recv') ? new MinionFiles(opts, host) : undefined),
}

/** Names of old are the same backends. */
const OLD_NAMES: Readonly<Record<string, string>> = lookup({ file: 'roots', minion: 'minionfs', git: 'gitfs' })

const namesOf = (value: Value): string[] =>
  (isList(value) ? value.map(str) : str(value).split(',')).map((name) => OLD_NAMES[name.trim()] ?? name.trim())

export class FileServer {
  private readonly all: FileBackend[]
  private readonly opts: Dict

  constructor(opts: Dict, host: Host) {
    this.opts = opts
    const wanted = namesOf(option(opts, 'fileserver_backend'))
    const isKnown = (name: string): boolean => Object.hasOwn(BACKENDS, name)
    this.all = wanted.filter(isKnown).flatMap((name) => BACKENDS[name]!(opts, host) ?? [])
  }

  /** Those that are named, or all but those named with a minus; all when none is named. */
  backends(back: Value = null): FileBackend[] {
    if (!truthy(back)) return this.all
    const names = namesOf(back)
    if (names.every((name) => name.startsWith('-'))) {
      return this.all.filter(({ name }) => !names.includes(`-${name}`))
    }
    return this.all.filter(({ name }) => names.includes(name))
  }

  envs(back: Value = null): string[] {
    return [...new Set(this.backends(back).flatMap((backend) => backend.envs()))].sort()
  }

  async find(path: string, saltenv: string, back: Value = null): Promise<FoundFile | undefined> {
    for (const backend of this.backends(back)) {
      const found = await backend.find(path, saltenv)
      if (found) return { ...found, back: backend.name }
    }
    return undefined
  }

  /** One folder of the tree, sorted by name; undefined where no backend has it. Of two entries of one name the first backend's counts. */
  async folder(path: string, saltenv: string): Promise<FolderEntry[] | undefined> {
    const parts = await Promise.all(this.all.map((backend) => backend.folder(path, saltenv)))
    if (parts.every((part) => part === undefined)) return path === '' && this.envs().includes(saltenv) ? [] : undefined
    const entries = new Map<string, FolderEntry>()
    for (const entry of parts.flatMap((part) => part ?? []))
      if (!entries.has(entry.name)) entries.set(entry.name, entry)
    return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Brings backends up to date; with `fileserver_events` each is told. */
  async update(fire: (tag: string, data: Dict) => unknown, back: Value = null): Promise<void> {
    if (!option(this.opts, 'fileserver_events')) return
    for (const backend of this.backends(back)) {
      const data = await backend.update?.()
      if (data) await fire(`salt/fileserver/${backend.name}/update`, data)
    }
  }

  async list(saltenv: string, back: Value = null): Promise<Listing> {
    const listings = await Promise.all(this.backends(back).map((backend) => backend.list(saltenv)))
    if (listings.length === 1) return listings[0]!
    const merged = (pick: (listing: Listing) => string[]): string[] => [...new Set(listings.flatMap(pick))].sort()
    return {
      files: merged(({ files }) => files),
      dirs: merged(({ dirs }) => dirs),
      emptyDirs: merged(({ emptyDirs }) => emptyDirs),
      links: new Map(listings.flatMap(({ links }) => [...links])),
    }
  }
}
