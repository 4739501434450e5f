// The pillar of a minion as its master compiles it: with the master's options and the minion's grains.
import { option } from '../config/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { type MinionKnowledge, resolveCertain } from '../match/mod.ts'
import { moduleFiles } from '../python/mod.ts'
import type { PillarOrigin } from '../sdk/mod.ts'
import type { CompiledPillar } from './compile.ts'
import { LocalPillar } from './local-pillar.ts'

export interface MinionPillarRequest {
  id: string
  grains: Dict
  saltenv?: Value
  pillarenv?: Value
  override?: Value
  ext?: Value
  /** The extra data that the minion sends for external sources. */
  extraMinionData?: Value
  /** Whether to leave out Vault: the minion's policies there depend on this pillar. */
  isWithoutVault?: boolean
}

/** The option, named as in Salt, that is set in a compilation without Vault. */
const WITHOUT_VAULT = '_vault_runner_is_compiling_pillar_templates'

/**
 * Return the options for pillar templates: the master's, except for some of the minion's. Environments of the master apply
 * where the request has none.
 */
function optionsFor(opts: Dict, request: MinionPillarRequest): Dict {
  const { id, grains, saltenv = null, pillarenv = null, isWithoutVault = false } = request
  const own = new Map(opts)
  if (isWithoutVault) own.set(WITHOUT_VAULT, true)
  own.set('saltenv', saltenv ?? option(opts, 'saltenv')).set('pillarenv', pillarenv ?? option(opts, 'pillarenv'))
  return own.set('id', id).set('grains', grains).set('file_client', 'local')
}

export async function minionPillar(known: MinionKnowledge, host: Host, request: MinionPillarRequest): Promise<Dict> {
  return (await compiledMinionPillar(known, host, request)).pillar
}

/** Return the sources that set a path of keys in a minion's pillar, in merge order. */
export async function minionPillarOrigins(
  known: MinionKnowledge,
  host: Host,
  { path, ...request }: MinionPillarRequest & { path: readonly string[] },
): Promise<PillarOrigin[]> {
  return (await compiledMinionPillar(known, host, request)).origins(path)
}

/** Compile the pillar of a minion, with the sources of its values. */
export async function compiledMinionPillar(
  known: MinionKnowledge,
  host: Host,
  request: MinionPillarRequest,
): Promise<CompiledPillar> {
  const { saltenv = null, pillarenv = null, override = null } = request
  const pillar = await compilerFor(known, host, request)
  return pillar.compile(
    {
      pillarenv: truthy(pillarenv) ? str(pillarenv) : null,
      override: isDict(override) ? override : null,
      ext: request.ext ?? null,
      extraMinionData: request.extraMinionData ?? null,
    },
    saltenv,
  )
}

/** Return the top data of a minion's pillar, and the errors. */
export async function minionPillarTop(known: MinionKnowledge, host: Host, request: MinionPillarRequest) {
  const { top, errors } = await (await compilerFor(known, host, request)).top(request.saltenv ?? null)
  return { top: top as Dict, errors }
}

/** Return the pillar that the master has stored for a minion, or a pillar compiled without Vault. */
export async function keptPillar(
  known: MinionKnowledge,
  host: Host,
  minion: Pick<MinionPillarRequest, 'id' | 'grains'>,
  refresh: boolean | null,
): Promise<Dict> {
  const kept = refresh === true ? undefined : known.cache.bank('pillar').fetch(minion.id)
  if (kept !== undefined && isDict(kept)) return kept
  return refresh === false ? new Map() : minionPillar(known, host, { ...minion, isWithoutVault: true })
}

async function compilerFor(known: MinionKnowledge, host: Host, request: MinionPillarRequest): Promise<LocalPillar> {
  const { log } = known
  const { id, grains } = request
  const opts = optionsFor(known.opts, request)
  const registry: Registry = new Registry(moduleTable, {
    opts,
    grains,
    pillar: new Map(),
    host,
    log,
    keptPillar: (refresh) => keptPillar(known, host, { id, grains }, refresh),
    ownBackends: async () => (await import('../pybridge/mod.ts')).ownBackends,
    ownPlugin: async ({ ctx }, family, name) => (await import('../pybridge/mod.ts')).ownPlugin(ctx, family, name),
    // a user's own module may support some minions only, so its condition is evaluated for each
    userModules: async (own, builtIn) => (await import('../pybridge/mod.ts')).userModules(own, builtIn),
    render: async ({ text, ...rendering }) => {
      const { renderText } = await import('../render/mod.ts')
      return (await renderText(text, { ...rendering, opts, grains, pillar: new Map(), functions: registry, log })).value
    },
  })
  if (moduleFiles(opts, 'modules').length > 0 || option(opts, 'python_upstream_modules')) await registry.refresh()
  const isMember = (target: Value): boolean => resolveCertain(known, target).includes(id)
  return new LocalPillar({ opts, grains, host, registry, log, isMember, isForMinion: true })
}
