// Periodic work of a minion: it sends a sign of life to its master, and checks whether its grains changed.
import { type Log, toError } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, equals } from '../data/mod.ts'
import { collectGrains } from '../grains/mod.ts'
import type { Host } from '../host/mod.ts'
import type { MasterPeer } from './peer.ts'

const MINUTE_MS = 60_000

function everyMinutes(minutes: number, work: () => Promise<void>, failed: (error: Error) => void): () => void {
  if (minutes <= 0) return () => undefined
  const timer = setInterval(() => void work().catch((error: unknown) => failed(toError(error))), minutes * MINUTE_MS)
  return () => clearInterval(timer)
}

/** `ping_interval`. */
export function pingMaster(peer: MasterPeer, log: Log): () => void {
  const ping = (): Promise<void> => peer.fireMaster('minion_ping', 'ping')
  return everyMinutes(option(peer.opts, 'ping_interval'), ping, (error) =>
    log('warning', `Attempt to ping master failed: ${error.message}`),
  )
}

/** `grains_refresh_every`: other grains may mean another pillar. */
export function watchGrains(opts: Dict, host: Host, bus: EventBus, log: Log): () => void {
  const look = async (): Promise<void> => {
    const before = option(opts, 'grains')
    if (equals(before, await collectGrains({ opts, host, log }))) return
    log('debug', `The grains of ${option(opts, 'id')} changed`)
    bus.fire('grains_refresh', new Map([['force_refresh', true]]))
  }
  return everyMinutes(Math.abs(option(opts, 'grains_refresh_every')), look, (error) =>
    log('error', `The grains could not be looked at: ${error.message}`),
  )
}
