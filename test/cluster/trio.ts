// Three real masters with three real NATS servers on loopback addresses, and simulated minions that find another master when theirs is
// gone. Everything lies below one directory that is removed again.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { isGone, silentLog } from '../../src/base/mod.ts'
import { fireOnce, JournalReader, journalFolder, masterBusPaths } from '../../src/bus/mod.ts'
import { LocalClient } from '../../src/client/mod.ts'
import { connectionOptions } from '../../src/cluster/nats.ts'
import { clusterSettings } from '../../src/cluster/settings.ts'
import { clientConfig } from '../../src/config/mod.ts'
import type { Dict, Plain, Value } from '../../src/data/mod.ts'
import { toPlain } from '../../src/data/mod.ts'
import { runMasterFunction, socketAccess } from '../../src/runner/mod.ts'
import { SqliteJobs } from '../../src/store/mod.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

const MASTER = join(import.meta.dirname, '../../dist/salt-master.js')

export class TrioMaster {
  readonly address: string
  readonly root: string
  private readonly site: Trio
  private process: ChildProcess | undefined
  private opts: Dict | undefined
  /** Variables of the environment of its processes. */
  env: Record<string, string> = {}

  constructor(site: Trio, address: string) {
    this.site = site
    this.address = address
    this.root = join(site.root, address)
  }

  get conf(): string {
    return join(this.root, 'conf')
  }

  get pki(): string {
    return join(this.root, 'pki')
  }

  /** Files are the same but for the directories, which three masters on one machine cannot share. */
  configure(more: Record<string, unknown>): void {
    mkdirSync(this.conf, { recursive: true })
    const { pub, ret, nats, route, metrics } = this.site.ports
    const options = {
      root_dir: this.root,
      pki_dir: this.pki,
      cachedir: join(this.root, 'cache'),
      sock_dir: join(this.root, 'run'),
      pidfile: join(this.root, 'master.pid'),
      log_file: join(this.root, 'master.log'),
      log_level_logfile: 'debug',
      interface: this.address,
      id: `m-${this.address}`,
      publish_port: pub,
      ret_port: ret,
      auto_accept: true,
      timeout: 10,
      worker_threads: 1,
      zmq_heartbeat_ivl: 500,
      zmq_heartbeat_timeout: 4000,
      metrics: { enabled: true, exporter: 'prometheus', prometheus: { host: this.address, port: metrics } },
      cluster_id: 'trio',
      cluster_masters: this.site.addresses,
      cluster_secret: 'a secret of three masters',
      cluster_pool_port: route,
      cluster_nats: { server_path: this.site.program, port: nats },
      ...more,
    }
    writeFileSync(join(this.conf, 'master'), JSON.stringify(options, null, 1))
  }

  start(): void {
    const out = openSync(join(this.root, 'out.log'), 'a')
    const [program = '', ...words] = [...this.site.startedBy(this.address), process.execPath, MASTER, '-c', this.conf]
    const env = { ...process.env, ...this.env }
    this.process = spawn(program, words, { stdio: ['ignore', out, out], env })
    closeSync(out)
  }

  get pid(): number {
    return this.process?.pid ?? 0
  }

  /** The process of the NATS server. */
  get natsPid(): number {
    const file = join(this.root, 'cache/cluster/nats/nats.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  }

  /** Whether the health endpoint says ready. */
  async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(`http://${this.address}:${this.site.ports.metrics}/readyz`, {
        signal: AbortSignal.timeout(2000),
      })
      return answer.ok
    } catch {
      return false
    }
  }

  async ended(): Promise<void> {
    await until(`the master at ${this.address} ends`, () => isGone(this.pid))
  }

  async stop(): Promise<void> {
    if (this.pid === 0 || isGone(this.pid)) return
    this.process!.kill('SIGCONT')
    this.process!.kill('SIGTERM')
    await this.ended()
  }

  signal(name: NodeJS.Signals, who: 'master' | 'nats' | 'both' = 'master'): void {
    const pids = [...(who === 'nats' ? [] : [this.pid]), ...(who === 'master' ? [] : [this.natsPid])]
    for (const pid of pids) if (pid > 0 && !isGone(pid)) process.kill(pid, name)
  }

  async options(): Promise<Dict> {
    this.opts ??= await clientConfig({ path: join(this.conf, 'master') })
    return this.opts
  }

  /** Publish a job, and return its id; fails as `salt` fails. */
  async publish(tgt: string, fun: string, arg: Value[] = []): Promise<string> {
    const client = await LocalClient.open(await this.options(), silentLog)
    try {
      const published = await client.publish({ tgt, fun, arg, timeout: 10 })
      if (!published) throw new Error('nobody was meant')
      return published.jid
    } finally {
      client.close()
    }
  }

  /** Begin a batch of `test.ping` that the masters drive, and return its id. */
  async beginBatch(minions: string[], fields: Record<string, Value>): Promise<string> {
    const client = await LocalClient.open(await this.options(), silentLog)
    try {
      const load = {
        cmd: 'batch',
        fun: 'test.ping',
        arg: [],
        tgt: 'sim-*',
        tgt_type: 'glob',
        minions,
        driver: 'master',
      }
      return await client.beginBatch(new Map(Object.entries({ ...load, ...fields })))
    } finally {
      client.close()
    }
  }

  /** Call a runner or a wheel function as programs beside the master do. */
  async run(
    family: 'runner' | 'wheel',
    fun: string,
    args: Value[] = [],
    kwargs: Record<string, Value> = {},
  ): Promise<Plain> {
    const access = socketAccess(await this.options(), silentLog)
    try {
      const call = {
        family,
        fun,
        args,
        kwargs: new Map(Object.entries(kwargs)),
        user: 'root',
        print: () => {},
      } as const
      return toPlain((await runMasterFunction(access, call)).value)
    } finally {
      access.close()
    }
  }

  /** Ask as programs do, with a command in the clear. */
  async command(fields: Record<string, Value>): Promise<Value> {
    const client = await LocalClient.open(await this.options(), silentLog)
    try {
      return await client.command(new Map(Object.entries(fields)))
    } finally {
      client.close()
    }
  }

  async fire(tag: string, data: Dict): Promise<void> {
    await fireOnce(masterBusPaths(await this.options()), tag, data)
  }

  /** How often each tag is in the journal. */
  async journal(isWanted: (tag: string) => boolean): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    const reader = new JournalReader(journalFolder(await this.options()), () => ({ returnOf: () => undefined }))
    for (const tag of reader.tags({ number: 0 })) if (isWanted(tag)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    return counts
  }

  /** Read the job store. */
  look<T>(look: (jobs: SqliteJobs) => T): T {
    const jobs = new SqliteJobs(join(this.root, 'cache/jobs.db'))
    try {
      return look(jobs)
    } finally {
      jobs.close()
    }
  }

  /** The ids of minions with a key in a directory. */
  hasKey(folder: string, id: string): boolean {
    return existsSync(join(this.pki, folder, id))
  }

  writeKey(folder: string, id: string, pem: string): void {
    mkdirSync(join(this.pki, folder), { recursive: true })
    writeFileSync(join(this.pki, folder, id), pem)
  }

  get log(): string {
    const file = join(this.root, 'master.log')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  note(text: string): void {
    appendFileSync(join(this.root, 'out.log'), `${text}\n`)
  }
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '127.0.0.2', '127.0.0.3']

/** The leader's data about a stream's servers. */
interface StreamReplicas {
  leader?: string
  replicas?: Array<{ current: boolean; offline?: boolean }>
}

export interface TrioPlace {
  addresses?: readonly string[]
  startedBy?: (address: string) => string[]
}

export class Trio {
  readonly root: string = mkdtempSync(join(tmpdir(), 'brine-trio-'))
  readonly program: string
  readonly addresses: readonly string[]
  /** Words in front of the program of a master. */
  readonly startedBy: (address: string) => string[]
  readonly masters: TrioMaster[]
  ports = { pub: 0, ret: 0, nats: 0, route: 0, metrics: 0 }

  constructor(program: string, { addresses = LOOPBACK, startedBy = () => [] }: TrioPlace = {}) {
    this.program = program
    this.addresses = addresses
    this.startedBy = startedBy
    this.masters = this.addresses.map((address) => new TrioMaster(this, address))
  }

  /** `more` are options of all masters, `own` those of each. */
  async prepare(
    more: Record<string, unknown> = {},
    own: (address: string) => Record<string, unknown> = () => ({}),
  ): Promise<void> {
    this.ports = {
      pub: await freePort(),
      ret: await freePort(),
      nats: await freePort(),
      route: await freePort(),
      metrics: await freePort(),
    }
    for (const master of this.masters) master.configure({ ...more, ...own(master.address) })
  }

  async start(): Promise<void> {
    for (const master of this.masters) master.start()
    for (const master of this.masters) await until(`${master.address} is ready`, () => master.isReady())
  }

  /** Return which servers have a stream; undefined when no server answers. */
  private async replicas(stream: string): Promise<StreamReplicas | undefined> {
    const settings = clusterSettings(await this.masters[0]!.options())
    try {
      const connection = await connect({ servers: settings.servers, ...connectionOptions(settings), timeout: 2000 })
      const reply = await connection.request(`$JS.API.STREAM.INFO.${stream}`, '', { timeout: 2000 })
      await connection.close()
      return reply.json<{ cluster?: StreamReplicas }>().cluster
    } catch {
      return undefined
    }
  }

  /** Return the master whose NATS server leads the log. */
  async leader(): Promise<TrioMaster> {
    for (;;) {
      const replicas = await this.replicas('brine-trio-log')
      const found = this.masters.find(({ address }) => address.replaceAll('.', '_') === replicas?.leader)
      if (found) return found
      await sleep(200)
    }
  }

  /** Whether every NATS server has all of both streams. */
  async isWhole(): Promise<boolean> {
    const both = await Promise.all(['brine-trio-log', 'brine-trio-state'].map((stream) => this.replicas(stream)))
    return both.every(
      (each) =>
        each?.leader &&
        each.replicas?.length === 2 &&
        each.replicas.every(({ current, offline }) => current && !offline),
    )
  }

  /** Stop all; `stopped` is called before the files are removed. */
  async close(stopped: () => void = () => {}): Promise<void> {
    await Promise.all(
      this.masters.map(async (master) => {
        master.signal('SIGCONT', 'both')
        await master.stop()
        master.signal('SIGKILL', 'both')
      }),
    )
    stopped()
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
  }
}
