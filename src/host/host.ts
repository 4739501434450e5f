// All access to the machine goes through this interface: commands, files, accounts, clock. Modules and states use
// nothing else, so they run on this machine, over SSH and on a simulated one. Errors are HostError.
import type { ChildProcess } from 'node:child_process'
import type { User, UserGroup } from './accounts.ts'

export type FileType = 'file' | 'directory' | 'link' | 'fifo' | 'socket' | 'char' | 'block'

export interface FileStat {
  readonly type: FileType
  /** Permission bits with setuid, setgid and sticky: `0o7777` at most. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly size: number
  /** Times in seconds since the epoch, with fractions. */
  readonly atime: number
  readonly mtime: number
  readonly ctime: number
  readonly inode: number
  readonly device: number
  readonly links: number
  /** For character and block devices. */
  readonly major: number
  readonly minor: number
}

export interface FileSystemStat {
  readonly blockSize: number
  readonly blocks: number
  readonly free: number
  readonly available: number
  readonly files: number
  readonly freeFiles: number
}

export interface WriteOptions {
  /** Mode of a new file; an existing one keeps its mode and owner unless they are given. */
  mode?: number
  uid?: number
  gid?: number
  /** Fail if the path exists. */
  exclusive?: boolean
}

export interface TempOptions {
  directory?: string
  prefix?: string
  suffix?: string
  /** The content; such a file may stay in memory until a command runs. */
  content?: string | Uint8Array
}

export type AccessMode = 'exists' | 'read' | 'write' | 'execute'

/** A part of a file. */
export interface FileRange {
  offset: number
  length: number
  /** Memory that may be used for it, instead of new one. */
  into?: Uint8Array
}

export interface HostFiles {
  read(path: string, range?: FileRange): Promise<Uint8Array>
  /** The content piece by piece, for files of any size. */
  stream(path: string): AsyncIterable<Uint8Array>
  /** Puts the whole content in place at once: under a temporary name, then renamed. Follows links. */
  write(path: string, data: string | Uint8Array, options?: WriteOptions): Promise<void>
  writeStream(path: string, pieces: AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<void>
  append(path: string, data: string | Uint8Array): Promise<void>
  /** Overwrites from an offset, in place. */
  writeAt(path: string, offset: number, data: Uint8Array): Promise<void>
  truncate(path: string, length: number): Promise<void>
  copy(source: string, target: string): Promise<void>
  /** Undefined if the path does not exist. */
  stat(path: string): Promise<FileStat | undefined>
  /** Metadata of the link itself. */
  lstat(path: string): Promise<FileStat | undefined>
  fileSystem(path: string): Promise<FileSystemStat>
  access(path: string, wish: AccessMode): Promise<boolean>
  /** The names in a directory, unsorted. */
  list(path: string): Promise<string[]>
  realPath(path: string): Promise<string>
  /** Create one directory. With `parents`, also create missing parents; an existing directory is then no error. */
  makeDirectory(path: string, options?: { mode?: number; parents?: boolean }): Promise<void>
  chmod(path: string, mode: number): Promise<void>
  chown(path: string, uid: number, gid: number): Promise<void>
  /** Change the owner of the link itself. */
  lchown(path: string, uid: number, gid: number): Promise<void>
  link(target: string, path: string): Promise<void>
  symlink(target: string, path: string): Promise<void>
  readLink(path: string): Promise<string>
  rename(source: string, target: string): Promise<void>
  /** A file or link; never a directory. */
  remove(path: string): Promise<void>
  /** An empty directory, or with `recursive` all below it. */
  removeDirectory(path: string, options?: { recursive?: boolean }): Promise<void>
  setTimes(path: string, atime: number, mtime: number): Promise<void>
  /** Return the hash in hexadecimal. */
  hash(path: string, algorithm: string): Promise<string>
  /** A new empty file that only its owner can read. */
  tempFile(options?: TempOptions): Promise<string>
  tempDirectory(options?: TempOptions): Promise<string>
}

export interface Command {
  /** The program and its arguments; for a shell `[shell, '-c', line]`. */
  argv: readonly string[]
  cwd?: string
  /** Added to the environment, or all of it with `cleanEnv`. */
  env?: ReadonlyMap<string, string>
  cleanEnv?: boolean
  /** The user of the process, with the user's groups. */
  user?: string
  group?: string
  umask?: number
  stdin?: string | Uint8Array
  /** Time limit in seconds; afterwards the whole process group is killed. */
  timeout?: number
  /** Ends the whole process group when it is aborted. */
  signal?: AbortSignal
  /** Stderr goes where stdout goes, in order. */
  mergeStderr?: boolean
  /** Whether the command changes nothing and ends soon. Only for commands of the library, never for those of users. */
  onlyReads?: boolean
  /** Its outputs can be opened again by name, as `> /dev/stdout` does; for commands that users wrote. */
  systemPipes?: boolean
  /** Limit for each output stream, in bytes; the rest is dropped. */
  maxOutput?: number
  /** Called with the process id after the start. */
  started?(pid: number): void
  /** Receives stdout piece by piece; then none of it is kept. */
  hear?(piece: Uint8Array): void
}

export interface CommandResult {
  readonly pid: number
  /** The exit status; as in Python, minus the signal number if a signal ended the process. */
  readonly retcode: number
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly timedOut: boolean
  /** Whether output was dropped because of `maxOutput`. */
  readonly truncated: boolean
}

export interface HostCommands {
  run(command: Command): Promise<CommandResult>
  /** Starts a command that outlives the call, and gives its process id. Its output is dropped. */
  start(command: Command): Promise<number>
  /** The path of a program, looked up as Salt does. */
  which(program: string): Promise<string | undefined>
}

export interface HostAccounts {
  user(nameOrId: string | number): Promise<User | undefined>
  group(nameOrId: string | number): Promise<UserGroup | undefined>
  users(): Promise<User[]>
  groups(): Promise<UserGroup[]>
  /** Return the user and group of operations on this host. */
  identity(): Promise<{ uid: number; gid: number }>
}

/** A socket of the machine, or a port that can be reached from it. */
export type SocketAddress = { path: string } | { host: string; port: number; tls?: TlsTrust }

/** Whether the peer's certificate must be valid, or encryption is enough. */
export type TlsTrust = 'verified' | 'unverified'

export interface HostSocketOptions {
  /** Time limit in seconds, for connecting and for each read. */
  timeout?: number
}

export interface Connection {
  write(data: string | Uint8Array): Promise<void>
  /** The next piece, as it comes; undefined at the end. */
  read(): Promise<Uint8Array | undefined>
  /** Continue with TLS, as after STARTTLS. */
  secure(serverName: string, trust: TlsTrust): Promise<void>
  close(): void
}

export interface HostSockets {
  connect(address: SocketAddress, options?: HostSocketOptions): Promise<Connection>
}

/** Programs on a machine other than that of this process. */
export interface RemotePrograms {
  /** Start a program with its standard streams. */
  spawn(argv: readonly string[]): Promise<ChildProcess>
}

/** Something that is read of a machine, as plain data. */
export type ExpectedRead =
  | { op: 'stat' | 'lstat' | 'read' | 'list' | 'realPath' | 'readLink'; path: string }
  | { op: 'hash'; path: string; algorithm: string }
  | { op: 'access'; path: string; wish: AccessMode }
  | { op: 'user' | 'group'; key: string | number }
  /** A shell line that only reads files. It runs like the last such line: as the same user, in the same environment. */
  | { op: 'line'; line: string }

export interface Host extends HostFiles, HostCommands, HostAccounts, HostSockets {
  /** Aborted when the work that this host was given to is ended from outside. */
  readonly ending?: AbortSignal
  /**
   * Set if this process runs on another machine: starts programs on the machine itself. Always the same object for one
   * connection, also in views of the host.
   */
  readonly remote?: RemotePrograms
  /** A private folder on the machine that goes when this host is closed or lost; always the same one. */
  sessionFolder?(): Promise<string>
  /**
   * Receive a forecast of the next reads and of later ones on a remote machine, so that they are fetched together. A
   * wrong forecast only costs time.
   */
  expect?(soon: readonly ExpectedRead[], later: readonly ExpectedRead[]): void
  /**
   * Receive the places (lists of paths) that parallel tasks read and change from now on, one place per task. Everything
   * below a path belongs to its place, and no two paths are names of the same file. An empty list ends this.
   */
  apart?(places: ReadonlyArray<readonly string[]>): void
  /** Drop cached reads: the machine may have changed while code waited. Absent on hosts without cached reads. */
  forgetReads?(): void
  /** True when changes are refused. */
  readonly readOnly: boolean
  hostname(): Promise<string>
  /** Seconds since the epoch, with fractions. */
  now(): number
  env(): Promise<ReadonlyMap<string, string>>
  /** Sets a variable for later commands, or with null removes it. */
  setEnv(name: string, value: string | null): Promise<void>
  umask(): Promise<number>
  /** Write the content that is still in memory to disk, where other processes see it. */
  settle(): Promise<void>
}
