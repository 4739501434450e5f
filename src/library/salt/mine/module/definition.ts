// How functions of the mine are configured: their arguments, or a dict or list that names the function too, and who may
// see the answer.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'

export interface MineFunction {
  /** Undefined when the alias is the function's name. */
  name: string | undefined
  args: Value[]
  kwargs: Map<string, Value>
  /** Whom it is for; all when there is no target. */
  acl: { allow_tgt?: Value; allow_tgt_type?: Value }
}

export function mineFunction(definition: Value): MineFunction {
  const items = definition instanceof Map ? [definition] : Array.isArray(definition) ? (definition as Value[]) : []
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

/** The answer with who may see it, if not everybody. */
export function guarded(answer: Value, { allow_tgt, allow_tgt_type }: MineFunction['acl']): Value {
  if (allow_tgt === undefined || !truthy(allow_tgt)) return answer
  const held: Dict = new Map<Value, Value>([[DATA, answer]]).set(MARK, VERSION)
  held.set('allow_tgt', allow_tgt)
  if (allow_tgt_type !== undefined && truthy(allow_tgt_type)) held.set('allow_tgt_type', allow_tgt_type)
  return held
}

export { DATA as MINE_DATA, MARK as MINE_MARK }
