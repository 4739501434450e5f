// What masters and minions have in common: engines beside them.
export { applyReactorSettings, configuredEngines } from './engine-config.ts'
export type { EngineSurroundings } from './engine-context.ts'
export { type EngineParts, type EngineState, Engines } from './engines.ts'
export type { UserEngines } from './find-engine.ts'
