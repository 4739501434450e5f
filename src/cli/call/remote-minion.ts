// A minion with a master for one call: it signs in, gets its pillar, and sends the return to the master. A minion
// daemon on this machine receives the events that concern it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, namedLog, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import { LocalHost, loggedHost } from '../../host/mod.ts'
import { loggerName, type Registry } from '../../loader/mod.ts'
import {
  callOrder,
  findMaster,
  MasterLink,
  MinionSession,
  masterAddress,
  masterBeside,
  ProxyDevice,
  signInSettings,
} from '../../minion/mod.ts'
import type { MinionRequest } from '../../sdk/mod.ts'
import { EXIT_CODES, SignInError } from '../../wire/mod.ts'
import { ProgramExit } from '../optparse/exit.ts'
import { callOverSsh } from '../over-ssh.ts'
import type { LocalMinion } from './local-minion.ts'
import { askRunningMinion, fireOnMinion, minionEvents } from './minion-bus.ts'

/** The key of this minion has not been accepted. */
const EX_PENDING = 2

export interface RemoteMinion extends LocalMinion {
  /** Send the return of a call to the master. */
  report(answer: Dict): Promise<void>
  close(): Promise<void>
}

export async function remoteMinion(opts: Dict, log: Log): Promise<RemoteMinion> {
  const host = loggedHost(
    new LocalHost({ cache: option(opts, 'cachedir') }),
    namedLog(log, loggerName('module', 'cmd')),
  )
  const { collectGrains } = await import('../../grains/mod.ts')
  const grains = await collectGrains({ opts, host, log: namedLog(log, 'salt.loaded.int.grains.core') })
  opts.set('grains', grains)
  await findMaster({ opts, grains, host, log })
  const link = await connect(opts, log)
  const around = {
    daemon: daemonAccess(opts, link, log),
    askMinion: (request: MinionRequest) => askRunningMinion(opts, log, request),
  }
  const proxy = opts.has('proxyid') ? new ProxyDevice(log, false) : undefined
  const session = new MinionSession({ opts, log, host, link, proxy, surroundings: around }, grains)
  let functions: Registry
  try {
    await session.refreshPillar()
    await proxy?.begin(session)
    functions = await session.functions
  } catch (error) {
    // an open connection would keep the program alive
    link.close()
    throw error
  }
  return {
    functions,
    grains: session.grains,
    report: async (answer) => {
      const load = new Map<Value, Value>([['cmd', '_return'], ['id', option(opts, 'id')], ...answer])
      // the master assigns a job id, because there is no publication
      load.set('jid', 'req')
      await link.channel.send(load)
    },
    close: async () => {
      await proxy?.close()
      link.close()
    },
  }
}

/** The first master that lets this minion in; all are tried `master_tries` times. */
async function connect(opts: Dict, log: Log): Promise<MasterLink> {
  const names = callOrder(opts, log)
  const settings = await signInSettings(opts)
  const tries = option(opts, 'master_tries')
  const wait = option(opts, 'acceptance_wait_time')
  for (let attempt = 1; ; attempt++) {
    let problem: unknown
    for (const name of names) {
      let link: MasterLink | undefined
      try {
        const address = masterAddress(name, opts)
        link = await MasterLink.open({ opts, settings, log, address, onOutcome: () => false })
        await link.channel.authenticate()
        opts.set('master', name)
        return link
      } catch (error) {
        // an open connection would keep the program alive
        link?.close()
        problem = error
        log('debug', `Master ${name} could not be used: ${String(error)}`)
        if (error instanceof SignInError && EXIT_CODES[error.outcome.status] !== undefined) throw refusal(error)
      }
    }
    if (attempt === tries) throw refusal(problem)
    await sleep(wait * 1000)
  }
}

/** Return the exit for a refusal; a key that waits for an operator is reported in place of the result. */
function refusal(problem: unknown): ProgramExit {
  const text = `${toError(problem).message}\n`
  const status = problem instanceof SignInError ? problem.outcome.status : undefined
  if (status === 'pending') return new ProgramExit(EX_PENDING, { stdout: text })
  return new ProgramExit((status && EXIT_CODES[status]) ?? 1, { stderr: text })
}

/** Return the daemon access without a daemon around: the master, and the bus of a daemon that may run here. */
function daemonAccess(opts: Dict, link: MasterLink, log: Log) {
  return {
    askMaster: (load: Dict) => link.channel.send(load),
    fire: (tag: string, data: Dict) => fireOnMinion(opts, log, tag, data),
    ...minionEvents(opts),
    running: (): Dict[] => [],
    signal: (): boolean => false,
    masterBeside: masterBeside(opts, log, callOverSsh),
  }
}
