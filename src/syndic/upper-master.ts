// The connection of a syndic to one master above: its publications, and the events for it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, MsgpackError, type Value } from '../data/mod.ts'
import { MasterSearch } from '../minion/mod.ts'
import { asctime } from '../schedule/mod.ts'
import { isWireError, type MinionSettings } from '../wire/mod.ts'

/** Seconds until a request is sent again; the master takes each return once. */
const ANSWER_SECONDS = 15
/** Bytes that go over a slow connection in a second. */
const SLOW_BYTES = 100_000

export interface UpperParts {
  /** Its own copy: the name of the master differs. */
  opts: Dict
  log: Log
  settings: MinionSettings
  onJob(load: Dict, master: string): Promise<void>
  fatal(error: Error): void
}

export class UpperMaster {
  readonly name: string
  private readonly parts: UpperParts
  private readonly search: MasterSearch
  private hasBegun = false

  constructor(name: string, parts: UpperParts) {
    this.name = name
    this.parts = parts
    const { opts, log, settings, fatal } = parts
    this.search = new MasterSearch({ opts, log, group: { names: [name], failover: false }, settings, fatal })
  }

  /** Whether publications come in. */
  get isConnected(): boolean {
    return this.hasBegun && this.search.link.isListening
  }

  get id(): string {
    return option(this.parts.opts, 'id')
  }

  /** Resolves when the master has let the syndic in. */
  async open(): Promise<void> {
    await this.search.reach([this.name], () => this.begin())
  }

  close(): void {
    this.hasBegun = false
    this.search.close()
  }

  /** Send a request of about so many bytes; resolves when the master has taken it. */
  send(load: Dict, bytes = 0): Promise<Value> {
    return this.search.link.channel.send(load, { timeout: ANSWER_SECONDS + bytes / SLOW_BYTES, tries: 1 })
  }

  private async begin(): Promise<void> {
    const { onJob, log, opts } = this.parts
    await new Promise<void>((done) => {
      const take = (load: Dict): void => {
        // one job does not wait for another: the master of this machine may be away
        onJob(load, this.name).catch((error: unknown) =>
          log('error', `A job of master ${this.name} could not be handed on: ${toError(error).message}`),
        )
      }
      this.search.link.listen(take, done)
    })
    this.hasBegun = true
    const text = `Syndic ${this.id} started at ${asctime(new Date())}`
    if (option(opts, 'enable_legacy_startup_events')) await this.tell('syndic_start', text)
    await this.tell(`salt/syndic/${this.id}/start`, text)
    log('info', `Syndic successfully connected to ${this.name}`)
  }

  private async tell(tag: string, data: Value): Promise<void> {
    const load: Dict = dictFrom({ id: this.id, cmd: '_minion_event', pretag: null, data, tag })
    await this.send(load)
  }
}

/**
 * Whether the master refuses the content of a request. No answer, a full disk of the master and a key that is not
 * accepted are temporary, and no refusals.
 */
export const isRefusal = (error: unknown): boolean =>
  isWireError(error, 'AuthenticationError') || error instanceof MsgpackError

/** Wait a moment; an abort ends the wait. */
export const pauseFor = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)
