// Minions in random order, for a subset of them.

/** Return the ids in random order. */
export function shuffled(ids: readonly string[]): string[] {
  const all = [...ids]
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1))
    ;[all[at], all[other]] = [all[other]!, all[at]!]
  }
  return all
}
