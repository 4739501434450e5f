// `saltutil.sync_*`: sync custom modules from the file server, and make the minion reload dependent data.
import { type Dict, failure, isList, str, type Value } from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  type FunctionContext,
  type FunctionDeclaration,
  listedOnce,
  option,
  reads,
  ret,
  syncModules,
} from '../../../../sdk/mod.ts'

const ENVS = 'saltutil._top_file_envs'

/** Return the environments of the top files, or `base` if there are none. */
async function topFileEnvs(ctx: FunctionContext): Promise<string[]> {
  const known = ctx.memory.get(ENVS)
  if (known !== undefined && isList(known)) return known.map(str)
  const run = await ctx.openStates({ opts: new Map(ctx.opts) })
  const top = await run.top()
  const matches = top.size > 0 ? [...(await run.topMatches(top)).keys()] : []
  const envs = matches.length > 0 ? matches : ['base']
  ctx.memory.set(ENVS, envs)
  return envs
}

const lists = {
  saltenv: arg.words('Environments: a list, or text with commas. Default: those of the top files', { optional: true }),
  extmod_whitelist: arg.textListOrDict('Modules to sync: text with commas, or a dict of lists by kind', {
    optional: true,
  }),
  extmod_blacklist: arg.textListOrDict('Modules not to sync: text with commas, or a dict of lists by kind', {
    optional: true,
  }),
}

async function syncFamily(
  ctx: FunctionContext,
  family: string,
  { saltenv, extmod_whitelist: whitelist, extmod_blacklist: blacklist }: Bound<typeof lists>,
  offered = listedOnce(ctx.files),
): Promise<Value[]> {
  const { names, touched } = await syncModules(ctx, {
    family,
    envs: saltenv ?? (await topFileEnvs(ctx)),
    whitelist,
    blacklist,
    offered,
  })
  const cachedir = option(ctx.opts, 'cachedir')
  if (touched) await ctx.host.append(`${cachedir}/module_refresh`, '')
  if (family === 'grains' && (await ctx.host.stat(`${cachedir}/grains.cache.p`))) {
    await ctx.host.remove(`${cachedir}/grains.cache.p`)
  }
  return names
}

const refresh = (wanted: boolean) => arg.flag('Have the minion reload the modules at once', { default: wanted })
const clean_pillar_cache = arg.flag('Clear the pillar cache of the minion', { default: false })

/** Fire the event that follows the sync of a family. */
type Refresh = (ctx: FunctionContext, clean: boolean) => Value | Promise<Value>

const fire =
  (tag: string): Refresh =>
  (ctx) =>
    ctx.call('event.fire', [new Map(), tag])

const refreshPillar: Refresh = (ctx, clean) =>
  ctx.call('event.fire', [new Map([['clean_cache', clean]]), 'pillar_refresh'])

const MODULES = fire('module_refresh')

interface Family {
  name: string
  /** Folder, where it has another name. */
  folder?: string
  refresh?: Refresh
  /** Default of `refresh`. */
  isDefault?: boolean
  cleans?: boolean
  /** Name of the family in the error for a minion that has a master. */
  title?: string
}

const FAMILIES: readonly Family[] = [
  { name: 'clouds', refresh: MODULES },
  { name: 'beacons', refresh: fire('beacons_refresh') },
  { name: 'modules', refresh: MODULES },
  { name: 'states', refresh: MODULES },
  { name: 'sdb' },
  { name: 'grains', refresh: refreshPillar, cleans: true },
  { name: 'renderers', refresh: MODULES },
  { name: 'returners', refresh: MODULES },
  { name: 'output', refresh: MODULES },
  { name: 'utils', refresh: MODULES },
  { name: 'log_handlers', refresh: MODULES },
  { name: 'executors', refresh: MODULES },
  { name: 'proxymodules', folder: 'proxy', refresh: MODULES, isDefault: false },
  { name: 'engines', refresh: MODULES, isDefault: false },
  { name: 'thorium', refresh: MODULES, isDefault: false },
  { name: 'serializers', refresh: MODULES },
  { name: 'matchers', refresh: MODULES, isDefault: false },
  { name: 'resources', refresh: fire('resource_refresh') },
]

/** Families that only a minion without a master syncs. */
const MASTERLESS: readonly Family[] = [
  { name: 'tops', refresh: MODULES, title: 'Master top' },
  { name: 'pillar', refresh: refreshPillar, cleans: true, title: 'Pillar' },
  { name: 'wrapper', refresh: MODULES, title: 'Wrapper' },
]

const syncOf = ({ name, folder = name, refresh: tell, isDefault = true, cleans, title }: Family): FunctionDeclaration =>
  changes({
    doc: `Sync custom ${name} from \`salt://_${folder}\`.`,
    args: {
      saltenv: lists.saltenv,
      ...(tell && { refresh: refresh(isDefault) }),
      extmod_whitelist: lists.extmod_whitelist,
      extmod_blacklist: lists.extmod_blacklist,
      ...(cleans && { clean_pillar_cache }),
    },
    returns: ret.list('New and changed modules'),
    example: `saltutil.sync_${name}`,
    run: async (ctx, given) => {
      if (title !== undefined && !isMasterless(ctx))
        throw failure(`${title} modules can only be synced to masterless minions`)
      const names = await syncFamily(ctx, folder, given)
      if (given.refresh) await tell?.(ctx, given.clean_pillar_cache ?? false)
      return names
    },
  })

const isMasterless = (ctx: FunctionContext): boolean => ctx.opts.get('file_client') === 'local'

const syncAll = changes({
  doc: 'Sync custom modules of all kinds from the file server.',
  args: {
    saltenv: lists.saltenv,
    refresh: refresh(true),
    extmod_whitelist: lists.extmod_whitelist,
    extmod_blacklist: lists.extmod_blacklist,
    clean_pillar_cache,
  },
  returns: ret.dict('New and changed modules by kind'),
  example: 'saltutil.sync_all',
  run: async (ctx, given) => {
    const synced: Dict = new Map()
    const offered = listedOnce(ctx.files)
    const [tops, ...last] = isMasterless(ctx) ? MASTERLESS : []
    for (const { name, folder = name } of [...(tops ? [tops] : []), ...FAMILIES, ...last]) {
      synced.set(name, await syncFamily(ctx, folder, given, offered))
    }
    if (given.refresh) await refreshPillar(ctx, given.clean_pillar_cache)
    return synced
  },
})

export const syncing: Readonly<Record<string, FunctionDeclaration>> = {
  ...Object.fromEntries([...FAMILIES, ...MASTERLESS].map((family) => [`sync_${family.name}`, syncOf(family)])),
  sync_outputters: { ...syncOf(FAMILIES.find(({ name }) => name === 'output')!), calledAs: 'sync_output' },
  sync_all: syncAll,
}

export const listExtmods = reads({
  doc: 'Return the synced custom modules by kind.',
  returns: ret.dict('Names by kind'),
  example: 'saltutil.list_extmods',
  run: async (ctx) => {
    const folder = `${option(ctx.opts, 'cachedir')}/extmods`
    const found: Dict = new Map()
    for (const family of await ctx.host.list(folder)) found.set(family, await namesBelow(ctx, `${folder}/${family}`))
    return found
  },
})

async function namesBelow(ctx: FunctionContext, folder: string): Promise<Value[]> {
  const names = new Set<Value>()
  for (const name of await ctx.host.list(folder)) {
    if ((await ctx.host.lstat(`${folder}/${name}`))?.type !== 'directory') names.add(name.split('.')[0]!)
    else for (const inner of await namesBelow(ctx, `${folder}/${name}`)) names.add(inner)
  }
  return [...names]
}
