// What the file server asks of its backends.
import type { Dict } from '../data/mod.ts'
import type { FileStat } from '../host/mod.ts'

export interface ServedFile {
  /** Where it is on disk. */
  path: string
  /** Its path below the root. */
  rel: string
  stat: FileStat
  /** Names its content: files with the same one are equal, and the file never changes. */
  content?: string
  /** Work out a hash without the file, which may not be on disk. */
  hash?(algorithm: string): Promise<string>
}

export interface FolderListing {
  files: string[]
  dirs: string[]
  emptyDirs: string[]
  links: Map<string, string>
}

/** One entry of a folder of the served tree. */
export interface FolderEntry {
  name: string
  /** Its path below the root. */
  path: string
  kind: 'file' | 'folder'
  /** Bytes of a file. */
  size: number | null
}

/** What a file is wanted for: its content, or what is known about it. */
export type FileUse = 'read' | 'look'

/** What an update is to do. */
export interface UpdateWish {
  /** Names or URLs of remotes; all unless given. */
  remotes?: readonly string[]
  /** Only remotes whose interval is over. */
  isDue?: boolean
  /** A failure that is known already is not logged again. */
  isQuiet?: boolean
}

export interface UpdateReport {
  /** The data of the event `salt/fileserver/<backend>/update`. */
  data: Dict
  /** Events besides, such as of a remote that fails: the last part of the tag, and the data. */
  events: ReadonlyArray<readonly [string, Dict]>
}

/** Locks that a person sets to stop updates. */
export interface BackendLocks {
  set(pattern: string | null): string[]
  clear(pattern: string | null, type?: string): string[]
}

/** A source of files. */
export interface FileBackend {
  readonly name: string
  /** Whether its files cost a request elsewhere each, so that not all of them are hashed at once. */
  readonly isElsewhere?: boolean
  envs(): Promise<string[]>
  /** Find a file; one that is only looked at need not be on disk afterwards. */
  find(path: string, saltenv: string, use?: FileUse): Promise<ServedFile | undefined>
  list(saltenv: string): Promise<FolderListing>
  /** One folder of the tree, the empty path for its top; undefined where there is no such folder. */
  folder(path: string, saltenv: string): Promise<FolderEntry[] | undefined>
  /** What changed since it was asked the last time, as its event tells it; only asked where events are wanted. */
  changes?(): Promise<Dict>
  /** Fetch news from where the files are kept. */
  update?(wish: UpdateWish): Promise<UpdateReport | undefined>
  /** Fetch news as a program does that serves itself: once, and not when the last are recent. */
  refresh?(): Promise<void>
  /** Seconds until the next update with `isDue` has something to do; undefined if never. */
  interval?(): number | undefined
  /** Raise what is wrong with the configuration. */
  check?(): void
  clearCache?(): void
  /** Clear the cached file lists of one environment, or of all. Return the environments whose lists were cached. */
  clearLists?(saltenv: string | null): string[]
  locks?(): BackendLocks
  /** What is known about each remote. */
  status?(): Promise<Dict[]>
}

export const noFiles = (): FolderListing => ({ files: [], dirs: [], emptyDirs: [], links: new Map() })
