// The engines of a master.

import { applyReactorSettings, configuredEngines, Engines } from '../daemon/mod.ts'
import type { Dict } from '../data/mod.ts'
import { callingContext, type MasterAccess } from '../runner/mod.ts'
import type { MasterParts } from './parts.ts'

/** The reactor runs with the master, by settings that were taken from the configuration of its engine. */
export function applyReactorEngine(opts: Dict): void {
  const engine = configuredEngines(opts).find(({ module }) => module === 'reactor')
  if (engine) applyReactorSettings(opts, engine.settings)
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })

export function openMasterEngines(
  { opts, log, bus }: Pick<MasterParts, 'opts' | 'log' | 'bus'>,
  access: MasterAccess,
): Engines {
  const master = callingContext(access, { jid: '', user: 'UNKNOWN', tag: 'salt/engine' })
  const engines = new Engines({
    role: 'master',
    opts,
    log,
    host: access.host,
    bus,
    master,
    functions: () => master.functions(),
    parts: { reactor: (signal) => until(signal) },
    userEngines: async (ctx, wanted) => (await import('../pybridge/mod.ts')).userEngines(ctx, wanted),
  })
  engines.start()
  return engines
}
