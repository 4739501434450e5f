// A real sshd on loopback for benches and tests: keys of its own, logins of the user that runs it. Root's sees an empty home directory,
// so that what this machine's shell loads at login is in no measurement; that takes a mount namespace, which only root may make.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

const PROGRAM = '/usr/sbin/sshd'

export const hasSshd = (): boolean => existsSync(PROGRAM)

const isRoot = process.getuid?.() === 0

/** What root's sshd sees of the machine: the directory that it separates privileges in, and an empty home. */
const PRIVATE = 'mount -t tmpfs tmpfs /run; mkdir -m 755 /run/sshd; mount --bind "$1" "$2"; shift 2; exec "$@"'

export class Sshd {
  readonly user: string = userInfo().username
  /** The private key that may log in. */
  readonly key: string
  readonly port: number
  /** Where targets keep temporary files. */
  readonly tmp: string
  readonly #process: ChildProcess

  private constructor(folder: string, key: string, port: number, child: ChildProcess) {
    this.key = key
    this.port = port
    this.tmp = join(folder, 'tmp')
    this.#process = child
  }

  /** Start an sshd that keeps its files in a folder and lets a key log in, or one that it makes. */
  static async start(folder: string, key: string = join(folder, 'login-key')): Promise<Sshd> {
    const [home, hostKey, config] = ['home', 'host-key', 'sshd_config'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    for (const path of [home, join(folder, 'tmp')]) mkdirSync(path, { recursive: true, mode: 0o700 })
    for (const path of [key, hostKey]) {
      if (!existsSync(path)) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path])
    }
    const port = await freePort()
    writeFileSync(config, configuration(port, hostKey, `${key}.pub`, join(folder, 'tmp')))
    const argv = [PROGRAM, '-D', '-e', '-f', config]
    const root = [
      'unshare',
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-ec',
      PRIVATE,
      'sh',
      home,
      userInfo().homedir,
    ]
    const [program, ...args] = isRoot ? [...root, ...argv] : argv
    const child = spawn(program!, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env['PATH'] } })
    let said = ''
    child.stderr.on('data', (text: Buffer) => {
      said = (said + text).slice(-4000)
    })
    await until('sshd listens', () => {
      if (child.exitCode !== null) throw new Error(`sshd ended with ${child.exitCode}: ${said}`)
      return listens(port)
    })
    return new Sshd(folder, key, port, child)
  }

  /** The processes that serve a connection each: the children of the one that listens. */
  connections(): number[] {
    return readdirSync('/proc')
      .filter(isNumber)
      .map(Number)
      .filter((pid) => parentOf(pid) === this.#process.pid)
  }

  async stop(): Promise<void> {
    for (const pid of this.connections()) kill(pid)
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const closed = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill()
    await closed
  }
}

function configuration(port: number, hostKey: string, accepted: string, tmp: string): string {
  const options = [
    ['Port', port],
    ['ListenAddress', '127.0.0.1'],
    ['HostKey', hostKey],
    ['PidFile', 'none'],
    ['AuthorizedKeysFile', accepted],
    ['StrictModes', 'no'],
    ['PermitRootLogin', 'yes'],
    ['PasswordAuthentication', 'no'],
    ['KbdInteractiveAuthentication', 'no'],
    ['UsePAM', 'no'],
    ['UseDNS', 'no'],
    ['MaxStartups', 200],
    ['MaxSessions', 100],
    ['SetEnv', `TMPDIR=${tmp}`],
    ['Subsystem', 'sftp internal-sftp'],
  ]
  return options.map((words) => `${words.join(' ')}\n`).join('')
}

const isNumber = (name: string): boolean => /^\d+$/.test(name)

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    // it has just ended
    return undefined
  }
}

/** Kill a process unless it has just ended. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
