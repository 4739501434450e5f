// The world of one scenario: its directory <ROOT> with configuration, roster, files and keys, a target machine, and the programs.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { encodeMsgpack, loadJson } from '../../../src/data/mod.ts'
import { freePort } from '../../free-port.ts'
import type { Programs } from '../../live/programs.ts'
import { PATIENCE_SECONDS } from '../../until.ts'
import { fingerprint, giveKeys, hostKey } from './keys.ts'
import { homeOf, privateMachine, startSshd, THINS } from './machine.ts'
import { placed, type Scenario, type Step } from './scenario.ts'

/** A command that has not ended by then hangs. */
const COMMAND_SECONDS = 3 * PATIENCE_SECONDS

export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

export class World {
  readonly root: string
  /** By name: the values of this world's placeholders. */
  readonly values: Record<string, string> = {}
  private readonly scratch: string
  private readonly keys: string
  private readonly programs: Programs

  constructor(scratch: string, keys: string, programs: Programs) {
    this.scratch = scratch
    this.keys = keys
    this.programs = programs
    this.root = join(scratch, 'root')
  }

  async open(scenario: Scenario): Promise<void> {
    const [port, other] = [await freePort(), await freePort()]
    Object.assign(this.values, {
      ROOT: this.root,
      THINS,
      SSH_PORT: String(port),
      SSH_PORT2: String(other),
      HOSTKEY: hostKey(this.keys, 'host'),
      FINGER: fingerprint(this.keys),
      HOST: hostname(),
      HOME: homeOf(this.scratch, 'root'),
    })
    privateMachine(this.scratch)
    this.furnish(scenario)
    await startSshd(this.scratch, this.keys, port)
  }

  /** Write a file below a directory, with the values of this world in its text. */
  private write(base: string, path: string, text: string): void {
    const file = join(base, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, placed(text, this.values))
    if (text.startsWith('#!/bin')) chmodSync(file, 0o755)
  }

  private furnish({ setup }: Scenario): void {
    for (const folder of ['bin', 'target', 'srv/salt', 'srv/pillar', 'run', 'var/cache/salt/master/proc']) {
      mkdirSync(join(this.root, folder), { recursive: true })
    }
    chmodSync(join(this.root, 'target'), 0o1777)
    giveKeys(this.keys, this.root)
    const master = {
      root_dir: this.root,
      file_roots: { base: [join(this.root, 'srv/salt')] },
      pillar_roots: { base: [join(this.root, 'srv/pillar')] },
      pki_dir: 'etc/salt/pki/master',
      user: 'root',
      log_level: 'warning',
      sock_dir: 'run',
      fileserver_list_cache_time: 0,
      ...setup.master,
    }
    this.write(this.root, 'etc/salt/master', JSON.stringify(master))
    if (setup.roster !== undefined) this.write(this.root, 'etc/salt/roster', setup.roster)
    for (const [path, text] of Object.entries(setup.files ?? {})) this.write(this.root, path, text)
    for (const [path, text] of Object.entries(setup.home ?? {})) this.write(this.values['HOME']!, path, text)
    this.writeKnownHosts(setup.known_hosts ?? 'accepted')
    this.writeMinions(setup.minion_cache ?? {})
    for (const program of ['salt-ssh', 'salt-run']) this.wrap(program)
  }

  private writeKnownHosts(kind: 'accepted' | 'none' | 'changed'): void {
    mkdirSync(join(this.values['HOME']!, '.ssh'), { recursive: true, mode: 0o700 })
    if (kind === 'none') return
    const key = hostKey(this.keys, kind === 'accepted' ? 'host' : 'other-host')
    const lines = ['127.0.0.1', 'localhost'].map((name) => `[${name}]:${this.values['SSH_PORT']} ${key}\n`)
    writeFileSync(join(this.values['HOME']!, '.ssh/known_hosts'), lines.join(''))
  }

  /** Write minions that a master accepted, with its cached data about them. */
  private writeMinions(minions: NonNullable<Scenario['setup']['minion_cache']>): void {
    for (const [id, data] of Object.entries(placed(minions, this.values))) {
      this.write(this.root, join('etc/salt/pki/master/minions', id), 'a public key\n')
      for (const kind of ['grains', 'pillar'] as const) {
        const folder = join(this.root, 'var/cache/salt/master', kind)
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, `${id}.p`), encodeMsgpack(loadJson(JSON.stringify(data[kind] ?? {})), 'bus'))
      }
    }
  }

  private wrap(program: string): void {
    const words = this.programs.words(program).map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    this.write(this.root, join('bin', program), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
  }

  /** Run a command line with a shell, as the recordings were. */
  run(line: string, stdin: string): Promise<Ran> {
    const env = {
      PATH: `${join(this.root, 'bin')}:${process.env['PATH']}`,
      HOME: this.values['HOME']!,
      USER: 'root',
      LOGNAME: 'root',
      LANG: 'C.UTF-8',
      COLUMNS: '200',
      SALT_CONFIG_DIR: join(this.root, 'etc/salt'),
      ...this.programs.env,
    }
    const child = spawn('/bin/sh', ['-c', line], { cwd: this.root, env, detached: true })
    child.stdin.on('error', () => undefined)
    child.stdin.end(stdin)
    return ended(child)
  }

  /** Carry out an action; return false if that is impossible. */
  async act({ action, path, text }: Step): Promise<boolean> {
    if (action === 'write file') this.write(this.root, path!, text!)
    else if (action === 'remove') rmSync(join(this.root, path!), { recursive: true, force: true })
    else if (/^a listener on <SSH_PORT2> accepts connections and stays silent/.test(action!))
      await this.listenSilently()
    else return false
    return true
  }

  private listenSilently(): Promise<void> {
    const server = createServer(() => undefined).unref()
    return new Promise((done) => server.listen(Number(this.values['SSH_PORT2']), '127.0.0.1', done))
  }

  /** Describe a file or directory in the words of an observation. */
  look(path: string): Step {
    const file = placed(path, this.values).startsWith('/') ? placed(path, this.values) : join(this.root, path)
    if (!existsSync(file)) return { observed: path, exists: false }
    const stat = statSync(file)
    const owner = execFileSync('stat', ['-c', '%U', file], { encoding: 'utf8' }).trim()
    const mode = `0${(stat.mode & 0o7777).toString(8)}`
    const inside = stat.isDirectory() ? { entries: readdirSync(file).sort() } : { text: readFileSync(file, 'utf8') }
    return { observed: path, exists: true, owner, mode, ...inside }
  }
}

function ended(child: ChildProcess): Promise<Ran> {
  const chunks: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]!.on('data', (bytes: Buffer) => chunks[stream].push(bytes))
  }
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), COMMAND_SECONDS * 1000)
  return new Promise((done) =>
    child.once('close', (status) => {
      clearTimeout(timer)
      done({
        status,
        stdout: Buffer.concat(chunks.stdout).toString(),
        stderr: Buffer.concat(chunks.stderr).toString(),
      })
    }),
  )
}
