// The engines of a master.
import { type MasterAccess, masterContext, runMasterFunction } from '../client/mod.ts'
import { Engines } from '../daemon/mod.ts'
import type { MasterParts } from './parts.ts'

export function openEngines({ opts, log, bus }: MasterParts, access: MasterAccess): Engines {
  const master = masterContext(access, { jid: '', user: 'UNKNOWN', tag: 'salt/engine' }, (family, { name, ...call }) =>
    runMasterFunction(access, { family, fun: name, ...call }),
  )
  const engines = new Engines({
    role: 'master',
    opts,
    log,
    host: access.host,
    bus,
    master,
    functions: () => master.functions(),
    userEngines: async (ctx) => (await import('../pybridge/mod.ts')).userEngines(ctx),
  })
  engines.start()
  return engines
}
