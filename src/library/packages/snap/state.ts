// Snaps: installed, removed, switched on and off.
import { type Dict, dumpJson, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Wanted {
  name: string
  channel: Value
  revision: Value
  classic: Value
  held: Value
}

const listed = async (ctx: StateContext, name: string): Promise<Dict | undefined> =>
  (await ctx.call('snap.list', [name])).get(name) as Dict | undefined

const change = (old: Value, fresh: Value): Dict =>
  new Map<Value, Value>([
    ['old', old],
    ['new', fresh],
  ])

/** What differs between an installed snap and the wanted one. */
async function differences(ctx: StateContext, { name, channel, revision, held }: Wanted, current: Dict): Promise<Dict> {
  const found: Dict = new Map()
  const facts = (key: string): Value => current.get(key) ?? null
  if (truthy(channel) && facts('channel') !== channel) found.set('channel', change(facts('channel'), channel))
  if (held !== null && facts('held') !== held) found.set('held', change(facts('held'), held))
  let wanted = revision
  if (revision === 'latest') {
    const upgrades = await ctx.call('snap.list_upgrades')
    wanted = (upgrades.get(name) as Dict | undefined)?.get('revision') ?? null
  }
  if (wanted !== null && facts('revision') !== str(wanted))
    found.set('revision', change(facts('revision'), str(wanted)))
  return found
}

async function installed(ctx: StateContext, wanted: Wanted): Promise<StateReturn> {
  const { name, channel, classic, held } = wanted
  const report = (result: boolean | null, comment: string, changes: Dict = new Map()): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const current = await listed(ctx, name)
  const changes = current ? await differences(ctx, wanted, current) : new Map<Value, Value>([['installed', name]])
  if (changes.size === 0) return report(true, 'The snap is already installed as specified')
  const verb = current ? 'modified' : 'installed'
  if (ctx.test) return report(null, `Would have ${verb} the snap`, changes)
  const done = current ? 'Modified' : 'Installed'
  if ([...changes.keys()].some((key) => key !== 'held')) {
    const fresh = changes.get('revision') as Dict | undefined
    const revision = fresh?.get('new') ?? (wanted.revision === 'latest' ? null : wanted.revision)
    await ctx.call('snap.install', [name], { channel, revision, classic, refresh: current !== undefined })
  }
  if (changes.has('held')) await ctx.call(truthy(held) ? 'snap.hold' : 'snap.unhold', [name])
  const now = await listed(ctx, name)
  if (!now) return report(false, `${done} the snap, but it could not be found afterwards`)
  const left = await differences(ctx, wanted, now)
  if (left.size === 0) return report(true, `${done} the snap`, changes)
  for (const key of left.keys()) changes.delete(key)
  return report(false, `${done} the snap, but there are still pending changes: ${dumpJson(left)}`, changes)
}

async function removed(ctx: StateContext, name: string, purge: boolean): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  if (!truthy(await ctx.call('snap.is_installed', [name]))) return report(true, 'The snap is already absent')
  if (ctx.test) return report(null, 'Would have removed the snap', { removed: name })
  await ctx.call('snap.remove', [name], { purge })
  if (truthy(await ctx.call('snap.is_installed', [name])))
    return report(false, 'Tried to remove the snap, but it is still installed')
  return report(true, 'Removed the snap', { removed: name })
}

async function switched(ctx: StateContext, name: string, verb: 'enable' | 'disable'): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const isRight = async (): Promise<boolean> =>
    truthy(await ctx.call('snap.is_enabled', [name])) === (verb === 'enable')
  const changes = { [`${verb}d`]: name }
  if (await isRight()) return report(true, `The snap is already ${verb}d`)
  if (ctx.test) return report(null, `Would have ${verb}d the snap`, changes)
  await ctx.call(`snap.${verb}`, [name])
  const still = verb === 'enable' ? 'disabled' : 'enabled'
  if (!(await isRight())) return report(false, `Tried to ${verb} the snap, but it is still ${still}`)
  return report(true, `${verb === 'enable' ? 'Enabled' : 'Disabled'} the snap`, changes)
}

/** Errors of the module are the comment of a failed state. */
async function told(ctx: StateContext, name: string, run: () => Promise<StateReturn>): Promise<StateReturn> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    if (!ctx.test || !error.message.includes('is not installed'))
      return { name, result: false, comment: error.message, changes: {} }
    return {
      name,
      result: null,
      comment: `${error.message} - if we weren't testing, this would be an error`,
      changes: {},
    }
  }
}

const name = arg.any('The snap')

export default defineState({
  name: 'snap',
  doc: 'Keep snaps.',
  when: async ({ host }) => (await host.which('snap')) !== undefined || 'Did not find `snap` execution module',
  functions: {
    installed: state({
      doc: 'A snap is installed.',
      args: {
        name,
        channel: arg.any('The channel', { default: 'latest/stable' }),
        revision: arg.any('The revision, or `latest`', { optional: true }),
        classic: arg.flag('Whether it may reach the whole machine', { default: false }),
        held: arg.any('Whether it is left out of general refreshes', { optional: true }),
      },
      run: (ctx, wanted) => told(ctx, str(wanted.name), () => installed(ctx, wanted as Wanted)),
    }),
    removed: state({
      doc: 'A snap is not installed.',
      args: { name, purge: arg.flag('Whether no snapshot of its data is kept', { default: false }) },
      run: (ctx, given) => told(ctx, str(given.name), () => removed(ctx, str(given.name), given.purge)),
    }),
    enabled: state({
      doc: 'A snap is switched on.',
      args: { name },
      run: (ctx, given) => told(ctx, str(given.name), () => switched(ctx, str(given.name), 'enable')),
    }),
    disabled: state({
      doc: 'A snap is switched off.',
      args: { name },
      run: (ctx, given) => told(ctx, str(given.name), () => switched(ctx, str(given.name), 'disable')),
    }),
  },
})
