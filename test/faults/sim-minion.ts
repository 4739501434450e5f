// A minion of which many fit into one process: the real channels, and jobs that only note that they ran. Like a real one it
// sends a return until the master has taken it.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../../src/base/mod.ts'
import { type Dict, isList, str, type Value } from '../../src/data/mod.ts'
import { MasterChannel, openTransport, PublicationReceiver, type RsaPrivateKey } from '../../src/wire/mod.ts'

export interface SimSite {
  root: string
  /** Where requests and publications go. */
  requestPort(): number
  publishPort(): number
  key: RsaPrivateKey
  /** Seconds that a minion waits for an answer. */
  patience: number
  /** Milliseconds that a job takes, from when it may go on. */
  duration(): number
  mayGoOn(): Promise<void>
  /** How often a return is sent. */
  copies(): number
  /** Milliseconds; the usual ones where not given. */
  heartbeats?: { heartbeatInterval?: number; heartbeatTimeout?: number }
}

export class SimMinion {
  readonly id: string
  /** How often each job ran here. */
  readonly ran = new Map<string, number>()
  private readonly site: SimSite
  private readonly taken = new Set<string>()
  private channel!: MasterChannel
  private receiver!: PublicationReceiver
  private isClosed = false
  private unsent = 0
  private readonly returned = new Map<string, Dict>()

  constructor(id: string, site: SimSite) {
    this.id = id
    this.site = site
  }

  /** Resolves when it listens. */
  async open(): Promise<void> {
    const { site, id } = this
    const transport = await openTransport('zeromq')
    const client = transport.connect({ host: '127.0.0.1', port: site.requestPort() })
    this.channel = new MasterChannel({
      client,
      settings: {
        id,
        key: site.key,
        pkiDir: join(site.root, 'sims', id),
        acceptanceWaitTime: 0.2,
        authSafemode: true,
        authTimeout: site.patience,
        authTries: 1,
        requestTimeout: site.patience,
        requestTries: 1,
      },
      log: silentLog,
    })
    await this.channel.authenticate()
    await new Promise<void>((onConnect) => {
      this.receiver = new PublicationReceiver({
        channel: this.channel,
        transport,
        endpoint: { host: '127.0.0.1', port: site.publishPort() },
        onConnect,
        onLoad: (load) => void this.run(load),
        reconnectDelay: () => 50,
        ...site.heartbeats,
        log: silentLog,
      })
    })
  }

  /** A command of this minion, and the master's answer. */
  ask(load: Record<string, unknown>): Promise<Value> {
    return this.channel.send(Object.entries(load))
  }

  pillar(): Promise<Value> {
    const request = { cmd: '_pillar', grains: new Map(), saltenv: 'base', pillarenv: null, ver: '2' }
    return this.channel.sendPrivate(Object.entries(request))
  }

  /** Signs in again, as after a restart. */
  async signIn(): Promise<void> {
    await this.channel.authenticate()
  }

  /** Sends what it returned to a job once more, and something else with it. */
  async repeat(jid: string): Promise<void> {
    const ret = this.returned.get(jid)
    if (!ret) return
    await this.deliver(new Map(ret))
    await this.deliver(new Map(ret).set('return', 'something else'))
  }

  get isIdle(): boolean {
    return this.unsent === 0
  }

  get isListening(): boolean {
    return this.receiver.connected
  }

  close(): void {
    this.isClosed = true
    this.receiver.close()
    this.channel.close()
  }

  private async run(load: Dict): Promise<void> {
    if (!this.isMeant(load.get('tgt') ?? '')) return
    const jid = str(load.get('jid') ?? '')
    // a real minion keeps the jobs that it has taken: after a break, its master may send one again
    if (this.taken.has(jid)) return
    this.taken.add(jid)
    this.ran.set(jid, (this.ran.get(jid) ?? 0) + 1)
    this.unsent++
    await this.site.mayGoOn()
    await sleep(this.site.duration())
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
    this.returned.set(jid, ret)
    await Promise.all(Array.from({ length: this.site.copies() }, () => this.deliver(ret)))
    this.unsent--
  }

  /** Whether a job is for this minion: of the targets, it knows those that the tests use. */
  private isMeant(target: Value): boolean {
    return isList(target) ? target.includes(this.id) : str(target) === 'sim-*'
  }

  private async deliver(ret: Dict): Promise<void> {
    while (!this.isClosed) {
      try {
        await this.channel.send(ret)
        return
      } catch {
        // whatever was wrong: a return is sent until it is taken
        await sleep(100 + Math.random() * 200)
      }
    }
  }
}
