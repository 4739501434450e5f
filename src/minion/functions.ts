// The functions of a minion over its data: grains, pillar, its file server and its master. Parts that a call does not
// need are not loaded: the renderers and the state engine cost more than most functions.
import { askedBy, type Log, namedLog, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, isDict } from '../data/mod.ts'
import { type FileClient, LocalFileClient } from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import { type ModuleTable, moduleTable, Registry, type RegistryContext } from '../loader/mod.ts'
import type { DaemonAccess } from '../sdk/mod.ts'

export interface MinionData {
  opts: Dict
  grains: Dict
  pillar: Dict
  host: Host
  log: Log
  /** Without it the minion serves itself from its own roots. */
  files?: FileClient
  /** A client for files of a machine behind this minion, which caches on `controller`; without it one of own roots. */
  filesFor?(opts: Dict, controller: Host, whole: Host): FileClient
  more?: Partial<RegistryContext>
  /** The modules. Default: those of the library. */
  table?: ModuleTable
}

const ownBackends = async () => (await import('../pybridge/mod.ts')).ownBackends

export function minionFunctions({
  opts,
  grains,
  pillar,
  host,
  log,
  files,
  filesFor = (own, controller, whole) => new LocalFileClient(own, controller, log, whole, ownBackends),
  more = {},
  table = moduleTable,
}: MinionData): Registry {
  const functions: Registry = new Registry(table, {
    opts,
    grains,
    pillar,
    host,
    log,
    ...(files && { files }),
    ownBackends,
    userModules: async (registry, builtIn) => (await import('../pybridge/mod.ts')).userModules(registry, builtIn),
    ownReturners: async ({ ctx }) => (await import('../pybridge/mod.ts')).ownReturners(ctx),
    ownPlugin: async ({ ctx }, family, name) => (await import('../pybridge/mod.ts')).ownPlugin(ctx, family, name),
    callInside: async (asking, call) =>
      (await import('./inside.ts')).callInside(asking, filesFor, files !== undefined, call),
    ...more,
    render: async (request) => {
      const { renderForFunction } = await import('../render/mod.ts')
      const tree = files && { tree: await clientTree(files, host) }
      // templates see pillar as it is, also those of a function that is called on the command line
      const unmasked = functions.with({ masked: false })
      const surroundings = { ...tree, opts, grains, pillar, functions: unmasked, log }
      return (await renderForFunction(host, { ...request, ...surroundings })).value
    },
    openStates: async (asking, request) => {
      const { ClientTree, LocalTree, stateEngine } = await stateParts()
      const tree = (own: Dict) => (files ? new ClientTree(files, host) : new LocalTree(own, host))
      // without a master for files there is no master to ask either
      const daemon = files && asking.ctx.daemon
      const ofMaster = daemon && {
        masterTops: (own: Dict) => askTops(daemon, own, grains),
        // the request is the minion's own, also in a call for a target
        masterOptions: () => askedBy('owner', () => daemon.askMaster(dictFrom({ cmd: '_master_opts' }))),
        fireEvent: (tag: string, data: Dict) => tellState(daemon, opts, { tag, data, jid: request.jid ?? null }, log),
      }
      return stateEngine({ tree, grains: () => freshGrains(opts, host, log), ...ofMaster })(asking, request)
    },
  })
  return functions
}

/** Load the code for states. */
export async function stateParts() {
  const { ClientTree, LocalTree, stateEngine } = await import('../state/mod.ts')
  return { ClientTree, LocalTree, stateEngine }
}

/**
 * Ask the master for the top data of other systems for this minion; the load holds the options that these systems use.
 */
async function askTops(daemon: DaemonAccess, opts: Dict, grains: Dict): Promise<Dict> {
  const id = option(opts, 'id')
  const shown = dictFrom({ id, grains, saltenv: option(opts, 'saltenv') })
  const load = dictFrom({ cmd: '_master_tops', id, opts: shown })
  const tops = await daemon.askMaster(load)
  return isDict(tops) ? tops : new Map()
}

interface StateEvent {
  tag: string
  data: Dict
  jid: string | null
}

/** Report a state to the master; a failure is only logged. */
async function tellState(daemon: DaemonAccess, opts: Dict, { tag, data, jid }: StateEvent, log: Log): Promise<void> {
  const load = dictFrom({ id: option(opts, 'id'), tag, data, cmd: '_minion_event', jid })
  try {
    await daemon.askMaster(load)
  } catch (error) {
    log('warning', `The master did not hear of ${tag}: ${toError(error).message}`)
  }
}

async function freshGrains(opts: Dict, host: Host, log: Log): Promise<Dict> {
  const { collectGrains } = await import('../grains/mod.ts')
  return collectGrains({ opts, host, log: namedLog(log, 'salt.loaded.int.grains.core'), refresh: true })
}

async function clientTree(files: FileClient, host: Host) {
  const { ClientTree } = await import('../state/mod.ts')
  return new ClientTree(files, host)
}
