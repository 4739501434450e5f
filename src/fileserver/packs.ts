// Packs: contents of many files in one answer of a Brine master (`_file_pack`). A minion sends paths with the hashes
// from the manifest, each hash once. The master sends the content of each path that still has that hash, and the minion
// verifies it. Files that are missing in an answer are fetched one by one.
import { createHash } from 'node:crypto'
import { Turns } from '../base/mod.ts'
import type { Host } from '../host/mod.ts'
import { HASH_TYPES } from './caching-client.ts'
import type { ExpectedFile, FileSum } from './file-client.ts'
import type { FileServer } from './file-server.ts'
import type { KnownHashes } from './known-hashes.ts'
import { isListed, MOST_LISTED_BYTES } from './manifest.ts'
import type { FoundFile } from './served-files.ts'

/** Greatest number of files that a minion may name in a request. */
const MOST_PACKED = 500
/** Bytes of files in one answer; a larger file is sent alone. */
const PACK_BYTES = 1 << 20
/** Answers that a master makes at the same time, and requests that wait. */
const MASTER_PACKS = { atOnce: 8, mostWaiting: 1000 }

/** Bytes of contents that a master keeps for the next minions that want them. */
const SHARED_BYTES = 16 << 20

/** Contents by their hash. The contents used longest ago go first when there are too many bytes. */
class SharedContents {
  private readonly known = new Map<string, Uint8Array>()
  private bytes = 0

  get(hsum: string): Uint8Array | undefined {
    const content = this.known.get(hsum)
    if (content === undefined) return undefined
    this.known.delete(hsum)
    this.known.set(hsum, content)
    return content
  }

  keep(hsum: string, content: Uint8Array): void {
    if (this.known.has(hsum)) return
    this.known.set(hsum, content)
    this.bytes += content.length
    for (const [oldest, { length }] of this.known) {
      if (this.bytes <= SHARED_BYTES) return
      this.known.delete(oldest)
      this.bytes -= length
    }
  }
}

export interface PackedPath {
  path: string
  hsum: string
}

export interface PackAnswer {
  contents: readonly (Uint8Array | null)[]
}

/** Packs of a master. */
export class PackBuilder {
  private readonly server: FileServer
  private readonly hashes: KnownHashes
  private readonly host: Host
  private readonly hashType: string
  private readonly turns = new Turns(MASTER_PACKS)
  private readonly shared = new SharedContents()

  constructor(server: FileServer, hashes: KnownHashes, host: Host, hashType: string) {
    this.server = server
    this.hashes = hashes
    this.host = host
    this.hashType = hashType
  }

  /**
   * Return the contents of files for a minion, in the order of `paths` (one per line): None for a file whose hash
   * differs. The last ones may be missing.
   */
  answer(id: string, saltenv: string, paths: string, sums: string): Promise<PackAnswer> {
    const packed = async () => ({ contents: await this.contents(saltenv, wantedIn(paths, sums)) })
    return this.turns.run<PackAnswer>([id], packed, () => ({ contents: [] }))
  }

  private async contents(saltenv: string, wanted: readonly PackedPath[]): Promise<(Uint8Array | null)[]> {
    const contents: (Uint8Array | null)[] = []
    let bytes = 0
    for (const { path, hsum } of wanted) {
      const found = await this.server.find(path, saltenv)
      // a file that is not sent counts as well: hashing it costs as much as sending it
      const size = found && isListed(this.server, found) ? found.stat.size : 0
      if (bytes > 0 && bytes + size > PACK_BYTES) break
      bytes += size
      const isSame =
        found && isListed(this.server, found) && (await this.hashes.of(found.path, this.hashType, found)) === hsum
      contents.push(isSame ? await this.read(found, hsum) : null)
    }
    return contents
  }

  /** Read a file that has this hash. Minions that start together want the same files, so a content is read once for all of them. */
  private async read({ path }: FoundFile, hsum: string): Promise<Uint8Array> {
    const known = this.shared.get(hsum)
    if (known) return known
    const content = await this.host.read(path, { offset: 0, length: MOST_LISTED_BYTES })
    // the file may have changed since its hash was computed
    const isWhole = HASH_TYPES.has(this.hashType) && createHash(this.hashType).update(content).digest('hex') === hsum
    if (isWhole) this.shared.keep(hsum, content)
    return content
  }
}

/** Parse a request: paths in lines, and their concatenated hashes. */
function wantedIn(paths: string, sums: string): PackedPath[] {
  const lines = paths.split('\n', MOST_PACKED + 1)
  const size = sums.length / lines.length
  if (lines.length > MOST_PACKED || !Number.isInteger(size)) return []
  return lines.map((path, index) => ({ path, hsum: sums.slice(index * size, (index + 1) * size) }))
}

export interface PackSource {
  /** Return the contents of files in the requested order; undefined if the master has no packs. */
  ask(saltenv: string, wanted: readonly PackedPath[]): Promise<readonly (Uint8Array | undefined)[] | undefined>
  /** Return the hash of a file in the last manifest. */
  listed(path: string, saltenv: string): Promise<FileSum | undefined>
  /** Whether this minion has another content, or none, in the place of a file. */
  lacks(file: ExpectedFile, sum: FileSum): Promise<boolean>
}

/** Bytes of contents that wait to be used. */
const KEPT_BYTES = 4 << 20

/** Files that are examined for each file that is requested in advance. */
const LOOKED_AT = 4

interface ExpectedList {
  files: readonly ExpectedFile[]
  places: ReadonlyMap<string, number>
  /** Files of the list that were fetched so far. */
  fetched: number
}

const keyOf = ({ path, saltenv }: ExpectedFile): string => `${saltenv}\0${path}`

/** Packs of a minion. */
export class Packs {
  private readonly source: PackSource
  private readonly lists: ExpectedList[] = []
  private readonly contents = new Map<string, Uint8Array>()
  private bytes = 0
  private turn: Promise<unknown> = Promise.resolve()

  constructor(source: PackSource) {
    this.source = source
  }

  /** Expect files in this order. Return the function that ends it. */
  expect(files: readonly ExpectedFile[]): () => void {
    const list = { files, places: new Map(files.map((file, index) => [keyOf(file), index])), fetched: 0 }
    this.lists.push(list)
    return () => {
      const at = this.lists.indexOf(list)
      if (at >= 0) this.lists.splice(at, 1)
      if (this.lists.length > 0) return
      this.contents.clear()
      this.bytes = 0
    }
  }

  /** Return the content of an expected file, which the minion lacks; undefined if it has to be fetched by itself. */
  async content(file: ExpectedFile, sum: FileSum): Promise<Uint8Array | undefined> {
    const key = keyOf(file)
    const list = this.lists.findLast(({ places }) => places.has(key))
    if (list === undefined || !HASH_TYPES.has(sum.hash_type)) return undefined
    list.fetched++
    // sequentially: a pack may contain the file that the next caller needs
    const content = this.turn.then(() => this.contents.get(sum.hsum) ?? this.fetched(list, file, sum))
    this.turn = content.catch(() => undefined)
    return content
  }

  private async fetched(list: ExpectedList, file: ExpectedFile, sum: FileSum): Promise<Uint8Array | undefined> {
    // a run that needs one file needs no pack
    if (list.fetched < 2) return undefined
    // a file that is not in the manifest, such as a large one, is not in packs either
    if ((await this.source.listed(file.path, file.saltenv))?.hsum !== sum.hsum) return undefined
    const wanted = [{ path: file.path, hsum: sum.hsum }, ...(await this.following(list, file, sum))]
    const contents = await this.source.ask(file.saltenv, wanted)
    for (const [index, content] of (contents ?? []).entries()) {
      const hsum = wanted[index]?.hsum
      if (content && createHash(sum.hash_type).update(content).digest('hex') === hsum) this.keep(hsum, content)
    }
    return this.contents.get(sum.hsum)
  }

  /**
   * Return the files to request after a missing one. The more files of the list were needed so far, the more are
   * requested in advance, so at most about as many are fetched needlessly as are needed.
   */
  private async following(list: ExpectedList, file: ExpectedFile, sum: FileSum): Promise<PackedPath[]> {
    const most = Math.min(MOST_PACKED - 1, list.fetched)
    const from = list.places.get(keyOf(file))! + 1
    const found = new Map<string, string>()
    for (const next of list.files.slice(from, from + most * LOOKED_AT)) {
      if (found.size === most) break
      const listed = next.saltenv === file.saltenv ? await this.source.listed(next.path, next.saltenv) : undefined
      if (listed === undefined || listed.hash_type !== sum.hash_type || listed.hsum === sum.hsum) continue
      if (found.has(listed.hsum) || this.contents.has(listed.hsum)) continue
      if (await this.source.lacks(next, listed)) found.set(listed.hsum, next.path)
    }
    return Array.from(found, ([hsum, path]) => ({ path, hsum }))
  }

  private keep(hsum: string, content: Uint8Array): void {
    if (this.contents.has(hsum)) return
    this.contents.set(hsum, content)
    this.bytes += content.length
    for (const [oldest, { length }] of this.contents) {
      if (this.bytes <= KEPT_BYTES || oldest === hsum) return
      this.contents.delete(oldest)
      this.bytes -= length
    }
  }
}
