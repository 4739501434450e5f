// What the next states of a run will look at, for machines that are far away: the host asks for it together with other things. Guessed from
// the kind of a state and its arguments; a wrong guess costs a little time, and a missing one a wait.
import { dirname } from 'node:path/posix'
import { lookup } from '../../base/mod.ts'
import { isList, textOf, truthy, type Value } from '../../data/mod.ts'
import type { ExpectedRead, Host } from '../../host/mod.ts'
import type { LowChunk } from '../compile/types.ts'

/** How many states are looked at soon, and how many after them. */
const SOON = 3
const LATER = 40

type PathRead = Exclude<ExpectedRead, { key: unknown }>['op']

/** State function → what it reads of the path that is its name. */
const OF_NAMED_FILES: Readonly<Record<string, readonly PathRead[]>> = lookup({
  absent: ['stat', 'lstat'],
  append: ['stat', 'lstat', 'realPath', 'read'],
  blockreplace: ['stat', 'lstat', 'realPath', 'read'],
  comment: ['stat', 'lstat', 'realPath', 'read'],
  copy: ['stat', 'lstat'],
  directory: ['stat', 'lstat'],
  exists: ['stat', 'lstat'],
  keyvalue: ['stat', 'lstat', 'realPath', 'read'],
  line: ['stat', 'lstat', 'realPath', 'read'],
  managed: ['stat', 'lstat', 'realPath', 'hash'],
  missing: ['stat', 'lstat'],
  prepend: ['stat', 'lstat', 'realPath', 'read'],
  recurse: ['stat', 'lstat'],
  rename: ['stat', 'lstat'],
  replace: ['stat', 'lstat', 'realPath', 'read'],
  symlink: ['lstat', 'stat', 'readLink'],
  touch: ['stat', 'lstat'],
  uncomment: ['stat', 'lstat', 'realPath', 'read'],
})

/** What a file state of Salt compares content by. */
const ALGORITHM = 'sha256'

const readOf = (op: PathRead, path: string): ExpectedRead =>
  op === 'hash' ? { op, path, algorithm: ALGORITHM } : { op, path }

/** Return what a state will look at. */
function expectedReads(low: LowChunk): ExpectedRead[] {
  const text = (name: string): string | undefined => textOf(low.get(name) ?? null)
  const [state, fun, name] = ['state', 'fun', 'name'].map(text)
  const reads = state === 'file' ? fileReads(low, fun ?? '', name) : []
  if (state === 'user' && name !== undefined) reads.push({ op: 'user', key: name })
  if (state === 'group' && name !== undefined) reads.push({ op: 'group', key: name })
  for (const kind of ['user', 'group'] as const) {
    const key = text(kind)
    if (state === 'file' && key !== undefined && key !== '') reads.push({ op: kind, key })
  }
  return reads
}

function fileReads(low: LowChunk, fun: string, name: string | undefined): ExpectedRead[] {
  const ops = OF_NAMED_FILES[fun]
  const names = low.get('names')
  const paths = isList(names ?? null) ? (names as Value[]).map(textOf) : [name]
  return paths.flatMap((path) => {
    if (ops === undefined || path === undefined || !path.startsWith('/')) return []
    const above = truthy(low.get('makedirs') ?? false) ? [dirname(path), dirname(dirname(path))] : [dirname(path)]
    return [...ops.map((op) => readOf(op, path)), ...above.map((folder) => readOf('stat', folder))]
  })
}

/** Tells a host, state by state, what comes next. Only hosts that are far away listen. */
export class Foresight {
  private readonly host: Host
  private readonly chunks: readonly LowChunk[]

  constructor(host: Host, chunks: readonly LowChunk[]) {
    this.host = host
    this.chunks = chunks
  }

  /** Tell of the states from this one on. */
  at(place: number): void {
    if (!this.host.expect) return
    const readsOf = (from: number, to: number): ExpectedRead[] => this.chunks.slice(from, to).flatMap(expectedReads)
    this.host.expect(readsOf(place, place + SOON), readsOf(place + SOON, place + LATER))
  }
}
