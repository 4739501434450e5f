// SLS files put together. An ID may come twice only with equal content.
import {
  type Dict,
  equals,
  getItem,
  isIterable,
  isList,
  iterate,
  qualifiedTypeName,
  str,
  typeError,
  typeName,
  type Value,
} from '../../data/mod.ts'
import { inheritPositions } from '../../yaml/mod.ts'
import { listOf } from './declarations.ts'
import type { Places } from './places.ts'
import type { CompileError, High } from './types.ts'

const GATHERED = ['__extend__', '__exclude__']

/** Adds the states of an SLS, which loses its `__extend__` and `__exclude__` to the whole. */
export function mergeStates(high: High, state: Value, errors: CompileError[], places: Places): void {
  if (!(state instanceof Map)) {
    refuseUnlessPairs(state)
    errors.push({ text: `Error when rendering state with contents: ${str(state)}` })
    return
  }
  for (const key of GATHERED) {
    const items = state.get(key)
    if (!Array.isArray(items)) continue
    listOf(high, key).push(...items)
    state.delete(key)
  }
  state.forEach((body, id) => {
    const other = high.get(id)
    if (other !== undefined && other !== body && !equals(other, body)) errors.push(conflict(id, other, body, places))
    high.set(id, body)
  })
}

/** Throw Python's error for a value that is no dict: Python tries IDs, then pairs. */
function refuseUnlessPairs(state: Value): void {
  if (!isIterable(state)) throw typeError(`argument of type '${typeName(state)}' is not iterable`)
  const items = [...iterate(state)]
  const unhashable = items.find((item) => item instanceof Map || isList(item))
  if (unhashable !== undefined) throw typeError(`unhashable type: '${qualifiedTypeName(unhashable)}'`)
  if (items.length > 0 && !isIterable(items[0]!)) throw typeError(`'${typeName(items[0]!)}' object is not iterable`)
}

function conflict(id: Value, first: Value, second: Value, places: Places): CompileError {
  const where = (body: Value): string => `${str(getItem(body, '__env__'))}:${str(getItem(body, '__sls__'))}`
  return {
    text:
      'Detected conflicting IDs, SLS IDs need to be globally unique.\n    ' +
      `The conflicting ID is '${str(id)}' and is found in SLS '${where(first)}' and SLS '${where(second)}'`,
    at: places.of(second),
  }
}

/** Each extension of an ID once, and one dict for each. */
export function cleanExtends(high: High): void {
  const extensions = high.get('__extend__')
  if (!Array.isArray(extensions)) return
  const seen = new Map<Value, Value[]>()
  const kept: Value[] = []
  for (const extension of extensions) {
    if (!(extension instanceof Map)) continue
    for (const [name, body] of extension) {
      const known = seen.get(name) ?? []
      if (known.some((other) => equals(other, body))) continue
      known.push(body)
      seen.set(name, known)
      const one: Dict = new Map([[name, body]])
      inheritPositions(extension, one)
      kept.push(one)
    }
  }
  high.set('__extend__', kept)
}
