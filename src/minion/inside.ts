// Functions on a machine that a program of this host leads to, such as a container, which needs only a POSIX shell. The
// functions run in this process and reach the machine through its host, with the pillar of the minion and the machine's
// own grains.
import { askedBy, asker } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { failure, type Value } from '../data/mod.ts'
import { isSshError, SshHost, sshRuntimeFolder } from '../host/mod.ts'
import { askerOf, type Registry } from '../loader/mod.ts'
import type { InsideCall } from '../sdk/mod.ts'
import type { MinionData } from './functions.ts'
import { daemonFor, machineOptions } from './machine-options.ts'
import { MachineSession } from './machine-session.ts'

/** Call a function on the machine, and remove all temporary files there. */
export async function callInside(
  minion: Registry,
  filesFor: NonNullable<MinionData['filesFor']>,
  hasMaster: boolean,
  { kind, name, via, fun, args, kwargs }: InsideCall,
): Promise<Value> {
  const { ctx } = minion
  const { log, pillar } = ctx
  if (ctx.host.remote) throw failure(`Functions can run inside ${name} only if they are called on its own machine`)
  const opts = machineOptions(ctx.opts, [kind], name)
  // top files target the minion, as in Salt
  opts.set('id', option(ctx.opts, 'id')).set('pillar', pillar)
  const runtimeDir = sshRuntimeFolder(option(ctx.opts, 'sock_dir'))
  const machine = await SshHost.open({ host: name, via }, { log, runtimeDir }).catch((error: unknown) => {
    throw isSshError(error) ? failure(error.message) : error
  })
  const session = new MachineSession({
    ...{ opts, log, machine },
    files: ({ controller, whole }) => filesFor(opts, controller, whole),
    pillar: async () => ({ pillar, freshPillar: (request) => ctx.freshPillar(request) }),
    daemon: daemonFor(ctx.opts, hasMaster ? minion : undefined),
    more: { masked: ctx.masked, hint: ctx.hint },
  })
  try {
    const functions = await session.functions()
    // a right to work in there is no right on this machine, where the functions run
    const who = asker() === 'owner' ? askerOf(fun, [...kwargs.keys()]) : asker()
    return await askedBy(who, () => functions.call(fun, args, kwargs))
  } finally {
    await session.close()
  }
}
