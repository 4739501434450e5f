// States of named objects in Vault, such as roles and connections: read the object, compare it with the wanted one, and
// write it.
import { recover } from '../../../base/mod.ts'
import { type Dict, dictFrom, equals, isDict, isFailure, isList, str, type Value } from '../../../data/mod.ts'
import {
  changed,
  ensureOrFail,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
} from '../../../sdk/mod.ts'
import { items } from './asking.ts'
import { readSeconds } from './durations.ts'

/** Return a list of statements without the ends of their last lines. */
export const statementsOf = (value: Value): Value[] =>
  (isList(value) ? value : [value]).map((one) => str(one).trimEnd())

/** Convert wanted values to the form in which Vault returns existing ones. */
function normal(field: string, value: Value): Value {
  if (field.endsWith('statements')) return statementsOf(value)
  if (/(^|_)(ttl|period|duration)$/.test(field))
    return readSeconds(typeof value === 'bigint' ? Number(value) : value) ?? value
  return value
}

/** Return the entries of one list that another does not have. */
const beyond = (list: readonly Value[], other: readonly Value[]): Value[] =>
  list.filter((item) => !other.some((known) => equals(known, item))).sort()

/**
 * Return the fields that differ from the wanted ones. For the fields in `sets` (lists, or texts with commas), return
 * the entries that differ.
 */
function differences(current: Dict, wanted: Readonly<Record<string, Value>>, sets: ReadonlySet<string>): Dict {
  const found: Dict = new Map()
  for (const [field, wish] of Object.entries(wanted)) {
    if (wish === null) continue
    const is = current.get(field) ?? null
    if (sets.has(field)) {
      const [before, after] = [items(is) ?? [], items(wish) ?? []]
      const [added, removed] = [beyond(after, before), beyond(before, after)]
      if (added.length + removed.length > 0) found.set(field, dictFrom({ added, removed }))
      continue
    }
    const after = normal(field, isList(is) && !isList(wish) ? items(wish) : wish)
    if (!equals(normal(field, is), after)) found.set(field, dictFrom({ old: is, new: after }))
  }
  return found
}

/** Return the result of a function; null if the object does not exist in Vault. */
export async function ifFound(read: () => unknown): Promise<Value> {
  return recover(
    (error) => isFailure(error) && error.message.includes('VaultNotFoundError'),
    null,
    async () => (await read()) as Value,
  )
}

export interface Managed {
  /** `Role` or `Connection`. */
  kind: string
  fetch(): Promise<Value>
  wanted: Readonly<Record<string, Value>>
  /** Fields that are lists without an order. */
  sets?: readonly string[]
  /** Return the part of an answer to compare. */
  view?(current: Dict): Dict
  write(): Promise<unknown>
}

/** Ensure that an object of the engine exists with the wanted fields. */
export async function managed(
  ctx: StateContext,
  name: string,
  { kind, fetch, wanted, sets = [], view = (data) => data, write }: Managed,
): Promise<StateReturn> {
  const compared = new Set(sets)
  return ensureOrFail<{ isNew: boolean; changes: Dict }>(ctx, {
    name,
    look: async () => {
      const current = await fetch()
      if (!isDict(current)) return { isNew: true, changes: new Map([['created', name]]) }
      const changes = differences(view(current), wanted, compared)
      return changes.size === 0 ? settled(`${kind} is present as specified`) : { isNew: false, changes }
    },
    foresee: ({ isNew, changes }) =>
      foreseen(`${kind} \`${name}\` would have been ${isNew ? 'created' : 'updated'}`, changes),
    act: async ({ isNew, changes }) => {
      await write()
      const after = await fetch()
      const left = isDict(after) ? differences(view(after), wanted, compared) : undefined
      if (!left)
        return failed(`There were no errors, but ${kind.toLowerCase()} \`${name}\` is still reported as absent.`)
      if (left.size > 0)
        return failed(
          `There were no errors, but the reported parameters do not match: ${[...left.keys()].map(str).join(', ')}`,
          changes,
        )
      return changed(`${kind} \`${name}\` has been ${isNew ? 'created' : 'updated'}`, changes)
    },
  })
}

/** Ensure that an object of the engine does not exist. */
export async function removed(
  ctx: StateContext,
  name: string,
  { kind, fetch, remove }: Pick<Managed, 'kind' | 'fetch'> & { remove(): Promise<unknown> },
): Promise<StateReturn> {
  return ensureOrFail(ctx, {
    name,
    look: async () => ((await fetch()) === null ? settled(`${kind} \`${name}\` is already absent.`) : 'there'),
    foresee: () => foreseen(`${kind} \`${name}\` would have been deleted.`, { deleted: name }),
    act: async () => {
      await remove()
      return changed(`${kind} \`${name}\` has been deleted.`, { deleted: name })
    },
  })
}
