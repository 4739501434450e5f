// One simulated minion: the channels of a real one, and jobs whose work is made up by the caller. Like a real minion it takes a job once,
// and sends a return until the master has acknowledged it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, silentLog, toError } from '../base/mod.ts'
import { type Dict, isDict, str, textOf, type Value } from '../data/mod.ts'
import type { MasterFiles } from '../fileserver/mod.ts'
import { match } from '../match/mod.ts'
import {
  type Endpoint,
  MasterChannel,
  type MasterKeyPin,
  type MinionSettings,
  PublicationReceiver,
  type RequestClientOptions,
  type SignInOutcome,
  type SocketOptions,
  type Transport,
} from '../wire/mod.ts'
import { type FetchedFiles, TreeCopy } from './tree-copy.ts'

export interface MinionParts {
  transport: Transport
  settings: MinionSettings
  /** Holds the master's key, where that is not a file of `pki_dir`. */
  pin?: MasterKeyPin
  /** Where the master takes requests; asked at each connection. */
  requests(): Endpoint
  /** Where the master publishes, when it announces this port. */
  publications(announced: number): Endpoint
  grains(): Dict
  /** Carry out a job that is meant for this minion, and send its returns. */
  run(job: Dict): void | Promise<void>
  sockets?: SocketOptions & RequestClientOptions & { heartbeatInterval?: number; heartbeatTimeout?: number }
  /** False ends the waiting for an acceptance of the key. */
  onOutcome?: (outcome: SignInOutcome) => boolean
  log?: Log
}

/** Jobs that are remembered as taken: after a break the master may send the newest ones again. */
const MOST_TAKEN = 200
/** Milliseconds between attempts to send a return, and how much is left to chance. */
const RESEND = { least: 100, random: 200 }

export class SimulatedMinion {
  readonly id: string
  pillar: Dict = new Map()
  /** How often a return had to be sent again. */
  resent = 0
  private readonly parts: MinionParts
  private readonly taken = new Set<string>()
  private channel: MasterChannel | undefined
  private receiver: PublicationReceiver | undefined
  private isClosed = false
  private tree: TreeCopy | undefined

  constructor(parts: MinionParts) {
    this.parts = parts
    this.id = parts.settings.id
  }

  /** Sign in and subscribe. Resolves when the minion listens to publications. */
  async open(): Promise<void> {
    const publishPort = await this.connect()
    await this.subscribe(this.parts.publications(publishPort))
  }

  /** Sign in without listening to publications, and return the port of the publisher. */
  async connect(): Promise<number> {
    const { parts } = this
    this.isClosed = false
    this.channel?.close()
    this.channel = new MasterChannel({
      client: parts.transport.connect(parts.requests(), { ...parts.sockets, log: parts.log ?? silentLog }),
      settings: parts.settings,
      pin: parts.pin,
      log: parts.log ?? silentLog,
      onOutcome: parts.onOutcome,
    })
    return (await this.channel.authenticate()).publishPort
  }

  private subscribe(endpoint: Endpoint): Promise<void> {
    const { transport, sockets, log = silentLog } = this.parts
    return new Promise((onConnect) => {
      this.receiver = new PublicationReceiver({
        channel: this.channel!,
        transport,
        endpoint,
        onConnect,
        onLoad: (load) => this.take(load),
        ...sockets,
        log,
      })
    })
  }

  /** Lose both connections; `open` makes new ones. Jobs that run go on and return afterwards. */
  disconnect(): void {
    this.receiver?.close()
    this.channel?.close()
    this.receiver = undefined
    this.channel = undefined
  }

  close(): void {
    this.isClosed = true
    this.disconnect()
  }

  get isListening(): boolean {
    return this.receiver?.connected === true
  }

  /** Sign in again, as after a restart. */
  async signIn(): Promise<void> {
    await this.channel!.authenticate()
  }

  /** Send a command to the master and return the answer. `raw` leaves text of the answer as bytes. */
  ask(load: Iterable<readonly [unknown, unknown]>, raw = false): Promise<Value> {
    if (this.channel === undefined) return Promise.reject(new Error(`${this.id} is not connected`))
    return this.channel.send(load, { raw })
  }

  /** Fetch the pillar; the request contains the grains. */
  async fetchPillar(): Promise<Dict> {
    const request = {
      cmd: '_pillar',
      id: this.id,
      grains: this.parts.grains(),
      saltenv: 'base',
      pillarenv: null,
      ver: '2',
    }
    const answer = await this.channel!.sendPrivate(Object.entries(request))
    this.pillar = isDict(answer) ? answer : new Map()
    return this.pillar
  }

  /** Fetch the files of an environment that the minion lacks. */
  fetchFiles(saltenv: string): Promise<FetchedFiles> {
    this.tree ??= new TreeCopy(this.files)
    return this.tree.update(saltenv)
  }

  private get files(): MasterFiles {
    const isBrine = (): boolean => this.channel?.credentials?.offer !== undefined
    return {
      ask: (load, { raw = false } = {}) => this.ask(load, raw),
      get isBrine() {
        return isBrine()
      },
    }
  }

  fireEvent(tag: string, data: Value): Promise<Value> {
    return this.ask([
      ['cmd', '_minion_event'],
      ['id', this.id],
      ['pretag', null],
      ['tag', tag],
      ['data', data],
    ])
  }

  /** Send a return until the master has acknowledged it, or the minion is closed. */
  async deliver(ret: Dict): Promise<boolean> {
    while (!this.isClosed) {
      try {
        await this.ask(ret)
        return true
      } catch (error) {
        this.resent++
        this.parts.log?.('debug', `${this.id} sends a return again: ${toError(error).message}`)
        await sleep(RESEND.least + Math.random() * RESEND.random, undefined, { ref: false })
      }
    }
    return false
  }

  private async take(job: Dict): Promise<void> {
    if (!this.isMeant(job)) return
    const jid = str(job.get('jid') ?? '')
    if (this.taken.has(jid)) return
    this.taken.add(jid)
    for (const oldest of this.taken) if (this.taken.size > MOST_TAKEN) this.taken.delete(oldest)
    void this.parts.run(job)
  }

  private isMeant(job: Dict): boolean {
    const kind = textOf(job.get('tgt_type') ?? null) ?? 'glob'
    const delimiter = textOf(job.get('delimiter') ?? null)
    const target = job.get('tgt') ?? ''
    const { grains } = this.parts
    const subject = {
      id: this.id,
      // thousands of minions judge targets, and few targets ask for grains
      get grains() {
        return grains()
      },
      pillar: this.pillar,
      opts: new Map<Value, Value>([['id', this.id]]),
    }
    try {
      return match(kind, target, subject, delimiter === undefined ? {} : { delimiter }) === true
    } catch (error) {
      this.parts.log?.('error', `${this.id} cannot judge the target ${str(target)}: ${toError(error).message}`)
      return false
    }
  }
}
