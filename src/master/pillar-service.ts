// Pillar for minions: compiled with the master's options and the minion's grains. The master stores the grains and the
// pillar, because targets use them.
import { StorageError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, isNumeric, str, textOf, truthy, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { MinionPillarRequest } from '../pillar/mod.ts'
import { packOrigins, tellSecrets } from '../sdk/mod.ts'
import type { MasterParts } from './parts.ts'
import type { PillarPool } from './pillar-pool.ts'
import { type Quotas, sizeOf } from './quotas.ts'

type PillarParts = Pick<MasterParts, 'opts' | 'log' | 'keys' | 'cache' | 'bus'>

export class PillarService {
  private readonly parts: PillarParts
  private readonly host: Host
  private readonly quotas: Quotas
  private readonly pool: PillarPool | undefined

  /** Without a pool all is made here. */
  constructor(parts: PillarParts, host: Host, quotas: Quotas, pool?: PillarPool) {
    this.parts = parts
    this.host = host
    this.quotas = quotas
    this.pool = pool
  }

  /** The answer to `_pillar`; the minion's grains are remembered. */
  async answer(load: Dict): Promise<Dict> {
    const request = requestOf(load)
    // loaded at the first use: with a pool, other processes compile
    const make = async (): Promise<Dict> =>
      (await import('../pillar/mod.ts')).minionPillar(this.parts, this.host, request)
    const pillar = await this.cached(request, () => this.pool?.make(request, make, isLarge(request)) ?? make())
    this.remember(request, pillar)
    return tellSecrets(load, pillar)
  }

  /** Return the sources of a minion's pillar that say something about a path of keys; none for a large request. */
  async origins(load: Dict): Promise<Dict> {
    const path = load.get('path') ?? null
    const request = { ...requestOf(load), path: isList(path) ? path.map(str) : [] }
    if (isLarge(request)) return packOrigins([])
    const { minionPillarOrigins } = await import('../pillar/mod.ts')
    return packOrigins(await minionPillarOrigins(this.parts, this.host, request))
  }

  /**
   * With `pillar_cache`, compile a pillar again only when the cached one is old; additions of a single call are not
   * cached.
   */
  private async cached(request: MinionPillarRequest, make: () => Promise<Dict>): Promise<Dict> {
    const { opts, cache } = this.parts
    const { id, override = null, ext = null, pillarenv = null, saltenv = null } = request
    if (!option(opts, 'pillar_cache') || truthy(override) || truthy(ext)) return make()
    const bank = cache.bank('pillar_cache')
    const lifetime = option(opts, 'pillar_cache_ttl')
    const isFresh = Date.now() / 1000 - (bank.updated(id) ?? 0) < lifetime
    const kept = isFresh ? bank.fetch(id) : undefined
    const environments: Dict = kept !== undefined && isDict(kept) ? kept : new Map()
    const env = str(truthy(pillarenv) ? pillarenv : saltenv)
    const known = environments.get(env)
    if (known !== undefined && isDict(known)) return known
    const pillar = await make()
    this.keep('pillar_cache', id, new Map([...environments, [env, pillar]]))
    return pillar
  }

  /** Store a value if the disk accepts it; a minion gets its pillar in any case, and the log reports the disk. */
  private keep(bank: string, id: string, value: Value): void {
    try {
      this.parts.cache.bank(bank).store(id, value)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      this.parts.log('debug', `Did not keep the ${bank} of ${id}: ${error.message}`)
    }
  }

  /**
   * Store grains and pillar for targets. Pillar that a minion adds for one call is not stored, because targets and
   * nodegroups must not depend on it.
   */
  private remember({ id, grains, override = null, ext = null }: MinionPillarRequest, pillar: Dict): void {
    const { opts, bus } = this.parts
    if (!option(opts, 'minion_data_cache') || !this.quotas.allowsGrains(id, grains)) return
    this.keep('grains', id, grains)
    if (!truthy(override) && !truthy(ext)) this.keep('pillar', id, pillar)
    if (!option(opts, 'minion_data_cache_events')) return
    bus.fire(`minion/refresh/${id}`, new Map([['Minion data cache refresh', id]]))
  }
}

/** Size of a minion's request, in bytes, from which its pillar is compiled in a separate process. */
const LARGE = 1 << 20

const isLarge = ({ grains, override = null, ext = null, extraMinionData = null }: MinionPillarRequest): boolean =>
  sizeOf(grains) + sizeOf(override) + sizeOf(ext) + sizeOf(extraMinionData) > LARGE

/** The longest name of an environment. */
const LONGEST_ENVIRONMENT = 256

/** Return the name of the environment in a minion's request; null if the value is not a valid name. */
function environment(value: Value): Value {
  const text = isNumeric(value) ? str(value) : textOf(value)
  return text !== undefined && text.length <= LONGEST_ENVIRONMENT ? text : null
}

function requestOf(load: Dict): MinionPillarRequest {
  const id = str(load.get('id')!)
  const given = load.get('grains')
  const grains: Dict = given !== undefined && isDict(given) ? given : new Map()
  grains.set('id', id)
  return {
    id,
    grains,
    saltenv: environment(load.get('saltenv') ?? null),
    pillarenv: environment(load.get('pillarenv') ?? null),
    override: load.get('pillar_override') ?? null,
    ext: load.get('ext') ?? null,
    extraMinionData: load.get('extra_minion_data') ?? null,
  }
}
