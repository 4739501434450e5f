// Pillar: data for one minion, compiled from top files, SLS files and external sources.
export { type CompiledPillar, compilePillar, type PillarInput } from './compile.ts'
export { decryptOverride } from './decrypt.ts'
export {
  allPillarRemotes,
  clearPillarLocks,
  refreshGitPillars,
  updateGitPillars,
  verifyGitPillars,
  type WantedRemotes,
} from './ext/git-remotes.ts'
export { builtinExtPillars } from './ext/mod.ts'
export type { ExtPillars } from './ext-pillar.ts'
export { gitEntries } from './git-entries.ts'
export { LocalPillar, type LocalPillarInput } from './local-pillar.ts'
export {
  compiledMinionPillar,
  keptPillar,
  type MinionPillarRequest,
  minionPillar,
  minionPillarOrigins,
  minionPillarTop,
} from './minion-pillar.ts'
export { passedToExtPillars } from './passed-data.ts'
