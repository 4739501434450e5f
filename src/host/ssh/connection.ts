// One SSH connection to a target, shared by all channels: the system's ssh, with its configuration, agents and known hosts. A channel
// is an ssh process that passes through the connection, or opens it where there is none yet.
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname } from 'node:path/posix'
import type { Log } from '../../base/mod.ts'
import { Askpass } from './askpass.ts'
import { type BecomePlan, becomeLine, becomePlan } from './become.ts'
import { Channel } from './channel.ts'
import { CONNECT_TIMEOUT, connectionArguments, sharingArguments } from './command-line.ts'
import { checkOwnFolder, controlPath } from './control-path.ts'
import { SshError } from './errors.ts'
import { word } from './shell-text.ts'
import { checkTarget, type SshTarget } from './target.ts'

export interface SshOptions {
  log: Log
  /** Directory for sockets, private to this user. */
  runtimeDir: string
  /** For how many seconds the connection stays open for the next program; 0 closes it with the host. */
  persist?: number
  /** The POSIX shell of the target. */
  shell?: string
}

const PERSIST = 60
const SHELL = '/bin/sh'

/** How long a login shell and sudo may take, in seconds. */
const LOGIN_TIMEOUT = 60

export class SshConnection {
  readonly target: SshTarget
  readonly log: Log
  readonly shell: string
  private readonly askpass: Askpass
  private readonly control: { path: string; isKept: boolean }
  private readonly persist: number
  private readonly children = new Set<ChildProcessWithoutNullStreams>()
  private login: string | undefined

  constructor(target: SshTarget, { log, runtimeDir, persist = PERSIST, shell = SHELL }: SshOptions) {
    checkTarget(target)
    checkOwnFolder(runtimeDir)
    this.target = target
    this.log = log
    this.shell = shell
    this.control = controlPath(target, runtimeDir)
    // forwarded ports would stay open with the connection
    this.persist = this.control.isKept && !target.remoteForwards?.length ? persist : 0
    this.askpass = new Askpass(target, runtimeDir, () => this.destination())
  }

  get host(): string {
    return this.target.host
  }

  /** Whether channels have a terminal, which has no end of input. */
  get usesTerminal(): boolean {
    return becomePlan(this.target, false).terminal
  }

  /** Start ssh with these further arguments; the host is added. */
  spawn(options: readonly string[], ...command: string[]): ChildProcessWithoutNullStreams {
    return this.start([...this.arguments(), ...options, '--', this.host, ...command])
  }

  private start(args: readonly string[]): ChildProcessWithoutNullStreams {
    // a session of its own: no terminal to ask at, and no signal from the keyboard
    const child = spawn('ssh', args, {
      env: { ...process.env, ...this.askpass.environment },
      detached: true,
      stdio: 'pipe',
    })
    this.children.add(child)
    child.once('close', () => this.children.delete(child))
    // the end of a process is told by its exit, not by a broken pipe
    child.stdin.on('error', () => {})
    return child
  }

  private arguments(): string[] {
    return [...connectionArguments(this.target), ...sharingArguments(this.control.path, this.persist || 10)]
  }

  /** Start a shell line on the target as the wanted user, past all noise of the login and all questions of sudo. */
  open(line: string, { terminal = false }: { terminal?: boolean } = {}): Channel {
    const plan: BecomePlan = becomePlan(this.target, terminal)
    const marks = { login: `brine-${randomBytes(8).toString('hex')}`, ready: `brine-${randomBytes(8).toString('hex')}` }
    const script = becomeLine(this.target, plan, marks, line)
    const child = this.spawn(plan.terminal ? ['-tt'] : ['-T'], `exec ${this.shell} -c ${word(script)}`)
    // ssh bounds the connection itself, not what the login shell takes
    const patience = (this.target.connectTimeout ?? CONNECT_TIMEOUT) + LOGIN_TIMEOUT
    return new Channel(child, { host: this.host, plan, marks, patience })
  }

  /** Give an order to the process that holds the shared connection. */
  order(name: 'exit' | 'stop' | 'forward' | 'cancel', ...options: string[]): Promise<void> {
    return new Promise((done, fail) => {
      const child = this.spawn(['-O', name, ...options])
      let said = ''
      child.stderr.on('data', (piece) => {
        said += piece
      })
      child.once('error', fail)
      child.once('close', (code) =>
        code === 0 ? done() : fail(new SshError('ConnectionLost', said.trim(), said, code ?? 255)),
      )
    })
  }

  /** Return what ssh says about a failure of a proxy or jump host: with a shared connection it keeps that to itself. */
  proxyFailure(): Promise<string> {
    const options = ['-o', 'ControlPath=none', '-o', 'ControlMaster=no', '-T']
    const child = this.start([...options, ...connectionArguments(this.target), '--', this.host, 'exit'])
    let said = ''
    child.stderr.on('data', (piece) => {
      said += piece
    })
    child.stdin.end()
    child.stdout.resume()
    return new Promise((done) => {
      child.once('error', () => done(said))
      child.once('close', () => done(said))
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

  async close(): Promise<void> {
    const ended = [...this.children].map((child) => new Promise((done) => child.once('close', done)))
    for (const child of this.children) {
      // an idle worker of users' modules does not keep this process alive, but its end is waited for
      child.ref()
      for (const stream of child.stdio) (stream as Partial<Socket> | null)?.ref?.()
      child.kill('SIGTERM')
    }
    await Promise.all(ended)
    if (this.persist === 0) await this.order('stop').catch(() => {})
    this.askpass.close()
    if (!this.control.isKept) rmSync(dirname(this.control.path), { recursive: true, force: true })
  }
}
