// Changes values at a path within a grain, and writes the whole grain to the grains file.
import {
  contains,
  dictDelete,
  dictHas,
  dictSet,
  equals,
  isList,
  str,
  traverse,
  tuple,
  type Value,
} from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { setGrains } from './grains-file.ts'

const isComplex = (value: Value): boolean => value instanceof Map || isList(value)

const setOne = (ctx: FunctionContext, name: string, value: Value, destructive: boolean): Promise<Value> =>
  setGrains(ctx, new Map([[name, value]]), { destructive, refreshPillar: true })

/** Split a path into its parent and its last part; return undefined at the top. */
function parentOf(path: string, delimiter: string): [parent: string, last: string] | undefined {
  const cut = path.lastIndexOf(delimiter)
  return cut < 0 ? undefined : [path.slice(0, cut), path.slice(cut + delimiter.length)]
}

interface SetArgs {
  key: string
  val: Value
  force: boolean
  destructive: boolean
  delimiter: string
}

interface SetResult {
  comment: Value
  changes: Value
  result: boolean
}

const refused = (comment: string): SetResult => ({ comment, changes: new Map(), result: false })

/** Set a value. Overwrite a dict or a list only with `force`. */
export async function setGrain(ctx: FunctionContext, args: SetArgs): Promise<{ [key: string]: Value }> {
  const { key, val, destructive, delimiter } = args
  const nothing = tuple([])
  const existing = traverse(ctx.grains, key, { default: nothing, delimiter })
  const isThere = existing !== nothing
  if (isThere && equals(existing, val) && (val !== null || !destructive)) {
    return { comment: 'Grain is already set', changes: new Map(), result: true }
  }
  if (existing !== null && isThere && !args.force) {
    if (isComplex(existing)) {
      return { ...refused(`The key '${key}' exists but is a dict or a list. Use 'force=True' to overwrite.`) }
    }
    if (isComplex(val)) {
      const why = 'exists and the given value is a dict or a list'
      return { ...refused(`The key '${key}' ${why}. Use 'force=True' to overwrite.`) }
    }
  }
  const placed = placeWithin(ctx, args)
  if (typeof placed === 'string') return { ...refused(placed) }
  const set = await setOne(ctx, placed.name, placed.value, destructive)
  if (set instanceof Map) return { comment: '', changes: set, result: true }
  return { comment: set, changes: new Map(), result: false }
}

/** Return the whole grain with the value at its path, or the reason why it cannot be set. */
function placeWithin(ctx: FunctionContext, args: SetArgs): { name: string; value: Value } | string {
  const { delimiter } = args
  let name = args.key
  let value = args.val
  for (let parts = parentOf(name, delimiter); parts !== undefined; parts = parentOf(name, delimiter)) {
    const [parent, last] = parts
    const holder = traverse(ctx.grains, parent, { default: new Map(), delimiter })
    if (holder instanceof Map) {
      if (value === null && args.destructive) dictDelete(holder, last)
      else dictSet(holder, last, value)
      value = holder
    } else if (isList(holder)) {
      placeInList(holder, last, value)
      value = holder
    } else if (equals(holder, last) || args.force) value = new Map([[last, value]])
    else {
      const why = `value is '${str(holder)}', which is different from the provided key '${last}'`
      return `The key '${parent}' ${why}. Use 'force=True' to overwrite.`
    }
    name = parent
  }
  return { name, value }
}

/** Set the value in items that are the key and in dicts that have it, or append a dict if there are none. */
function placeInList(list: Value[], key: string, value: Value): void {
  let isPlaced = false
  for (const [index, item] of list.entries()) {
    if (equals(item, key)) list[index] = new Map([[key, value]])
    else if (item instanceof Map && dictHas(item, key)) dictSet(item, key, value)
    else continue
    isPlaced = true
  }
  if (!isPlaced) list.push(new Map([[key, value]]))
}

interface ListArgs {
  key: string
  val: Value
  delimiter: string
}

export async function appendToGrain(ctx: FunctionContext, args: ListArgs & { convert: boolean }): Promise<Value> {
  const { key, val, delimiter } = args
  let list = traverse(ctx.grains, key, { default: [], delimiter })
  if (args.convert && !isList(list)) list = list === null ? [] : [list]
  if (!isList(list)) return `The key ${key} is not a valid list`
  if (contains(list, val)) return `The val ${str(val)} was already in the list ${key}`
  list.push(...(isList(val) ? val : [val]))
  return setList(ctx, key, list, delimiter, () => new Map())
}

export async function removeFromGrain(ctx: FunctionContext, { key, val, delimiter }: ListArgs): Promise<Value> {
  const list = traverse(ctx.grains, key, { default: [], delimiter })
  if (!isList(list)) return `The key ${key} is not a valid list`
  const at = list.findIndex((item) => equals(item, val))
  if (at < 0) return `The val ${str(val)} was not in the list ${key}`
  list.splice(at, 1)
  return setList(ctx, key, list, delimiter, () => null)
}

function setList(
  ctx: FunctionContext,
  key: string,
  list: Value,
  delimiter: string,
  absent: () => Value,
): Promise<Value> {
  let name = key
  let value = list
  for (let parts = parentOf(name, delimiter); parts !== undefined; parts = parentOf(name, delimiter)) {
    const holder = traverse(ctx.grains, parts[0], { default: absent(), delimiter })
    if (holder instanceof Map) holder.set(parts[1], value)
    value = holder
    name = parts[0]
  }
  return setOne(ctx, name, value, false)
}
