// The hashes of a whole environment in one answer of a Brine master (`_file_manifest`), so that a state run does not ask for each file.
// The answer is compact: the paths in one text, a line each, and the hashes in one row of bytes. A minion that has a manifest already
// names its digest, and gets it again only if it changed.
import { createHash } from 'node:crypto'
import { isAnyError, recover } from '../base/mod.ts'
import { type Dict, decodeBytes, isDict, type Value } from '../data/mod.ts'
import type { FileSum } from './file-client.ts'
import type { FileServer } from './file-server.ts'
import type { KnownHashes } from './known-hashes.ts'
import type { FoundFile } from './served-files.ts'
import { SharedWork } from './shared-work.ts'

/** Larger environments get no manifest: minions ask for each file. */
const MOST_FILES = 20_000
/** Larger files are left out, because hashing them for a minion that may not need them costs too much. */
export const MOST_LISTED_BYTES = 1 << 20
/** Files that are looked at together. */
const AT_ONCE = 64

/** Files of these backends are left out: they change while minions run states, or would all be fetched remotely. */
const LEFT_OUT = ['minionfs', 's3fs']

function leftOut(server: FileServer): string[] {
  const elsewhere = server.backends().filter(({ isElsewhere }) => isElsewhere)
  return [...LEFT_OUT, ...elsewhere.map(({ name }) => name)]
}

/** Whether a manifest may have a file. */
export const isListed = (server: FileServer, { back, stat }: FoundFile): boolean =>
  !leftOut(server).includes(back) && stat.size <= MOST_LISTED_BYTES

interface Built {
  digest: string
  paths: string
  sums: Buffer
}

/** Manifests of a master. */
export class ManifestBuilder {
  private readonly server: FileServer
  private readonly hashes: KnownHashes
  private readonly hashType: string
  private readonly shared = new SharedWork<Built | undefined>()

  constructor(server: FileServer, hashes: KnownHashes, hashType: string) {
    this.server = server
    this.hashes = hashes
    this.hashType = hashType
  }

  /** Return the manifest of an environment; empty if the minion has the current one or there is none. */
  async answer(saltenv: string, known: string | undefined): Promise<Map<string, unknown>> {
    const built = await this.shared.fresh(saltenv, () => this.build(saltenv))
    if (built === undefined) return new Map()
    const { digest, paths, sums } = built
    const head: Array<[string, unknown]> = [
      ['digest', digest],
      ['hash_type', this.hashType],
    ]
    return new Map(digest === known ? head : [...head, ['paths', paths], ['sums', sums]])
  }

  private async build(saltenv: string): Promise<Built | undefined> {
    const { files } = await this.server.list(
      saltenv,
      leftOut(this.server).map((name) => `-${name}`),
    )
    if (files.length === 0 || files.length > MOST_FILES) return undefined
    const lines: string[] = []
    const sums: string[] = []
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const some = files.slice(at, at + AT_ONCE)
      const found = await Promise.all(some.map((path) => this.sumOf(path, saltenv)))
      for (const [index, sum] of found.entries()) {
        if (sum === undefined) continue
        lines.push(some[index]!)
        sums.push(sum)
      }
    }
    const paths = lines.join('\n')
    const bytes = Buffer.from(sums.join(''), 'hex')
    const digest = createHash('sha256').update(this.hashType).update('\0').update(paths).update('\0').update(bytes)
    return { digest: digest.digest('hex'), paths, sums: bytes }
  }

  private async sumOf(path: string, saltenv: string): Promise<string | undefined> {
    if (path.includes('\n') || path.includes('?') || path.startsWith('|')) return undefined
    // a file that is gone or cannot be read; minions that want it hear of that
    return recover(isAnyError, undefined, async () => {
      const found = await this.server.look(path, saltenv)
      if (!found || !isListed(this.server, found)) return undefined
      return await this.hashes.of(found.path, this.hashType, found)
    })
  }
}

type Ask = (saltenv: string, known: string) => Promise<Value>

interface Held {
  digest: string
  hashType: string
  sums: ReadonlyMap<string, string>
}

/** How many hashes a run requests before it requests the manifest: a run with one or two files does not need it. */
const ASKED_BEFORE = 2
/** Milliseconds for which a manifest is valid in a run; then the minion asks whether it changed. */
const TRUSTED_MS = 10_000

interface Trusted {
  at: number
  held: Promise<Held | undefined>
}

/** Manifests of a minion, which count only during a run of states. */
export class Manifests {
  private readonly ask: Ask
  private readonly now: () => number
  /** The last manifest of each environment, to compare. */
  private readonly kept = new Map<string, Held>()
  private readonly trusted = new Map<string, Trusted>()
  /** The last manifest of this run, which may be outdated. */
  private readonly seen = new Map<string, Promise<Held | undefined>>()
  /** Hashes that the master sent one by one. */
  private readonly answered = new Map<string, { at: number; sum: FileSum }>()
  private readonly counts = new Map<string, number>()
  private runs = 0

  constructor(ask: Ask, now: () => number = () => performance.now()) {
    this.ask = ask
    this.now = now
  }

  /** Begin a run with an empty cache of hashes. Return a function that ends it. */
  begin(): () => void {
    this.forget()
    this.seen.clear()
    return this.hold()
  }

  /** Begin a part of a run, or a run if there is none. Return a function that ends it. */
  hold(): () => void {
    this.runs++
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.runs--
      if (this.runs > 0) return
      this.forget()
      this.seen.clear()
    }
  }

  /** Ask anew from now on: files of the master may have changed. */
  forget(): void {
    this.trusted.clear()
    this.answered.clear()
    this.counts.clear()
  }

  /** Store the master's hash of a file. It is valid as long as those of a manifest. */
  note(path: string, saltenv: string, sum: FileSum): void {
    if (this.runs > 0) this.answered.set(`${saltenv}\0${path}`, { at: this.now(), sum })
  }

  /** Return the hash of a file; undefined if the master must be asked. */
  async sum(path: string, saltenv: string): Promise<FileSum | undefined> {
    if (this.runs === 0) return undefined
    const answered = this.answered.get(`${saltenv}\0${path}`)
    if (answered && this.now() - answered.at < TRUSTED_MS) return answered.sum
    const count = this.counts.get(saltenv) ?? 0
    this.counts.set(saltenv, count + 1)
    if (count < ASKED_BEFORE) return undefined
    return sumIn(await this.current(saltenv), path)
  }

  /** Return the hash that a file had in the last manifest of this run. */
  async lastSum(path: string, saltenv: string): Promise<FileSum | undefined> {
    return sumIn(await (this.seen.get(saltenv) ?? this.current(saltenv)), path)
  }

  private current(saltenv: string): Promise<Held | undefined> {
    const trusted = this.trusted.get(saltenv)
    if (trusted && this.now() - trusted.at < TRUSTED_MS) return trusted.held
    const held = this.load(saltenv)
    this.trusted.set(saltenv, { at: this.now(), held })
    this.seen.set(saltenv, held)
    return held
  }

  private async load(saltenv: string): Promise<Held | undefined> {
    const kept = this.kept.get(saltenv)
    const answer = await this.ask(saltenv, kept?.digest ?? '')
    const held = isDict(answer) ? readManifest(answer, kept) : undefined
    if (held === undefined) this.kept.delete(saltenv)
    else this.kept.set(saltenv, held)
    return held
  }
}

function sumIn(manifest: Held | undefined, path: string): FileSum | undefined {
  const hsum = manifest?.sums.get(path)
  return hsum === undefined ? undefined : { hsum, hash_type: manifest!.hashType }
}

/** Return a text of an answer, whose texts are undecoded bytes. */
function textIn(answer: Dict, name: string): string | undefined {
  const value = answer.get(name)
  return value instanceof Uint8Array ? decodeBytes(value) : typeof value === 'string' ? value : undefined
}

/** Read the answer of a master; undefined when it is no manifest. */
function readManifest(answer: Dict, kept: Held | undefined): Held | undefined {
  const digest = textIn(answer, 'digest')
  if (digest === undefined) return undefined
  if (digest === kept?.digest) return kept
  const paths = textIn(answer, 'paths')?.split('\n')
  const sums = answer.get('sums')
  if (paths === undefined || !(sums instanceof Uint8Array) || sums.length % paths.length !== 0) return undefined
  const bytes = Buffer.from(sums.buffer, sums.byteOffset, sums.length)
  const size = bytes.length / paths.length
  const entries = paths.map((path, at) => [path, bytes.toString('hex', at * size, (at + 1) * size)] as const)
  return { digest, hashType: textIn(answer, 'hash_type') ?? 'sha256', sums: new Map(entries) }
}
