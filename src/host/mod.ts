// The machine: the interface, this machine, one over SSH, a simulated one, and a view that cannot change anything.

export { groupIdsOf, parseGroup, parsePasswd, type User, type UserGroup } from './accounts.ts'
export { endingHost } from './ending-host.ts'
export {
  fromNodeError,
  HostError,
  type HostErrorCode,
  isHostError,
  type SystemErrorCode,
  systemError,
  unlessRefused,
} from './errors.ts'
export type {
  AccessMode,
  Command,
  CommandResult,
  Connection,
  ExpectedRead,
  FileStat,
  FileSystemStat,
  FileType,
  Host,
  HostAccounts,
  HostCommands,
  HostFiles,
  HostSocketOptions,
  HostSockets,
  RemotePrograms,
  SocketAddress,
  TempOptions,
  TlsTrust,
  WriteOptions,
} from './host.ts'
export { interruptCommands } from './local/local-commands.ts'
export { LocalHost } from './local/local-host.ts'
export { loggedHost } from './logged-host.ts'
export {
  type MemoryFile,
  MemoryHost,
  type MemoryMachine,
  type ScriptedCommand,
  type ScriptedResult,
  type ScriptedSocket,
} from './memory/memory-host.ts'
export { readOnlyHost } from './read-only.ts'
export { splitHost } from './split-host.ts'
export {
  AGENT_FORWARDING,
  isSshError,
  keptReads,
  type RawOptions,
  type RawResult,
  type ReadCommand,
  rawCommand,
  SshError,
  type SshErrorCode,
  SshHost,
  type SshOptions,
  type SshRead,
  type SshTarget,
  sshRuntimeFolder,
} from './ssh/mod.ts'
export { isWithin } from './within.ts'
