// A master and minions on loopback, below one directory that is removed again. Programs are the built ones, found on a PATH
// of their own, so that recorded command lines run as they are.

import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { minionBusPaths } from '../../src/bus/mod.ts'
import { freePort } from '../free-port.ts'
import { PATIENCE_SECONDS } from '../until.ts'
import { ours, type Programs } from './programs.ts'
import type { Json, Scenario } from './scenario.ts'

const PROGRAMS = ['salt', 'salt-run', 'salt-key', 'salt-cp', 'salt-call']

/** The other one of two masters, where minions know two. */
export const SECOND_MASTER = 'master-b'

/** The master below another one, and the syndic beside it. */
export const LOWER_MASTER = 'lower-master'
export const SYNDIC = 'syndic'

/** The daemon of the REST API. */
export const API = 'api'

/** Our master serves the API itself, with salt-api beside it; `LIVE_API=apart` leaves it to salt-api alone. */
const IS_APART = process.env['LIVE_API'] === 'apart'

const LOWER_ADDRESS = '127.0.0.3'

type MinionSetup = Scenario['setup']['minions'][string]

/** A command that has not ended by then hangs. */
const COMMAND_SECONDS = 3 * PATIENCE_SECONDS

export interface Ran {
  status: number
  stdout: string
  stderr: string
}

export class Cluster {
  readonly root: string = mkdtempSync(join(tmpdir(), 'brine-live-'))
  private readonly scenario: Scenario
  private readonly programs: Programs
  private readonly daemons = new Map<string, ChildProcess>()
  private ports: { pub: number; ret: number; api: number } = { pub: 0, ret: 0, api: 0 }

  constructor(scenario: Scenario, programs: Programs = ours) {
    this.scenario = scenario
    this.programs = programs
  }

  async prepare(): Promise<void> {
    this.ports = { pub: await freePort(), ret: await freePort(), api: await freePort() }
    const { setup } = this.scenario
    for (const [path, text] of Object.entries(setup.files ?? {})) this.write(path, text)
    for (const step of this.scenario.steps) {
      // files that steps change were there before
      const [, file] = /^file (\S+) (?:is appended to|mode is changed)/.exec(step.action ?? '') ?? []
      if (file !== undefined) this.write(file, '')
    }
    for (const folder of ['srv/salt', 'srv/pillar', 'bin', 'out', 'home'])
      mkdirSync(join(this.root, folder), { recursive: true })
    // recordings copy it to minions, without recording its content
    this.write('local.txt', 'a file of the master\n')
    for (const [name, address] of Object.entries(this.masters)) this.configureMaster(name, address)
    for (const [id, minion] of Object.entries(setup.minions)) this.configureMinion(id, '127.0.0.1', minion)
    for (const [id, grains] of Object.entries(setup.lower_minions ?? {}))
      this.configureMinion(id, LOWER_ADDRESS, { grains })
    for (const program of PROGRAMS) this.wrap(program)
  }

  private configureMinion(id: string, master: string, { grains = {}, config = {} }: MinionSetup): void {
    this.configure(join('minions', id), 'minion', {
      id,
      root_dir: join(this.root, 'minions', id),
      ...this.places(join('minions', id), 'minion'),
      master,
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

  /** The options of a master: a lower one has its own, and its syndic signs in like a minion of that machine. */
  private ownOptions(name: string): object {
    const { master, lower_master: lower = {} } = this.scenario.setup
    if (name !== LOWER_MASTER) return this.placed(master) as object
    this.configure(name, 'minion', { id: lower['id'], root_dir: join(this.root, name), ...this.places(name, 'minion') })
    const above = { syndic_master: '127.0.0.1', syndic_master_port: this.ports.ret }
    return { ...(this.placed(lower) as object), ...above }
  }

  private configureMaster(name: string, address: string): void {
    const options = {
      root_dir: join(this.root, name),
      ...this.places(name, 'master'),
      interface: address,
      publish_port: this.ports.pub,
      ret_port: this.ports.ret,
      worker_threads: 3,
      file_roots: { base: [join(this.root, 'srv/salt')] },
      pillar_roots: { base: [join(this.root, 'srv/pillar')] },
      ...this.ownOptions(name),
    }
    const api = this.apiOptions && { ...(this.placed(this.apiOptions) as object), port: this.ports.api }
    const withApi = { ...options, ...(api && { rest_cherrypy: api }) }
    this.configure(name, 'master', IS_APART ? { ...options, rest_cherrypy: undefined } : withApi)
    if (IS_APART) this.configure(API, 'master', withApi)
  }

  /** Options of the REST API, for a scenario that has one. */
  get apiOptions(): { [option: string]: Json } | undefined {
    return this.scenario.setup.master['rest_cherrypy'] as { [option: string]: Json } | undefined
  }

  get apiPort(): number {
    return this.ports.api
  }

  /** The prefix of the API's paths. */
  get apiPrefix(): string {
    return String(this.apiOptions?.['root_prefix'] ?? '').replace(/\/$/, '')
  }

  /** Names and addresses of the masters: one, or two for minions that know two. */
  private get masters(): { [name: string]: string } {
    const lists = Object.values(this.scenario.setup.minions).map(({ config }) => config?.['master'])
    const hasTwo = lists.some((list) => Array.isArray(list) && list.includes('127.0.0.2'))
    return {
      master: '127.0.0.1',
      ...(hasTwo && { [SECOND_MASTER]: '127.0.0.2' }),
      ...(this.hasLowerMaster && { [LOWER_MASTER]: LOWER_ADDRESS }),
    }
  }

  get hasLowerMaster(): boolean {
    return this.scenario.setup.lower_master !== undefined
  }

  get hasSecondMaster(): boolean {
    return SECOND_MASTER in this.masters
  }

  /** Whether the first master has made its keys: it listens before. */
  get hasKeys(): boolean {
    return existsSync(join(this.root, 'master', 'pki', 'master.pub'))
  }

  /** Gives the second master the keys of the first. */
  shareKeys(): void {
    for (const file of ['master.pem', 'master.pub']) {
      const [from, to] = ['master', SECOND_MASTER].map((name) => join(this.root, name, 'pki', file))
      mkdirSync(dirname(to!), { recursive: true })
      copyFileSync(from!, to!)
    }
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
    if (name === API) return join(this.root, IS_APART ? API : 'master')
    if (name === SYNDIC) return join(this.root, LOWER_MASTER)
    return join(this.root, name in this.masters ? name : join('minions', name))
  }

  /** Recorded paths are below the cluster's directory. */
  placed(value: Json): Json {
    if (typeof value === 'string') {
      const [host, port] = [hostname(), String(this.ports.api)]
      return value
        .replaceAll('<ROOT>', this.root)
        .replaceAll('<ROOT_LOW>/master', join(this.root, LOWER_MASTER))
        .replaceAll('<HOST>', host)
        .replaceAll('<API_PORT>', port)
    }
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
    const config = program === 'salt-call' ? '$LIVE_CONFIG' : '$LIVE_MASTER_CONFIG'
    const words = this.programs.words(program).map((word) => `'${word}'`)
    writeFileSync(file, `#!/bin/sh\nexec ${words.join(' ')} -c "${config}" "$@"\n`)
    chmodSync(file, 0o755)
  }

  start(name: string): void {
    const own: { [name: string]: string } = { [API]: 'salt-api', [SYNDIC]: 'salt-syndic' }
    const program = own[name] ?? (name in this.masters ? 'salt-master' : 'salt-minion')
    const log = openSync(join(this.root, `${name}.log`), 'a')
    const [command, ...words] = [...this.programs.words(program), '-c', this.configOf(name), '-l', 'warning']
    const env = { ...process.env, ...this.programs.env }
    const options = { env, detached: this.programs.hasGroups }
    this.daemons.set(name, spawn(command!, words, { ...options, stdio: ['ignore', log, log] }))
  }

  async stop(name: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const daemon = this.daemons.get(name)
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return
    const ended = new Promise((done) => daemon.once('exit', done))
    const send = (each: NodeJS.Signals): unknown =>
      this.programs.hasGroups ? process.kill(-daemon.pid!, each) : daemon.kill(each)
    send(signal)
    const timer = setTimeout(() => send('SIGKILL'), 8000)
    await ended
    clearTimeout(timer)
    this.daemons.delete(name)
  }

  log(name: string): string {
    const file = join(this.root, `${name}.log`)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  /** Runs a recorded command line. */
  async run(
    line: string,
    { on, stdin = '', master = 'master' }: { on?: string; stdin?: string; master?: string } = {},
  ): Promise<Ran> {
    const env = {
      ...process.env,
      // root by sudo counts as another user
      SUDO_USER: undefined,
      ...this.programs.env,
      // otherwise tokens of the user of the test would be used
      HOME: join(this.root, 'home'),
      PATH: `${join(this.root, 'bin')}:${process.env['PATH']}`,
      LIVE_CONFIG: this.configOf(on ?? 'web1'),
      LIVE_MASTER_CONFIG: this.configOf(master),
      COLUMNS: '200',
    }
    const child = spawn('/bin/sh', ['-c', this.placed(line) as string], { env, cwd: this.root, detached: true })
    const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), COMMAND_SECONDS * 1000)
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
    return this.socketsOf('master')
  }

  socketsOf(master: string): string {
    return join(this.root, master, 'sock')
  }

  minionEventSocket(id: string): string {
    const opts = new Map([
      ['id', id],
      ['sock_dir', join(this.root, 'minions', id, 'sock')],
    ])
    return minionBusPaths(opts).pub
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
    await Promise.all(names.filter((name) => !(name in this.masters)).map((name) => this.stop(name)))
    await Promise.all(Object.keys(this.masters).map((name) => this.stop(name)))
    rmSync(this.root, { recursive: true, force: true })
  }
}
