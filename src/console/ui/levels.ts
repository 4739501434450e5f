// How much of a value is shown at first. Minions send values of any shape, and a page with hundreds of thousands of
// elements freezes.

/** Items of a list or mapping that are shown at first. */
export const MOST_ITEMS = 100

/** Items of all levels that are open at first. */
const MOST_OPEN = 2000

/** Return how many levels of a value are open at first: at most `wished`, at least one. */
export function openLevels(value: unknown, wished: number): number {
  let level: readonly unknown[] = [value]
  let shown = 0
  for (let depth = 0; depth < wished; depth++) {
    const next: unknown[] = []
    for (const each of level) {
      if (typeof each === 'object' && each !== null) next.push(...Object.values(each).slice(0, MOST_ITEMS))
      if (shown + next.length > MOST_OPEN) return Math.max(1, depth)
    }
    shown += next.length
    level = next
  }
  return wished
}
