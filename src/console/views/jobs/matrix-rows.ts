// Rows of a matrix: their order, filters and differences between two runs. Pure, because a job may have a million cells.
import type { Data } from '../../api/client.ts'

type Matrix = Data<'/v1/jobs/{jid}/matrix'>
export type Column = Matrix['states'][number]
export type Group = Matrix['groups'][number]

export interface Row {
  minion: string
  cells: string
  group: number
  /** Milliseconds. */
  duration: number
  returned: string
  failed: number
  changed: number
}

/** Which rows are shown. */
export type Show = 'all' | 'failed' | 'changed'

export function rowOf({ minion, cells, group, duration, returned }: Matrix['rows'][number]): Row {
  let failed = 0
  let changed = 0
  for (let at = 0; at < cells.length; at++) {
    const sign = cells.charCodeAt(at)
    // f, k and ! are failures; c and t are changes
    if (sign === 102 || sign === 107 || sign === 33) failed++
    else if (sign === 99 || sign === 116) changed++
  }
  return { minion, cells, group, duration, returned, failed, changed }
}

/** Columns in the order of the run, as indices into cells. */
export const columnOrder = (columns: readonly Column[]): number[] =>
  columns.map((_, index) => index).sort((a, b) => columns[a]!.order - columns[b]!.order || a - b)

const weight = ({ failed, changed }: Row): number => (failed > 0 ? 2 : changed > 0 ? 1 : 0)

const byTrouble = (a: Row, b: Row): number =>
  weight(b) - weight(a) || b.failed - a.failed || b.changed - a.changed || (a.minion < b.minion ? -1 : 1)

export interface Filter {
  show: Show
  /** A part of a minion id. */
  q: string
  group?: number
}

const isShown = ({ failed, changed }: Row, show: Show): boolean =>
  show === 'all' || (show === 'failed' ? failed > 0 : changed > 0)

/** Return the rows to show, those with failures and changes first. */
export function shownRows(rows: readonly Row[], { show, q, group }: Filter): Row[] {
  return rows
    .filter(
      (row) =>
        isShown(row, show) && (q === '' || row.minion.includes(q)) && (group === undefined || row.group === group),
    )
    .sort(byTrouble)
}

/** One row for each group of the same results. */
export function groupRows(rows: readonly Row[], groups: readonly Group[]): Row[] {
  const samples = new Set(groups.map(({ sample }) => sample))
  return rows.filter(({ minion }) => samples.has(minion))
}

/** Groups with failures first, then with changes, then the largest. */
export const groupOrder = (groups: readonly Group[]): Group[] =>
  [...groups].sort(
    (a, b) =>
      Number(a.succeeded) - Number(b.succeeded) ||
      Number(b.changed > 0) - Number(a.changed > 0) ||
      b.minions - a.minions ||
      a.group - b.group,
  )

/** A difference between two runs on a minion. */
export interface Difference {
  minion: string
  /** The state whose result differs; absent if the whole return differs. */
  column?: Column
  /** Signs of the results, or empty where the minion has no return. */
  before: string
  after: string
}

interface Side {
  columns: readonly Column[]
  rows: readonly Row[]
  groups: readonly Group[]
}

const byId = ({ function: name, id }: Column): string => JSON.stringify([name, id])

/**
 * Return keys that identify the same state in two runs. The name is a part only if several states have one id: it may
 * differ between minions.
 */
function stateKeys(...sides: ReadonlyArray<readonly Column[]>): (column: Column) => string {
  const many = new Set<string>()
  for (const columns of sides) {
    const seen = new Set<string>()
    for (const key of columns.map(byId)) (seen.has(key) ? many : seen).add(key)
  }
  return (column) => (many.has(byId(column)) ? JSON.stringify([byId(column), column.name]) : byId(column))
}

const MOST = 100_000

/** Compare two runs: states with another result, minions that are new or gone, and returns of other functions that differ. */
export function differences(before: Side, after: Side): Difference[] {
  const found: Difference[] = []
  const old = new Map(before.rows.map((row) => [row.minion, row]))
  const sameState = stateKeys(before.columns, after.columns)
  const places = new Map(before.columns.map((column, index) => [sameState(column), index]))
  const pairs = after.columns.map((column) => places.get(sameState(column)) ?? -1)
  const news = new Set(after.columns.map(sameState))
  const goneColumns = before.columns.flatMap((column, index) =>
    news.has(sameState(column)) ? [] : [{ column, index }],
  )
  const digests = (side: Side) => new Map(side.groups.map(({ group, digest }) => [group, digest]))
  const [oldDigests, newDigests] = [digests(before), digests(after)]
  for (const row of after.rows) {
    if (found.length >= MOST) break
    const was = old.get(row.minion)
    old.delete(row.minion)
    if (!was) {
      found.push({ minion: row.minion, before: '', after: '!' })
      continue
    }
    if (row.cells === '!' || was.cells === '!') {
      if (oldDigests.get(was.group) !== newDigests.get(row.group))
        found.push({ minion: row.minion, before: '!', after: '!' })
      continue
    }
    for (const [index, place] of pairs.entries()) {
      const now = row.cells[index] ?? '.'
      const then = place < 0 ? '.' : (was.cells[place] ?? '.')
      if (now !== then) found.push({ minion: row.minion, column: after.columns[index]!, before: then, after: now })
    }
    for (const { column, index } of goneColumns) {
      const then = was.cells[index] ?? '.'
      if (then !== '.') found.push({ minion: row.minion, column, before: then, after: '.' })
    }
  }
  for (const minion of old.keys()) found.push({ minion, before: '!', after: '' })
  return found
}
