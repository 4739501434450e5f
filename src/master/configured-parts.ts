// Parts of a master that only some configurations need. They are loaded where they are configured, when the master starts; elsewhere
// an idle master holds less memory.
import { isClustered } from '../cluster/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, type Value } from '../data/mod.ts'
import { gitEntries } from '../pillar/mod.ts'
import { hasRules } from '../reactor/mod.ts'

/** What opens the configured parts; undefined for a part that is not configured. */
export interface ConfiguredParts {
  cluster: Pick<typeof import('./clustering.ts'), 'openCluster' | 'beginCluster'> | undefined
  openReactor: typeof import('./reacting.ts').openReactor | undefined
  openSchedule: typeof import('./scheduling.ts').openMasterSchedule | undefined
  PillarUpdates: typeof import('./pillar-updates.ts').PillarUpdates | undefined
}

function hasSchedule(opts: Dict): boolean {
  const jobs: Value = option(opts, 'schedule')
  return isDict(jobs) && jobs.size > 0
}

export async function loadConfiguredParts(opts: Dict): Promise<ConfiguredParts> {
  return {
    cluster: isClustered(opts) ? await import('./clustering.ts') : undefined,
    openReactor: hasRules(opts) ? (await import('./reacting.ts')).openReactor : undefined,
    openSchedule: hasSchedule(opts) ? (await import('./scheduling.ts')).openMasterSchedule : undefined,
    PillarUpdates: gitEntries(opts).length > 0 ? (await import('./pillar-updates.ts')).PillarUpdates : undefined,
  }
}
