// A `nats-server` beside the master: its configuration is written from the options, and the server is started again when it ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError, isGone, type Log, makeOwnFolder } from '../base/mod.ts'
import { writeCertificates } from './certificates.ts'
import type { ClusterSettings, SupervisedServer } from './settings.ts'

/** Milliseconds between a server that ended and the next one: at first, and at most. */
const RESTART_MS = 200
const LONGEST_RESTART_MS = 5000
/** Milliseconds after which a server that was asked to end is killed. */
const STOP_MS = 5000

const quoted = (text: string): string => JSON.stringify(text)

/** The file of the server. Passwords follow from `cluster_secret`; only the owner may read the file. */
function configuration(settings: ClusterSettings, server: SupervisedServer): string {
  const { address, clientPort, routePort, routes, folder, tls } = server
  const files = `cert_file: ${quoted(tls.cert)}, key_file: ${quoted(tls.key)}, ca_file: ${quoted(tls.ca)}, verify: true`
  const { user = '', pass = '' } = settings.login
  const route = `user: brine, password: ${quoted(settings.routePassword)}`
  const named = (at: string): string => quoted(`nats://brine:${settings.routePassword}@${at}`)
  return [
    '# Written by salt-master at every start.',
    `server_name: ${quoted(settings.member)}`,
    `host: ${quoted(address)}`,
    `port: ${clientPort}`,
    `pid_file: ${quoted(join(folder, 'nats.pid'))}`,
    `log_file: ${quoted(join(folder, 'nats.log'))}`,
    'logfile_size_limit: 16MB',
    'logfile_max_num: 2',
    'max_payload: 64MB',
    'max_pending: 256MB',
    'ping_interval: "2s"',
    'ping_max: 2',
    'write_deadline: "5s"',
    `tls { ${files}, handshake_first: true, timeout: 5 }`,
    `authorization { user: ${quoted(user)}, password: ${quoted(pass)} }`,
    `jetstream { store_dir: ${quoted(join(folder, 'store'))}, sync_interval: always }`,
    ...(routes.length > 0
      ? [
          'cluster {',
          `  name: ${quoted(settings.name)}`,
          `  host: ${quoted(address)}`,
          `  port: ${routePort}`,
          `  tls { ${files}, timeout: 5 }`,
          `  authorization { ${route} }`,
          '  ping_interval: "2s"',
          '  no_advertise: true',
          // one connection to each server: servers that start at the same moment may lose each other if they have
          // several
          '  pool_size: -1',
          `  routes: [${routes.map(named).join(', ')}]`,
          '}',
        ]
      : []),
    '',
  ].join('\n')
}

/** End a server that an earlier master left. */
async function endOld(folder: string): Promise<void> {
  let pid: number
  try {
    pid = Number(readFileSync(join(folder, 'nats.pid'), 'utf8'))
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    if (!words.includes(join(folder, 'nats.conf'))) return
  } catch {
    return
  }
  process.kill(pid, 'SIGTERM')
  for (let waited = 0; !isGone(pid); waited += 50) {
    if (waited === STOP_MS) process.kill(pid, 'SIGKILL')
    await sleep(50)
  }
}

export class NatsServer {
  private readonly server: SupervisedServer
  private readonly log: Log
  private child: ChildProcess | undefined
  private isClosing = false
  private pause = RESTART_MS
  private timer: NodeJS.Timeout | undefined
  /** Why the program cannot be started at all. */
  private missing: Error | undefined

  private constructor(server: SupervisedServer, log: Log) {
    this.server = server
    this.log = log
  }

  static async open(settings: ClusterSettings, server: SupervisedServer, log: Log): Promise<NatsServer> {
    makeOwnFolder(settings.folder)
    makeOwnFolder(server.folder)
    await endOld(server.folder)
    await writeCertificates(settings.name, server)
    writeFileSync(join(server.folder, 'nats.conf'), configuration(settings, server), { mode: 0o600 })
    const opened = new NatsServer(server, log)
    opened.start()
    // a missing program is reported at once
    await new Promise<void>((done) => {
      opened.child?.once('spawn', done)
      opened.child?.once('error', () => done())
    })
    if (opened.missing) {
      const hint = 'Install nats-server 2.10.23 or newer, or name it: cluster_nats: {server_path: …}'
      throw new BrineError('ClusterServer', `Cannot start ${server.program}: ${opened.missing.message}`, { hint })
    }
    return opened
  }

  /** The process id of the server that runs. */
  get pid(): number | undefined {
    return this.child?.pid
  }

  private start(): void {
    const { program, folder } = this.server
    const began = performance.now()
    const child = spawn(program, ['--config', join(folder, 'nats.conf')], { stdio: 'ignore', cwd: folder })
    this.child = child
    child.once('error', (error) => (this.missing = error))
    child.once('exit', (code, signal) => {
      this.child = undefined
      if (this.isClosing) return
      this.pause = performance.now() - began > 10_000 ? RESTART_MS : Math.min(LONGEST_RESTART_MS, this.pause * 2)
      const where = join(folder, 'nats.log')
      this.log('error', `nats-server ended (${signal ?? code}) and is started again in ${this.pause} ms; see ${where}`)
      this.timer = setTimeout(() => this.start(), this.pause)
    })
  }

  /** Restart the server: one that lost the others may not find them again. */
  restart(): void {
    this.child?.kill('SIGTERM')
  }

  async close(): Promise<void> {
    this.isClosing = true
    clearTimeout(this.timer)
    const { child } = this
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise<void>((done) => child.once('exit', () => done()))
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(timer)
  }
}
