// Reads results of states from stored returns without unpacking them: a job with 10,000 minions and 100 states has a
// million results. The digest of a return depends on the results only: times, process ids and job ids do not count.
import { hash } from 'node:crypto'
import { isA, recover } from '../../base/mod.ts'
import { MsgpackError, PackedCursor, packedKeys, type Value } from '../../data/mod.ts'

const RETURN = packedKeys(['return'])

const [RESULT, CHANGES, RAN, SLS, ID, NAME, COMMENT, DURATION, STARTED, NUMBER] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
const FIELDS = packedKeys([
  'result',
  'changes',
  '__state_ran__',
  '__sls__',
  '__id__',
  'name',
  'comment',
  'duration',
  'start_time',
  '__run_num__',
])

const FIELD_COUNT = 10

/** Fields anywhere in changes that differ between runs which did the same. */
const VOLATILE = packedKeys(['pid', 'jid', 'duration', 'start_time', '__run_num__'])

/** Bytes of a return beyond which its states are not looked at: it would take too long at once. */
export const LARGEST_SCAN = 16 << 20

/** Deeper values count whole. */
const DEEPEST = 10

const SEPARATOR = '_|-'

/** One state of a return. Its texts are decoded on access. */
export class ScannedState {
  tag = ''
  /** `None` is null; undefined if the field is missing. */
  result: boolean | null | undefined
  hasChanges = false
  hasRun = true
  /** The place in the order of the run; -1 where it is not known. */
  number = -1
  /** Milliseconds. */
  duration = 0
  /** Positions of texts by field; 0 if missing. */
  private readonly places = new Uint32Array(FIELD_COUNT)
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get sls(): Value {
    return this.at(SLS!)
  }

  get id(): Value {
    return this.at(ID!)
  }

  get name(): Value {
    return this.at(NAME!)
  }

  get comment(): Value {
    return this.at(COMMENT!)
  }

  begin(tag: string): void {
    this.tag = tag
    this.result = undefined
    this.hasChanges = false
    this.hasRun = true
    this.number = -1
    this.duration = 0
    this.places.fill(0)
  }

  note(field: number, at: number): void {
    this.places[field] = at
  }

  private at(field: number): Value {
    const place = this.places[field]!
    return place === 0 ? null : new PackedCursor(this.bytes, place).value()
  }
}

export interface ScannedReturn {
  /** Whether the return is the results of states. */
  isStates: boolean
  /** The same for returns with the same results. */
  digest: string
}

/** Look at the states of a return. `visit` must not keep the state. A return that cannot be read has no states. */
export const scanReturn = (bytes: Uint8Array, visit: (state: ScannedState) => void): ScannedReturn =>
  scanned(bytes, visit, true)

function scanned(bytes: Uint8Array, visit: (state: ScannedState) => void, hasDigest: boolean): ScannedReturn {
  if (bytes.length > LARGEST_SCAN) return { isStates: false, digest: digestOf(bytes.subarray(0, LARGEST_SCAN)) }
  return recover(isA(MsgpackError), { isStates: false, digest: '' }, () => {
    const cursor = returnIn(bytes)
    if (!cursor) return { isStates: false, digest: '' }
    return new Scan(cursor, hasDigest).run(visit)
  })
}

/** Return the place of the value that a minion returned. */
function returnIn(bytes: Uint8Array): PackedCursor | undefined {
  const cursor = new PackedCursor(bytes)
  for (let entries = cursor.map() ?? 0; entries > 0; entries--) {
    if (cursor.key(RETURN) === 0) return cursor
    cursor.skip()
  }
  return undefined
}

/** Bytes that the digest of a return is made from; shared by all scans, which do not overlap. */
let scratch = Buffer.alloc(1 << 16)

class Scan {
  private readonly cursor: PackedCursor
  private readonly from: number
  /** Bytes before this place have been taken into the digest, or left out of it. */
  private taken: number
  private size = 0
  private readonly hasDigest: boolean

  constructor(cursor: PackedCursor, hasDigest: boolean) {
    this.cursor = cursor
    this.hasDigest = hasDigest
    this.from = cursor.at
    this.taken = cursor.at
  }

  run(visit: (state: ScannedState) => void): ScannedReturn {
    const { cursor } = this
    const entries = cursor.map() ?? 0
    const state = new ScannedState(cursor.bytes)
    for (let left = entries; left > 0; left--) if (!this.state(state, visit)) return this.whole()
    if (entries === 0) return this.whole()
    if (!this.hasDigest) return { isStates: true, digest: '' }
    this.take(cursor.at)
    return { isStates: true, digest: digestOf(scratch.subarray(0, this.size)) }
  }

  /** A return that is no results of states counts as it is. */
  private whole(): ScannedReturn {
    const { cursor, from } = this
    if (!this.hasDigest) return { isStates: false, digest: '' }
    cursor.at = from
    cursor.skip()
    return { isStates: false, digest: digestOf(cursor.bytes.subarray(from, cursor.at)) }
  }

  private state(state: ScannedState, visit: (state: ScannedState) => void): boolean {
    const { cursor } = this
    const tag = cursor.text()
    if (tag === undefined || !tag.includes(SEPARATOR)) return false
    const fields = cursor.map()
    if (fields === undefined) return false
    state.begin(tag)
    for (let left = fields; left > 0; left--) this.field(state)
    if (state.result === undefined) return false
    visit(state)
    return true
  }

  private field(state: ScannedState): void {
    const { cursor } = this
    const from = cursor.at
    const field = cursor.key(FIELDS)
    const { mark, at } = cursor
    if (field === CHANGES) {
      state.hasChanges = !EMPTY.has(mark)
      this.volatile(DEEPEST)
      return
    }
    if (field === DURATION) state.duration = milliseconds(cursor)
    else if (field === NUMBER) state.number = cursor.number() ?? -1
    if (cursor.at === at) cursor.skip()
    if (field === DURATION || field === NUMBER || field === STARTED) this.leaveOut(from)
    else if (field === RESULT)
      state.result = mark === 0xc3 ? true : mark === 0xc2 ? false : mark === 0xc0 ? null : undefined
    else if (field === RAN) state.hasRun = mark !== 0xc2
    else if (field >= 0) state.note(field, at)
  }

  /** Skip a value, and leave the parts that differ between runs out of the digest. */
  private volatile(depth: number): void {
    const { cursor } = this
    if (depth === 0) return cursor.skip()
    const entries = cursor.map()
    if (entries !== undefined) {
      for (let left = entries; left > 0; left--) {
        const from = cursor.at
        if (cursor.key(VOLATILE) < 0) this.volatile(depth - 1)
        else {
          cursor.skip()
          this.leaveOut(from)
        }
      }
      return
    }
    const items = cursor.list()
    if (items === undefined) cursor.skip()
    else for (let left = items; left > 0; left--) this.volatile(depth - 1)
  }

  /** Leave the bytes between a position and the cursor out of the digest. */
  private leaveOut(from: number): void {
    if (!this.hasDigest) return
    this.take(from)
    this.taken = this.cursor.at
  }

  private take(until: number): void {
    const length = until - this.taken
    if (this.size + length > scratch.length) {
      const larger = Buffer.alloc(Math.max(scratch.length * 2, this.size + length))
      scratch.copy(larger, 0, 0, this.size)
      scratch = larger
    }
    this.cursor.bytes.copy(scratch, this.size, this.taken, until)
    this.size += length
    this.taken = until
  }
}

/** Marks of values that are false. */
const EMPTY: ReadonlySet<number> = new Set([0x80, 0x90, 0xa0, 0xc0, 0xc2, 0x00])

const digestOf = (bytes: Uint8Array): string => hash('sha1', bytes, 'hex')

/** Read a duration: a number, or a text such as `12.3 ms`. */
function milliseconds(cursor: PackedCursor): number {
  const number = cursor.number() ?? Number.parseFloat(cursor.text() ?? 'no number')
  if (Number.isFinite(number) && number >= 0) return number
  return 0
}

export interface StateCounts {
  succeeded: number
  /** States that changed something, or would have without the dry run. */
  changed: number
  failed: number
  /** Milliseconds. */
  duration: number
}

/** Count the states of a return. A return without states counts as one failure. */
export function countStates(bytes: Uint8Array): StateCounts {
  const counts: StateCounts = { succeeded: 0, changed: 0, failed: 0, duration: 0 }
  const { isStates } = scanned(bytes, (state) => addState(counts, state), false)
  return isStates ? counts : { succeeded: 0, changed: 0, failed: 1, duration: 0 }
}

export function addState(counts: StateCounts, { result, hasChanges, duration }: ScannedState): void {
  if (result === false) counts.failed++
  else counts.succeeded++
  if (hasChanges || result === null) counts.changed++
  counts.duration += duration
}

/** Return the value that a minion returned. */
export function returnValue(bytes: Uint8Array): Value {
  return returnIn(bytes)?.value() ?? null
}
