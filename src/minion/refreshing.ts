// Requests on a minion's bus to refresh: grains, pillar, modules.
import { type Log, toError } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { truthy, type Value } from '../data/mod.ts'
import type { MinionSession } from './session.ts'

const PILLAR_DONE = '/salt/minion/minion_pillar_refresh_complete'
const MODULES_DONE = '/salt/minion/minion_mod_refresh_complete'

/** Start listening; return a function that stops it. */
export function listenForRefreshes(
  bus: EventBus,
  session: MinionSession,
  log: Log,
  registerResources: () => Promise<void>,
): () => void {
  const tasks = new Map<string, (data: ReadonlyMap<Value, Value>) => Promise<void>>([
    [
      'grains_refresh',
      async (data) => {
        await session.refreshGrains()
        if (truthy(data.get('clean_pillar_cache') ?? true)) await session.refreshPillar()
      },
    ],
    [
      'pillar_refresh',
      async () => {
        // jobs that start meanwhile see the files that were synced before
        session.forgetFunctions()
        await session.refreshGrains()
        await session.refreshPillar()
        await registerResources()
        bus.fire(PILLAR_DONE, new Map([['complete', true]]))
      },
    ],
    ['resource_refresh', registerResources],
    [
      'module_refresh',
      async (data) => {
        session.forgetFunctions()
        await session.refreshProxy()
        await session.refreshGrains()
        if (truthy(data.get('notify') ?? false)) bus.fire(MODULES_DONE, new Map([['complete', true]]))
      },
    ],
  ])
  return bus.listen(
    ({ tag, data }) => {
      tasks.get(tag)!(data).catch((error: unknown) => log('error', `${tag} failed: ${toError(error).message}`))
    },
    (tag) => tasks.has(tag),
  )
}
