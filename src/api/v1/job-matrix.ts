// The returns of a job as a matrix of minions and states, and in groups with the same results. Each return is read
// once, in time slices, when it arrives; only a row of some bytes is kept of it.
import { briefStr, textOf, type Value } from '../../data/mod.ts'
import type { MasterStores } from '../../sdk/mod.ts'
import { slices } from './slices.ts'
import { addState, LARGEST_SCAN, returnValue, type ScannedState, type StateCounts, scanReturn } from './state-scan.ts'

/** Further states of a job have no column. */
const MOST_COLUMNS = 2000
const BLOCK = 500
const LONGEST_TEXT = 200
const LONGEST_NAME = 1000
/** States with longer tags have no column. */
const LONGEST_TAG = 4000
/** Further states of one return are counted and have no cell: to look at each would take long at once. */
const MOST_STATES = 10_000

export interface Column {
  key: string
  id: string
  name: string
  function: string
  sls: string
  /** The lowest number that the state had in the run of a minion. */
  order: number
  /** The file and line; null if there is none, undefined before the search. */
  place?: string | null
}

export interface Row {
  /** The number of the return. */
  number: number
  minion: string
  cells: string
  group: number
  /** Milliseconds. */
  duration: number
  /** Seconds since 1970. */
  came: number
}

export interface Group {
  group: number
  digest: string
  minions: number
  succeeded: boolean
  changed: number
  failed: number
  /** The first minion of the group. */
  sample: string
  text: string
}

export class JobMatrix {
  readonly columns: Column[] = []
  readonly rows: Row[] = []
  readonly groups: Group[] = []
  private readonly jid: string
  private readonly stores: MasterStores
  private readonly byTag = new Map<string, number>()
  /** Columns of states that a minion has once, by function and id: their names may differ between minions. */
  private readonly byId = new Map<string, number>()
  private readonly byDigest = new Map<string, Group>()
  private taking: Promise<boolean> | undefined

  constructor(stores: MasterStores, jid: string) {
    this.stores = stores
    this.jid = jid
  }

  /** Read returns for at most this many milliseconds. Return whether more are waiting. */
  async follow(most: number): Promise<boolean> {
    this.taking ??= this.take(most).finally(() => {
      this.taking = undefined
    })
    return this.taking
  }

  private async take(most: number): Promise<boolean> {
    const { ledger } = this.stores.jobs
    const turn = slices()
    const until = performance.now() + most
    while ((ledger.fact(this.jid)?.returned ?? 0) > this.rows.length) {
      const arrivals = ledger.arrivals(this.jid, this.rows.at(-1)?.number ?? 0, BLOCK)
      if (arrivals.length === 0) return false
      for (const { number, id, isFailed, came } of arrivals) {
        this.add({ number, minion: id, came }, isFailed, ledger.bytesOf(this.jid, id) ?? new Uint8Array())
        await turn()
        if (performance.now() > until) return true
      }
    }
    return false
  }

  private add(row: Pick<Row, 'number' | 'minion' | 'came'>, isFailed: boolean, bytes: Uint8Array): void {
    const counts: StateCounts = { succeeded: 0, changed: 0, failed: 0, duration: 0 }
    const seen: SeenState[] = []
    let failure = ''
    const { isStates, digest } = scanReturn(bytes, (state) => {
      addState(counts, state)
      if (failure === '' && state.result === false && state.hasRun) failure = lineOf(state.comment)
      if (seen.length >= MOST_STATES || state.tag.length > LONGEST_TAG) return
      const index = this.byTag.get(state.tag)
      seen.push({
        tag: state.tag,
        cell: cellOf(state),
        index,
        column: index === undefined ? columnOf(state) : undefined,
      })
      if (index !== undefined) this.columns[index]!.order = Math.min(this.columns[index]!.order, state.number)
    })
    const cells = isStates ? this.cells(seen) : '!'
    const text = isStates ? summaryOf(counts, failure, cells) : ''
    const group = this.groupOf(digest, isFailed, () => ({
      changed: isStates ? counts.changed : 0,
      failed: isStates ? counts.failed : Number(isFailed),
      sample: row.minion,
      text: isStates ? text : textOfReturn(bytes),
    }))
    this.rows.push({ ...row, cells, group, duration: isStates ? Math.round(counts.duration * 1000) / 1000 : 0 })
  }

  private groupOf(
    digest: string,
    isFailed: boolean,
    describe: () => Pick<Group, 'changed' | 'failed' | 'sample' | 'text'>,
  ): number {
    const key = `${digest}${isFailed ? '!' : ''}`
    let group = this.byDigest.get(key)
    if (!group) {
      group = { group: this.groups.length, digest, minions: 0, succeeded: !isFailed, ...describe() }
      this.groups.push(group)
      this.byDigest.set(key, group)
    }
    group.minions++
    return group.group
  }

  /** Write the row of a minion. */
  private cells(seen: readonly SeenState[]): string {
    const times = new Map<string, number>()
    if (seen.some(({ index }) => index === undefined)) {
      for (const { tag } of seen) times.set(identityOf(tag), (times.get(identityOf(tag)) ?? 0) + 1)
    }
    const cells: string[] = []
    for (const { tag, cell, index, column } of seen) {
      const at = index ?? this.columnAt(tag, column!, times.get(identityOf(tag)) === 1)
      if (at === undefined) continue
      while (cells.length < at) cells.push('.')
      cells[at] = cell
    }
    return cells.join('')
  }

  private columnAt(tag: string, column: Column, isSingle: boolean): number | undefined {
    const identity = identityOf(tag)
    const known = isSingle ? this.byId.get(identity) : undefined
    if (known !== undefined) return known
    if (this.columns.length >= MOST_COLUMNS) return undefined
    const index = this.columns.push(column) - 1
    this.byTag.set(tag, index)
    if (isSingle) this.byId.set(identity, index)
    return index
  }
}

interface SeenState {
  tag: string
  cell: string
  index: number | undefined
  /** Undefined before the tag has a column. */
  column: Column | undefined
}

const SEPARATOR = '_|-'

/** The parts of a tag; the name may have separators itself. */
function partsOf(tag: string): [module: string, id: string, name: string, fun: string] {
  const [first, last] = [tag.indexOf(SEPARATOR), tag.lastIndexOf(SEPARATOR)]
  const from = first + SEPARATOR.length
  const second = tag.indexOf(SEPARATOR, from)
  const id = tag.slice(from, second < 0 ? undefined : second)
  const name = last > second && second > 0 ? tag.slice(second + SEPARATOR.length, last) : ''
  return [tag.slice(0, first), id, name, tag.slice(last + SEPARATOR.length)]
}

/** The function and the id of a state. */
function identityOf(tag: string): string {
  const [module, id, , fun] = partsOf(tag)
  return `${module}.${fun} ${id}`
}

function columnOf({ tag, sls, id, name, number }: ScannedState): Column {
  const [module, ownId, ownName, fun] = partsOf(tag)
  const text = (value: Value, other: string): string => beginning(textOf(value) ?? other, LONGEST_NAME)
  return {
    key: tag,
    id: text(id, ownId),
    name: text(name, ownName),
    function: beginning(`${module}.${fun}`, LONGEST_NAME),
    sls: text(sls, ''),
    order: number,
  }
}

function cellOf({ result, hasChanges, hasRun }: ScannedState): string {
  if (!hasRun) return 'k'
  if (result === null) return 't'
  if (result === false) return 'f'
  return hasChanges ? 'c' : 's'
}

const textOfReturn = (bytes: Uint8Array): string =>
  bytes.length > LARGEST_SCAN ? 'The return is too large to be read here' : lineOf(returnValue(bytes))

/** The first line of a value, for people. */
function lineOf(value: Value): string {
  const first = Array.isArray(value) && value.length > 0 ? (value[0] ?? null) : value
  const text = textOf(first) ?? briefStr(first)
  const [line = ''] = /\S[^\n]*/.exec(text) ?? []
  return beginning(line.trimEnd(), LONGEST_TEXT)
}

/** The beginning of a text, as a copy: a slice of a long text would keep all of it in memory. */
const beginning = (text: string, most: number): string => Buffer.from(text.slice(0, most)).toString()

function summaryOf({ succeeded, changed, failed }: StateCounts, failure: string, cells: string): string {
  const isTest = cells.includes('t')
  const parts = [
    ...(failed > 0 ? [`${failed} failed${failure && `: ${failure}`}`] : []),
    ...(changed > 0 ? [`${changed} ${isTest ? 'would change' : 'changed'}`] : []),
  ]
  return (parts.length > 0 ? parts.join(', ') : `${succeeded} succeeded`).slice(0, LONGEST_TEXT)
}

/** Limits of cached matrices, and of rows in all of them; the least recently used is dropped first. */
const MOST_JOBS = 32
const MOST_ROWS = 100_000

export class JobMatrices {
  private readonly stores: MasterStores
  private readonly known = new Map<string, JobMatrix>()

  constructor(stores: MasterStores) {
    this.stores = stores
  }

  of(jid: string): JobMatrix {
    const kept = this.known.get(jid)
    // a job of a syndic gives way to one of this master with the same id
    const isStale = kept !== undefined && kept.rows.length > (this.stores.jobs.ledger.fact(jid)?.returned ?? 0)
    const matrix = kept === undefined || isStale ? new JobMatrix(this.stores, jid) : kept
    this.known.delete(jid)
    this.known.set(jid, matrix)
    this.makeRoom(jid)
    return matrix
  }

  private makeRoom(used: string): void {
    let rows = 0
    for (const matrix of this.known.values()) rows += matrix.rows.length
    for (const [jid, matrix] of this.known) {
      if (jid === used || (this.known.size <= MOST_JOBS && rows <= MOST_ROWS)) return
      this.known.delete(jid)
      rows -= matrix.rows.length
    }
  }
}
