// The interface of file server backends.
import type { Dict } from '../data/mod.ts'
import type { FileStat } from '../host/mod.ts'

export interface ServedFile {
  /** The path on disk. */
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

/** The use of a file: its content, or only its metadata. */
export type FileUse = 'read' | 'look'

/** Options of an update. */
export interface UpdateRequest {
  /** Names or URLs of remotes; all unless given. */
  remotes?: readonly string[]
  /** Only remotes whose interval has passed. */
  isDue?: boolean
  /** A failure that is known already is not logged again. */
  isQuiet?: boolean
}

export interface UpdateReport {
  /** The data of the event `salt/fileserver/<backend>/update`. */
  data: Dict
  /** Further events, such as about a failing remote: the last part of the tag, and the data. */
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
  /** Whether each file costs a remote request, so that not all of them are hashed at once. */
  readonly isElsewhere?: boolean
  envs(): Promise<string[]>
  /** Find a file; with `look`, its content need not be on disk afterwards. */
  find(path: string, saltenv: string, use?: FileUse): Promise<ServedFile | undefined>
  list(saltenv: string): Promise<FolderListing>
  /** Return the entries of one folder; the empty path is the top. Undefined if the folder does not exist. */
  folder(path: string, saltenv: string): Promise<FolderEntry[] | undefined>
  /** Return the changes since the last call, as event data; called only if events are enabled. */
  changes?(): Promise<Dict>
  /** Fetch news from where the files are kept. */
  update?(wish: UpdateRequest): Promise<UpdateReport | undefined>
  /** Fetch news as a program does that serves itself: once, and not when the last are recent. */
  refresh?(): Promise<void>
  /** Seconds until the next update with `isDue` has something to do; undefined if never. */
  interval?(): number | undefined
  /** Throw for problems with the configuration. */
  check?(): void
  clearCache?(): void
  /** Clear the cached file lists of one environment, or of all. Return the environments that were listed since the last time. */
  clearLists?(saltenv: string | null): string[]
  locks?(): BackendLocks
  /** Return the status of each remote. */
  status?(): Promise<Dict[]>
}

export const noFiles = (): FolderListing => ({ files: [], dirs: [], emptyDirs: [], links: new Map() })
