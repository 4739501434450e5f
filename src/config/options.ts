// All options, by theme. The order of the themes is that of the manual.
import { type Dict, deepCopy } from '../data/mod.ts'
import { defaultsOf, type OptionTable } from './option.ts'
import { ACCESS } from './tables/access.ts'
import { CACHES } from './tables/caches.ts'
import { CLUSTER } from './tables/cluster.ts'
import { CONNECTION } from './tables/connection.ts'
import { EVENTS } from './tables/events.ts'
import { FILESERVER } from './tables/fileserver.ts'
import { FUNCTIONS } from './tables/functions.ts'
import { GITFS } from './tables/gitfs.ts'
import { GRAINS } from './tables/grains.ts'
import { IDENTITY } from './tables/identity.ts'
import { JOBS } from './tables/jobs.ts'
import { LOGGING } from './tables/logging.ts'
import { MODULES } from './tables/modules.ts'
import { OUTPUT } from './tables/output.ts'
import { PATHS } from './tables/paths.ts'
import { PILLAR } from './tables/pillar.ts'
import { PROCESSES } from './tables/processes.ts'
import { PROXY } from './tables/proxy.ts'
import { SECURITY } from './tables/security.ts'
import { SSH } from './tables/ssh.ts'
import { STATES } from './tables/states.ts'
import { SYNDIC_OPTIONS } from './tables/syndic.ts'
import { TELEMETRY } from './tables/telemetry.ts'
import { TRANSPORT } from './tables/transport.ts'
import { WINREPO } from './tables/winrepo.ts'

export const THEMES: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  ['Connection to the master', CONNECTION],
  ['Identity', IDENTITY],
  ['Paths and files', PATHS],
  ['Logging', LOGGING],
  ['Keys and encryption', SECURITY],
  ['Access control', ACCESS],
  ['Grains', GRAINS],
  ['Modules', MODULES],
  ['States', STATES],
  ['Output', OUTPUT],
  ['File server', FILESERVER],
  ['Git', GITFS],
  ['Pillar', PILLAR],
  ['Jobs and events', JOBS],
  ['Reactor and engines', EVENTS],
  ['Transport', TRANSPORT],
  ['Processes', PROCESSES],
  ['Caches', CACHES],
  ['SSH', SSH],
  ['Windows repository', WINREPO],
  ['Cluster', CLUSTER],
  ['Syndic', SYNDIC_OPTIONS],
  ['Proxy minions', PROXY],
  ['Telemetry', TELEMETRY],
])

/** The types of all tables, for the typed view. */
export type Declared = typeof ACCESS &
  typeof CACHES &
  typeof CLUSTER &
  typeof CONNECTION &
  typeof EVENTS &
  typeof FILESERVER &
  typeof FUNCTIONS &
  typeof GITFS &
  typeof GRAINS &
  typeof IDENTITY &
  typeof JOBS &
  typeof LOGGING &
  typeof MODULES &
  typeof OUTPUT &
  typeof PATHS &
  typeof PILLAR &
  typeof PROCESSES &
  typeof PROXY &
  typeof SECURITY &
  typeof SSH &
  typeof STATES &
  typeof SYNDIC_OPTIONS &
  typeof TELEMETRY &
  typeof TRANSPORT &
  typeof WINREPO

export const OPTIONS: OptionTable = Object.assign({}, ...THEMES.values())

/** Options that only functions read; the options of minions and masters contain them only if they are set. */
export const FUNCTION_OPTIONS: OptionTable = FUNCTIONS

let defaults: Dict | undefined

/** Return the defaults of these options as a new dict. */
export function functionDefaults(): Dict {
  defaults ??= defaultsOf(FUNCTIONS, 'minion')
  return deepCopy(defaults)
}

/** Old names of options with their present names. */
export const OLD_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(OPTIONS).flatMap(([name, option]) => (option.old ?? []).map((old) => [old, name] as const)),
)
