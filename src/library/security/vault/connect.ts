// Selects the identity of a function towards Vault: that of the configuration, one that the master issues to its
// minion, or on a master that of the minion whose pillar is compiled.
import { isLogged } from '../../../base/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { type FunctionContext, option, rawOption } from '../../../sdk/mod.ts'
import { VaultAccess } from './access.ts'
import type { Surroundings } from './client.ts'
import { readConfig, type VaultConfig } from './config.ts'
import { invalidConfig, VaultError } from './errors.ts'
import { masterEntrance } from './from-master.ts'
import { minionEntrance } from './impersonate.ts'
import { localEntrance } from './local.ts'
import type { MinionData } from './templates.ts'

/** The option that is set while a pillar is compiled for the policies of its minion. */
export const COMPILING = '_vault_runner_is_compiling_pillar_templates'

type Caller = Pick<FunctionContext, 'opts' | 'grains' | 'log' | 'host' | 'http' | 'call' | 'daemon' | 'keptPillar'>

/** Notes about configurations that were already reported. */
const told = new Set<string>()

/** Read the option `vault`, and report its notes once. */
export function configOf({ opts, log }: Pick<Surroundings, 'opts' | 'log'>): VaultConfig {
  const given = rawOption(opts, 'vault')
  const config = readConfig(given)
  const notes = config.notes.join('\n')
  if (notes !== '' && isLogged(log, 'warning') && !told.has(notes)) {
    told.add(notes)
    for (const note of config.notes) log('warning', note)
  }
  return config
}

function surroundingsOf(ctx: Omit<Caller, 'daemon' | 'grains' | 'keptPillar'>, opts: Dict = ctx.opts): Surroundings {
  const { log, host, http } = ctx
  return { opts, log, host, http, fetch: async (uri) => ctx.call('sdb.get', [uri, true]) }
}

/** Return the access of the machine itself, by its own configuration. */
export async function ownAccess(parts: Surroundings, config = configOf(parts)): Promise<VaultAccess> {
  return new VaultAccess(parts, await localEntrance(parts, config))
}

/** Return the access that a function has here. */
export async function vaultAccess(ctx: Caller): Promise<VaultAccess> {
  const opts = effectiveOptions(ctx.opts)
  if (truthy(opts.get(COMPILING) ?? false)) throw cyclic()
  const parts = surroundingsOf(ctx, opts)
  const minion = opts.get('minion_id') ?? null
  if (opts.get('__role') === 'master') return minion === null ? ownAccess(parts) : accessFor(ctx, parts, str(minion))
  const config = configOf(parts)
  if (isLocal(opts, config, ctx.daemon !== undefined)) return ownAccess(parts, config)
  if (!ctx.daemon) throw new VaultError('VaultException', 'There is no master here that could give access to Vault')
  const id = option(opts, 'id')
  return new VaultAccess(parts, await masterEntrance({ id, daemon: ctx.daemon, parts, own: config }))
}

/**
 * Targets of salt-ssh have the master's configuration, and are treated like minions whose pillar the master compiles.
 */
function effectiveOptions(opts: Dict): Dict {
  const master = opts.get('__master_opts__') ?? null
  if (!isDict(master) || opts.has('vault')) return opts
  const vault = master.get('vault') ?? null
  // nothing of it may be written to the target
  const plain = isDict(vault) ? new Map(vault).set('cache', withSession(vault.get('cache') ?? null)) : vault
  return new Map(master).set('vault', plain).set('__role', 'master').set('minion_id', option(opts, 'id'))
}

const withSession = (cache: Value): Dict => new Map(isDict(cache) ? cache : []).set('backend', 'session')

function isLocal(opts: Dict, { location }: VaultConfig, hasMaster: boolean): boolean {
  if (location !== null) return location === 'local'
  if (option(opts, 'local') || option(opts, 'file_client') === 'local') return true
  return opts.get('master_type') === 'disable' || (!hasMaster && opts.has('vault'))
}

/** Return the access of a minion on its master. */
async function accessFor(ctx: Caller, parts: Surroundings, id: string): Promise<VaultAccess> {
  const config = configOf(parts)
  const minion: MinionData = { id, grains: ctx.grains, pillar: async () => pillarFor(ctx, config) }
  const own = await ownAccess(parts, config)
  return new VaultAccess(
    parts,
    await minionEntrance(own, config, minion, { jid: '<no jid set>', user: '<no user set>' }),
  )
}

async function pillarFor({ keptPillar }: Caller, { policies, issue }: VaultConfig): Promise<Dict> {
  if (!keptPillar) throw invalidConfig('a pattern asks for pillar, and there is none here')
  return keptPillar(issue.type === 'approle' ? true : policies.refreshPillar)
}

const cyclic = (): VaultError =>
  new VaultError(
    'VaultException',
    'Cyclic dependency detected while refreshing pillar for vault policy templating. This is caused by some pillar value relying on the vault execution module. Either remove the dependency from your pillar, disable refreshing pillar data for policy templating or do not use pillar values in policy templates.',
  )
