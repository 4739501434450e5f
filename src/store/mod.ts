// What daemons keep: minions' keys, data about minions, jobs and their returns.
export { type Bank, type DataCache, fileCache } from './data-cache.ts'
export { ForeignDatabase } from './foreign-database.ts'
export type { JobRecord, JobReturn, JobStore, MinionProgress } from './jobs.ts'
export { type OrchestrationRun, type OrchestrationStep, OrchestrationStore, type RunState } from './orchestrations.ts'
export { type KeyFolder, PkiKeys } from './pki-keys.ts'
export { QueueError, QueueStore } from './queues.ts'
export { type KeptReaction, ReactionStore } from './reactions.ts'
export { SqliteJobs } from './sqlite-jobs.ts'
