// Machines that are reached over SSH.

export type { SshOptions } from './connection.ts'
export { isSshError, SshError, type SshErrorCode } from './errors.ts'
export { type RawOptions, type RawResult, rawCommand } from './raw-command.ts'
export { keptReads, type SshRead } from './read-cache.ts'
export type { ReadCommand } from './reading-commands.ts'
export { sshRuntimeFolder } from './runtime-folder.ts'
export { SshHost } from './ssh-host.ts'
export { AGENT_FORWARDING, type SshTarget } from './target.ts'
