// Entries of access lists in words.

export interface RightText {
  /** The scope of the entry, such as the minions or the family of functions. */
  scope: string
  /** Functions, as patterns or with their permitted arguments. */
  functions: readonly string[]
}

const FAMILIES: Readonly<Record<string, string>> = {
  '@runner': 'runner functions',
  '@runners': 'runner functions',
  '@wheel': 'wheel functions',
  '@wheels': 'wheel functions',
  '@jobs': 'jobs of others',
  '@cloud': 'functions of salt-cloud',
}

const isDict = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Write a function of an entry, with the arguments that it is limited to. */
function functionText(entry: unknown): string {
  if (!isDict(entry)) return String(entry)
  return Object.entries(entry)
    .map(([name, limits]) => `${name} with ${JSON.stringify(limits)}`)
    .join(', ')
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** Describe an access list: rights for all minions first, then by minion, then by family. */
export function describeRights(permissions: readonly unknown[]): RightText[] {
  const plain: string[] = []
  const scoped: RightText[] = []
  for (const entry of permissions) {
    if (isDict(entry)) {
      for (const [scope, functions] of Object.entries(entry)) {
        const title = FAMILIES[scope] ?? `on minions ${scope}`
        scoped.push({ scope: title, functions: listOf(functions).map(functionText) })
      }
    } else if (typeof entry === 'string' && entry in FAMILIES)
      scoped.push({ scope: FAMILIES[entry]!, functions: ['all'] })
    else plain.push(entry === '.*' ? 'all' : String(entry))
  }
  return [...(plain.length > 0 ? [{ scope: 'on all minions', functions: plain }] : []), ...scoped]
}

/** One line for an access list. */
export const rightsLine = (permissions: readonly unknown[]): string =>
  describeRights(permissions)
    .map(({ scope, functions }) => `${scope}: ${functions.join(', ')}`)
    .join('; ') || 'nothing'
