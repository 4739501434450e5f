// A machine that is reached over SSH. It needs an SSH server and a POSIX shell; nothing is installed there.
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { parseGroup, parsePasswd, type User, type UserGroup } from '../accounts.ts'
import { HeldFiles } from '../held-files.ts'
import type {
  AccessMode,
  Command,
  CommandResult,
  Connection,
  ExpectedRead,
  FileRange,
  FileStat,
  Host,
  HostSocketOptions,
  RemotePrograms,
  SocketAddress,
  TempOptions,
} from '../host.ts'
import { programCandidates } from '../which.ts'
import { Agents } from './agents.ts'
import { SshConnection, type SshOptions } from './connection.ts'
import { connectionError, isProxyFailure, isSshError } from './errors.ts'
import { readFacts } from './facts.ts'
import { type RawOptions, type RawResult, runRaw } from './raw-command.ts'
import { ReadCache, type SshRead } from './read-cache.ts'
import { commandOf, readOnlyCommand } from './reading-commands.ts'
import { contentWords, expandedWord, INLINE, pathWord, words } from './shell-text.ts'
import { accountFile, accountQuery, findGroup, findUser } from './ssh-accounts.ts'
import { type CommandTools, runRemote, startRemote } from './ssh-commands.ts'
import { SshFiles } from './ssh-files.ts'
import type { SshTarget } from './target.ts'
import { toolError } from './tool-errors.ts'

export class SshHost extends SshFiles implements Host {
  readonly readOnly: boolean = false
  /** An object, because views of this host share it. */
  private readonly own: { folder?: Promise<string> } = {}
  readonly remote: RemotePrograms = this
  private readonly held = new HeldFiles()
  private readonly variables = new Map<string, string | null>()
  private readonly running = new Set<() => void>()
  /** The writing of temporary files that were held in memory. */
  private settling: Promise<unknown> = Promise.resolve()
  /** How many of them are large, and take several requests. */
  private uploads = 0
  private readonly cache = new ReadCache((read) => this.perform(read))

  /** Connect, start the shell, learn what the target has. Throws SshError. */
  static async open(target: SshTarget, options: SshOptions): Promise<SshHost> {
    const connection = new SshConnection(target, options)
    const agents = new Agents(connection)
    try {
      const asked = Date.now() / 1000
      const { facts, ...known } = await agents.introduce()
      return new SshHost(connection, agents, { ...readFacts(facts, asked, Date.now() / 1000), ...known })
    } catch (error) {
      const isProxy = isSshError(error, 'Unreachable') && isProxyFailure(error.said)
      const reason = isProxy ? connectionError(target.host, await connection.proxyFailure(), error.retcode) : error
      await connection.close()
      throw reason
    }
  }

  /** Times that were waited for the target so far. */
  get roundTrips(): number {
    return this.agents.roundTrips
  }

  /** Wait until the target has answered in this session. Throws SshError. */
  reached(): Promise<void> {
    return this.agents.reached()
  }

  /** Run a line in the login shell of the login user, without input. */
  raw(line: string, options: RawOptions = {}): Promise<RawResult> {
    return runRaw(this.connection, line, options)
  }

  /** Start a program on the target with its stdio as streams over the same connection. */
  async spawn(argv: readonly string[]): Promise<ChildProcess> {
    await this.settle()
    const { path, umask } = this.connection.target
    const lines = [
      ...(path === undefined ? [] : [`PATH=${expandedWord(path)}; export PATH`]),
      ...(umask === undefined ? [] : [`umask ${umask.toString(8)}`]),
      `exec ${words(argv)}`,
    ]
    const channel = this.connection.open(lines.join('; '))
    // what the program does is not known here
    const ended = this.cache.beginChanging()
    channel.child.once('close', ended)
    await channel.ready
    return channel.child
  }

  sessionFolder(): Promise<string> {
    this.own.folder ??= this.makeFolder()
    return this.own.folder
  }

  /** The shell that makes the folder removes it when it ends, whatever ends it. */
  private async makeFolder(): Promise<string> {
    const path = this.temporaryName({ prefix: '.brine-' })
    const answer = await this.agents.request(
      `_stage=${pathWord(path)}; ( umask 077; LC_ALL=C mkdir "$_stage" ) </dev/null || { _stage=; false; }`,
      { leavesFiles: true },
    )
    if (answer.status !== 0) throw toolError(answer, path)
    return path
  }

  /** End what runs on the target for this host, remove its temporary files there, and leave the connection. */
  async close(): Promise<void> {
    this.held.release()
    for (const end of this.running) end()
    this.agents.leaveShell(this.facts.clockOffset)
    await this.agents.close()
    await this.connection.close()
  }

  private get commandTools(): CommandTools {
    const { agents, facts, variables, running } = this
    return {
      agents,
      facts,
      variables,
      running,
      user: (name) => this.user(name),
      group: (name) => this.group(name),
      groups: () => this.groups(),
      settle: () => this.settleForCommand(),
      inputFile: async (data) => {
        const path = await this.tempFile()
        await this.write(path, data)
        return path
      },
    }
  }

  /** Ask for reads in one round trip, to have them at hand. */
  prefetch(reads: readonly SshRead[]): Promise<void> {
    return this.cache.prefetch(reads)
  }

  expect(soon: readonly ExpectedRead[], later: readonly ExpectedRead[]): void {
    this.cache.expect(soon, later)
  }

  forgetReads(): void {
    this.cache.clear()
  }

  /** Return the reads of this session in order, to prefetch them the next time. */
  recorded(): SshRead[] {
    return this.cache.recorded()
  }

  apart(places: ReadonlyArray<readonly string[]>): void {
    this.cache.setPlaces(places)
  }

  protected override changed(...paths: string[]): void {
    this.cache.renew(paths)
  }

  /** Send the read to the target, without the cache. */
  private perform(read: SshRead): Promise<unknown> {
    switch (read.op) {
      case 'stat':
        return super.stat(read.path)
      case 'lstat':
        return super.lstat(read.path)
      case 'read':
        return super.read(read.path)
      case 'list':
        return super.list(read.path)
      case 'realPath':
        return super.realPath(read.path)
      case 'readLink':
        return super.readLink(read.path)
      case 'hash':
        return super.hash(read.path, read.algorithm)
      case 'access':
        return super.access(read.path, read.wish)
      case 'which':
        return this.findProgram(read.program)
      case 'user':
        return this.findAccount(read.key, 'passwd', findUser)
      case 'group':
        return this.findAccount(read.key, 'group', findGroup)
      case 'run':
        return runRemote({ ...this.commandTools, isReading: true }, commandOf(read.command, this.variablesNow()))
    }
  }

  async run(command: Command): Promise<CommandResult> {
    if (command.onlyReads && this.held.isEmpty) return runRemote({ ...this.commandTools, isReading: true }, command)
    const read = readOnlyCommand(command, this.variablesNow())
    if (!read) {
      return this.cache.whileChanging((sent) => {
        const tools = { ...this.commandTools, sent: () => this.agents.behindLast(sent) }
        return runRemote(tools, command)
      })
    }
    const settling = this.held.isEmpty ? undefined : this.settleForCommand()
    if (settling) await settling
    command.signal?.throwIfAborted()
    return this.cache.get({ op: 'run', command: read })
  }

  async start(command: Command): Promise<number> {
    return this.cache.whileChanging(() => startRemote(this.commandTools, command))
  }

  which(program: string): Promise<string | undefined> {
    return this.cache.get({ op: 'which', program })
  }

  private async findProgram(program: string): Promise<string | undefined> {
    const tests = programCandidates(program, this.variablesNow()).map((path) => {
      const file = pathWord(path)
      return `if [ -f ${file} ] && [ -x ${file} ]; then printf %s ${contentWords(path).slice(3)}; exit; fi`
    })
    if (tests.length === 0) return undefined
    return (await this.ask(tests.join('; '))).stdout.toString() || undefined
  }

  user(nameOrId: string | number): Promise<User | undefined> {
    return this.cache.get({ op: 'user', key: nameOrId })
  }

  group(nameOrId: string | number): Promise<UserGroup | undefined> {
    return this.cache.get({ op: 'group', key: nameOrId })
  }

  private async findAccount<T>(
    key: string | number,
    database: 'passwd' | 'group',
    find: (text: string, key: string | number) => T | undefined,
  ): Promise<T | undefined> {
    const text = await this.must(accountQuery(database, key, this.facts.tools.has('getent')))
    return find(text.toString(), key)
  }

  async users(): Promise<User[]> {
    return parsePasswd((await this.must(accountFile('passwd'))).toString())
  }

  async groups(): Promise<UserGroup[]> {
    return parseGroup((await this.must(accountFile('group'))).toString())
  }

  async identity(): Promise<{ uid: number; gid: number }> {
    return { uid: this.facts.uid, gid: this.facts.gid }
  }

  async hostname(): Promise<string> {
    return this.facts.hostname
  }

  now(): number {
    return Date.now() / 1000 + this.facts.clockOffset
  }

  async env(): Promise<ReadonlyMap<string, string>> {
    return this.variablesNow()
  }

  private variablesNow(): ReadonlyMap<string, string> {
    const variables = new Map(this.facts.env)
    for (const [name, value] of this.variables) {
      if (value === null) variables.delete(name)
      else variables.set(name, value)
    }
    return variables
  }

  async setEnv(name: string, value: string | null): Promise<void> {
    this.variables.set(name, value)
    this.changed()
  }

  async connect(address: SocketAddress, options?: HostSocketOptions): Promise<Connection> {
    // ssh takes a socket that is not there for one that ends at once
    if ('path' in address)
      await this.must(`_must ${pathWord(address.path)}; [ -w ${pathWord(address.path)} ] || _n EACCES`, address.path)
    return (await import('./ssh-sockets.ts')).openRemoteSocket(this.connection, address, options)
  }

  override async tempFile(options: TempOptions = {}): Promise<string> {
    if (options.content === undefined) return super.tempFile(options)
    const path = this.temporaryName(options)
    this.held.hold(path, options.content)
    return path
  }

  async settle(): Promise<void> {
    this.putOnDisk()
    await this.settling
  }

  /** Put on disk what a command may look for. Small files are sent to the shell that runs the command next, so there is no wait. */
  private settleForCommand(): Promise<unknown> | undefined {
    this.putOnDisk()
    return this.uploads === 0 && this.agents.isInOrder ? undefined : this.settling
  }

  private putOnDisk(): void {
    const files = this.held.release()
    if (files.length === 0) return
    const writes = files.map(async ({ path, content }) => {
      const isLarge = content.length > INLINE
      if (isLarge) this.uploads++
      await this.write(path, content, { mode: 0o600, exclusive: true }).finally(() => {
        if (isLarge) this.uploads--
      })
    })
    this.settling = Promise.all([this.settling, ...writes])
    this.settling.catch((error) => {
      this.connection.log('error', `Could not write a temporary file: ${error.message}`)
      this.settling = Promise.resolve()
    })
  }

  protected override ready(...paths: string[]): void {
    if (!this.held.isEmpty && paths.some((path) => this.held.has(path))) this.putOnDisk()
  }

  override async read(path: string, range?: FileRange): Promise<Uint8Array> {
    const content = this.held.content(path)
    if (content === undefined) return range ? super.read(path, range) : this.cache.get({ op: 'read', path })
    return range ? content.subarray(range.offset, range.offset + range.length) : content
  }

  override async *stream(path: string): AsyncIterable<Uint8Array> {
    const content = this.held.content(path)
    if (content === undefined) yield* super.stream(path)
    else yield content
  }

  override async hash(path: string, algorithm: string): Promise<string> {
    const content = this.held.content(path)
    if (content === undefined) return this.cache.get({ op: 'hash', path, algorithm })
    return createHash(algorithm).update(content).digest('hex')
  }

  override async stat(path: string): Promise<FileStat | undefined> {
    return this.held.stat(path, () => this.facts) ?? this.cache.get({ op: 'stat', path })
  }

  override async lstat(path: string): Promise<FileStat | undefined> {
    return this.held.stat(path, () => this.facts) ?? this.cache.get({ op: 'lstat', path })
  }

  override async access(path: string, wish: AccessMode): Promise<boolean> {
    return this.held.has(path) ? wish !== 'execute' : this.cache.get({ op: 'access', path, wish })
  }

  override async realPath(path: string): Promise<string> {
    this.ready(path)
    return this.cache.get({ op: 'realPath', path })
  }

  override async readLink(path: string): Promise<string> {
    return this.cache.get({ op: 'readLink', path })
  }

  override async list(path: string): Promise<string[]> {
    return [...(await this.cache.get<string[]>({ op: 'list', path }))]
  }

  override async remove(path: string): Promise<void> {
    if (!this.held.drop(path)) await super.remove(path)
  }
}
