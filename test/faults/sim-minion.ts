// A simulated minion (src/simulate) whose jobs only note that they ran.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, str, type Value } from '../../src/data/mod.ts'
import { SimulatedMinion } from '../../src/simulate/mod.ts'
import { openTransport, type RsaPrivateKey } from '../../src/wire/mod.ts'

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
  private minion!: SimulatedMinion
  private unsent = 0
  private readonly returned = new Map<string, Dict>()

  constructor(id: string, site: SimSite) {
    this.id = id
    this.site = site
  }

  /** Resolves when it listens. */
  async open(): Promise<void> {
    const { site, id } = this
    this.minion = new SimulatedMinion({
      transport: await openTransport('zeromq'),
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
      requests: () => ({ host: '127.0.0.1', port: site.requestPort() }),
      publications: () => ({ host: '127.0.0.1', port: site.publishPort() }),
      grains: () => new Map(),
      run: (job) => this.run(job),
      sockets: { reconnectDelay: () => 50, ...site.heartbeats },
    })
    await this.minion.open()
  }

  /** A command of this minion, and the master's answer. */
  ask(load: Record<string, unknown>): Promise<Value> {
    return this.minion.ask(Object.entries(load))
  }

  pillar(): Promise<Value> {
    return this.minion.fetchPillar()
  }

  /** Signs in again, as after a restart. */
  signIn(): Promise<void> {
    return this.minion.signIn()
  }

  /** Send its return to a job again, with different content. */
  async repeat(jid: string): Promise<void> {
    const ret = this.returned.get(jid)
    if (!ret) return
    await this.minion.deliver(new Map(ret))
    await this.minion.deliver(new Map(ret).set('return', 'something else'))
  }

  get isIdle(): boolean {
    return this.unsent === 0
  }

  get isListening(): boolean {
    return this.minion.isListening
  }

  close(): void {
    this.minion.close()
  }

  private async run(load: Dict): Promise<void> {
    const jid = str(load.get('jid') ?? '')
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
    await Promise.all(Array.from({ length: this.site.copies() }, () => this.minion.deliver(ret)))
    this.unsent--
  }
}
