// A real OpenSSH server on loopback, for tests: with its own host key, client key and configuration, in a temporary
// folder. It runs as the user of the tests, possibly an ordinary one, and admits that user by key.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { SshTarget } from '../../src/host/mod.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

const PROGRAM = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/sbin/sshd'].find((path) => existsSync(path))

/** Why there is no server to test with, or undefined when there is one. */
export const noSshd: string | undefined = PROGRAM === undefined ? 'no sshd is installed' : undefined

export interface TestSshd {
  readonly port: number
  /** Holds everything below; it is removed with the server. */
  readonly folder: string
  /** Private key that the server accepts. */
  readonly identity: string
  /** Private key that it does not. */
  readonly strangeIdentity: string
  /** File of known hosts with the key of the server. */
  readonly knownHosts: string
  /** Type and key, as in a file of known hosts. */
  readonly hostKey: string
  /** Private directory for sockets. */
  readonly runtimeDir: string
  /** The login, without any file of the user. */
  readonly target: SshTarget
  /** Return the server's log so far. */
  log(): string
  /** Return how many processes serve sessions. */
  sessions(): number
  /** End every session at once, as a crash of their processes does; the server goes on. */
  cut(): void
  /** End the server and every session of it at once, as a crash does. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export interface SshdOptions {
  /** Further lines of sshd_config; they come first, and so they count. */
  config?: readonly string[]
  /** Arguments before the program, such as those for a separate namespace. */
  wrapper?: readonly string[]
  folder?: string
}

const keygen = (path: string): void => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', path])
}

export async function startSshd({
  config = [],
  wrapper = [],
  folder = newFolder(),
}: SshdOptions = {}): Promise<TestSshd> {
  if (PROGRAM === undefined) throw new Error(noSshd)
  const at = (name: string): string => join(folder, name)
  for (const name of ['host_key', 'identity', 'strange']) if (!existsSync(at(name))) keygen(at(name))
  writeFileSync(at('authorized_keys'), readFileSync(at('identity.pub')))
  writeFileSync(at('ssh_config'), '')
  mkdirSync(at('run'), { mode: 0o700, recursive: true })
  // as root, sshd wants its directory, which its service makes
  if (process.geteuid?.() === 0) mkdirSync('/run/sshd', { mode: 0o755, recursive: true })
  const port = await freePort()
  const hostKey = readFileSync(at('host_key.pub'), 'utf8').split(' ').slice(0, 2).join(' ')
  writeFileSync(at('known_hosts'), `[127.0.0.1]:${port} ${hostKey}\n`)
  writeFileSync(at('sshd_config'), [...config, ...settings(port, at)].join('\n'))
  const [program = '', ...args] = [...wrapper, PROGRAM, '-D', '-e', '-f', at('sshd_config')]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let logged = ''
  child.stderr.on('data', (piece) => {
    logged += piece
  })
  await until(`sshd answers: ${logged}`, () => answers(port, child, () => logged))
  const target: SshTarget = {
    host: '127.0.0.1',
    port,
    user: userInfo().username,
    identity: at('identity'),
    identitiesOnly: true,
    knownHostsFile: at('known_hosts'),
    configFile: at('ssh_config'),
  }
  return {
    port,
    folder,
    identity: at('identity'),
    strangeIdentity: at('strange'),
    knownHosts: at('known_hosts'),
    hostKey,
    runtimeDir: at('run'),
    target,
    log: () => logged,
    sessions: () => sessionsOf(child.pid!).length,
    cut: () => {
      for (const pid of sessionsOf(child.pid!)) kill(pid, 'SIGKILL')
    },
    crash: () => ended(child, 'SIGKILL'),
    async stop() {
      await ended(child, 'SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sshd-'))
  // a server that changes users reads the keys as them
  chmodSync(folder, 0o755)
  return folder
}

const settings = (port: number, at: (name: string) => string): string[] => [
  `Port ${port}`,
  'ListenAddress 127.0.0.1',
  `HostKey ${at('host_key')}`,
  `AuthorizedKeysFile ${at('authorized_keys')}`,
  'PidFile none',
  'StrictModes no',
  'UsePAM no',
  'PermitRootLogin yes',
  'PasswordAuthentication no',
  'KbdInteractiveAuthentication no',
  'PrintMotd no',
  'MaxStartups 100',
  'MaxSessions 50',
  'Subsystem sftp internal-sftp',
  '',
]

function answers(port: number, child: ChildProcess, log: () => string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`sshd ended: ${log()}`)
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
}

/** End the server and its sessions. Each session has a separate process group, whose parent is the server. */
async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((done) => child.once('close', done))
  for (const pid of sessionsOf(child.pid!)) kill(pid, signal)
  child.kill(signal)
  await gone
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The processes named sshd below one. */
function sessionsOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' }).trim().split('\n')
  const processes = rows.map((row) => row.trim().split(/\s+/)).filter(([, , name = '']) => name.startsWith('sshd'))
  const below = (parent: number): number[] =>
    processes
      .filter(([, ppid]) => Number(ppid) === parent)
      .map(([own]) => Number(own))
      .flatMap((own) => [...below(own), own])
  return below(pid)
}
