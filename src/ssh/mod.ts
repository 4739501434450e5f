// Targets without minions: rosters, sessions over ssh, and jobs on them.
export type { SshAnswer } from './answer.ts'
export { installKey } from './install-key.ts'
export { runSshJob, type SshJob, type SshJobRequest } from './job.ts'
export type { SshParts, SshProgress } from './parts.ts'
export * from './roster/mod.ts'
