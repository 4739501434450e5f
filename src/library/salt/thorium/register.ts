// What the states that look at the register share.
import { type Dict, isDict, type Value } from '../../../data/mod.ts'
import { type Thorium, thoriumOf } from '../../../sdk/mod.ts'

type Reader = Parameters<typeof thoriumOf>[0]

/** The value under a name, or undefined when there is none. */
export function registered(ctx: Reader, name: string): Value | undefined {
  const entry = thoriumOf(ctx).register.get(name)
  return entry !== undefined && isDict(entry) ? entry.get('val') : undefined
}

/** The entry under a name, made when there is none. */
export function entryOf({ register }: Thorium, name: string, fresh: () => Dict): Dict {
  const known = register.get(name)
  if (known !== undefined && isDict(known) && known.has('val')) return known
  const made = fresh()
  register.set(name, made)
  return made
}
