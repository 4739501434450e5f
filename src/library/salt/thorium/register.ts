// Reads and creates entries of the register.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { type Thorium, thoriumOf } from '../../../sdk/mod.ts'

type Reader = Parameters<typeof thoriumOf>[0]

/** Return the value of a name; undefined if there is none. */
export function registered(ctx: Reader, name: string): Value | undefined {
  const entry = thoriumOf(ctx).register.get(name)
  return entry !== undefined && isDict(entry) ? entry.get('val') : undefined
}

/** Return the entry of a name, created if there is none. */
export function entryOf({ register }: Thorium, name: string, fresh: () => Dict): Dict {
  const known = register.get(name)
  if (known !== undefined && isDict(known) && known.has('val')) return known
  const made = fresh()
  register.set(name, made)
  return made
}
