// Events of the master for a client that outlives a restart of the master. The client reconnects as soon as a bus
// exists, and reads missed returns from the job store.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../base/mod.ts'
import { BusClient, type BusEvent, type EventFilter, masterBusPaths } from '../bus/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { EventSource } from './collect.ts'
import { storedReturns } from './stored-jobs.ts'

/** How long a master may be away, and the interval between attempts to reconnect. */
const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 100

export class LastingEvents implements EventSource {
  private readonly opts: Dict
  private readonly log: Log
  private bus: BusClient
  private filter: EventFilter
  private isClosed = false

  static async open(opts: Dict, log: Log, filter: EventFilter): Promise<LastingEvents> {
    const bus = await BusClient.open({ paths: masterBusPaths(opts), filter })
    return new LastingEvents(opts, log, bus, filter)
  }

  private constructor(opts: Dict, log: Log, bus: BusClient, filter: EventFilter) {
    this.opts = opts
    this.log = log
    this.bus = bus
    this.filter = filter
  }

  get isOpen(): boolean {
    return this.bus.isOpen
  }

  want(filter: EventFilter): void {
    this.filter = filter
    this.bus.want(filter)
  }

  next(seconds: number): Promise<BusEvent | undefined> {
    return this.bus.next(seconds)
  }

  close(): void {
    this.isClosed = true
    this.bus.close()
  }

  /**
   * Return a client whose connection the master has accepted. A connection in the accept queue is already open, but
   * receives no events yet. Salt's own bus does not confirm connections.
   */
  private async heard(): Promise<BusClient> {
    const options = { paths: masterBusPaths(this.opts), filter: this.filter }
    try {
      return await BusClient.open({ ...options, tags: ['*'] })
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'BusMute') throw error
      return BusClient.open(options)
    }
  }

  stored(jid: string, ids: Iterable<string>): Map<string, Dict> {
    return storedReturns(this.opts, this.log, jid, ids)
  }

  async recover(): Promise<boolean> {
    this.log('warning', 'The connection to the master was lost, waiting for it to come back')
    const until = performance.now() + PATIENCE_MS
    while (!this.isClosed && performance.now() < until) {
      try {
        this.bus = await this.heard()
        return true
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'BusUnreachable') throw error
        await sleep(LOOK_EVERY_MS)
      }
    }
    return false
  }
}
