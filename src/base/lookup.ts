// Tables that are read with names from untrusted input.

/** Return a table without a prototype, so that inherited names such as `constructor` are absent. */
export function lookup<T>(entries: Record<string, T>): Readonly<Record<string, T>> {
  return Object.freeze(Object.assign(Object.create(null) as Record<string, T>, entries))
}
