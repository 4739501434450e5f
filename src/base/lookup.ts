// Tables that are asked with names from elsewhere.

/** Returns a table without a prototype: `constructor` and the like are names in it like any other, and not there. */
export function lookup<T>(entries: Record<string, T>): Readonly<Record<string, T>> {
  return Object.freeze(Object.assign(Object.create(null) as Record<string, T>, entries))
}
