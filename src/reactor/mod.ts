// The reactor: rules that answer events with jobs and functions of the master.
export type { Caused } from './causes.ts'
export { checkRules } from './check.ts'
export type { ReactorContext, ReactorMaster } from './context.ts'
export { hasRules } from './has-rules.ts'
export { Reactor, type ReactorParts } from './reactor.ts'
export type { SharedReactions, SharedRecord } from './record.ts'
