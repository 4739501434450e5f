// "Did you mean …": the names closest to a name that was not found.

/** Edit distance with adjacent transpositions, cut off above `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforePrevious[j - 2]! + 1)
      }
      row.push(cost)
    }
    beforePrevious = previous
    previous = row
  }
  return previous[b.length]!
}

/** Return up to `count` names that are close to `wanted`, the closest first. */
export function nearestNames(wanted: string, names: Iterable<string>, count = 3): string[] {
  const lowered = wanted.toLowerCase()
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  const scored: Array<[number, string]> = []
  for (const name of names) {
    const score = distance(lowered, name.toLowerCase(), limit)
    if (score <= limit && name !== wanted) scored.push([score, name])
  }
  scored.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1))
  const [best] = scored[0] ?? [0]
  // If one name is clearly the nearest, return it alone
  return scored
    .filter(([score]) => score <= best + 1)
    .slice(0, count)
    .map(([, name]) => name)
}

/**
 * Return the name that `written` is a typing error of, if any. Short names are excluded: they are close to others by
 * chance.
 */
export function slipOf(written: string, names: Iterable<string>): string | undefined {
  if (written.length < 5) return undefined
  return nearestNames(written, names, 1).find((name) => distance(written.toLowerCase(), name.toLowerCase(), 2) <= 2)
}

/** The closest of `names` as the hint of an error; undefined when none is close. */
export function didYouMean(wanted: string, names: Iterable<string>): string | undefined {
  const near = nearestNames(wanted, names)
  return near.length > 0 ? `Did you mean ${near.map((name) => `'${name}'`).join(' or ')}?` : undefined
}
