// A master to be measured, ours out of dist/ or real Salt's out of the checkout that SALT_TREE names, with directories
// and ports of its own. The load comes from the swarm, which knows nothing but the wire.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/free-port.ts'
import { NoPeerError } from './peer.ts'
import { processTree, type TreeCost, treeCost } from './process-tree.ts'
import { swarmFolder } from './swarm-copy.ts'

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
  const found = candidates.find((name) => spawnSync(name, ['-c', 'import salt.scripts, tornado'], { env }).status === 0)
  if (found === undefined) throw new NoPeerError('No Python can import Salt: name one that can in SALT_PYTHON')
  return found
}

function programsOf(side: Side, root: string): Programs {
  if (side === 'brine')
    return (name) => [process.execPath, join(root, process.env['BRINE_DIST'] ?? 'dist', `${name}.js`)]
  const python = saltPython()
  return (name) => [
    python,
    '-W',
    'ignore',
    '-c',
    `import sys; sys.argv[0] = '${name}'; from salt.scripts import ${ENTRIES[name]} as main; main()`,
  ]
}

/** Ours, and Salt's where there is one. */
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

/** How often the memory of a master is looked at. */
const SAMPLE_MS = 200

/** What a master takes of the descriptors that a process may have for the requests of minions. */
const REQUESTS_SHARE = 0.55

/** A simulated minion has six descriptors. */
const MINIONS_PER_PROCESS = 2500

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

/** Those that run: what ends the bench ends them. */
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
  private readonly programs: Programs
  private readonly swarm: string
  private readonly running: ChildProcess[] = []
  private readonly env: NodeJS.ProcessEnv
  private port = 0

  private constructor(side: Side, root: string) {
    this.side = side
    this.programs = programsOf(side, root)
    this.swarm = swarmFolder(root)
    this.env = side === 'salt' ? { ...process.env, PYTHONPATH } : process.env
  }

  /** `more` are options of the master, made when its directory is known. */
  static async start(side: Side, root: string, more?: (master: BenchMaster) => object): Promise<BenchMaster> {
    const master = new BenchMaster(side, root)
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
      id: 'anchor',
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
        return (await this.ping('none', 'test.ping', 2000)) !== undefined
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
    // a group of its own: Salt's daemons are many processes
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

  get cost(): TreeCost {
    return treeCost(this.running[0]!.pid!)
  }

  /** What some work costs the master: CPU time, and the most memory it held meanwhile. */
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

  /** A tool of the swarm, and the JSON of its last line. */
  async tool(name: string, args: string[]): Promise<Record<string, number> | undefined> {
    const target = ['--ret-port', String(this.port), '--sock-dir', this.path('sock')]
    const { status, stdout } = await runToEnd([process.execPath, join(this.swarm, name), ...target, ...args])
    const line = stdout.trim().split('\n').at(-1)
    return status === 0 && line ? JSON.parse(line) : undefined
  }

  ping(tgt: string, fun: string, timeoutMs: number, repeat = 1): Promise<Record<string, number> | undefined> {
    const key = ['--root-key', this.path('cache/.root_key')]
    const pace = ['--repeat', String(repeat), ...(repeat > 1 ? ['--pause', '0'] : [])]
    return this.tool('ping.mjs', [...key, '--tgt', tgt, '--fun', fun, '--timeout', String(timeoutMs), ...pace])
  }

  /** Minions that stay until the master is stopped; gives how their sign-in went. */
  async minions(count: number, more: string[] = []): Promise<Record<string, number>> {
    const processes = String(Math.ceil(count / MINIONS_PER_PROCESS))
    const args = ['--ret-port', String(this.port), '--minions', String(count), '--procs', processes]
    const child = spawn(
      process.execPath,
      [join(this.swarm, 'swarm.mjs'), ...args, '--auth-concurrency', '50', ...more],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      },
    )
    this.running.push(child)
    let connect: Record<string, number> = {}
    for await (const line of createInterface({ input: child.stdout! })) {
      if (line.startsWith('connect ')) connect = JSON.parse(line.slice('connect '.length))
      if (line === 'READY') return connect
    }
    throw new Error(`${this.side}: the swarm ended`)
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
