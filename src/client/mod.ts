// Jobs of programs on the master's machine: published, and their returns collected.
export { batchSize } from './batch-size.ts'
export { type CollectOptions, collectReturns, type EventSource, NOBODY_MATCHED, recovered } from './collect.ts'
export { ClientError } from './errors.ts'
export { type HintLine, JobHints } from './hints.ts'
export { ClientJobs, type JobAccess, requestOf } from './job-access.ts'
export { isOfOurClient, LocalClient, type PublishRequest } from './local-client.ts'
export { localKey } from './local-key.ts'
export { returnCode } from './return-code.ts'
