// The site of the faults: a real master, many simulated minions on connections that can break, and the checks after
// each fault.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog, toError } from '../../src/base/mod.ts'
import { BusClient } from '../../src/bus/mod.ts'
import { LocalClient } from '../../src/client/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { SqliteJobs } from '../../src/store/mod.ts'
import { generateRsaKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { API, Cluster } from '../live/cluster.ts'
import { PATIENCE_SECONDS, until } from '../until.ts'
import { type Held, holds } from './holds.ts'
import { Line } from './line.ts'
import { SimMinion } from './sim-minion.ts'
import type { SmallDisk } from './small-disk.ts'

/** The id of the one real minion. */
export const REAL = 'real1'

/** Time in which a publication reaches all reachable minions. */
const HEARING_MS = 500

/**
 * Resources that a master may hold additionally after a fault: programs that just ended, and free memory that is not
 * returned.
 */
const FURTHER_DESCRIPTORS = 10
const FURTHER_MIB = 200

/** Connections that are open on one side only are found out within seconds: milliseconds of masters and of simulated minions. */
const HEARTBEATS = { zmq_heartbeat_ivl: 500, zmq_heartbeat_timeout: 8000 }
const MINIONS_HEARTBEATS = { heartbeatInterval: 1000, heartbeatTimeout: 8000 }

/** The REST API, for one user with all rights. */
const WITH_API = {
  external_auth: { auto: { admin: ['.*', '@runner'] } },
  netapi_enable_clients: ['local', 'runner'],
  rest_cherrypy: { host: '127.0.0.1', disable_ssl: true },
}

export class FaultSite {
  readonly cluster: Cluster
  readonly sims: SimMinion[] = []
  /** The disk below the master's cache, where one may be mounted. */
  smallDisk: SmallDisk | undefined
  /** Seconds that minions wait for answers; after that they send again. */
  patience = 3
  /** About how long the master stays away. */
  awaySeconds = 2
  duration: () => number = () => 0
  copies: () => number = () => 1
  private readonly cutsLines: boolean
  private released: Promise<void> = Promise.resolve()
  /** The master's resources with all minions connected and idle. */
  private start!: Held
  private requests!: Line
  publications!: Line

  /** Without `cutsLines`, connections have the heartbeats that they have by default: a process that gets no time stays connected. */
  constructor(cutsLines = true) {
    this.cutsLines = cutsLines
    const quick = { return_retry_timer: 1, return_retry_timer_max: 2, auth_timeout: 3, auth_tries: 1 }
    this.cluster = new Cluster({
      scenario: 'faults',
      description: '',
      setup: {
        master: { auto_accept: true, ping_on_rotate: false, ...(cutsLines && HEARTBEATS), ...WITH_API },
        minions: { [REAL]: { config: quick } },
      },
      steps: [],
      events: [],
    })
  }

  async open(count: number): Promise<void> {
    await this.startMaster()
    this.requests = await Line.open(this.cluster.requestPort)
    this.publications = await Line.open(this.cluster.publishPort)
    const key = new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)
    for (let i = 0; i < count; i++) {
      const sim = new SimMinion(`sim-${i}`, {
        root: this.cluster.root,
        requestPort: () => this.requests.port,
        publishPort: () => this.publications.port,
        key,
        patience: this.patience,
        duration: () => this.duration(),
        mayGoOn: () => this.released,
        copies: () => this.copies(),
        ...(this.cutsLines && { heartbeats: MINIONS_HEARTBEATS }),
      })
      this.sims.push(sim)
    }
    await Promise.all(this.sims.map((sim) => sim.open()))
    await this.listening()
    this.start = this.holds()
  }

  get lines(): Line[] {
    return [this.requests, this.publications]
  }

  private get opts(): Dict {
    return new Map<Value, Value>([
      ['cachedir', this.cluster.cachedir],
      ['sock_dir', this.cluster.sockets],
      ['ret_port', this.cluster.requestPort],
      ['interface', '127.0.0.1'],
    ])
  }

  get eventSocket(): string {
    return join(this.cluster.sockets, 'master_event_pub.ipc')
  }

  async startMaster(): Promise<void> {
    this.cluster.start('master')
    await until('the master listens', async () => {
      try {
        const client = await LocalClient.open(this.opts, silentLog)
        client.close()
        return existsSync(this.eventSocket)
      } catch {
        return false
      }
    })
  }

  /** Publishes to all simulated minions and gives the job's number. */
  async publish(arg: Value[] = []): Promise<string> {
    const client = await LocalClient.open(this.opts, silentLog)
    try {
      const published = await client.publish({ tgt: 'sim-*', fun: 'fault.note', arg, timeout: 10 })
      if (!published) throw new Error('nobody was meant')
      return published.jid
    } finally {
      client.close()
    }
  }

  /** Jobs that begin from now on go on when the function is called. */
  holdJobs(): () => void {
    let release = (): void => undefined
    this.released = new Promise((done) => {
      release = done
    })
    return release
  }

  /**
   * Wait until all minions receive jobs: connections may be broken, or the master may not know yet which minions are
   * connected.
   */
  async listening(): Promise<void> {
    await until('all minions hear of jobs', async () => {
      if (!this.sims.every((sim) => sim.isListening)) return false
      const jid = await this.publish()
      const heard = (): boolean => this.sims.every(({ ran }) => ran.has(jid))
      for (let i = 0; i < 20 && !heard(); i++) await sleep(100)
      return heard()
    })
  }

  async returns(jid: string): Promise<Map<string, Dict>> {
    const jobs = new SqliteJobs(join(this.cluster.cachedir, 'jobs.db'))
    try {
      return jobs.returns(jid)
    } finally {
      jobs.close()
    }
  }

  /** Wait until every minion has delivered its returns; return the problems of a job. */
  async judge(jid: string, mustAllRun: boolean): Promise<string[]> {
    const problems: string[] = []
    const heard = async (): Promise<boolean> => this.sims.every(({ ran }) => ran.has(jid))
    const note = (error: unknown): unknown => problems.push(toError(error).message)
    if (mustAllRun) await until('all minions hear of the job', heard).catch(note)
    else await sleep(HEARING_MS)
    await until('all returns are taken', async () => this.sims.every((sim) => sim.isIdle)).catch(note)
    const stored = await this.returns(jid)
    for (const { id, ran } of this.sims) {
      const times = ran.get(jid) ?? 0
      const kept = stored.get(id)
      if (times > 1) problems.push(`${id} ran ${jid} ${times} times`)
      if (times === 0 && mustAllRun) problems.push(`${id} did not hear of ${jid}`)
      if (times > 0 && !kept) problems.push(`the return of ${id} to ${jid} is lost`)
      if (kept && kept.get('return') !== `${id} ran ${jid}`) problems.push(`the return of ${id} to ${jid} is another`)
    }
    return problems.length > 5 ? [...problems.slice(0, 5), `and ${problems.length - 5} more`] : problems
  }

  /** Count the events of each return from now on, until all expected ones are there and no more arrive. */
  async returnEvents(): Promise<{ counts(expected: readonly string[]): Promise<Map<string, number>>; close(): void }> {
    const paths = { pub: this.eventSocket, pull: '' }
    const bus = await BusClient.open({ paths, filter: (tag) => /^salt\/job\/\d+\/ret\/sim-/.test(tag) })
    return {
      async counts(expected) {
        const counts = new Map<string, number>()
        const patience = (): number => (expected.every((tag) => counts.has(tag)) ? 0.3 : PATIENCE_SECONDS)
        for (let event = await bus.next(patience()); event; event = await bus.next(patience()))
          counts.set(event.tag, (counts.get(event.tag) ?? 0) + 1)
        return counts
      },
      close: () => bus.close(),
    }
  }

  /** Wait until the master's resources are near those at the start; return those that it does not release. */
  async settle(): Promise<string[]> {
    const held = (): Held => this.holds()
    const isBack = async (): Promise<boolean> =>
      held().descriptors <= this.start.descriptors + FURTHER_DESCRIPTORS &&
      held().memoryMiB <= this.start.memoryMiB + FURTHER_MIB
    try {
      await until('the master lets go', isBack)
      return []
    } catch {
      const { descriptors, memoryMiB } = held()
      const before = `${this.start.descriptors} and ${this.start.memoryMiB.toFixed()} at the start`
      return [`the master holds ${descriptors} descriptors and ${memoryMiB.toFixed()} MiB, ${before}`]
    }
  }

  /** Return the master's resources: descriptors and memory. */
  holds(): Held {
    return holds(this.cluster.pidOf('master'))
  }

  async close(): Promise<void> {
    for (const sim of this.sims) sim.close()
    // the reason of a failed start must not be hidden by missing parts
    for (const line of this.lines) await (line as Line | undefined)?.close()
    for (const name of [REAL, API, 'master']) await this.cluster.stop(name)
    this.smallDisk?.unmount()
    await this.cluster.close()
  }
}
