// Pillar for minions: compiled with the master's options and the minion's grains. What the master learns of a minion on
// the way is kept, because targets ask for it.
import { type Dict, isDict, str, textOf, truthy, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import type { MasterParts } from './parts.ts'
import { resolveTarget } from './targets.ts'

/** Of the master's options those that functions of a pillar template may see differ in these. */
function optionsFor(opts: Dict, id: string, grains: Dict, saltenv: Value, pillarenv: Value): Dict {
  const own = new Map(opts)
  own.set('id', id).set('grains', grains).set('saltenv', saltenv).set('pillarenv', pillarenv)
  return own.set('file_client', 'local').set('__role', 'minion')
}

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
    const pillar = await this.compile(id, grains, load)
    this.remember(id, grains, pillar)
    return pillar
  }

  private async compile(id: string, grains: Dict, load: Dict): Promise<Dict> {
    const { opts, log } = this.parts
    const [saltenv, pillarenv] = [load.get('saltenv') ?? null, load.get('pillarenv') ?? null]
    const own = optionsFor(opts, id, grains, saltenv, pillarenv)
    const { LocalPillar } = await import('../pillar/mod.ts')
    const registry: Registry = new Registry(moduleTable, {
      opts: own,
      grains,
      pillar: new Map(),
      host: this.host,
      log,
      render: async ({ text, ...request }) => {
        const { renderText } = await import('../render/mod.ts')
        const surroundings = { ...request, opts: own, grains, pillar: new Map(), functions: registry, log }
        return (await renderText(text, surroundings)).value
      },
    })
    const override = load.get('pillar_override') ?? null
    const compiled = await new LocalPillar({
      opts: own,
      grains,
      host: this.host,
      registry,
      log,
      isMember: (target) => resolveTarget(this.parts, target, 'compound').minions.includes(id),
    }).compile(
      {
        pillarenv: truthy(pillarenv) ? str(pillarenv) : null,
        override: isDict(override) ? override : null,
        overrideEncoding: textOf(load.get('pillar_override_encoding') ?? null) ?? null,
        ext: load.get('ext') ?? null,
      },
      saltenv,
    )
    return compiled.pillar
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
