// The engines of a minion: one set, however many masters it has.
import { Engines } from '../daemon/mod.ts'
import type { Host } from '../host/mod.ts'
import type { BeaconParts } from './beacons.ts'

/** Start the engines; return a function that stops them. */
export function openMinionEngines(parts: Omit<BeaconParts, 'jobs'>, host: Host): () => Promise<void> {
  const { opts, log, bus, functions } = parts
  const engines = new Engines({
    role: 'minion',
    opts,
    log,
    host,
    bus,
    functions: async () => (await functions()).ctx,
    parts: {
      reactor: async (signal, settings) =>
        (await import('./reacting.ts')).reactOnMinion({ opts, log, bus, functions }, signal, settings),
    },
    userEngines: async (ctx, wanted) => (await import('../pybridge/mod.ts')).userEngines(ctx, wanted),
  })
  engines.start()
  return () => engines.close()
}
