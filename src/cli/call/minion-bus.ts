// The bus of a minion daemon that may run on this machine, as a single call reaches it.
import type { Log } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import type { BusMessage, DaemonAccess, MinionAnswer, MinionRequest } from '../../sdk/mod.ts'

/** Fire an event on the bus of the minion; false if no minion runs. */
export async function fireOnMinion(opts: Dict, log: Log, tag: string, data: Dict): Promise<boolean> {
  const { fireOnce, minionBusPaths } = await import('../../bus/mod.ts')
  try {
    await fireOnce(minionBusPaths(opts), tag, data)
    return true
  } catch (error) {
    log('debug', `No minion runs here that could hear of ${tag}: ${String(error)}`)
    return false
  }
}

/** Return the access of functions to a minion that may run here: its events, printed on this terminal. */
export function minionEvents(opts: Dict): Required<Pick<DaemonAccess, 'events' | 'print'>> {
  return {
    events: (filter, sockDir) =>
      eventsOf(sockDir === undefined ? opts : new Map(opts).set('sock_dir', sockDir), filter),
    print: (text) => void process.stdout.write(text),
  }
}

async function* eventsOf(opts: Dict, filter: (tag: string) => boolean): AsyncGenerator<BusMessage> {
  const { BusClient, eventStream, minionBusPaths } = await import('../../bus/mod.ts')
  yield* eventStream(BusClient.open({ paths: minionBusPaths(opts), filter }))
}

/** Send a request to the running minion; undefined if none runs. */
export async function askRunningMinion(opts: Dict, log: Log, request: MinionRequest): Promise<MinionAnswer> {
  const { BusClient, minionBusPaths } = await import('../../bus/mod.ts')
  const { tag, data, answer, wait } = request
  let bus: Awaited<ReturnType<typeof BusClient.open>>
  try {
    bus = await BusClient.open({ paths: minionBusPaths(opts), filter: (own) => own === answer })
  } catch (error) {
    log('debug', `No minion runs here that could be asked: ${String(error)}`)
    return undefined
  }
  try {
    if (!(await fireOnMinion(opts, log, tag, data))) return undefined
    return (await bus.next(wait))?.data ?? null
  } finally {
    bus.close()
  }
}
