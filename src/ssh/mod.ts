// Targets without minions: rosters, sessions over ssh, and jobs on them.
export type { SshAnswer } from './answer.ts'
export { installKey } from './install-key.ts'
export { runSshJob, type SshJob, type SshJobRequest, type SshParts, type SshProgress } from './job.ts'
export * from './roster/mod.ts'
