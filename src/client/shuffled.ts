// Random order: minions for a subset, masters to choose from.

/** Return the items in random order. */
export function shuffled<T>(items: readonly T[]): T[] {
  const all = [...items]
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1))
    ;[all[at], all[other]] = [all[other]!, all[at]!]
  }
  return all
}
