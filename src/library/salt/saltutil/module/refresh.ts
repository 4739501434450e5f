// `saltutil.refresh_*`: tells the minion that runs here to look again.
import { type Dict, numberOf, truthy, type Value } from '../../../../data/mod.ts'
import { type Args, arg, changes, type FunctionContext, type FunctionDeclaration, ret } from '../../../../sdk/mod.ts'

const PILLAR_DONE = '/salt/minion/minion_pillar_refresh_complete'
const MODULES_DONE = '/salt/minion/minion_mod_refresh_complete'
const MODULES_WAIT = 30

const fire = (ctx: FunctionContext, tag: string, data: Dict = new Map()): boolean | Promise<boolean> =>
  ctx.call('event.fire', [data, tag])

interface Telling {
  tag: string
  data?: Dict
  /** The event that says it is done, and how many seconds it is waited for. */
  done: string
  wait: number
}

/** Tells, and waits for the word that it is done. */
async function fireAndWait(ctx: FunctionContext, { tag, data = new Map(), done, wait }: Telling): Promise<boolean> {
  const answer = await ctx.askMinion({ tag, data, answer: done, wait })
  if (answer === undefined) return fire(ctx, tag, data)
  if (answer === null) ctx.log('warning', `${tag} did not complete within timeout ${wait}`)
  return true
}

const telling = <A extends Args>(
  name: string,
  doc: string,
  args: A,
  run: (ctx: FunctionContext, given: Record<string, Value>) => boolean | Promise<boolean>,
): FunctionDeclaration =>
  changes({
    doc,
    args,
    returns: ret.boolean('Whether a running minion was told'),
    example: `saltutil.${name}`,
    run: (ctx, given) => run(ctx, given as unknown as Record<string, Value>),
  })

const kwargs = arg.open('Further settings')

const pillarArgs = {
  wait: arg.any('Wait until it is done', { default: false }),
  timeout: arg.any('How long', { default: 30 }),
  clean_cache: arg.any('Forget the cached pillar', { default: true }),
}

async function refreshPillar(ctx: FunctionContext, { wait, timeout, clean_cache }: Record<string, Value>) {
  const data: Dict = new Map([['clean_cache', clean_cache ?? true]])
  if (!truthy(wait ?? false)) return fire(ctx, 'pillar_refresh', data)
  return fireAndWait(ctx, { tag: 'pillar_refresh', data, done: PILLAR_DONE, wait: numberOf(timeout ?? 30) ?? 30 })
}

async function refreshModules(ctx: FunctionContext, { kwargs: further }: Record<string, Value>): Promise<boolean> {
  const isAsync = truthy((further as Dict | undefined)?.get('async') ?? true)
  if (isAsync) return fire(ctx, 'module_refresh')
  const data: Dict = new Map([['notify', true]])
  return fireAndWait(ctx, { tag: 'module_refresh', data, done: MODULES_DONE, wait: MODULES_WAIT })
}

/** Modules and grains are looked at again together with the pillar. */
async function refreshGrains(ctx: FunctionContext, { kwargs: further }: Record<string, Value>): Promise<boolean> {
  const asked = further as Dict
  const isWanted = truthy(asked.get('refresh_pillar') ?? true)
  if (isWanted) await refreshPillar(ctx, { clean_cache: asked.get('clean_pillar_cache') ?? false })
  else await refreshModules(ctx, {})
  return true
}

export const refreshing: Readonly<Record<string, FunctionDeclaration>> = {
  refresh_grains: telling('refresh_grains', 'Read the grains anew.', { kwargs }, refreshGrains),
  refresh_pillar: telling('refresh_pillar', 'Compile the pillar anew.', pillarArgs, refreshPillar),
  pillar_refresh: {
    ...telling('pillar_refresh', 'Compile the pillar anew.', pillarArgs, refreshPillar),
    calledAs: 'refresh_pillar',
  },
  refresh_modules: telling('refresh_modules', 'Load modules anew.', { kwargs }, refreshModules),
  refresh_beacons: telling('refresh_beacons', 'Load beacons anew.', {}, (ctx) => fire(ctx, 'beacons_refresh')),
  refresh_matchers: telling('refresh_matchers', 'Load matchers anew.', {}, (ctx) => fire(ctx, 'matchers_refresh')),
  refresh_resources: telling('refresh_resources', 'Look for resources anew.', {}, (ctx) =>
    fire(ctx, 'resource_refresh'),
  ),
}
