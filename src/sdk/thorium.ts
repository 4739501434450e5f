// The extra context of states of Thorium: a register that persists between turns, and the events since the last turn.
// The engine stores both in the memory of the run.
import { isA, recover } from '../base/mod.ts'
import { compileRegex, type Dict, dictFrom, fnmatch, isDict, isList, PyError, str } from '../data/mod.ts'
import type { FunctionContext } from './context.ts'

/** User name of functions of the master that Thorium runs. */
export const THORIUM_USER = 'Thorium'

const KEY = '__thorium__'

export interface Thorium {
  /** Registers by name, Salt's `__reg__`. The value of a register is under `val`. */
  readonly register: Dict
  /** Each with `tag` and `data`: Salt's `__events__`. */
  readonly events: readonly Dict[]
  /** Private data of states. */
  readonly kept: Dict
}

/** Start with an empty register; return a function that receives the events of each turn. */
export function beginThorium(memory: Dict): (events: Dict[]) => void {
  const place: Dict = dictFrom({ register: new Map(), events: [], kept: new Map() })
  memory.set(KEY, place)
  return (events) => void place.set('events', events)
}

export function thoriumOf({ memory }: Pick<FunctionContext, 'memory'>): Thorium {
  const place = memory.get(KEY)
  if (place === undefined || !isDict(place)) throw new PyError('NameError', "name '__reg__' is not defined")
  const [register, events, kept] = ['register', 'events', 'kept'].map((name) => place.get(name)!)
  return {
    register: register as Dict,
    events: (isList(events!) ? [...events] : []).filter(isDict),
    kept: kept as Dict,
  }
}

/** Whether a tag matches an expression, as a glob or as a full regular expression. */
export function isTagMeant(tag: string, expression: string): boolean {
  if (fnmatch(tag, expression)) return true
  return recover(isA(PyError), false, () => Boolean(compileRegex(`\\A(?:${expression})\\Z`).match(tag)))
}

/**
 * Return the events whose tags match, each with its content; for events of minions and users, the content is below
 * `data`.
 */
export function meantEvents({ events }: Thorium, expression: string): Array<{ event: Dict; said: Dict }> {
  const found: Array<{ event: Dict; said: Dict }> = []
  for (const { tag, data } of events.map((event) => ({ tag: str(event.get('tag') ?? ''), data: event.get('data') }))) {
    if (data === undefined || !isDict(data) || !isTagMeant(tag, expression)) continue
    const inner = data.get('data')
    found.push({ event: data, said: inner !== undefined && isDict(inner) ? inner : data })
  }
  return found
}
