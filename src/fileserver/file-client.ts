// The interface of a file client: lists, hashes, and cached copies, from any file server.
import type { FileStat } from '../host/mod.ts'

export interface FileSum {
  hash_type: string
  hsum: string
}

export interface FetchOptions {
  saltenv: string
  /** Destination: a file or directory. Default: the cache. */
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
  /** Destination: a file. Default: the cache. */
  dest?: string
}

export interface FileClient {
  envs(): Promise<string[]>
  /** Paths below the roots that begin with the prefix. */
  files(saltenv: string, prefix?: string): Promise<string[]>
  directories(saltenv: string, prefix?: string): Promise<string[]>
  emptyDirectories(saltenv: string, prefix?: string): Promise<string[]>
  symlinks(saltenv: string, prefix?: string): Promise<Map<string, string>>
  /** Return the hash of a `salt://` or local file; undefined if it does not exist. */
  hash(url: string, saltenv: string): Promise<FileSum | undefined>
  stat(url: string, saltenv: string): Promise<FileStat | undefined>
  /** Brings a `salt://` file here; false when it cannot be had. */
  fetch(url: string, options: FetchOptions): Promise<string | false>
  /** Brings any source here: `salt://`, `file://`, a path, `http(s)://`; empty when it cannot be had. */
  fetchUrl(url: string, options: FetchOptions): Promise<string | false>
  /** Return the path of a source in the cache; empty if it is not cached. */
  cached(url: string, saltenv: string): Promise<string>
  /**
   * Begin a run of states, in which one list of the master's hashes may serve many files. Return a function that ends
   * the run.
   */
  beginRun?(): () => void
  /**
   * Announce the files of a run in order, so that one answer of the master may contain many of them. Return a function
   * that ends it.
   */
  expect?(files: readonly ExpectedFile[]): () => void
  /** Hear that a state of a run changed something, which may be files of the master. */
  noteChange?(): void
  /** Return the path that a source would have in the cache. */
  cachePath(url: string, saltenv: string): string
  /** Where a file that is made from a source is kept, beside copies of sources outside of the file server. */
  renderedPath(url: string, saltenv: string): string
}
