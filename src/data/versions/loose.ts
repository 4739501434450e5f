// Versions of no known scheme, compared as in Salt if a package manager has no order of its own: runs of digits as
// numbers, runs of lower-case letters and other runs as text.

/** Less than, equal to or greater than nothing; undefined where two versions have no order. */
export type VersionOrder = (a: string, b: string) => number | undefined

type Part = string | number

function parts(version: string): Part[] {
  return version
    .split(/(\d+|[a-z]+|\.)/)
    .filter((part) => part !== '' && part !== '.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

const asText = (part: Part): string => (typeof part === 'number' ? String(part).padStart(8, '0') : part)

export function compareLoose(a: string, b: string): number | undefined {
  if (a === '' || b === '') return undefined
  const [left, right] = [parts(a), parts(b)]
  const numeric = [...left, ...right].every((part) => typeof part === 'number')
  return compareLists<Part>(numeric ? left : left.map(asText), numeric ? right : right.map(asText))
}

function compareLists<T extends Part>(a: readonly T[], b: readonly T[]): number {
  for (const [i, part] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    if (part !== other) return part < other ? -1 : 1
  }
  return a.length === b.length ? 0 : -1
}

const MEANINGS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
}

/** `a operator b`; false for an operator that does not exist, and for versions without an order. */
export function versionHolds(a: string, operator: string, b: string, compare: VersionOrder = compareLoose): boolean {
  const order = compare(a, b)
  return order !== undefined && (MEANINGS[operator]?.(order) ?? false)
}

/** `>=1.2` as operator and version; the operator is empty for a plain version. */
export function splitComparison(version: string): [operator: string, version: string] {
  const match = /^(<=>|!=|>=|<=|>>|<<|<>|>|<|=)?\s?([^<>=]+)$/.exec(version)
  return match ? [match[1] ?? '', match[2]!] : ['', version]
}

/** Return the first of the versions that a constraint such as `>=1.2` accepts. */
export function matchVersion(
  wish: string,
  available: readonly string[],
  compare: VersionOrder = compareLoose,
): string | undefined {
  const [operator, version] = splitComparison(wish)
  return available.find((candidate) => versionHolds(candidate, operator || '==', version, compare))
}
