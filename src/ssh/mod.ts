// Targets without minions: rosters, sessions over ssh, and jobs on them.
export type { SshAnswer } from './answer.ts'
export { callerOptions } from './caller-options.ts'
export { sshForMaster, targetsForMaster } from './for-master.ts'
export { installKey } from './install-key.ts'
export { runSshJob, type SshJob } from './job.ts'
export type { SshJobRequest, SshParts, SshProgress } from './parts.ts'
export * from './roster/mod.ts'
