// What masters and minions have in common: engines that run beside them, and returners.
export { applyReactorSettings, configuredEngines } from './engine-config.ts'
export type { EngineSurroundings } from './engine-context.ts'
export { type EngineParts, type EngineState, Engines } from './engines.ts'
export type { UserEngines } from './find-engine.ts'
export {
  handReturn,
  handScheduled,
  handTo,
  jobCacheOf,
  type ReturnerOutcome,
  returnerNames,
  returnerOf,
} from './returners.ts'
