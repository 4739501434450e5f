// The names of the file server backends of Brine, apart from the backends, so that a command can ask for names and load none.

/** Names of old are the same backends. */
const OLD_NAMES: ReadonlyMap<string, BackendName> = new Map([
  ['file', 'roots'],
  ['minion', 'minionfs'],
  ['git', 'gitfs'],
  ['svn', 'svnfs'],
  ['hg', 'hgfs'],
])

const NAMES = ['roots', 'minionfs', 'gitfs', 'svnfs', 'hgfs', 's3fs'] as const

export type BackendName = (typeof NAMES)[number]

/** Return whether a backend of this name belongs to Brine. */
export const isBuiltIn = (name: string): boolean => (NAMES as readonly string[]).includes(name)

export const currentName = (name: string): string => OLD_NAMES.get(name) ?? name

/** The names that backends of Brine are wanted by. */
export const backendNames: readonly string[] = [...NAMES, ...OLD_NAMES.keys()]
