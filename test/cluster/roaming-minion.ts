// A simulated minion with a list of masters: it signs in to one, and to the next when that one is gone. It runs each job once and sends
// its return until some master has taken it.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../../src/base/mod.ts'
import { type Dict, isList, str, type Value } from '../../src/data/mod.ts'
import { MasterChannel, openTransport, PublicationReceiver, type RsaPrivateKey } from '../../src/wire/mod.ts'
import { until } from '../until.ts'

export interface RoamingSite {
  root: string
  addresses: readonly string[]
  ports: { pub: number; ret: number }
  key: RsaPrivateKey
}

/** Seconds that the minion waits for an answer. */
const PATIENCE = 4
/** Milliseconds between two looks whether the master is there. */
const LOOK_MS = 1000

export class RoamingMinion {
  readonly id: string
  /** How often each job ran here. */
  readonly ran = new Map<string, number>()
  private readonly site: RoamingSite
  private index: number
  private channel: MasterChannel | undefined
  private receiver: PublicationReceiver | undefined
  private isClosed = false
  private readonly unsent = new Set<string>()
  private watching: Promise<void> | undefined

  constructor(id: string, site: RoamingSite, index: number) {
    this.id = id
    this.site = site
    this.index = index
  }

  /** The address of its master. */
  get master(): string {
    return this.site.addresses[this.index % this.site.addresses.length]!
  }

  get isListening(): boolean {
    return this.receiver?.connected ?? false
  }

  /** Return the state of a job here. */
  tellOf(jid: string): string {
    const job = this.ran.has(jid) ? (this.unsent.has(jid) ? 'is sending the return' : 'sent the return') : 'has no job'
    return `${this.id} ${job}, ${this.isListening ? 'listens' : 'does not listen'} to ${this.master}`
  }

  get isIdle(): boolean {
    return this.unsent.size === 0
  }

  async open(): Promise<void> {
    await until(`${this.id} has a master`, () => this.reaches())
    this.watching = this.watch()
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.leave()
    await this.watching
  }

  /** Send an event to the master; fails when the master has not taken it. */
  async fire(tag: string): Promise<void> {
    const answer = await this.send('_minion_event', { tag, data: new Map(), pretag: null })
    if (answer !== null) throw new Error(`The master did not take the event ${tag}`)
  }

  /** Send a request to the master, and return the answer. */
  async send(cmd: string, fields: Record<string, Value>): Promise<Value | undefined> {
    return this.channel?.send(Object.entries({ cmd, id: this.id, ...fields }))
  }

  private leave(): void {
    this.receiver?.close()
    this.channel?.close()
    this.receiver = undefined
    this.channel = undefined
  }

  private async connect(): Promise<void> {
    const { site, id } = this
    const transport = await openTransport('zeromq')
    const client = transport.connect({ host: this.master, port: site.ports.ret })
    const channel = new MasterChannel({
      client,
      settings: {
        id,
        key: site.key,
        pkiDir: join(site.root, 'sims', id),
        acceptanceWaitTime: 0.2,
        // a minion with failover goes to the next master when this one does not answer
        authSafemode: false,
        authTimeout: PATIENCE,
        authTries: 1,
        requestTimeout: PATIENCE,
        requestTries: 1,
      },
      log: silentLog,
    })
    this.channel = channel
    await channel.authenticate()
    await new Promise<void>((done, fail) => {
      const timer = setTimeout(() => fail(new Error('no publications')), PATIENCE * 1000)
      this.receiver = new PublicationReceiver({
        channel,
        transport,
        endpoint: { host: this.master, port: site.ports.pub },
        onConnect: () => {
          clearTimeout(timer)
          done()
        },
        onLoad: (load) => void this.run(load),
        reconnectDelay: () => 100,
        heartbeatInterval: 500,
        heartbeatTimeout: 4000,
        log: silentLog,
      })
    })
  }

  private async watch(): Promise<void> {
    while (!this.isClosed) {
      await sleep(LOOK_MS)
      if (this.isListening || this.isClosed) continue
      this.leave()
      this.index++
      await this.reaches()
    }
  }

  /** Try to connect to the master whose turn it is. */
  private async reaches(): Promise<boolean> {
    try {
      await this.connect()
      return true
    } catch {
      this.leave()
      return false
    }
  }

  private async run(load: Dict): Promise<void> {
    const target = load.get('tgt') ?? ''
    const isMeant = isList(target) ? target.includes(this.id) : str(target) === 'sim-*' || str(target) === this.id
    const jid = str(load.get('jid') ?? '')
    if (!isMeant || this.ran.has(jid)) return
    this.ran.set(jid, 1)
    this.unsent.add(jid)
    const ret = new Map<Value, Value>([
      ['cmd', '_return'],
      ['id', this.id],
      ['success', true],
      ['return', `${this.id} ran ${jid}`],
      ['retcode', 0],
      ['jid', jid],
      ['fun', load.get('fun') ?? ''],
      ['fun_args', load.get('arg') ?? []],
    ])
    while (!this.isClosed) {
      try {
        if (!this.channel) throw new Error('no master')
        await this.channel.send(new Map(ret))
        break
      } catch {
        await sleep(200)
      }
    }
    this.unsent.delete(jid)
  }
}
