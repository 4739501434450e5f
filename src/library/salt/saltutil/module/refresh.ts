// `saltutil.refresh_*`: have the minion daemon on this machine reload its data.
import { type Dict, truthy } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, type FunctionDeclaration, ret } from '../../../../sdk/mod.ts'

const PILLAR_DONE = '/salt/minion/minion_pillar_refresh_complete'
const MODULES_DONE = '/salt/minion/minion_mod_refresh_complete'
const MODULES_WAIT = 30

const fire = (ctx: FunctionContext, tag: string, data: Dict = new Map()): boolean | Promise<boolean> =>
  ctx.call('event.fire', [data, tag])

interface Refresh {
  tag: string
  data: Dict
  /** Tag of the event that says the refresh is done, and how many seconds to wait for it. */
  done: string
  wait: number
}

/** Fire an event, and wait until the minion has done the refresh. */
async function fireAndWait(ctx: FunctionContext, { tag, data, done, wait }: Refresh): Promise<boolean> {
  const answer = await ctx.askMinion({ tag, data, answer: done, wait })
  if (answer === undefined) return fire(ctx, tag, data)
  if (answer === null) ctx.log('warning', `${tag} did not complete within timeout ${wait}`)
  return true
}

const returns = ret.boolean('Whether the event reached a running minion')

const refreshBy = (tag: string, doc: string): FunctionDeclaration =>
  changes({ doc, args: {}, returns, run: (ctx) => fire(ctx, tag) })

const refreshPillar = (name: string): FunctionDeclaration =>
  changes({
    calledAs: 'refresh_pillar',
    doc: 'Compile the pillar anew.',
    args: {
      wait: arg.flag('Wait until the new pillar is there', { default: false }),
      timeout: arg.number('Seconds to wait', { default: 30 }),
      clean_cache: arg.flag('Clear the pillar cache of the minion', { default: true }),
    },
    returns,
    example: `saltutil.${name}`,
    run: async (ctx, { wait, timeout, clean_cache }) => {
      const data: Dict = new Map([['clean_cache', clean_cache]])
      if (!wait) return fire(ctx, 'pillar_refresh', data)
      return fireAndWait(ctx, { tag: 'pillar_refresh', data, done: PILLAR_DONE, wait: Number(timeout) })
    },
  })

export const refreshing: Readonly<Record<string, FunctionDeclaration>> = {
  refresh_grains: changes({
    doc: 'Read the grains anew. Custom modules and the pillar are reloaded too.',
    args: { kwargs: arg.open('`refresh_pillar` (default: True) and `clean_pillar_cache` (default: False)') },
    returns,
    example: 'saltutil.refresh_grains',
    run: async (ctx, { kwargs }) => {
      const clean = kwargs.get('clean_pillar_cache') ?? false
      if (!truthy(kwargs.get('refresh_pillar') ?? true)) await fire(ctx, 'module_refresh')
      else await fire(ctx, 'pillar_refresh', new Map([['clean_cache', clean]]))
      return true
    },
  }),
  refresh_pillar: refreshPillar('refresh_pillar'),
  pillar_refresh: refreshPillar('pillar_refresh'),
  refresh_modules: changes({
    doc: 'Reload custom modules and grains.',
    args: { kwargs: arg.open('`async=False` waits until the modules are reloaded') },
    returns,
    example: 'saltutil.refresh_modules',
    run: async (ctx, { kwargs }) => {
      if (truthy(kwargs.get('async') ?? true)) return fire(ctx, 'module_refresh')
      const data: Dict = new Map([['notify', true]])
      return fireAndWait(ctx, { tag: 'module_refresh', data, done: MODULES_DONE, wait: MODULES_WAIT })
    },
  }),
  refresh_beacons: refreshBy('beacons_refresh', 'Reload the beacons.'),
  refresh_matchers: refreshBy('matchers_refresh', 'Reload the matchers.'),
  refresh_resources: refreshBy('resource_refresh', 'Reload the resources.'),
}
