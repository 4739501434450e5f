// The filter and the order of the list of minions.
import type { Minion } from './facts.ts'

export interface Filter {
  /** A part of the id. */
  q: string
  /** `up` or `down`; the server filters by other states. */
  state: string
  result: string
  version: string
}

/** Results of the last highstate, as in the filter. */
export const RESULTS: ReadonlyArray<readonly [value: string, text: string]> = [
  ['', 'Any highstate'],
  ['failed', 'Failed'],
  ['changed', 'Changed something'],
  ['clean', 'Without changes'],
  ['never', 'No highstate yet'],
  ['drift', 'Drift by a dry run'],
]

export function resultOf({ lastHighstate }: Pick<Minion, 'lastHighstate'>): 'failed' | 'changed' | 'clean' | 'never' {
  if (!lastHighstate) return 'never'
  return lastHighstate.failed > 0 ? 'failed' : lastHighstate.changed > 0 ? 'changed' : 'clean'
}

export const hasDrift = ({ drift }: Pick<Minion, 'drift'>): boolean => (drift?.changes ?? 0) > 0

function isShown(minion: Minion, { q, state, result, version }: Filter): boolean {
  if (q !== '' && !minion.id.toLowerCase().includes(q)) return false
  if ((state === 'up' || state === 'down') && minion.presence.connected !== (state === 'up')) return false
  if (version !== '' && minion.version !== version) return false
  return result === '' || (result === 'drift' ? hasDrift(minion) : resultOf(minion) === result)
}

const LONGEST = 300

/** Return a column value as one line of text. */
export function columnText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.slice(0, LONGEST)
  const isPlainList = Array.isArray(value) && value.every((item) => typeof item !== 'object')
  return (isPlainList ? value.join(', ') : JSON.stringify(value)).slice(0, LONGEST)
}

/** Return the sort key of a column. */
function sortKey(minion: Minion, column: string): string | number {
  switch (column) {
    case 'state':
      return minion.key === 'accepted' ? (minion.presence.connected ? 'a' : 'b') : minion.key
    case 'os':
      return minion.os ?? ''
    case 'version':
      return minion.version ?? ''
    case 'highstate':
      return minion.lastHighstate ? Date.parse(minion.lastHighstate.when) : 0
    case 'drift':
      return minion.drift?.changes ?? 0
    case 'job':
      return minion.lastJob ?? ''
    default: {
      const value = minion.columns?.[column]
      return typeof value === 'number' ? value : columnText(value)
    }
  }
}

const COLLATOR = new Intl.Collator(undefined, { numeric: true })

const compared = (one: string | number, other: string | number): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : COLLATOR.compare(String(one), String(other))

/** Rank the values of a column. Columns have few different values, so that the costly comparison of texts runs seldom. */
function ranks(keys: readonly (string | number)[]): Map<string | number, number> {
  const order = [...new Set(keys)].sort(compared)
  return new Map(order.map((key, rank) => [key, rank]))
}

/** Return the minions to show. `rows` are in the order of their ids. */
export function chosen(rows: Iterable<Minion>, filter: Filter, sort: string): Minion[] {
  const lower = { ...filter, q: filter.q.trim().toLowerCase() }
  const found: Minion[] = []
  for (const minion of rows) if (isShown(minion, lower)) found.push(minion)
  const column = sort.replace(/^-/, '')
  const isDown = sort.startsWith('-')
  if (column === 'id' || column === '') return isDown ? found.reverse() : found
  const keys = found.map((minion) => sortKey(minion, column))
  const rank = ranks(keys)
  const places = keys.map((key, index) => [rank.get(key)!, index] as const)
  places.sort((one, other) => (isDown ? other[0] - one[0] : one[0] - other[0]) || one[1] - other[1])
  return places.map(([, index]) => found[index]!)
}

/** Return the ids selected by checkboxes: `*` for all shown ones, or ids separated by commas. */
export function selected(text: string, shown: readonly Minion[], known: ReadonlyMap<string, Minion>): string[] {
  if (text === '') return []
  if (text === '*') return shown.map(({ id }) => id)
  return text.split(',').filter((id) => known.has(id))
}

/** The text of the selection after a checkbox was used. */
export function toggled(text: string, id: string, shown: readonly Minion[]): string {
  const ids = new Set(text === '*' ? shown.map((minion) => minion.id) : text.split(',').filter(Boolean))
  if (!ids.delete(id)) ids.add(id)
  return ids.size === shown.length && shown.every((minion) => ids.has(minion.id)) ? '*' : [...ids].join(',')
}
