// Configuration of a mine function: its arguments, or a dict or list that also has the function of an alias and the
// minions that may read the result.
import { type Dict, isList, str, truthy, type Value } from '../../../../data/mod.ts'

export interface MineFunction {
  /** Undefined if the alias is the name of the function. */
  name: string | undefined
  args: Value[]
  kwargs: Map<string, Value>
  /** Target of the minions that may read the result; without one, all may. */
  acl: { allow_tgt?: Value; allow_tgt_type?: Value }
}

export function mineFunction(definition: Value): MineFunction {
  const items: Value[] = definition instanceof Map ? [definition] : isList(definition) ? definition : []
  const args = items.filter((item) => !(item instanceof Map))
  const dicts = items.filter((item): item is Dict => item instanceof Map)
  const kwargs = new Map(dicts.flatMap((item) => [...item].map(([key, value]): [string, Value] => [str(key), value])))
  const take = (key: string): Value => {
    const value = kwargs.get(key) ?? null
    kwargs.delete(key)
    return value
  }
  const name = take('mine_function')
  const acl: MineFunction['acl'] = {}
  for (const key of ['allow_tgt', 'allow_tgt_type'] as const) {
    const value = take(key)
    if (truthy(value)) acl[key] = value
  }
  return { name: truthy(name) ? str(name) : undefined, args, kwargs, acl }
}

const MARK = '__saltmine_acl__'
const DATA = '__data__'
const VERSION = 1

/** Add the limit of readers to a result, if there is one. */
export function guarded(answer: Value, { allow_tgt, allow_tgt_type }: MineFunction['acl']): Value {
  if (allow_tgt === undefined || !truthy(allow_tgt)) return answer
  const held: Dict = new Map<Value, Value>([[DATA, answer]]).set(MARK, VERSION)
  held.set('allow_tgt', allow_tgt)
  if (allow_tgt_type !== undefined && truthy(allow_tgt_type)) held.set('allow_tgt_type', allow_tgt_type)
  return held
}

export { DATA as MINE_DATA, MARK as MINE_MARK }
