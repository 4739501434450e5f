// `reload_grains` and `reload_pillar`: a state after which the rest of the run sees the minion anew. Code that a state
// has put in place is found by itself, since modules are looked up when they are called.
import { type Dict, truthy } from '../../data/mod.ts'
import type { LowChunk } from '../compile/types.ts'
import type { RunSurroundings } from './surroundings.ts'

export class Refresher {
  private readonly run: RunSurroundings

  constructor(run: RunSurroundings) {
    this.run = run
  }

  async after(low: LowChunk): Promise<void> {
    const { refreshGrains, refreshPillar, grains, pillar } = this.run
    if (refreshGrains && truthy(low.get('reload_grains') ?? false)) replace(grains, await refreshGrains())
    if (refreshPillar && truthy(low.get('reload_pillar') ?? false)) replace(pillar, await refreshPillar())
  }
}

function replace(dict: Dict, other: Dict): void {
  dict.clear()
  for (const [key, value] of other) dict.set(key, value)
}
