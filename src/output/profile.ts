// The duration of each state of a run, as a table sorted by the text of the durations.
import {
  dictFrom,
  fixedText,
  floatFromText,
  getItem,
  getSlice,
  isNumeric,
  iterate,
  len,
  numberOf,
  sorted,
  str,
  textOf,
  typeError,
  typeName,
  type Value,
} from '../data/mod.ts'
import { attributeError, dictFor, getOr, type Outputter } from './outputter.ts'
import { table } from './table/table.ts'

const LABELS = ['name', 'mod.fun', 'duration (ms)']
const LONGEST_NAME = 60

export const profile: Outputter = (data, screen) => {
  const content = dictFrom({ labels: LABELS, rows: durations(data) })
  const kwargs = new Map<Value, Value>([...screen.kwargs, ['rows_key', 'rows'], ['labels_key', 'labels']])
  return table(content, { ...screen, kwargs })
}

function durations(data: Value): Value[] {
  const rows: [duration: number, name: Value, call: string][] = []
  for (const host of iterate(data)) {
    const states = getItem(data, host)
    for (const id of iterate(states)) rows.push(rowOf(id, getItem(states, id)))
  }
  const texts = rows.map(([duration]) => fixedText(duration, 4))
  const width = texts.reduce((widest, text) => Math.max(widest, text.length), LABELS[2]!.length)
  const timed = rows.map(([, name, call], i): Value[] => [texts[i]!.padStart(width), name, call])
  return sorted(timed).map((row) => {
    const [duration, name, call] = row as [Value, Value, Value]
    return [name, call, duration]
  })
}

function rowOf(id: Value, result: Value): [duration: number, name: Value, call: string] {
  const text = textOf(id)
  if (text === undefined) throw attributeError(id, 'split')
  const parts = text.split('_|-')
  const info = dictFor(result, 'get')
  const name = getOr(info, 'name', getOr(info, '__id__', null)) ?? '<>'
  const shown = len(name) > LONGEST_NAME ? `${str(getSlice(name, 0, LONGEST_NAME - 3, null))}...` : name
  return [toNumber(getOr(info, 'duration', -1)), shown, `${parts[0]}.${parts.at(-1)}`]
}

function toNumber(duration: Value): number {
  if (isNumeric(duration)) return numberOf(duration)!
  const text = textOf(duration)
  if (text !== undefined) return floatFromText(text)
  throw typeError(`float() argument must be a string or a real number, not '${typeName(duration)}'`)
}
