// A master under measurement, Brine's from dist/ or real Salt's from the checkout in SALT_TREE, with separate
// directories and ports. The load comes from `brine simulate` and bench/load.ts, which know only the wire protocol.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { openFiles } from '../src/wire/mod.ts'
import { freePort } from '../test/free-port.ts'
import { type JobResult, type LoadTarget, type RequestLoad, runJobs, sendRequests } from './load.ts'
import { NoPeerError } from './peer.ts'
import { processTree, type TreeCost, treeCost } from './process-tree.ts'

export type Side = 'brine' | 'salt'

/** The command line of a program, up to its arguments. */
type Programs = (name: string) => string[]

const ENTRIES: Readonly<Record<string, string>> = {
  salt: 'salt_main',
  'salt-api': 'salt_api',
  'salt-run': 'salt_run',
  'salt-master': 'salt_master',
  'salt-minion': 'salt_minion',
}

const PYTHONPATH = [process.env['SALT_TREE'], process.env['SALT_PYTHONPATH'], process.env['PYTHONPATH']]
  .filter(Boolean)
  .join(':')

export function saltPython(): string {
  const candidates = [process.env['SALT_PYTHON'], 'python3', '/usr/bin/python3'].filter((name) => name !== undefined)
  const env = { ...process.env, PYTHONPATH }
  const found = candidates.find(
    (name) => spawnSync(name, ['-c', 'import salt.scripts, salt.cli.daemons, tornado'], { env }).status === 0,
  )
  if (found === undefined) throw new NoPeerError('No Python can import Salt: name one that can in SALT_PYTHON')
  return found
}

/** The file of a built program. */
export function builtProgram(root: string, name: string): string {
  const file = join(root, process.env['BRINE_DIST'] ?? 'dist', `${name}.js`)
  if (!existsSync(file)) throw new NoPeerError(`There is no ${file}: build the programs with npm run build`)
  return file
}

function programsOf(side: Side, root: string): Programs {
  if (side === 'brine') return (name) => [process.execPath, builtProgram(root, name)]
  const python = saltPython()
  return (name) => [
    python,
    '-W',
    'ignore',
    '-c',
    `import sys; sys.argv[0] = '${name}'; from salt.scripts import ${ENTRIES[name]} as main; main()`,
  ]
}

/** Brine's master, and Salt's if available. */
export function sides(): Side[] {
  return process.env['SALT_TREE'] ? ['brine', 'salt'] : ['brine']
}

export interface Finished {
  status: number | null
  stdout: string
  stderr: string
  wallS: number
  cpuS: number
  peakMiB: number
}

/** A busy machine takes its time to start Salt's many processes. */
const START_S = 240

/** Sampling interval of a master's memory. */
const SAMPLE_MS = 200

/** The share of a master's descriptors for requests of minions. */
const REQUESTS_SHARE = 0.55

/** A simulated minion has two descriptors. */
const MINIONS_PER_PROCESS = Math.floor((openFiles() - 100) / 2)

/** The result of the sign-in of simulated minions. */
export interface SignedIn {
  seconds: number
  perSecond: number
  wallS: number
}

/** The output of `brine simulate --json` when all minions have signed in. */
interface ReadyLine {
  connected: number
  sign_in_seconds: number
}

/** How many minions a master can serve here. */
export function mostMinions(): number {
  const limit = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  if (limit === undefined) return Number.POSITIVE_INFINITY
  return Math.floor((Number(limit) * REQUESTS_SHARE) / 100) * 100
}

export function runToEnd(command: string[], env: NodeJS.ProcessEnv = process.env): Promise<Finished> {
  const started = performance.now()
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env })
  let [stdout, stderr] = ['', '']
  let [cpuS, peakMiB] = [0, 0]
  const sampling = setInterval(() => {
    const cost = treeCost(child.pid!)
    cpuS = Math.max(cpuS, cost.cpuS)
    peakMiB = Math.max(peakMiB, cost.memoryMiB)
  }, SAMPLE_MS / 4)
  child.stdout.on('data', (text: Buffer) => void (stdout += text))
  child.stderr.on('data', (text: Buffer) => void (stderr += text))
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (status) => {
      clearInterval(sampling)
      done({ status, stdout, stderr, wallS: (performance.now() - started) / 1000, cpuS, peakMiB })
    })
  })
}

/** Running masters: the end of the bench ends them. */
const running = new Set<BenchMaster>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    for (const master of running) await master.stop()
    process.exit(1)
  })
}

export class BenchMaster {
  readonly directory = mkdtempSync(join(tmpdir(), 'brine-bench-'))
  readonly side: Side
  /** The id of the minion, and of the syndic, of the master's machine. */
  private readonly id: string
  private readonly programs: Programs
  private readonly simulator: string[]
  private readonly running: ChildProcess[] = []
  private readonly simulators: ChildProcess[] = []
  private readonly env: NodeJS.ProcessEnv
  port = 0
  publishPort = 0

  private constructor(side: Side, root: string, id: string) {
    this.side = side
    this.id = id
    this.programs = programsOf(side, root)
    this.simulator = [...programsOf('brine', root)('brine'), 'simulate']
    this.env = side === 'salt' ? { ...process.env, PYTHONPATH } : process.env
  }

  /** `more` are options of the master, made when its directory is known. */
  static async start(
    side: Side,
    root: string,
    more?: (master: BenchMaster) => object,
    id = 'anchor',
  ): Promise<BenchMaster> {
    const master = new BenchMaster(side, root, id)
    running.add(master)
    try {
      await master.begin(more?.(master) ?? {})
      return master
    } catch (error) {
      await master.stop()
      throw error
    }
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts)
  }

  private async begin(more: object): Promise<void> {
    this.port = await freePort()
    const publish_port = await freePort()
    this.publishPort = publish_port
    const places = { pki_dir: this.path('pki'), cachedir: this.path('cache'), sock_dir: this.path('sock') }
    for (const folder of ['etc', 'srv/salt', 'srv/pillar', 'minion']) mkdirSync(this.path(folder), { recursive: true })
    const shared = { root_dir: this.directory, user: 'root', log_level: 'error' }
    this.configure('master', {
      ...shared,
      ...places,
      interface: '127.0.0.1',
      ret_port: this.port,
      publish_port,
      auto_accept: true,
      log_file: this.path('master.log'),
      file_roots: { base: [this.path('srv/salt')] },
      pillar_roots: { base: [this.path('srv/pillar')] },
      ...more,
    })
    this.configure('minion', {
      ...shared,
      id: this.id,
      master: '127.0.0.1',
      master_port: this.port,
      publish_port,
      root_dir: this.path('minion'),
      log_file: this.path('minion.log'),
    })
    this.daemon('salt-master')
    await this.until(
      'the master answers',
      async () => {
        if (!existsSync(this.path('cache/.root_key'))) return false
        return this.ping('none', 'test.ping', 2000).then(
          () => true,
          () => false,
        )
      },
      START_S,
    )
  }

  private configure(name: string, options: object): void {
    writeFileSync(this.path('etc', name), JSON.stringify(options))
  }

  daemon(name: string): ChildProcess {
    const [command, ...args] = [...this.programs(name), '-c', this.path('etc')]
    const output = openSync(this.path(`${name}.out`), 'a')
    // a separate group: Salt's daemons are many processes
    const child = spawn(command!, args, { stdio: ['ignore', output, output], env: this.env, detached: true })
    this.running.push(child)
    return child
  }

  async until(what: string, test: () => Promise<boolean>, seconds = 60): Promise<void> {
    const limit = performance.now() + seconds * 1000
    while (!(await test())) {
      if (performance.now() > limit) throw new Error(`${this.side}: not within ${seconds} s: ${what}\n${this.logs()}`)
      await sleep(100)
    }
  }

  private logs(): string {
    return readFileSync(this.path('salt-master.out'), 'utf8').slice(-2000)
  }

  get pid(): number {
    return this.running[0]!.pid!
  }

  get cost(): TreeCost {
    return treeCost(this.pid)
  }

  /** Measure the master's cost of some work: CPU time, and peak memory meanwhile. */
  async costOf<T>(work: () => Promise<T>): Promise<{ result: T; cpuS: number; peakMiB: number }> {
    const before = this.cost
    let peakMiB = before.memoryMiB
    const sampling = setInterval(() => {
      // it may have been stopped meanwhile
      if (this.running.length > 0) peakMiB = Math.max(peakMiB, this.cost.memoryMiB)
    }, SAMPLE_MS)
    try {
      const result = await work()
      const { cpuS, memoryMiB } = this.cost
      return { result, cpuS: cpuS - before.cpuS, peakMiB: Math.max(peakMiB, memoryMiB) }
    } finally {
      clearInterval(sampling)
    }
  }

  /** A program of this side that ends by itself. */
  run(name: string, args: string[]): Promise<Finished> {
    return runToEnd([...this.programs(name), '-c', this.path('etc'), ...args], this.env)
  }

  get target(): LoadTarget {
    return { port: this.port, sockets: this.path('sock'), rootKey: this.path('cache/.root_key') }
  }

  /** Requests of simulated minions a second, or megabytes a second of a file. */
  requests(load: RequestLoad): Promise<number> {
    return sendRequests(this.target, load)
  }

  /** Publish one job, or several in a row; return the outcome of the last one. */
  ping(target: string, fun: string, timeoutMs: number, repeat = 1): Promise<JobResult> {
    return runJobs(this.target, { target, fun, timeoutMs, repeat })
  }

  /** Simulated minions that stay until the master is stopped; gives how their sign-in went, summed up over their processes. */
  async minions(count: number, more: string[] = []): Promise<SignedIn> {
    const [began, processes] = [performance.now(), Math.ceil(count / MINIONS_PER_PROCESS)]
    const parts = Array.from({ length: processes }, (_, i) => {
      const first = Math.floor((count * i) / processes)
      return this.simulate(first, Math.floor((count * (i + 1)) / processes) - first, more)
    })
    const ready = await Promise.all(parts)
    const signedIn = ready.reduce((sum, { connected }) => sum + connected, 0)
    if (signedIn < count) throw new Error(`${this.side}: only ${signedIn} of ${count} minions signed in`)
    const seconds = Math.max(...ready.map(({ sign_in_seconds }) => sign_in_seconds))
    return { seconds, perSecond: count / seconds, wallS: (performance.now() - began) / 1000 }
  }

  private async simulate(first: number, count: number, more: string[]): Promise<ReadyLine> {
    const [command, ...words] = this.simulator
    const place = ['--port', String(this.port), '--first', String(first), '--json']
    const args = [...words, String(count), ...place, ...more]
    const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    this.running.push(child)
    this.simulators.push(child)
    for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line)
    throw new Error(`${this.side}: the simulated minions ended`)
  }

  /** CPU seconds of the simulated minions. */
  get minionsCpuS(): number {
    return this.simulators.reduce((sum, child) => sum + treeCost(child.pid!).cpuS, 0)
  }

  async stop(): Promise<void> {
    running.delete(this)
    for (const child of this.running.splice(0).reverse()) {
      const closed = new Promise((done) => child.once('close', done))
      const pids = child.exitCode === null ? processTree(child.pid!) : []
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        for (const pid of pids) kill(pid, signal)
        if (pids.length > 0) await Promise.race([closed, sleep(3000)])
      }
    }
    rmSync(this.directory, { recursive: true, force: true })
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
