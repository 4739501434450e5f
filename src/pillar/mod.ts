// Pillar: data for one minion, compiled from top files, SLS files and external sources.
export { type CompiledPillar, compilePillar, type PillarInput } from './compile.ts'
export { updateGitPillars, type WantedRemotes } from './ext/git-remote.ts'
export { builtinExtPillars } from './ext/mod.ts'
export type { ExtPillar, ExtPillarContext, ExtPillars } from './ext-pillar.ts'
export { LocalPillar, type LocalPillarInput } from './local-pillar.ts'
export {
  compiledMinionPillar,
  type MinionPillarRequest,
  minionPillar,
  minionPillarOrigins,
  minionPillarTop,
} from './minion-pillar.ts'
export { passedToExtPillars } from './passed-data.ts'
