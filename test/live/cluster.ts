// A master and minions on loopback, below one directory that is removed again. Programs are the built ones, found on a PATH
// of their own, so that recorded command lines run as they are.

import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '../free-port.ts'
import type { Json, Scenario } from './scenario.ts'

/** Built programs; another build than the usual one is named by the environment. */
const DIST = process.env['LIVE_DIST'] ?? join(import.meta.dirname, '../../dist')

const PROGRAMS = ['salt', 'salt-run', 'salt-key', 'salt-cp', 'salt-call']

export interface Ran {
  status: number
  stdout: string
  stderr: string
}

export class Cluster {
  readonly root: string = mkdtempSync(join(tmpdir(), 'brine-live-'))
  private readonly scenario: Scenario
  private readonly daemons = new Map<string, ChildProcess>()
  private ports: { pub: number; ret: number } = { pub: 0, ret: 0 }

  constructor(scenario: Scenario) {
    this.scenario = scenario
  }

  async prepare(): Promise<void> {
    this.ports = { pub: await freePort(), ret: await freePort() }
    const { setup } = this.scenario
    for (const [path, text] of Object.entries(setup.files ?? {})) this.write(path, text)
    for (const step of this.scenario.steps) {
      // files that steps change were there before
      const [, file] = /^file (\S+) (?:is appended to|mode is changed)/.exec(step.action ?? '') ?? []
      if (file !== undefined) this.write(file, '')
    }
    for (const folder of ['srv/salt', 'srv/pillar', 'bin', 'out'])
      mkdirSync(join(this.root, folder), { recursive: true })
    // recordings copy it to minions, without saying what is in it
    this.write('local.txt', 'a file of the master\n')
    this.configure('master', 'master', {
      root_dir: join(this.root, 'master'),
      ...this.places('master', 'master'),
      interface: '127.0.0.1',
      publish_port: this.ports.pub,
      ret_port: this.ports.ret,
      worker_threads: 3,
      file_roots: { base: [join(this.root, 'srv/salt')] },
      pillar_roots: { base: [join(this.root, 'srv/pillar')] },
      ...(this.placed(setup.master) as object),
    })
    for (const [id, { grains = {}, config = {} }] of Object.entries(setup.minions)) {
      this.configure(join('minions', id), 'minion', {
        id,
        root_dir: join(this.root, 'minions', id),
        ...this.places(join('minions', id), 'minion'),
        master: '127.0.0.1',
        master_port: this.ports.ret,
        publish_port: this.ports.pub,
        acceptance_wait_time: 2,
        random_reauth_delay: 1,
        recon_default: 100,
        recon_max: 1000,
        recon_randomize: false,
        grains,
        ...(this.placed(config) as object),
      })
    }
    for (const program of PROGRAMS) this.wrap(program)
  }

  /** Where the recordings' daemons had their files. */
  private places(folder: string, program: string): object {
    const place = (name: string): string => join(this.root, folder, name)
    return {
      pki_dir: place('pki'),
      cachedir: place('cache'),
      sock_dir: place('sock'),
      log_file: place(`log/${program}`),
      pidfile: place(`run/${program}.pid`),
    }
  }

  /** Where a daemon's configuration is. */
  private configOf(name: string): string {
    return join(this.root, name === 'master' ? 'master' : join('minions', name))
  }

  /** Recorded paths stand below the cluster's directory. */
  placed(value: Json): Json {
    if (typeof value === 'string') return value.replaceAll('<ROOT>', this.root).replaceAll('<HOST>', hostname())
    if (Array.isArray(value)) return value.map((item) => this.placed(item))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.placed(key) as string, this.placed(item)]),
    )
  }

  private write(path: string, text: string): void {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, this.placed(text) as string)
  }

  private configure(name: string, kind: string, options: object): void {
    this.write(join(name, kind), `${JSON.stringify(options)}\n`)
  }

  private wrap(program: string): void {
    const file = join(this.root, 'bin', program)
    const config = program === 'salt-call' ? '$LIVE_CONFIG' : join(this.root, 'master')
    writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${join(DIST, `${program}.js`)}' -c "${config}" "$@"\n`)
    chmodSync(file, 0o755)
  }

  start(name: string): void {
    const program = name === 'master' ? 'salt-master' : 'salt-minion'
    const log = openSync(join(this.root, `${name}.log`), 'a')
    const words = [join(DIST, `${program}.js`), '-c', this.configOf(name), '-l', 'warning']
    this.daemons.set(name, spawn(process.execPath, words, { stdio: ['ignore', log, log] }))
  }

  async stop(name: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const daemon = this.daemons.get(name)
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return
    const ended = new Promise((done) => daemon.once('exit', done))
    daemon.kill(signal)
    const timer = setTimeout(() => daemon.kill('SIGKILL'), 5000)
    await ended
    clearTimeout(timer)
    this.daemons.delete(name)
  }

  log(name: string): string {
    return readFileSync(join(this.root, `${name}.log`), 'utf8')
  }

  /** Runs a recorded command line. */
  async run(
    line: string,
    { on, stdin = '', seconds = 90 }: { on?: string; stdin?: string; seconds?: number } = {},
  ): Promise<Ran> {
    const env = {
      ...process.env,
      PATH: `${join(this.root, 'bin')}:${process.env['PATH']}`,
      LIVE_CONFIG: this.configOf(on ?? 'web1'),
      COLUMNS: '200',
    }
    const child = spawn('/bin/sh', ['-c', this.placed(line) as string], { env, cwd: this.root, detached: true })
    const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), seconds * 1000)
    const pieces = { stdout: '', stderr: '' }
    child.stdout.on('data', (piece) => (pieces.stdout += String(piece)))
    child.stderr.on('data', (piece) => (pieces.stderr += String(piece)))
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
    const status = await new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)))
    clearTimeout(timer)
    return { status, ...pieces }
  }

  get sockets(): string {
    return join(this.root, 'master', 'sock')
  }

  get cachedir(): string {
    return join(this.root, 'master', 'cache')
  }

  get requestPort(): number {
    return this.ports.ret
  }

  get publishPort(): number {
    return this.ports.pub
  }

  /** The process of a running daemon. */
  pidOf(name: string): number {
    return this.daemons.get(name)!.pid!
  }

  append(path: string, text: string): void {
    appendFileSync(join(this.root, path), text)
  }

  setMode(path: string, mode: number): void {
    chmodSync(join(this.root, path), mode)
  }

  async close(): Promise<void> {
    const names = [...this.daemons.keys()]
    await Promise.all(names.filter((name) => name !== 'master').map((name) => this.stop(name)))
    await this.stop('master')
    rmSync(this.root, { recursive: true, force: true })
  }
}
