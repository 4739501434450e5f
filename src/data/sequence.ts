// Indices, slices and sorting, with CPython's errors. Text is counted in code points: where it has none beyond the
// basic plane, UTF-16 units are the same and cost nothing.
import { order } from './compare.ts'
import { PyError, typeError, valueError } from './errors.ts'
import { hasWideChars, iterate } from './protocol.ts'
import { repr } from './repr.ts'
import { PyObject, PyStr, Tuple, tuple, typeName, type Value } from './value.ts'

export const indexError = (message: string): PyError => new PyError('IndexError', message)
export const keyError = (key: Value): PyError => new PyError('KeyError', repr(key))

/** The integer behind an int or bool that indexes something, undefined for any other type. */
export function indexNumber(index: Value): number | undefined {
  if (typeof index === 'number') return Number.isInteger(index) ? index : undefined
  if (typeof index === 'boolean') return index ? 1 : 0
  if (typeof index !== 'bigint') return undefined
  if (BigInt.asIntN(64, index) !== index) throw indexError("cannot fit 'int' into an index-sized integer")
  return Number(index)
}

/** `list[index]`, `tuple[index]`, `str[index]` or `bytes[index]`. */
export function getIndex(sequence: Value[] | string | Uint8Array, index: Value): Value {
  const wanted = indexNumber(index)
  if (typeof sequence === 'string') {
    if (wanted === undefined) throw typeError(`string indices must be integers, not '${typeName(index)}'`)
    return charAt(sequence, wanted)
  }
  if (wanted === undefined) {
    const kind = sequence instanceof Uint8Array ? 'byte' : typeName(sequence)
    throw typeError(`${kind} indices must be integers or slices, not ${typeName(index)}`)
  }
  const item = sequence[wanted < 0 ? wanted + sequence.length : wanted]
  if (item !== undefined) return item
  throw indexError(sequence instanceof Uint8Array ? 'index out of range' : `${typeName(sequence)} index out of range`)
}

function charAt(text: string, index: number): string {
  const units = hasWideChars(text) ? [...text] : text
  const char = units[index < 0 ? index + units.length : index]
  if (char === undefined) throw indexError('string index out of range')
  return char
}

/** The start, step and length of a slice. */
export interface SliceRange {
  start: number
  step: number
  count: number
}

const BAD_SLICE = 'slice indices must be integers or None or have an __index__ method'

/** Resolves a slice on a sequence of `length` items; a part that is null was left out. */
export function sliceRange(length: number, start: Value, stop: Value, step: Value): SliceRange {
  const by = step === null ? 1 : sliceNumber(step)
  if (by === 0) throw valueError('slice step cannot be zero')
  const backwards = by < 0
  const from = start === null ? (backwards ? length - 1 : 0) : sliceEdge(sliceNumber(start), length, backwards)
  const to = stop === null ? (backwards ? -1 : length) : sliceEdge(sliceNumber(stop), length, backwards)
  const distance = backwards ? from - to : to - from
  return { start: from, step: by, count: distance <= 0 ? 0 : Math.ceil(distance / Math.abs(by)) }
}

function sliceNumber(part: Value): number {
  if (typeof part === 'number' && Number.isInteger(part)) return part
  if (typeof part === 'boolean' || typeof part === 'bigint') return Number(part)
  throw typeError(BAD_SLICE)
}

function sliceEdge(edge: number, length: number, backwards: boolean): number {
  const at = edge < 0 ? edge + length : edge
  if (at < 0) return backwards ? -1 : 0
  return at < length ? at : backwards ? length - 1 : length
}

/** `sequence[start:stop:step]`; a part that is null was left out. */
export function getSlice(sequence: Value, start: Value, stop: Value, step: Value): Value {
  if (typeof sequence === 'string') return sliceText(sequence, start, stop, step)
  if (Array.isArray(sequence)) {
    const items = pick(sequence, sliceRange(sequence.length, start, stop, step))
    return sequence instanceof Tuple ? tuple(items) : items
  }
  if (sequence instanceof Uint8Array) {
    return Uint8Array.from(pick(sequence, sliceRange(sequence.length, start, stop, step)))
  }
  if (sequence instanceof PyObject) {
    if (sequence.getSlice) return sequence.getSlice(start, stop, step)
    if (sequence instanceof PyStr) return sliceText(sequence.value, start, stop, step)
  }
  if (sequence instanceof Map) throw typeError("unhashable type: 'slice'")
  throw typeError(`'${typeName(sequence)}' object is not subscriptable`)
}

export function sliceText(text: string, start: Value, stop: Value, step: Value): string {
  const units = hasWideChars(text) ? [...text] : text
  const range = sliceRange(units.length, start, stop, step)
  if (typeof units === 'string' && range.step === 1) return units.slice(range.start, range.start + range.count)
  return pick(units, range).join('')
}

function pick<T>(items: ArrayLike<T>, { start, step, count }: SliceRange): T[] {
  const picked = new Array<T>(count)
  for (let i = 0, at = start; i < count; i++, at += step) picked[i] = items[at]!
  return picked
}

/** `sorted(values, key=…, reverse=…)`: stable both ways. */
export function sorted(values: Value, key?: (item: Value) => Value, reverse = false): Value[] {
  return sortItems([...iterate(values)], key, reverse)
}

/** Sorts the array itself, as `list.sort` does. */
export function sortItems(items: Value[], key?: (item: Value) => Value, reverse = false): Value[] {
  // equal items keep their order in a descending sort too, so it is the ascending one of the mirrored list
  if (reverse) items.reverse()
  if (key === undefined) items.sort(ascending)
  else {
    const pairs = items.map((item): [Value, Value] => [key(item), item])
    pairs.sort((a, b) => ascending(a[0], b[0]))
    for (let i = 0; i < items.length; i++) items[i] = pairs[i]![1]
  }
  return reverse ? items.reverse() : items
}

function ascending(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : 1
  const result = order(a, b)
  if (result === undefined) {
    throw typeError(`'<' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)
  }
  return result
}
