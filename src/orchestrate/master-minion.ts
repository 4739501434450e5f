// The minion on the master's own machine, which runs the functions and states of orchestrations and reactions. It has
// the master's options and file roots, a pillar of its own for states, and access to the master.
import { dirname } from 'node:path'
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { collectGrains } from '../grains/mod.ts'
import type { Host } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import type { MasterReach } from '../sdk/mod.ts'

export interface MasterMinionParts {
  opts: Dict
  host: Host
  log: Log
}

export async function masterMinion({ opts, host, log }: MasterMinionParts): Promise<Registry> {
  const own = new Map(opts).set('file_client', 'local').set('__role', 'master')
  own.set('config_dir', dirname(option(opts, 'conf_file')))
  const grains = await collectGrains({ opts: own, host, log })
  const pillar: Dict = new Map()
  own.set('grains', grains).set('pillar', pillar)
  const functions: Registry = new Registry(moduleTable, {
    opts: own,
    grains,
    pillar,
    host,
    log,
    userModules: async (registry, builtIn) => (await import('../pybridge/mod.ts')).userModules(registry, builtIn),
    ownBackends: async () => (await import('../pybridge/mod.ts')).ownBackends,
    ownPlugin: async ({ ctx }, family, name) => (await import('../pybridge/mod.ts')).ownPlugin(ctx, family, name),
    render: async ({ text, ...request }) => {
      const { renderText } = await import('../render/mod.ts')
      const unmasked = functions.with({ masked: false })
      return (await renderText(text, { ...request, opts: own, grains, pillar, functions: unmasked, log })).value
    },
    freshPillar: async (request) => {
      const { LocalPillar } = await import('../pillar/mod.ts')
      return new LocalPillar({ opts: own, grains, host, registry: functions, log }).freshPillar(request)
    },
    openStates: async (asking, request) => {
      const { LocalTree, stateEngine } = await import('../state/mod.ts')
      const fireEvent = asking.ctx.master && eventsBy(asking.ctx.master)
      const tree = (run: Dict) => new LocalTree(run, host)
      const steps = asking.ctx.master?.steps()
      return stateEngine({ tree, ...(fireEvent && { fireEvent }), ...(steps && { steps }) })(asking, request)
    },
  })
  await functions.refresh()
  return functions
}

const eventsBy =
  (master: MasterReach): NonNullable<EventFirer> =>
  (tag, data) =>
    master.fire(tag, data)

type EventFirer = ((tag: string, data: Dict) => Promise<void>) | undefined
