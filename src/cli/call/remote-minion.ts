// A minion with a master, put together for one call: it signs in, gets its pillar, and tells the master what came of the
// call. A minion daemon that runs here is told what concerns it.
import type { Log } from '../../base/mod.ts'
import { type Dict, isList, str, type Value } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import { MasterLink, MinionSession, masterAddress, signInSettings } from '../../minion/mod.ts'
import type { MinionRequest } from '../../sdk/mod.ts'
import { ProgramExit } from '../optparse/exit.ts'
import type { LocalMinion } from './local-minion.ts'
import { askRunningMinion, fireOnMinion } from './minion-bus.ts'

export interface RemoteMinion extends LocalMinion {
  /** Tells the master what a call gave. */
  report(answer: Dict): Promise<void>
  close(): void
}

export async function remoteMinion(opts: Dict, log: Log): Promise<RemoteMinion> {
  const host = new LocalHost()
  const { collectGrains } = await import('../../grains/mod.ts')
  const grains = await collectGrains({ opts, host, log })
  opts.set('grains', grains)
  const link = await connect(opts, log)
  const around = {
    daemon: daemonAccess(opts, link, log),
    askMinion: (request: MinionRequest) => askRunningMinion(opts, log, request),
  }
  const session = new MinionSession({ opts, log, host, link, surroundings: around }, grains)
  await session.refreshPillar()
  return {
    functions: await session.functions,
    grains,
    report: async (answer) => {
      const load = new Map<Value, Value>([['cmd', '_return'], ['id', opts.get('id')!], ...answer])
      await link.channel.send(load)
    },
    close: () => link.close(),
  }
}

async function connect(opts: Dict, log: Log): Promise<MasterLink> {
  const master = opts.get('master') ?? 'salt'
  const names = isList(master) ? master.map(str) : [str(master)]
  const settings = await signInSettings(opts)
  let problem: unknown
  for (const name of names) {
    try {
      const link = await MasterLink.open({
        opts,
        settings,
        log,
        address: masterAddress(name, opts),
        onOutcome: () => false,
      })
      await link.channel.authenticate()
      return link
    } catch (error) {
      problem = error
      log('debug', `Master ${name} could not be used: ${String(error)}`)
    }
  }
  const text = problem instanceof Error ? problem.message : String(problem)
  throw new ProgramExit(2, { stderr: `${text}\n` })
}

/** What functions reach when no daemon is around them: the master, and the bus of a daemon that may run here. */
function daemonAccess(opts: Dict, link: MasterLink, log: Log) {
  return {
    askMaster: (load: Dict) => link.channel.send(load),
    fire: (tag: string, data: Dict) => fireOnMinion(opts, log, tag, data),
    running: (): Dict[] => [],
    signal: (): boolean => false,
  }
}
