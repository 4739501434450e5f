// The rooms of src/. Imports point up this list: a room may import only the rooms above it. docs/architecture.md has the reasons.

export const ROOMS = [
  'base',
  'data',
  'x509',
  'yaml',
  'jinja',
  'config',
  'telemetry',
  'wire',
  'store',
  'bus',
  'host',
  'http',
  'git',
  'fileserver',
  'match',
  'python',
  'render',
  'output',
  'sdk',
  'loader',
  'pybridge',
  'pillar',
  'grains',
  'state',
  'library',
  'schedule',
  'daemon',
  'client',
  'orchestrate',
  'runner',
  'upkeep',
  'reactor',
  'minion',
  'cluster',
  'master',
  'syndic',
  'ssh',
  'cloud',
  'api',
  'console',
  'doctor',
  'simulate',
  'cli',
]

/** Rooms that compute and touch nothing: no files, network, processes or environment. */
export const PURE_ROOMS = new Set(['data', 'x509', 'yaml', 'jinja'])

/** Node modules that do no I/O. */
export const PURE_NODE_MODULES = new Set(['node:crypto', 'node:buffer', 'node:util'])

/** The room of plugins: `library/<area>/<subject>/`. Only the loader names its files, lazily. */
export const LIBRARY = 'library'

/** The room that reaches plugins, at the moment they are called. */
export const LOADING_ROOM = 'loader'

/** The rooms that a plugin may import. */
export const PLUGIN_MAY_IMPORT = new Set(['sdk', 'base', 'data'])

/** The rooms that tests of plugins may import besides: a machine to try them on. */
export const PLUGIN_TESTS_MAY_IMPORT = new Set(['host'])

/** The folder of an area whose files all subjects of the area may import. */
const COMMON = 'common'

/** Return whether a file of the library may import another library file: a file of the same subject, or of the area's common folder. */
export function isOwnPart(file: string, imported: string): boolean {
  const [, , area, subject] = file.split('/')
  const [, , otherArea, otherSubject] = imported.split('/')
  return area === otherArea && (subject === otherSubject || otherSubject === COMMON)
}

/** The room a path lies in, or undefined outside src/. */
export function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}
