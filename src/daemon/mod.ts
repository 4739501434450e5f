// Code that masters and minions share: engines and returners.
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
