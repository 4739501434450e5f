// The machine this process runs on.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { User, UserGroup } from '../accounts.ts'
import { fromNodeError } from '../errors.ts'
import { HeldFiles } from '../held-files.ts'
import type {
  AccessMode,
  Command,
  CommandResult,
  Connection,
  FileRange,
  FileStat,
  Host,
  HostSocketOptions,
  SocketAddress,
  TempOptions,
} from '../host.ts'
import { findProgram } from '../which.ts'
import { localGroup, localGroups, localUser, localUsers } from './local-accounts.ts'
import { runLocal, startLocal } from './local-commands.ts'
import { LocalFiles } from './local-files.ts'

const ownIds = (): { uid: number; gid: number } => ({ uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 })

export class LocalHost extends LocalFiles implements Host {
  readonly readOnly: boolean = false
  private readonly held = new HeldFiles()

  async run(command: Command): Promise<CommandResult> {
    await this.settle()
    return runLocal(command)
  }

  async start(command: Command): Promise<number> {
    await this.settle()
    return startLocal(command)
  }

  override async tempFile(options: TempOptions = {}): Promise<string> {
    if (options.content === undefined) return super.tempFile(options)
    const path = this.temporaryName(options)
    this.held.hold(path, options.content)
    return path
  }

  async settle(): Promise<void> {
    if (this.held.isEmpty) return
    this.putOnDisk()
  }

  private putOnDisk(): void {
    for (const { path, content } of this.held.release()) {
      try {
        writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
      } catch (error) {
        throw fromNodeError(error, path)
      }
    }
  }

  protected override ready(...paths: string[]): void {
    if (!this.held.isEmpty && paths.some((path) => this.held.has(path))) this.putOnDisk()
  }

  override async read(path: string, range?: FileRange): Promise<Uint8Array> {
    const content = this.held.content(path)
    if (content === undefined) return super.read(path, range)
    return range ? content.subarray(range.offset, range.offset + range.length) : content
  }

  override async *stream(path: string): AsyncIterable<Uint8Array> {
    const content = this.held.content(path)
    if (content === undefined) yield* super.stream(path)
    else yield content
  }

  override async hash(path: string, algorithm: string): Promise<string> {
    const content = this.held.content(path)
    return content === undefined ? super.hash(path, algorithm) : createHash(algorithm).update(content).digest('hex')
  }

  override async stat(path: string): Promise<FileStat | undefined> {
    return this.held.stat(path, ownIds) ?? super.stat(path)
  }

  override async lstat(path: string): Promise<FileStat | undefined> {
    return this.held.stat(path, ownIds) ?? super.lstat(path)
  }

  override async access(path: string, wish: AccessMode): Promise<boolean> {
    return this.held.has(path) ? wish !== 'execute' : super.access(path, wish)
  }

  override async remove(path: string): Promise<void> {
    if (!this.held.drop(path)) await super.remove(path)
  }

  which(program: string): Promise<string | undefined> {
    return findProgram(this, program)
  }

  async connect(address: SocketAddress, options?: HostSocketOptions): Promise<Connection> {
    return (await import('./local-sockets.ts')).openSocket(address, options)
  }

  async user(nameOrId: string | number): Promise<User | undefined> {
    return localUser(nameOrId)
  }

  async group(nameOrId: string | number): Promise<UserGroup | undefined> {
    return localGroup(nameOrId)
  }

  async users(): Promise<User[]> {
    return localUsers()
  }

  async groups(): Promise<UserGroup[]> {
    return localGroups()
  }

  async identity(): Promise<{ uid: number; gid: number }> {
    return ownIds()
  }

  async hostname(): Promise<string> {
    return hostname()
  }

  now(): number {
    return Date.now() / 1000
  }

  async env(): Promise<ReadonlyMap<string, string>> {
    return new Map(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  async setEnv(name: string, value: string | null): Promise<void> {
    if (value === null) delete process.env[name]
    else process.env[name] = value
  }

  async umask(): Promise<number> {
    return process.umask()
  }
}
