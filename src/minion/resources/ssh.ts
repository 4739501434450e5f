// Resources that are reached by ssh and need only a shell: `hosts` of the type `ssh` in pillar, with host, user, port,
// priv and the like. The whole library works on them: it runs in the minion and reaches the machine through its host.
import { toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isList, numberOf, SaltError, str, truthy } from '../../data/mod.ts'
import { isSshError, SshHost, type SshTarget, sshRuntimeFolder } from '../../host/mod.ts'
import { Registry } from '../../loader/mod.ts'
import { defineModule, reads, ret } from '../../sdk/mod.ts'
import { daemonFor, machineOptions } from '../machine-options.ts'
import { MachineSession } from '../machine-session.ts'
import type { ResourceCall, ResourceContext } from './resource.ts'

/** Seconds to wait for a connection, as in Salt. */
const SECONDS = 30

/** Return the SSH target for the pillar data of a machine. */
export function sshTargetOf(machine: Dict): SshTarget {
  const text = (name: string): string | undefined =>
    truthy(machine.get(name) ?? null) ? str(machine.get(name)!) : undefined
  const flag = (name: string): boolean => truthy(machine.get(name) ?? false)
  const number = (name: string, usual: number): number => numberOf(machine.get(name) ?? null) ?? usual
  const host = text('host')
  if (host === undefined) throw new SaltError('CommandExecutionError', 'The resource has no host in pillar')
  const password = text('passwd')
  const more = machine.get('ssh_options')
  const rest: { [Key in keyof SshTarget]?: SshTarget[Key] | undefined } = {
    password,
    identity: text('priv'),
    passphrase: text('priv_passwd'),
    knownHostsFile: text('known_hosts_file'),
    become: becomeOf(flag('sudo'), text('sudo_user'), text('sudo_passwd') ?? password),
  }
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return {
    host,
    port: number('port', 22),
    user: text('user') ?? 'root',
    identitiesOnly: flag('identities_only'),
    connectTimeout: number('timeout', SECONDS),
    keepalive: keepaliveOf(truthy(machine.get('keepalive') ?? true), number),
    hostKeys: flag('no_host_keys') ? 'ignore' : flag('ignore_host_keys') ? 'accept' : 'check',
    options: more !== undefined && isList(more) ? more.map(str) : [],
    ...given,
  }
}

const becomeOf = (isWanted: boolean, user: string | undefined, password: string | undefined): SshTarget['become'] =>
  isWanted ? { program: 'sudo', user: user ?? 'root', ...(password !== undefined && { password }) } : undefined

const keepaliveOf = (
  isWanted: boolean,
  number: (name: string, usual: number) => number,
): NonNullable<SshTarget['keepalive']> =>
  isWanted && { interval: number('keepalive_interval', 60), countMax: number('keepalive_count_max', 3) }

async function sessionOf(ctx: ResourceContext, id: string, machine: Dict, minion?: Registry): Promise<MachineSession> {
  const { log } = ctx
  const opts = machineOptions(ctx.opts, ['resources', 'ssh'], id)
  const runtimeDir = sshRuntimeFolder(option(ctx.opts, 'sock_dir'))
  const target = await SshHost.open(sshTargetOf(machine), { log, runtimeDir })
  const pillar = minion?.ctx.pillar ?? new Map()
  opts.set('pillar', pillar)
  return new MachineSession({
    ...{ opts, log, machine: target },
    files: ({ controller, whole }) => ctx.files(opts, controller, whole),
    // that of the minion, as in Salt: the master knows no minion of this name
    pillar: async () => ({ pillar, ...(minion && { freshPillar: (request) => minion.ctx.freshPillar(request) }) }),
    daemon: daemonFor(ctx.opts, minion),
    ...(ctx.grains && { grains: ctx.grains }),
  })
}

/** Return the grains of a machine. */
export async function sshGrains(ctx: ResourceContext, id: string, machine: Dict): Promise<Dict> {
  const session = await sessionOf(ctx, id, machine)
  try {
    return await session.grains()
  } finally {
    await session.close()
  }
}

/**
 * Return the functions of a machine. If it cannot be reached, `test.ping` returns false and all other functions return
 * the reason.
 */
export async function sshFunctions(
  ctx: ResourceContext,
  id: string,
  machine: Dict,
  minion: Registry,
): Promise<ResourceCall> {
  let session: MachineSession | undefined
  try {
    session = await sessionOf(ctx, id, machine, minion)
    const functions = await session.functions()
    return { functions, close: () => session!.close() }
  } catch (error) {
    await session?.close()
    if (!isSshError(error)) throw error
    ctx.log('warning', `The resource ssh:${id} does not answer: ${error.message}`)
    return { functions: silent(minion), refusal: toError(error).message }
  }
}

const PING = defineModule({
  name: 'test',
  doc: 'A machine that cannot be reached.',
  functions: {
    ping: reads({
      doc: 'Return that the machine does not answer.',
      args: {},
      returns: ret.boolean('Whether it does'),
      examples: ["salt -C 'T@ssh:web-01' test.ping"],
      run: () => false,
    }),
  },
})

function silent({ ctx }: Registry): Registry {
  const { opts, grains, pillar, host, log } = ctx
  const table = { test: [{ functions: ['ping'], always: true as const, load: async () => ({ default: PING }) }] }
  return new Registry(table, { opts, grains, pillar, host, log })
}
