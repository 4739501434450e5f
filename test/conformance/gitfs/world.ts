// The world of one case: its directory <ROOT> with repositories, configuration and caches, its servers, and the programs.
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '../../free-port.ts'
import type { Programs } from '../../live/programs.ts'
import type { TestSshd } from '../../ssh/sshd.ts'
import { PATIENCE_SECONDS } from '../../until.ts'
import type { Json } from '../area.ts'
import type { FileSpec, GitCase, Operation } from './case.ts'
import { filled, filledIn, idHash, type Values } from './placeholders.ts'
import { contentOf, Repository } from './repository.ts'
import { endGroup, PASSWORD, type Running, serveGit, serveHttp, USER } from './servers.ts'

export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

/** The shared parts of a run of the area. */
export interface Shared {
  programs: Programs
  /** Undefined if no sshd can run. */
  sshd: TestSshd | undefined
  keys: string
  /** Precedes PATH. */
  bin: string
}

const MACHINE_IDS = ['/etc/machine-id', '/var/lib/dbus/machine-id']

const machineId = (): string => {
  const file = MACHINE_IDS.find((path) => existsSync(path))
  return file === undefined ? 'no_machine_id_available' : readFileSync(file, 'utf8').trim()
}

/** The id of a process that has ended. */
const deadPid = String(spawnSync('true').pid)

export class World {
  readonly root: string
  readonly values: Values = (name, argument) => this.valueOf(name, argument)
  readonly retPort: number
  private readonly shared: Shared
  private readonly repositories = new Map<string, Repository>()
  private readonly servers = new Map<string, Running>()
  private readonly publishPort: number
  private readonly provider: string
  private config: Record<string, Json>

  private constructor(root: string, shared: Shared, { config, provider }: GitCase, ports: [number, number]) {
    this.root = root
    this.shared = shared
    this.config = { ...config }
    this.provider = provider ?? 'pygit2'
    this.retPort = ports[0]
    this.publishPort = ports[1]
  }

  /** Build the world of a case in an empty directory. */
  static async open(root: string, shared: Shared, testCase: GitCase): Promise<World> {
    const world = new World(root, shared, testCase, [await freePort(), await freePort()])
    for (const folder of ['repos', 'conf', 'salt', 'pillar', 'cache/master/proc', 'run', 'home/.ssh']) {
      mkdirSync(join(root, folder), { recursive: true })
    }
    if (shared.sshd) copyFileSync(shared.sshd.knownHosts, join(root, 'home/.ssh/known_hosts'))
    await world.startServers(JSON.stringify(testCase))
    for (const [name, made] of Object.entries(testCase.repos ?? {})) {
      const { head, ops } = Array.isArray(made) ? { ops: made, head: undefined } : made
      world.repositories.set(name, new Repository(world.repositoryPath(name), head))
      world.operate(name, ops)
    }
    for (const [path, spec] of Object.entries(testCase.local ?? {})) world.write(path, spec)
    world.configure({})
    return world
  }

  private async startServers(text: string): Promise<void> {
    const repos = join(this.root, 'repos')
    const kinds = {
      http: () => serveHttp(repos, false),
      auth: () => serveHttp(repos, true),
      git: () => serveGit(repos),
    }
    for (const [kind, start] of Object.entries(kinds)) {
      const isUsed = new RegExp(`<(${kind.toUpperCase()}:|(HOST|PORT):${kind}>)`).test(text)
      if (isUsed) this.servers.set(kind, await start())
    }
  }

  async close(): Promise<void> {
    for (const server of this.servers.values()) await server.stop()
    rmSync(this.root, { recursive: true, force: true })
  }

  private repositoryPath(name: string): string {
    return join(this.root, 'repos', `${name}.git`)
  }

  operate(name: string, operations: readonly Operation[]): void {
    const repository = this.repositories.get(name)
    if (repository === undefined) throw new Error(`No repository '${name}'`)
    repository.apply(operations)
  }

  /** Return the ids of all commits, by repository and label. */
  shas(): Record<string, Record<string, string>> {
    return Object.fromEntries([...this.repositories].map(([name, { shas }]) => [name, { ...shas }]))
  }

  /** Say which commits have other ids than recorded. */
  wrongShas(shas: GitCase['shas'] = {}): string[] {
    return Object.entries(shas).flatMap(([name, labels]) =>
      Object.entries(labels)
        .filter(([label, id]) => this.repositories.get(name)?.shas[label] !== id)
        .map(([label, id]) => `commit ${label} of ${name} is ${this.repositories.get(name)?.shas[label]}, not ${id}`),
    )
  }

  /** Return the place of a path of the case: absolute, or below its directory. */
  place(path: string): string {
    const placed = filled(path, this.values)
    return placed.startsWith('/') ? placed : join(this.root, placed)
  }

  write(path: string, spec: FileSpec): void {
    const file = this.place(path)
    mkdirSync(dirname(file), { recursive: true })
    if (spec === null) return rmSync(file, { recursive: true, force: true })
    const content = contentOf(typeof spec === 'string' ? filled(spec, this.values) : spec)
    if (typeof spec === 'object' && 'link' in spec) return symlinkSync(content.toString(), file)
    writeFileSync(file, content, { mode: typeof spec === 'object' && 'exec' in spec && spec.exec ? 0o755 : 0o644 })
  }

  /** Change settings, null removing one, and write the files of configuration. */
  configure(changes: Record<string, Json>): void {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) delete this.config[name]
      else this.config[name] = value
    }
    const providers = ['gitfs_provider', 'git_pillar_provider', 'winrepo_provider'].map((name) => [name, this.provider])
    const settings = {
      root_dir: this.root,
      cachedir: '<CACHE>',
      file_roots: { base: ['<ROOT>/salt'] },
      pillar_roots: { base: ['<ROOT>/pillar'] },
      hash_type: 'sha256',
      sock_dir: '<ROOT>/run',
      user: userInfo().username,
      ...Object.fromEntries(providers),
      ...this.config,
    }
    const ports = { interface: '127.0.0.1', ret_port: this.retPort, publish_port: this.publishPort }
    const minion = { ...settings, file_client: 'local', id: 'web1', cachedir: '<MCACHE>' }
    for (const [name, options] of Object.entries({ master: { ...ports, ...settings }, minion })) {
      writeFileSync(join(this.root, 'conf', name), JSON.stringify(filledIn(options as Json, this.values)))
    }
  }

  private valueOf(name: string, argument: string): string | undefined {
    const fixed: Record<string, string> = {
      ROOT: this.root,
      CACHE: join(this.root, 'cache/master'),
      MCACHE: join(this.root, 'cache/minion'),
      USER,
      PASSWORD,
      KEYS: this.shared.keys,
      MACHINE: machineId(),
      LIVEPID: String(process.pid),
      DEADPID: deadPid,
    }
    if (argument === '') return fixed[name]
    return this.addressOf(name, argument) ?? this.nameOf(name, argument)
  }

  private addressOf(name: string, argument: string): string | undefined {
    const path = this.repositoryPath(argument)
    const at = (kind: string): string => `127.0.0.1:${this.portOf(kind)}`
    if (name === 'REPO') return `file://${path}`
    if (name === 'PATH') return path
    if (name === 'HTTP' || name === 'AUTH') return `http://${at(name.toLowerCase())}/${argument}.git`
    if (name === 'GIT') return `git://${at('git')}/${argument}.git`
    if (name === 'SSH') return `ssh://${userInfo().username}@${at('ssh')}${path}`
    if (name === 'SSHNOUSER') return `ssh://${at('ssh')}${path}`
    if (name === 'HOST') return at(argument)
    return name === 'PORT' ? String(this.portOf(argument)) : undefined
  }

  private portOf(kind: string): number {
    if (kind === 'none') return 1
    return (kind === 'ssh' ? this.shared.sshd?.port : this.servers.get(kind)?.port) ?? 1
  }

  private nameOf(name: string, argument: string): string | undefined {
    if (name === 'IDHASH') return idHash(argument, String(this.config['hash_type'] ?? 'sha256'))
    if (name !== 'SHA' && name !== 'SHA7') return undefined
    const [repository = '', label = ''] = argument.split(':')
    return this.repositories.get(repository)?.shas[label]?.slice(0, name === 'SHA7' ? 7 : undefined)
  }

  /** Start a program with the words of its command line. */
  start(program: string, args: readonly string[]) {
    const [command = '', ...words] = this.shared.programs.words(program)
    return spawn(command, [...words, '-c', join(this.root, 'conf'), ...args], {
      cwd: this.root,
      env: {
        PATH: `${this.shared.bin}:${process.env['PATH']}`,
        HOME: join(this.root, 'home'),
        LANG: 'C.UTF-8',
        ...this.shared.programs.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
  }

  /** Run a program to its end. */
  async run([program = '', ...words]: readonly string[]): Promise<Ran> {
    const local = program === 'salt-call' ? ['--local'] : []
    const child = this.start(program, [...local, '--out=json', '-l', 'warning', ...filledIn([...words], this.values)])
    const timer = setTimeout(() => void endGroup(child), PATIENCE_SECONDS * 1000)
    const ran = await outputOf(child)
    clearTimeout(timer)
    return ran
  }
}

/** Collect the output of a process until it ends. */
export function outputOf(child: ReturnType<World['start']>): Promise<Ran> {
  const said: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (bytes: Buffer) => said[stream].push(bytes))
  }
  const text = (stream: 'stdout' | 'stderr'): string => Buffer.concat(said[stream]).toString()
  return new Promise((done) =>
    child.once('close', (status) => done({ status, stdout: text('stdout'), stderr: text('stderr') })),
  )
}
