// Where two pieces of JSON differ: paths with both sides. The order of keys does not matter.
import type { Json } from '../area.ts'

const MOST = 6

export function differences(wanted: Json, got: Json, isUnordered = false): string[] {
  const found: string[] = []
  compare(isUnordered ? sortedLists(wanted) : wanted, isUnordered ? sortedLists(got) : got, '', found)
  return found.length > MOST ? [...found.slice(0, MOST), `… and ${found.length - MOST} more`] : found
}

function compare(wanted: Json | undefined, got: Json | undefined, path: string, found: string[]): void {
  if (wanted === got) return
  const bothLists = Array.isArray(wanted) && Array.isArray(got)
  if (bothLists || (isObject(wanted) && isObject(got))) {
    const [left, right] = [wanted, got] as [Record<string, Json>, Record<string, Json>]
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      compare(left[key], right[key], path === '' ? key : `${path}.${key}`, found)
    }
    return
  }
  if (JSON.stringify(wanted) !== JSON.stringify(got)) found.push(`${path}: wanted ${show(wanted)}, got ${show(got)}`)
}

const isObject = (json: Json | undefined): json is Record<string, Json> =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

const show = (json: Json | undefined): string => (json === undefined ? 'nothing' : JSON.stringify(json))

function sortedLists(json: Json): Json {
  if (Array.isArray(json)) {
    const keyed = json.map(sortedLists).map((item): [string, Json] => [JSON.stringify(item), item])
    return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, item]) => item)
  }
  if (!isObject(json)) return json
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, sortedLists(value)]))
}
