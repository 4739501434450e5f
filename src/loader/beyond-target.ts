// Functions that modules on a target may not call: those that reach other machines or the master itself, and those that
// would show options of the master. Otherwise, control of that machine would give control of the others. Functions run
// on the controller and use its network, so every request to a server or the master in its name is refused as well.
import { type Asker, isAskedByTarget, WITHHELD_OPTIONS } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { HttpClient } from '../http/mod.ts'
import type { DaemonAccess, FunctionContext } from '../sdk/mod.ts'
import { LoaderError } from './errors.ts'

const MODULES: ReadonlySet<string> = new Set(['event', 'mine', 'minion', 'publish'])
const REACHING: ReadonlySet<string> = new Set([
  'cp.push',
  'cp.push_dir',
  'saltutil.cmd',
  'saltutil.cmd_iter',
  'saltutil.runner',
  'saltutil.wheel',
])

/** Functions that use the network of this machine, or show options of the master. */
const OF_THIS_SIDE: ReadonlySet<string> = new Set([
  'config.items',
  'network.connect',
  'network.wol',
  'test.get_opts',
  'test.opts_pkg',
])

/** Functions of the master's own states, by the tree that the master serves. */
const OF_THE_TREE: ReadonlySet<string> = new Set(
  ['apply', 'highstate', 'id_exists', 'request', 'run_request', 'sls', 'sls_exists', 'sls_id', 'test', 'top'].map(
    (name) => `state.${name}`,
  ),
)
const SHOWS_STATES = /^state\.show_\w+$/

/** Keywords of such functions that bring data of the caller into the run, or files of the target. */
const BRINGS_DATA: ReadonlySet<string> = new Set(['localconfig', 'pillar', 'pillar_enc'])
const BRINGS_SECRETS: ReadonlySet<string> = new Set(['localconfig', 'pillar_enc'])

/**
 * Return the requester for a target's function that a caller without the rights of the master's owner calls: a right to
 * a function that reaches beyond the target includes that reach, and states belong to the master.
 */
export function askerOf(name: string, keywords: readonly string[]): Asker {
  if (MODULES.has(name.slice(0, name.indexOf('.'))) || REACHING.has(name)) return 'owner'
  if (!OF_THE_TREE.has(name) && !SHOWS_STATES.test(name)) return 'target'
  if (keywords.some((keyword) => BRINGS_SECRETS.has(keyword))) return 'target'
  return keywords.some((keyword) => BRINGS_DATA.has(keyword)) ? 'caller' : 'owner'
}

/** Throw if a target requested this call and the function reaches beyond the target. */
export function refuseBeyondTarget(name: string, args: readonly Value[], kwargs: ReadonlyMap<string, Value>): void {
  if (!isAskedByTarget()) return
  const module = name.slice(0, name.indexOf('.'))
  const isRefused = MODULES.has(module) || REACHING.has(name) || OF_THIS_SIDE.has(name)
  if (!isRefused && !(module === 'config' && [...args, ...kwargs.values()].some(namesWithheld))) return
  const why = `'${name}' reaches beyond the target, so a module on the target cannot call it`
  throw new LoaderError('ModuleUnavailable', why)
}

const namesWithheld = (value: Value): boolean =>
  typeof value === 'string' && [...WITHHELD_OPTIONS].some((option) => value.includes(String(option)))

/** Return an HTTP client that refuses requests on behalf of a target. */
export function ownNetwork(client: HttpClient): HttpClient {
  return {
    query: async (parameters) => client.query(permitted(parameters)),
    open: async (request) => client.open(permitted(request)),
    upgrade: async (request, protocols) => client.upgrade(permitted(request), protocols),
  }
}

function permitted<T>(request: T): T {
  if (!isAskedByTarget()) return request
  const why = 'The controller asks no web server for a module on the target: ask from the target itself'
  throw new LoaderError('ModuleUnavailable', why)
}

/** Return a daemon access that sends no request to the master for a target. */
export function ownMaster(daemon: DaemonAccess): DaemonAccess {
  const askMaster: DaemonAccess['askMaster'] = async (load) => {
    if (!isAskedByTarget()) return daemon.askMaster(load)
    throw new LoaderError('ModuleUnavailable', 'A module on the target cannot ask the master')
  }
  return Object.assign(Object.create(daemon) as DaemonAccess, { askMaster })
}

const shown = new WeakMap<FunctionContext, FunctionContext>()

/** Return the context of a function: without the options of the master if a target requested the call. */
export function seenContext(ctx: FunctionContext): FunctionContext {
  if (!isAskedByTarget()) return ctx
  const known = shown.get(ctx)
  if (known) return known
  const opts: Dict = new Map([...ctx.opts].filter(([name]) => !WITHHELD_OPTIONS.has(name)))
  const own = { ...ctx, opts }
  shown.set(ctx, own)
  return own
}
