// One SSH connection to a target, shared by all channels: the system's ssh, with its configuration, agents and known
// hosts. A channel is an ssh process that uses the connection, or opens it if there is none yet.
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import type { Log } from '../../base/mod.ts'
import { Askpass } from './askpass.ts'
import { becomeLine, becomePlan, type LoginMarks } from './become.ts'
import { Channel, type ShellProcess } from './channel.ts'
import { CONNECT_TIMEOUT, connectionArguments, sharingArguments } from './command-line.ts'
import { checkOwnFolder, controlPath } from './control-path.ts'
import { SshError } from './errors.ts'
import { lastWords } from './said.ts'
import { word } from './shell-text.ts'
import { leaveShell, type SpareNote, spareFolder, takeShell } from './spare-shell.ts'
import { checkTarget, type SshTarget } from './target.ts'

export interface SshOptions {
  log: Log
  /** Directory for sockets, private to this user. */
  runtimeDir: string
  /** For how many seconds the connection stays open for the next program; 0 closes it with the host. */
  persist?: number
  /** Whether a shell waits on the target for the next program, for a short time. */
  leavesShell?: boolean
  /** The POSIX shell of the target. */
  shell?: string
  /** For how many seconds a target with open requests may be silent and start no other shell; 0 for no limit. */
  requestTimeout?: number
  /** Time limit for that other shell, in seconds. */
  shellTimeout?: number
}

const PERSIST = 60
const REQUEST_TIMEOUT = 60
const SHELL_TIMEOUT = 60
const SHELL = '/bin/sh'

/** How long a login shell and sudo may take, in seconds. */
const LOGIN_TIMEOUT = 60

export class SshConnection {
  readonly target: SshTarget
  readonly log: Log
  readonly shell: string
  readonly requestTimeout: number
  readonly shellTimeout: number
  private readonly askpass: Askpass
  private readonly control: { path: string; isKept: boolean }
  private readonly persist: number
  private readonly leavesShell: boolean
  private readonly children = new Set<ChildProcessWithoutNullStreams>()
  private login: string | undefined

  constructor(target: SshTarget, { log, runtimeDir, persist = PERSIST, shell = SHELL, ...options }: SshOptions) {
    checkTarget(target)
    checkOwnFolder(runtimeDir)
    this.target = target
    this.log = log
    this.shell = shell
    this.requestTimeout = options.requestTimeout ?? REQUEST_TIMEOUT
    this.shellTimeout = options.shellTimeout ?? SHELL_TIMEOUT
    this.control = controlPath(target, runtimeDir)
    // forwarded ports would stay open with the connection
    this.persist = this.control.isKept && !target.via && !target.remoteForwards?.length ? persist : 0
    this.leavesShell = options.leavesShell ?? false
    this.askpass = new Askpass(target, runtimeDir, () => this.destination())
  }

  get host(): string {
    return this.target.host
  }

  /** Whether channels have a terminal, which has no end of input. */
  get usesTerminal(): boolean {
    return becomePlan(this.target).terminal
  }

  /** Start ssh with these further arguments; the host is added. */
  spawn(options: readonly string[], ...command: string[]): ChildProcessWithoutNullStreams {
    const { via } = this.target
    if (via) return this.start([...via, ...command])
    return this.start(['ssh', ...this.arguments(), ...options, '--', this.host, ...command])
  }

  private start([program, ...args]: readonly string[]): ChildProcessWithoutNullStreams {
    // a separate session: no terminal for prompts, and no signal from the keyboard
    const child = spawn(program!, args, {
      env: { ...process.env, ...this.askpass.environment },
      detached: true,
      stdio: 'pipe',
    })
    this.children.add(child)
    child.once('close', () => this.children.delete(child))
    // the exit of the process reports its end, not a broken pipe
    child.stdin.on('error', () => {})
    return child
  }

  private arguments(): string[] {
    return [...connectionArguments(this.target), ...sharingArguments(this.control.path, this.persist || 10)]
  }

  /** Start a shell line on the target as the wanted user, past all noise of the login and all questions of sudo. */
  open(line: string, { preamble = '' }: { preamble?: string } = {}): Channel {
    const { options, command, marks } = this.loginCommand(line, preamble)
    return this.channel(this.spawn(options, command), marks)
  }

  private channel<Process extends ShellProcess>(child: Process, marks: LoginMarks): Channel<Process> {
    // ssh limits the time of the connection, but not of the login shell
    const patience = (this.target.connectTimeout ?? CONNECT_TIMEOUT) + LOGIN_TIMEOUT
    return new Channel(child, { host: this.host, plan: becomePlan(this.target), marks, patience })
  }

  /** Return the options and the command of ssh that start a line, after printing the preamble. */
  private loginCommand(line: string, preamble: string): { options: string[]; command: string; marks: LoginMarks } {
    const plan = becomePlan(this.target)
    const mark = (name: string): string => `brine-${name}-${randomBytes(8).toString('hex')}`
    const marks = { login: mark('login'), user: mark('user'), ready: mark('ready') }
    const script = becomeLine(this.target, plan, marks, line, preamble)
    return { options: [plan.terminal ? '-tt' : '-T'], command: `exec ${this.shell} -c ${word(script)}`, marks }
  }

  /**
   * The folder of shells that wait for a program with the same settings; undefined if none may wait. A waiting shell
   * would let a user skip the password for another user, and a shell that asks must be awaited.
   */
  private get spares(): string | undefined {
    const { become, path, umask } = this.target
    const plan = becomePlan(this.target)
    if (!this.leavesShell || !this.isKept || plan.waits || plan.terminal || plan.password !== undefined)
      return undefined
    return spareFolder(this.control.path, [become?.program, become?.user, path, umask, this.shell])
  }

  /** Take over a shell that an earlier program left. */
  takeShell(): { channel: Channel<ShellProcess>; clockOffset: number } | undefined {
    const taken = this.spares === undefined ? undefined : takeShell(this.spares)
    return taken && { channel: this.channel(taken.process, taken.note.marks), clockOffset: taken.note.clockOffset }
  }

  /** Leave a shell that runs this line to the next program. */
  leaveShell(line: string, preamble: string, about: Omit<SpareNote, 'marks'>): void {
    const { spares } = this
    if (spares === undefined) return
    const { options, command, marks } = this.loginCommand(line, preamble)
    // only through the existing connection
    const sharing = ['ControlMaster=no', 'BatchMode=yes', 'ProxyJump=none', 'ProxyCommand=false']
    const settings = sharing.flatMap((setting) => ['-o', setting])
    const argv = ['ssh', ...settings, ...this.arguments(), ...options, '--', this.host, command]
    leaveShell(spares, argv, { ...about, marks })
  }

  /** Give an order to the process that holds the shared connection. */
  order(name: 'exit' | 'stop' | 'forward' | 'cancel', ...options: string[]): Promise<void> {
    if (this.target.via)
      return Promise.reject(new SshError('ConnectionLost', `There is no shared connection to ${this.host}`, ''))
    return new Promise((done, fail) => {
      const child = this.spawn(['-O', name, ...options])
      const said = lastWords(child.stderr)
      child.once('error', fail)
      child.once('close', (code) =>
        code === 0 ? done() : fail(new SshError('ConnectionLost', said().trim(), said(), code ?? 255)),
      )
    })
  }

  /** Return ssh's message about a failure of a proxy or jump host, which it does not print with a shared connection. */
  proxyFailure(): Promise<string> {
    const options = ['-o', 'ControlPath=none', '-o', 'ControlMaster=no', '-T']
    const child = this.start(['ssh', ...options, ...connectionArguments(this.target), '--', this.host, 'exit'])
    const said = lastWords(child.stderr)
    child.stdin.end()
    child.stdout.resume()
    return new Promise((done) => {
      child.once('error', () => done(said()))
      child.once('close', () => done(said()))
    })
  }

  /** The login as ssh names it in its question for a password: after all aliases of the user's configuration. */
  private destination(): string {
    if (this.login === undefined) {
      const text = execFileSync('ssh', [...connectionArguments(this.target), '-G', '-T', '--', this.host], {
        encoding: 'utf8',
      })
      const value = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? ''
      this.login = `${value('user')}@${value('hostkeyalias') || value('hostname')}`
    }
    return this.login
  }

  /** Whether the connection stays for the next program. */
  get isKept(): boolean {
    return this.persist > 0
  }

  /** Leave a process to itself: it ends with its program on the target, and this process does not wait for that. */
  letGo(child: ShellProcess): void {
    this.children.delete(child as ChildProcessWithoutNullStreams)
    hold(child, false)
  }

  async close(): Promise<void> {
    const ended = [...this.children].map((child) => new Promise((done) => child.once('close', done)))
    for (const child of this.children) {
      // an idle worker of users' modules does not keep this process alive, but its end is waited for
      hold(child, true)
      child.kill('SIGTERM')
    }
    await Promise.all(ended)
    if (this.persist === 0 && !this.target.via) await this.order('stop').catch(() => {})
    this.askpass.close()
    if (!this.control.isKept) rmSync(dirname(this.control.path), { recursive: true, force: true })
  }
}

/** Say whether a process keeps this one from ending. */
function hold(child: ShellProcess, isWaitedFor: boolean): void {
  const name = isWaitedFor ? 'ref' : 'unref'
  for (const part of [child, child.stdin, child.stdout, child.stderr])
    (part as Pick<ShellProcess, 'ref' | 'unref'>)[name]?.()
}
