// A simulated machine: files, accounts and environment are in memory, and a script defines the results of commands. For
// tests, and for thousands of minions in one process.
import type { User, UserGroup } from '../accounts.ts'
import { HostError, systemError } from '../errors.ts'
import type { Command, CommandResult, Connection, Host, SocketAddress } from '../host.ts'
import { findProgram } from '../which.ts'
import { MemoryFiles } from './memory-files.ts'

/** The result of a scripted command; a text alone is its stdout. */
export interface ScriptedResult {
  retcode?: number
  stdout?: string
  stderr?: string
  timedOut?: boolean
}

export type ScriptedCommand = (
  command: Command,
  host: MemoryHost,
) => string | ScriptedResult | undefined | Promise<string | ScriptedResult | undefined>

/** Return the answer of a scripted peer to a piece of data; null stands for a new connection. */
export type ScriptedSocket = (sent: string | null) => string | undefined

/** A file as its text, or with its facts. */
export type MemoryFile = string | { text?: string; mode?: number; uid?: number; gid?: number; link?: string }

export interface MemoryMachine {
  /** By path; parent directories are created. A path that ends with `/` is a directory. */
  files?: Readonly<Record<string, MemoryFile>>
  users?: readonly User[]
  groups?: readonly UserGroup[]
  env?: Readonly<Record<string, string>>
  hostname?: string
  /** Seconds since the epoch. Default: a fixed time. */
  now?: () => number
  /** Tried in turn until one answers. */
  commands?: readonly ScriptedCommand[]
  /** By path or `host:port`. */
  sockets?: Readonly<Record<string, ScriptedSocket>>
}

const ROOT: User = { name: 'root', uid: 0, gid: 0, gecos: 'root', home: '/root', shell: '/bin/bash' }

export class MemoryHost extends MemoryFiles implements Host {
  readonly readOnly: boolean = false
  /** All commands that were run, oldest first. */
  readonly history: Command[] = []
  private readonly machine: MemoryMachine
  private readonly variables: Map<string, string>
  private pids = 100

  constructor(machine: MemoryMachine = {}) {
    super()
    this.machine = machine
    this.variables = new Map(Object.entries({ PATH: '/usr/bin:/bin', ...machine.env }))
  }

  /** A machine with its files in place. */
  static async with(machine: MemoryMachine): Promise<MemoryHost> {
    const host = new MemoryHost(machine)
    for (const [path, file] of Object.entries(machine.files ?? {})) await host.put(path, file)
    return host
  }

  private async put(path: string, file: MemoryFile): Promise<void> {
    const { text = '', mode, uid, gid, link } = typeof file === 'string' ? { text: file } : file
    const isDirectory = path.endsWith('/')
    const above = isDirectory ? path : path.slice(0, path.lastIndexOf('/'))
    await this.makeDirectory(above, { parents: true })
    if (link !== undefined) await this.symlink(link, path)
    else if (!isDirectory) await this.write(path, text)
    if (link === undefined && mode !== undefined) await this.chmod(path, mode)
    if (uid !== undefined || gid !== undefined) await this.lchown(path, uid ?? -1, gid ?? -1)
  }

  async run(command: Command): Promise<CommandResult> {
    this.history.push(command)
    for (const script of this.machine.commands ?? []) {
      const answer = await script(command, this)
      if (answer === undefined) continue
      const {
        retcode = 0,
        stdout = '',
        stderr = '',
        timedOut = false,
      } = typeof answer === 'string' ? { stdout: answer } : answer
      const encoder = new TextEncoder()
      const output = encoder.encode(command.mergeStderr ? stdout + stderr : stdout)
      command.hear?.(output)
      return {
        pid: this.pids++,
        retcode,
        stdout: command.hear ? new Uint8Array() : output,
        stderr: encoder.encode(command.mergeStderr ? '' : stderr),
        timedOut,
        truncated: false,
      }
    }
    throw new HostError('CommandUnknown', `The simulated machine knows no command '${command.argv.join(' ')}'`)
  }

  async start(command: Command): Promise<number> {
    return (await this.run(command)).pid
  }

  async connect(address: SocketAddress): Promise<Connection> {
    const place = 'path' in address ? address.path : `${address.host}:${address.port}`
    const script = this.machine.sockets?.[place]
    if (!script) throw systemError('path' in address ? 'ENOENT' : 'ECONNREFUSED', place)
    const pieces: string[] = []
    const take = (answer: string | undefined): void => {
      if (answer !== undefined) pieces.push(answer)
    }
    take(script(null))
    return {
      write: async (data) => take(script(typeof data === 'string' ? data : new TextDecoder().decode(data))),
      read: async () => {
        const piece = pieces.shift()
        return piece === undefined ? undefined : new TextEncoder().encode(piece)
      },
      secure: async () => {},
      close: () => {},
    }
  }

  which(program: string): Promise<string | undefined> {
    return findProgram(this, program)
  }

  async user(nameOrId: string | number): Promise<User | undefined> {
    return (await this.users()).find(({ name, uid }) => name === nameOrId || uid === nameOrId)
  }

  async group(nameOrId: string | number): Promise<UserGroup | undefined> {
    return (await this.groups()).find(({ name, gid }) => name === nameOrId || gid === nameOrId)
  }

  async users(): Promise<User[]> {
    return [...(this.machine.users ?? [ROOT])]
  }

  async groups(): Promise<UserGroup[]> {
    return [...(this.machine.groups ?? [{ name: 'root', gid: 0, members: [] }])]
  }

  async identity(): Promise<{ uid: number; gid: number }> {
    return { uid: 0, gid: 0 }
  }

  async hostname(): Promise<string> {
    return this.machine.hostname ?? 'memory'
  }

  now(): number {
    return this.machine.now?.() ?? 1_600_000_000
  }

  async env(): Promise<ReadonlyMap<string, string>> {
    return new Map(this.variables)
  }

  async setEnv(name: string, value: string | null): Promise<void> {
    if (value === null) this.variables.delete(name)
    else this.variables.set(name, value)
  }

  async umask(): Promise<number> {
    return this.mask
  }
}
