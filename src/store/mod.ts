// Stores of daemons: minions' keys, data about minions, jobs and their returns.
export { ApiSessions, type KeptAnswer } from './api-sessions.ts'
export { type CacheEntry, CacheQueueStore } from './cache-queues.ts'
export { type Bank, type DataCache, fileCache } from './data-cache.ts'
export { ForeignDatabase } from './foreign-database.ts'
export { JobFiles, type JobFilesOptions } from './job-files.ts'
export {
  type JobFact,
  type JobFilter,
  JobLedger,
  type JobOwner,
  type JobState,
  type LedgerOutcome,
} from './job-ledger.ts'
export type { JobRange, JobRecord, JobReturn, JobStore, MinionProgress } from './jobs.ts'
export {
  copyKept,
  type DatabaseFacts,
  databaseFacts,
  downgradeKept,
  type KeptDatabase,
  keptDatabases,
  schemaHeads,
} from './kept-databases.ts'
export { localBanks } from './local-banks.ts'
export {
  type OrchestrationRun,
  type OrchestrationStep,
  OrchestrationStore,
  type PlannedStep,
  type RunState,
  type StepCounts,
} from './orchestrations.ts'
export type { PackedLoads } from './packed-loads.ts'
export { type KeyFolder, PkiKeys } from './pki-keys.ts'
export { QueueError, QueueStore } from './queues.ts'
export { quorumMark, requireQuorumBeside } from './quorum-mark.ts'
export { type KeptReaction, ReactionStore } from './reactions.ts'
export { type Fit, fitOf, versionNumber } from './schema.ts'
export { type AnswerRecords, isAnswerKey, KeptAnswers } from './shared-answers.ts'
export { type CacheChange, isOwnBank, type SharedBanks, SharedCache } from './shared-cache.ts'
export {
  type ApiSession,
  isSessionKey,
  SESSION_BANK,
  SESSION_IDLE,
  type SharedRecords,
  SharedSessions,
} from './shared-sessions.ts'
export { SqliteJobs } from './sqlite-jobs.ts'
export { type StorageMoment, type StorageUse, StorageWatch } from './storage-watch.ts'
