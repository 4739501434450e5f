// One host: a copy of the Debian root, booted with systemd by systemd-nspawn. Its processes are reached by entering the
// namespaces of its init, its files through /proc/<init>/root, which shows them as the host sees them.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { emptyGroup, inGroup } from './cgroups.ts'
import { attempt, type CommandOptions, type Outcome } from './command.ts'
import { inside } from './inside.ts'
import type { Network } from './network.ts'
import { MOUNTS } from './root.ts'

export interface HostOptions {
  name: string
  address: string
  /** Its file system, a directory of its own. */
  disk: string
  network: Network
  /** Directory of this machine → where the host sees it, read-only. */
  mounts: Record<string, string>
}

const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
}

const BOOT_LIMIT = 300_000
const SHUTDOWN_LIMIT = 60_000

export class Host {
  readonly name: string
  readonly address: string
  readonly #options: HostOptions
  #container: ChildProcess | undefined
  #init = 0
  #console = ''

  constructor(options: HostOptions) {
    // the kernel allows interface names of 15 characters, and nspawn prefixes three
    if (!/^[a-z][a-z0-9-]{0,11}$/.test(options.name)) throw new Error(`'${options.name}' cannot be the name of a host`)
    this.name = options.name
    this.address = options.address
    this.#options = options
  }

  /** Boots the host and waits until systemd has started everything. */
  async start(): Promise<void> {
    const { name, disk, network, mounts } = this.#options
    const nspawn = [
      'systemd-nspawn',
      `--directory=${disk}`,
      `--machine=${name}`,
      `--hostname=${name}`,
      ...['--boot', '--register=no', '--keep-unit', '--console=pipe', '--resolv-conf=off', '--timezone=off'],
      '--link-journal=no',
      `--network-bridge=${network.bridge}`,
      ...Object.entries(mounts).map(([from, to]) => `--bind-ro=${from}:${to}`),
    ]
    const [program, ...args] = inGroup(name, network.within(nspawn))
    this.#console = ''
    const container = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT })
    const keep = (chunk: Buffer) => {
      this.#console += chunk
    }
    container.stdout.on('data', keep)
    container.stderr.on('data', keep)
    this.#container = container
    await this.#until('has an init', () => this.#findInit())
    await network.address(this.#init, this.address)
    await this.#until('has a bus', () => existsSync(this.path('/run/systemd/private')))
    const { stdout } = await this.attempt(['systemctl', 'is-system-running', '--wait'], { timeout: BOOT_LIMIT })
    if (!/^(running|degraded)/.test(stdout)) throw new Error(`${name} did not boot: ${stdout}${this.#console}`)
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const end = Date.now() + BOOT_LIMIT
    while (!holds()) {
      if (!this.isRunning || Date.now() > end) throw new Error(`${this.name} never ${what}: ${this.#console}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** The host's process 1 is the child of nspawn that has become systemd. */
  #findInit(): boolean {
    const container = String(this.#container?.pid)
    for (const entry of readdirSync('/proc')) {
      if (!/^\d+$/.test(entry)) continue
      const stat = statOf(entry)
      if (stat?.parent === container && stat.name === 'systemd') this.#init = Number(entry)
    }
    return this.#init !== 0
  }

  get isRunning(): boolean {
    const container = this.#container
    return container !== undefined && container.exitCode === null && container.signalCode === null
  }

  /** A path of the host as this machine reaches it, with links followed inside the host. */
  path(path: string): string {
    return inside(this.#init === 0 ? this.#options.disk : `/proc/${this.#init}/root`, path)
  }

  /** Runs a command in the host. */
  attempt(argv: string[], options: CommandOptions = {}): Promise<Outcome> {
    if (!this.isRunning) throw new Error(`${this.name} is not running`)
    return attempt(this.enterCommand(argv, options.env), { ...options, env: {} })
  }

  /** The command of this machine that runs `argv` in the host. */
  enterCommand(argv: string[], variables: Record<string, string> = {}): string[] {
    const env = Object.entries({ ...ENVIRONMENT, ...variables }).map(([name, value]) => `${name}=${value}`)
    return ['nsenter', '-t', String(this.#init), '-a', 'env', '--chdir=/', '-i', ...env, ...argv]
  }

  /** Runs a command in the host and gives what it printed; throws with its last words when it fails. */
  async run(argv: string[], options: CommandOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.attempt(argv, options)
    if (code === 0) return stdout
    const words = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n')
    throw new Error(`${this.name}: \`${argv.join(' ')}\` exited with ${code}:\n${words}`)
  }

  /** Writes a file in the host. */
  write(path: string, content: string | Buffer, mode = 0o644): void {
    const target = this.path(path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
    chmodSync(target, mode)
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8')
  }

  /** Copies a file or a directory of this machine into the host. */
  copyIn(from: string, to: string): void {
    cpSync(from, this.path(to), { recursive: true })
  }

  /** Copies a file or a directory of the host to this machine. */
  copyOut(from: string, to: string): void {
    cpSync(this.path(from), to, { recursive: true })
  }

  /** Pulls the host's cable: it runs on, and nothing reaches it over the network. */
  cutOff(): Promise<void> {
    return this.#options.network.plug(this.name, 'down')
  }

  reconnect(): Promise<void> {
    return this.#options.network.plug(this.name, 'up')
  }

  /** Shuts the host down in order; its disk stays, and `start` boots it again. */
  async stop(): Promise<void> {
    if (this.isRunning) {
      const ended = this.#ended()
      // nspawn passes this on as the signal by which systemd halts
      this.#container!.kill('SIGTERM')
      const timer = setTimeout(() => this.#killInit(), SHUTDOWN_LIMIT)
      await ended
      clearTimeout(timer)
    }
    await this.#clear()
  }

  /** Ends the host at once, as a power cut does; its disk stays. */
  async crash(): Promise<void> {
    if (this.isRunning) {
      const ended = this.#ended()
      this.#killInit()
      await ended
    }
    await this.#clear()
  }

  #ended(): Promise<unknown> {
    return new Promise((resolve) => this.#container!.once('exit', resolve))
  }

  #killInit(): void {
    process.kill(this.#init, 'SIGKILL')
  }

  async #clear(): Promise<void> {
    this.#init = 0
    this.#container = undefined
    await emptyGroup(this.name)
  }
}

/** Name and parent of a process, unless it has just ended. */
function statOf(pid: string): { name: string; parent: string } | undefined {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { name: name!, parent: parent! }
  } catch {
    return undefined
  }
}

/** What every host has mounted. */
export function lentTo(program: string, packages: string): Record<string, string> {
  return { [process.execPath]: MOUNTS.node, [program]: MOUNTS.program, [packages]: MOUNTS.packages }
}
