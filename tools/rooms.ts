// The rooms of src/, lowest first: a room may import only rooms above it in this list. docs/architecture.md has the reasons.

export const ROOMS = [
  'base',
  'data',
  'x509',
  'yaml',
  'jinja',
  'config',
  'wire',
  'store',
  'bus',
  'host',
  'http',
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
  'modules',
  'states',
  'runners',
  'wheel',
  'beacons',
  'returners',
  'engines',
  'thorium',
  'auth',
  'roster',
  'tops',
  'schedule',
  'reactor',
  'orchestrate',
  'daemon',
  'client',
  'minion',
  'master',
  'syndic',
  'cluster',
  'ssh',
  'cloud',
  'api',
  'console',
  'cli',
]

/** Rooms that compute and touch nothing: no files, network, processes or environment. */
export const PURE_ROOMS = new Set(['data', 'x509', 'yaml', 'jinja'])

/** Node modules that do no I/O. */
export const PURE_NODE_MODULES = new Set(['node:crypto', 'node:buffer', 'node:util'])

/** Families of plugins: only the loader names them, lazily, and they import little. */
export const PLUGIN_ROOMS = new Set([
  'modules',
  'states',
  'runners',
  'wheel',
  'beacons',
  'returners',
  'engines',
  'thorium',
  'auth',
  'roster',
  'tops',
])

/** The room that reaches plugins, at the moment they are called. */
export const LOADING_ROOM = 'loader'

/** All that a plugin may import beside its own folder. */
export const PLUGIN_MAY_IMPORT = new Set(['sdk', 'base', 'data'])

/** What tests of plugins need besides: a machine to try them on. */
export const PLUGIN_TESTS_MAY_IMPORT = new Set(['host'])

/** The room a path lies in, or undefined outside src/. */
export function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}
