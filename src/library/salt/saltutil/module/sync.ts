// `saltutil.sync_*`: users' own modules from the file server, and what the minion must look at again afterwards.
import { type Dict, isList, SaltError, str, type Value } from '../../../../data/mod.ts'
import {
  arg,
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

/** The environments that top files speak of, else `base`. */
async function topFileEnvs(ctx: FunctionContext): Promise<string[]> {
  const known = ctx.memory.get(ENVS)
  if (known !== undefined) return known as string[]
  const run = await ctx.openStates({ opts: new Map(ctx.opts) })
  const top = await run.top()
  const matches = top.size > 0 ? await run.topMatches(top) : new Map()
  const envs = matches.size > 0 ? [...matches.keys()].map((env) => str(env as Value)) : ['base']
  ctx.memory.set(ENVS, envs)
  return envs
}

async function envsOf(ctx: FunctionContext, saltenv: Value): Promise<string[]> {
  if (isList(saltenv)) return saltenv.map(str)
  return saltenv === null ? topFileEnvs(ctx) : str(saltenv).split(',')
}

interface Lists {
  saltenv: Value
  extmod_whitelist: Value
  extmod_blacklist: Value
}

async function syncFamily(
  ctx: FunctionContext,
  family: string,
  lists: Lists,
  offered = listedOnce(ctx.files),
): Promise<Value[]> {
  const { names, touched } = await syncModules(ctx, {
    family,
    envs: await envsOf(ctx, lists.saltenv),
    whitelist: lists.extmod_whitelist,
    blacklist: lists.extmod_blacklist,
    offered,
  })
  const cachedir = option(ctx.opts, 'cachedir')
  if (touched) await ctx.host.append(`${cachedir}/module_refresh`, '')
  if (family === 'grains' && (await ctx.host.stat(`${cachedir}/grains.cache.p`))) {
    await ctx.host.remove(`${cachedir}/grains.cache.p`)
  }
  return names
}

const saltenv = arg.any('The environment, several with commas; those of the top files unless given', { optional: true })
const refresh = (wanted: boolean) => arg.any('Let the minion look at once', { default: wanted })
const extmod_whitelist = arg.any('Only these', { optional: true })
const extmod_blacklist = arg.any('Not these', { optional: true })
const clean_pillar_cache = arg.any('Forget the cached pillar', { default: false })

/** What is fired after a family was synced, and with which data. */
type Refresh = (ctx: FunctionContext, clean: Value) => Value | Promise<Value>

const fire =
  (tag: string): Refresh =>
  (ctx) =>
    ctx.call('event.fire', [new Map(), tag])

const refreshPillar: Refresh = (ctx, clean) =>
  ctx.call('event.fire', [new Map([['clean_cache', clean]]), 'pillar_refresh'])

const MODULES = fire('module_refresh')

interface Family {
  name: string
  refresh?: Refresh
  /** Whether the minion looks at once unless told otherwise. */
  isDefault?: boolean
  cleans?: boolean
  /** What Salt calls them where it refuses them to a minion that has a master. */
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
  { name: 'proxymodules', refresh: MODULES, isDefault: false },
  { name: 'engines', refresh: MODULES, isDefault: false },
  { name: 'thorium', refresh: MODULES, isDefault: false },
  { name: 'serializers', refresh: MODULES },
  { name: 'matchers', refresh: MODULES, isDefault: false },
  { name: 'resources', refresh: fire('resource_refresh') },
]

/** Those that only a minion without a master has a use for. */
const MASTERLESS: readonly Family[] = [
  { name: 'tops', refresh: MODULES, title: 'Master top' },
  { name: 'pillar', refresh: refreshPillar, cleans: true, title: 'Pillar' },
  { name: 'wrapper', refresh: MODULES, title: 'Wrapper' },
]

const syncOf = ({ name, refresh: tell, isDefault = true, cleans, title }: Family): FunctionDeclaration =>
  changes({
    doc: `Sync custom ${name} from \`salt://_${name}\`.`,
    args: {
      saltenv,
      ...(tell && { refresh: refresh(isDefault) }),
      extmod_whitelist,
      extmod_blacklist,
      ...(cleans && { clean_pillar_cache }),
    },
    returns: ret.list('What came or changed'),
    example: `saltutil.sync_${name}`,
    run: async (ctx, given) => {
      if (title !== undefined && !isMasterless(ctx))
        throw new SaltError('CommandExecutionError', `${title} modules can only be synced to masterless minions`)
      const names = await syncFamily(ctx, name, given)
      const { refresh: wanted = null, clean_pillar_cache: clean = false } = given as unknown as Record<string, Value>
      if (tell && wanted !== null && wanted !== false) await tell(ctx, clean)
      return names
    },
  })

const isMasterless = (ctx: FunctionContext): boolean => ctx.opts.get('file_client') === 'local'

const syncAll = changes({
  doc: 'Sync all custom modules from the file server.',
  args: { saltenv, refresh: refresh(true), extmod_whitelist, extmod_blacklist, clean_pillar_cache },
  returns: ret.dict('What came or changed, by family'),
  example: 'saltutil.sync_all',
  run: async (ctx, given) => {
    const synced: Dict = new Map()
    const offered = listedOnce(ctx.files)
    const [tops, ...last] = isMasterless(ctx) ? MASTERLESS : []
    for (const { name } of [...(tops ? [tops] : []), ...FAMILIES, ...last]) {
      synced.set(name, await syncFamily(ctx, name, given, offered))
    }
    if (given.refresh !== false && given.refresh !== null) await refreshPillar(ctx, given.clean_pillar_cache)
    return synced
  },
})

export const syncing: Readonly<Record<string, FunctionDeclaration>> = {
  ...Object.fromEntries([...FAMILIES, ...MASTERLESS].map((family) => [`sync_${family.name}`, syncOf(family)])),
  sync_outputters: { ...syncOf(FAMILIES.find(({ name }) => name === 'output')!), calledAs: 'sync_output' },
  sync_all: syncAll,
}

export const listExtmods = reads({
  doc: 'What was taken over from the file server, by family.',
  args: {},
  returns: ret.dict('Names by family'),
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
