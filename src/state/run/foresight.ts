// Predicts the reads of the next states of a run, for remote machines: the host requests them together with others.
// Predicted from the kind of a state and its arguments; a wrong prediction costs a little time, and a missing one a
// wait.
import { dirname, resolve } from 'node:path/posix'
import { lookup } from '../../base/mod.ts'
import { isList, textOf, truthy, type Value } from '../../data/mod.ts'
import type { ExpectedRead, Host } from '../../host/mod.ts'
import type { LowChunk } from '../compile/types.ts'

/** How many states count as soon, and how many after them. */
const SOON = 3
const LATER = 40

type PathRead = 'hash' | 'lstat' | 'read' | 'readLink' | 'realPath' | 'stat'

/** State function → its reads of the path that is its name. */
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

/** States that may run beside each other. */
const PLACED = new Set(['absent', 'directory', 'managed', 'symlink'])

/** The hash by which Salt's file states compare content. */
const ALGORITHM = 'sha256'

const readOf = (op: PathRead, path: string): ExpectedRead =>
  op === 'hash' ? { op, path, algorithm: ALGORITHM } : { op, path }

/** Implicit reads of states. */
interface Around {
  uid: number
  gid: number
  /** The same by name. */
  names: ExpectedRead[]
  home: string | undefined
  shell: string | undefined
}

/** Return the predicted reads of a state. */
function expectedReads(low: LowChunk, around: Around | undefined): ExpectedRead[] {
  const text = (name: string): string | undefined => textOf(low.get(name) ?? null)
  const [state, fun, name] = ['state', 'fun', 'name'].map(text)
  const reads = state === 'file' ? fileReads(low, fun ?? '', name) : []
  if (state === 'user' && name !== undefined) reads.push({ op: 'user', key: name })
  if (state === 'group' && name !== undefined) reads.push({ op: 'group', key: name })
  for (const kind of ['user', 'group'] as const) {
    const key = text(kind)
    if (state === 'file' && key !== undefined && key !== '') reads.push({ op: kind, key })
  }
  // new files belong to the user of the login
  if (reads.length > 0 && state === 'file' && around) {
    reads.push({ op: 'user', key: around.uid }, { op: 'group', key: around.gid })
    // a link gets an owner by name
    if (fun === 'symlink') reads.push(...around.names)
  }
  return [...reads, ...conditionReads(low), ...(state === 'cmd' || hasLines(low) ? commandReads(low, around) : [])]
}

const texts = (value: Value | undefined): string[] =>
  (isList(value ?? null) ? (value as Value[]) : [value ?? null]).flatMap((one) => textOf(one) ?? [])

const linesOf = (low: LowChunk): string[] => [...texts(low.get('onlyif')), ...texts(low.get('unless'))]

const hasLines = (low: LowChunk): boolean => linesOf(low).length > 0

/** Arguments that make a command another one than that of an earlier state. */
const SURROUNDINGS = ['cwd', 'env', 'group', 'prepend_path', 'root', 'runas', 'shell', 'timeout', 'umask']

/** Return the reads of `onlyif`, `unless` and `creates`. */
function conditionReads(low: LowChunk): ExpectedRead[] {
  const paths = texts(low.get('creates')).map((path): ExpectedRead => ({ op: 'access', path, wish: 'exists' }))
  if (SURROUNDINGS.some((name) => low.has(name))) return paths
  return [...paths, ...linesOf(low).map((line): ExpectedRead => ({ op: 'line', line }))]
}

/** Return the reads of each command before it starts: its directory, its shell and its user. */
function commandReads(low: LowChunk, around: Around | undefined): ExpectedRead[] {
  if (!around) return []
  const directory = textOf(low.get('cwd') ?? null) ?? around.home
  const shell = textOf(low.get('shell') ?? null) ?? around.shell
  const reads: ExpectedRead[] = [{ op: 'user', key: around.uid }]
  if (directory?.startsWith('/')) {
    reads.push({ op: 'stat', path: directory }, { op: 'access', path: directory, wish: 'read' })
  }
  if (shell?.startsWith('/')) reads.push({ op: 'stat', path: shell }, { op: 'access', path: shell, wish: 'execute' })
  return reads
}

function fileReads(low: LowChunk, fun: string, name: string | undefined): ExpectedRead[] {
  const ops = OF_NAMED_FILES[fun]
  const names = low.get('names')
  const paths = isList(names ?? null) ? (names as Value[]).map(textOf) : [name]
  return paths.flatMap((path) => {
    if (ops === undefined || path === undefined || !path.startsWith('/')) return []
    const above = truthy(low.get('makedirs') ?? false) ? [dirname(path), dirname(dirname(path))] : [dirname(path)]
    const made = above.length > 1 ? [readOf('lstat', above[0]!)] : []
    const folders = above.map((folder) => readOf('stat', folder))
    const place = PLACED.has(fun) ? [readOf('realPath', dirname(path)), ...linkEnd(low, path)] : []
    return [...ops.map((op) => readOf(op, path)), ...folders, ...made, ...place]
  })
}

/** Return the reads of a link's target that decide about parallel runs. */
function linkEnd(low: LowChunk, path: string): ExpectedRead[] {
  const target = textOf(low.get('target') ?? null)
  if (!target) return []
  const end = resolve(dirname(path), target)
  return [readOf('lstat', end), readOf('realPath', dirname(end))]
}

async function surroundingsOf(host: Host): Promise<Around> {
  const [{ uid, gid }, env] = await Promise.all([host.identity(), host.env()])
  const [user, group] = await Promise.all([host.user(uid), host.group(gid)])
  const names: ExpectedRead[] = []
  if (user) names.push({ op: 'user', key: user.name })
  if (group) names.push({ op: 'group', key: group.name })
  return { uid, gid, names, home: env.get('HOME'), shell: env.get('SHELL') }
}

/** Reports the next reads to a host, state by state. Only remote hosts use them. */
export class Foresight {
  private readonly host: Host
  private readonly chunks: readonly LowChunk[]
  private readonly known: Array<ExpectedRead[] | undefined> = []
  private around: Around | undefined
  private isLooking = false
  private place = 0
  private end = 0

  constructor(host: Host, chunks: readonly LowChunk[]) {
    this.host = host
    this.chunks = chunks
  }

  /** Report the states from this one on; those before `end` run soon. */
  at(place: number, end = place): void {
    this.place = place
    this.end = Math.max(end, place + SOON)
    if (!this.host.expect) return
    this.host.expect(this.readsOf(place, this.end), this.readsOf(this.end, place + LATER))
    if (!this.isLooking) this.look()
  }

  /** Find the users of the states, and report the states again. */
  private look(): void {
    this.isLooking = true
    surroundingsOf(this.host).then(
      (around) => {
        this.around = around
        this.known.length = 0
        this.at(this.place, this.end)
      },
      // a guess less
      () => {},
    )
  }

  private readsOf(from: number, to: number): ExpectedRead[] {
    const reads: ExpectedRead[] = []
    for (let at = from; at < Math.min(to, this.chunks.length); at++) {
      const known = this.known[at] ?? expectedReads(this.chunks[at]!, this.around)
      this.known[at] = known
      reads.push(...known)
    }
    return reads
  }
}
