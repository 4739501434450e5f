// What a minion asks of a file server, wherever that is: lists, hashes, and copies in its cache.
import type { FileStat } from '../host/mod.ts'

export interface FileSum {
  hash_type: string
  hsum: string
}

export interface FetchOptions {
  saltenv: string
  /** Where it goes: a file or directory; into the cache when left out. */
  dest?: string
  makedirs?: boolean
  sourceHash?: string
  verifySsl?: boolean
  useEtag?: boolean
}

/** A file of the file server that will probably be fetched. */
export interface ExpectedFile {
  path: string
  saltenv: string
  /** Where it goes: a file; into the cache when left out. */
  dest?: string
}

export interface FileClient {
  envs(): Promise<string[]>
  /** Paths below the roots that begin with the prefix. */
  files(saltenv: string, prefix?: string): Promise<string[]>
  directories(saltenv: string, prefix?: string): Promise<string[]>
  emptyDirectories(saltenv: string, prefix?: string): Promise<string[]>
  symlinks(saltenv: string, prefix?: string): Promise<Map<string, string>>
  /** The hash of a `salt://` file or of a local one; undefined when it is not there. */
  hash(url: string, saltenv: string): Promise<FileSum | undefined>
  stat(url: string, saltenv: string): Promise<FileStat | undefined>
  /** Brings a `salt://` file here; false when it cannot be had. */
  fetch(url: string, options: FetchOptions): Promise<string | false>
  /** Brings any source here: `salt://`, `file://`, a path, `http(s)://`; empty when it cannot be had. */
  fetchUrl(url: string, options: FetchOptions): Promise<string | false>
  /** Where a source is in the cache; empty when it is not. */
  cached(url: string, saltenv: string): Promise<string>
  /** Begin a run of states, in which one list of the master's hashes may serve many files. Return the function that ends it. */
  beginRun?(): () => void
  /** Expect files to be fetched in this order, so that one answer of the master may have many of them. Return the function that ends it. */
  expect?(files: readonly ExpectedFile[]): () => void
  /** Hear that a state of a run changed something, which may be files of the master. */
  noteChange?(): void
  /** Where a source would be in the cache. */
  cachePath(url: string, saltenv: string): string
}
