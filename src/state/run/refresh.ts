// States after which the rest of a run sees new data of the minion: grains or pillar if a state requests that, and the
// available modules after changes of packages, or of files that may be programs or modules.
import { lookup } from '../../base/mod.ts'
import { type Dict, str, truthy } from '../../data/mod.ts'
import { renewPillarForTemplates } from '../../render/mod.ts'
import type { LowChunk } from '../compile/types.ts'
import type { RunSurroundings, StateRet } from './surroundings.ts'

const CODE = ['.py', '.pyx', '.pyo', '.pyc', '.so']

/** State function, or all of a module → whether a change by it can bring or take programs. */
const BRINGING: Record<string, (name: string) => boolean> = lookup({
  'file.managed': (name) => CODE.some((ending) => name.endsWith(ending)),
  'file.recurse': () => true,
  'file.symlink': (name) => name.includes('bin'),
  pkg: () => true,
  ports: () => true,
  pip: () => true,
})

const KEYWORDS = ['reload_grains', 'reload_pillar', 'force_reload_modules']

export class Refresher {
  private readonly run: RunSurroundings

  constructor(run: RunSurroundings) {
    this.run = run
  }

  /** Undefined if nothing is to be done, as after most states. */
  after(low: LowChunk, ret: StateRet): Promise<void> | undefined {
    const changed = truthy(ret.get('changes') ?? null)
    if (changed) this.run.functions.ctx.files.noteChange?.()
    const isMeant = changed || KEYWORDS.some((keyword) => low.has(keyword))
    return isMeant ? this.refresh(low, ret) : undefined
  }

  private async refresh(low: LowChunk, ret: StateRet): Promise<void> {
    const { refreshGrains, refreshPillar, grains, pillar } = this.run
    const asks = (keyword: string): boolean => truthy(low.get(keyword) ?? false)
    if (refreshGrains && asks('reload_grains')) replace(grains, await refreshGrains())
    if (refreshPillar && asks('reload_pillar')) {
      replace(pillar, await refreshPillar())
      renewPillarForTemplates(pillar)
    }
    const isAsked = ['reload_modules', 'reload_grains', 'reload_pillar'].some(asks)
    const changed = truthy(ret.get('changes') ?? null)
    if (changed ? isAsked || bringsPrograms(low) : asks('force_reload_modules')) {
      this.run.functions.reload()
      await this.run.functions.refresh()
      this.run.states.use(this.run.functions.stateTable)
    }
  }
}

function bringsPrograms(low: LowChunk): boolean {
  const state = str(low.get('state') ?? '')
  const brings = BRINGING[state] ?? BRINGING[`${state}.${str(low.get('fun') ?? '')}`]
  return brings?.(str(low.get('name') ?? '')) ?? false
}

function replace(dict: Dict, other: Dict): void {
  dict.clear()
  for (const [key, value] of other) dict.set(key, value)
}
