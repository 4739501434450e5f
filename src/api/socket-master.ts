// The master of another process on this machine, as `salt-api` reaches it: by its sockets and its stores.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, toError } from '../base/mod.ts'
import { BusClient, type BusEvent, hasJournal, masterBusPaths } from '../bus/mod.ts'
import { ClientError, localKey, MasterRequests } from '../client/mod.ts'
import { isClustered } from '../cluster/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { type OverSsh, type SocketAccess, socketAccess } from '../runner/mod.ts'
import { HttpError } from './errors.ts'
import type { ApiMaster, EventFeed } from './master.ts'
import { answersBeside, recordsBeside } from './shared-records.ts'

/** Seconds in which the master must answer a command. */
const PATIENCE = 30

export async function socketMaster(opts: Dict, log: Log, overSsh?: OverSsh): Promise<ApiMaster> {
  const access = socketAccess(opts, log, overSsh && { overSsh })
  const requests = await MasterRequests.open(opts, log)
  const events = new SocketFeed(access, log)
  const command = async (load: Dict): Promise<Value> => {
    if (!events.isOpen && !(await events.opensSoon())) throw new HttpError(503, 'Salt Master is not available.')
    try {
      return await events.whileHeard(requests.command(load, PATIENCE))
    } catch (error) {
      if (error instanceof ClientError) throw new HttpError(503, 'Salt Master is not available.', error)
      throw error
    }
  }
  const ownersCommand = (load: Dict): Promise<Value> => {
    const { user, key } = localKey(opts)
    return command(new Map(load).set('user', user).set('key', key))
  }
  return {
    access,
    events,
    command,
    ...(isClustered(opts) && {
      sessions: recordsBeside(access.stores, ownersCommand),
      answers: answersBeside(ownersCommand),
    }),
    fire: async (tag, data, { kind, name, proof }) => {
      const load: Array<[Value, Value]> = [
        ['cmd', 'fire_for'],
        ['tag', tag],
        ['data', data],
        ['origin', [kind, name, proof]],
      ]
      if ((await ownersCommand(new Map(load))) !== true) throw new HttpError(503, 'The master did not take the event')
    },
    close: () => {
      events.close()
      requests.close()
      access.close()
    },
  }
}

const LOOK_EVERY_MS = 100
const OPENING_MS = 1000

/** Events of the master's socket. After a restart of the master it continues, with missed events from the journal. */
class SocketFeed implements EventFeed {
  last = 0
  isOpen = false
  private readonly access: SocketAccess
  private readonly log: Log
  private readonly listeners = new Set<(event: BusEvent) => void>()
  private bus: BusClient | undefined
  /** Aborts requests that wait for the master. */
  private readonly waiting = new Set<(error: Error) => void>()
  private isClosed = false

  constructor(access: SocketAccess, log: Log) {
    this.access = access
    this.log = log
    void this.follow()
  }

  listen(hear: (event: BusEvent) => void): () => void {
    this.listeners.add(hear)
    return () => this.listeners.delete(hear)
  }

  /** Return whether the master can be heard within a moment: it may be starting. */
  async opensSoon(): Promise<boolean> {
    for (let wait = 0; wait < OPENING_MS && !this.isOpen && !this.isClosed; wait += LOOK_EVERY_MS)
      await sleep(LOOK_EVERY_MS)
    return this.isOpen
  }

  /** Wait for work that only a running master ends; fail when the master goes away. */
  whileHeard<T>(work: Promise<T>): Promise<T> {
    return new Promise((done, fail) => {
      this.waiting.add(fail)
      work.then(done, fail).finally(() => this.waiting.delete(fail))
    })
  }

  close(): void {
    this.isClosed = true
    this.bus?.close()
  }

  private async follow(): Promise<void> {
    let isTold = false
    while (!this.isClosed) {
      try {
        const bus = await BusClient.open({ paths: masterBusPaths(this.access.opts), tags: ['*'], leavesPacked: true })
        this.bus = bus
        if (isTold) this.log('info', 'The API hears the events of the master again')
        isTold = false
        this.catchUp(bus.last)
        this.isOpen = true
        await this.hear(bus)
        for (const fail of this.waiting) fail(new ClientError('SaltClientError', 'The master went away'))
      } catch (error) {
        if (!isTold) this.log('warning', `The API does not hear the events of the master: ${toError(error).message}`)
        isTold = true
      }
      this.isOpen = false
      if (!this.isClosed) await sleep(LOOK_EVERY_MS)
    }
  }

  private async hear(bus: BusClient): Promise<void> {
    while (bus.isOpen) {
      const event = await bus.next(3600)
      if (event) this.tell(event)
    }
  }

  /** Deliver the events from the time without a connection. */
  private catchUp(upTo: number): void {
    const { opts, stores } = this.access
    const from = this.last + 1
    try {
      if (this.last > 0 && upTo > this.last && hasJournal(opts)) {
        for (const event of stores.journal().from({ number: from }, { upTo, filter: () => true })) this.tell(event)
      }
    } catch (error) {
      // continue with live events even if the past ones are unreadable
      this.log('error', `The API cannot read the events ${from} to ${upTo} from the journal: ${toError(error).message}`)
    }
    this.last = upTo
  }

  private tell(event: BusEvent): void {
    // a notice of the bus to this listener alone has no number
    if (event.number > 0) this.last = event.number
    for (const hear of this.listeners) {
      try {
        hear(event)
      } catch (error) {
        this.log('error', `A listener failed on event ${event.tag}: ${toError(error).stack ?? ''}`)
      }
    }
  }
}
