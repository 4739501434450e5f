// Pillar for minions: compiled with the master's options and the minion's grains. What the master learns of a minion on
// the way is kept, because targets ask for it.
import { minionPillar } from '../client/mod.ts'
import { type Dict, isDict, str, textOf, truthy } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { MasterParts } from './parts.ts'

export class PillarService {
  private readonly parts: MasterParts
  private readonly host: Host

  constructor(parts: MasterParts, host: Host) {
    this.parts = parts
    this.host = host
  }

  /** The answer to `_pillar`; the minion's grains are remembered. */
  async answer(load: Dict): Promise<Dict> {
    const id = str(load.get('id')!)
    const given = load.get('grains')
    const grains: Dict = given !== undefined && isDict(given) ? given : new Map()
    grains.set('id', id)
    const pillar = await minionPillar(this.parts, this.host, {
      id,
      grains,
      saltenv: load.get('saltenv') ?? null,
      pillarenv: load.get('pillarenv') ?? null,
      override: load.get('pillar_override') ?? null,
      overrideEncoding: textOf(load.get('pillar_override_encoding') ?? null) ?? null,
      ext: load.get('ext') ?? null,
    })
    this.remember(id, grains, pillar)
    return pillar
  }

  private remember(id: string, grains: Dict, pillar: Dict): void {
    const { opts, cache, bus } = this.parts
    if (!truthy(opts.get('minion_data_cache') ?? true)) return
    cache.bank('grains').store(id, grains)
    cache.bank('pillar').store(id, pillar)
    if (!truthy(opts.get('minion_data_cache_events') ?? true)) return
    bus.fire(`minion/refresh/${id}`, new Map([['Minion data cache refresh', id]]))
  }
}
