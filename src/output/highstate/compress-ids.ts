// `state_compress_ids`: merges states of one id with several names if they ran the same function with the same result.
// The result has the lowest number, the earliest start, the sum of durations and all changes by name.
import { BrineError, type Log } from '../../base/mod.ts'
import {
  add,
  type Dict,
  dictSet,
  getItem,
  indexError,
  order,
  round,
  sorted,
  str,
  textOf,
  truthy,
  typeError,
  type Value,
} from '../../data/mod.ts'
import { attributeError, dictFor, need } from '../outputter.ts'

/** Compress states; states that cannot be compressed stay as they are. */
export function compressIds(data: Dict, log: Log): Dict {
  try {
    const compressed: Dict = new Map()
    for (const [host, states] of data) dictSet(compressed, host, compressStates(dictFor(states, 'items')))
    return compressed
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    log('warning', 'Unable to compress state output by ID! Returning output normally.')
    return data
  }
}

function compressStates(states: Dict): Dict {
  const counts = new Map<string, number>()
  for (const [tag, info] of states) {
    const id = identity(partsOf(tag), info)
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const compressed: Dict = new Map()
  for (const [tag, info] of states) {
    const parts = partsOf(tag)
    const count = counts.get(identity(parts, info))!
    const state = dictFor(info, 'get')
    if (count === 1) {
      compressed.set(tag, state)
      continue
    }
    const shared = sharedTag(parts, state, count)
    const first = compressed.get(shared)
    if (first === undefined) compressed.set(shared, state)
    else join(dictFor(first, 'get'), state)
  }
  return compressed
}

function partsOf(tag: Value): string[] {
  const text = textOf(tag)
  if (text === undefined) throw attributeError(tag, 'split')
  return text.split('_|-')
}

function identity(parts: string[], info: Value): string {
  return [parts[0]!, ...['__id__', '__sls__', 'result'].map((field) => str(getItem(info, field)))].join('_')
}

function sharedTag(parts: string[], state: Dict, count: number): string {
  if (parts.length < 3) throw indexError('list assignment index out of range')
  const id = str(need(state, '__id__'))
  parts[2] = ['state_compressed', str(need(state, '__sls__')), id, str(need(state, 'result'))].join('_')
  parts[1] = `${id} (${count})`
  return parts.join('_|-')
}

function join(first: Dict, next: Dict): void {
  const numbers = [need(next, '__run_num__'), need(first, '__run_num__')] as const
  first.set('__run_num__', smaller(...numbers))
  first.set('duration', round(add(add(0, need(next, 'duration')), need(first, 'duration')), 3))
  first.set('start_time', sorted([need(next, 'start_time'), need(first, 'start_time')])[0]!)
  joinChanges(first, next)
}

function smaller(a: Value, b: Value): Value {
  const result = order(b, a)
  if (result === undefined) throw typeError("'<' not supported between these instances")
  return result < 0 ? b : a
}

const ALL_CHANGES = 'compressed changes'

function joinChanges(first: Dict, next: Dict): void {
  const changes = next.get('changes') ?? null
  if (!truthy(changes)) return
  const before = first.get('changes') ?? null
  if (!truthy(before)) first.set('changes', byName(next, changes))
  else {
    if (!truthy(dictFor(before, 'get').get(ALL_CHANGES) ?? null)) first.set('changes', byName(first, before))
    const gathered = need(first.get('changes') as Dict, ALL_CHANGES)
    dictSet(dictFor(gathered, 'update'), need(next, 'name'), changes)
  }
}

function byName(state: Dict, changes: Value): Dict {
  const gathered = new Map<Value, Value>()
  dictSet(gathered, need(state, 'name'), changes)
  return new Map<Value, Value>([[ALL_CHANGES, gathered]])
}
