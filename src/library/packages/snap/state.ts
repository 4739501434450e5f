// Snap packages: installed, removed, enabled and disabled.
import { type Dict, dictFrom, dumpJson, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

const name = arg.text('Snap name')

const INSTALLED = {
  name,
  channel: arg.text('Channel', { default: 'latest/stable' }),
  revision: arg.text('Revision, or `latest`', { optional: true }),
  classic: arg.flag('Use classic confinement, with access to the whole machine', { default: false }),
  held: arg.any('True to hold the snap, False to release it; None leaves it as it is', { optional: true }),
}

type Wanted = Bound<typeof INSTALLED>

const listed = async (ctx: StateContext, name: string): Promise<Dict | undefined> =>
  (await ctx.call('snap.list', [name])).get(name) as Dict | undefined

const change = (old: Value, fresh: Value): Dict => dictFrom({ old, new: fresh })

/** Return the differences between an installed snap and the wanted one. */
async function differences(ctx: StateContext, { name, channel, revision, held }: Wanted, current: Dict): Promise<Dict> {
  const found: Dict = new Map()
  const facts = (key: string): Value => current.get(key) ?? null
  if (channel !== '' && facts('channel') !== channel) found.set('channel', change(facts('channel'), channel))
  if (held !== null && facts('held') !== held) found.set('held', change(facts('held'), held))
  let wanted: Value = revision
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
  const current = await listed(ctx, name)
  return ensure(ctx, {
    name,
    look: async () => {
      const changes = current ? await differences(ctx, wanted, current) : new Map<Value, Value>([['installed', name]])
      return changes.size === 0 ? settled('The snap is already installed as specified') : changes
    },
    foresee: (changes) => foreseen(`Would have ${current ? 'modified' : 'installed'} the snap`, changes),
    act: async (changes) => {
      const done = current ? 'Modified' : 'Installed'
      if ([...changes.keys()].some((key) => key !== 'held')) {
        const fresh = changes.get('revision') as Dict | undefined
        const revision = fresh?.get('new') ?? (wanted.revision === 'latest' ? null : wanted.revision)
        await ctx.call('snap.install', [name], { channel, revision, classic, refresh: current !== undefined })
      }
      if (changes.has('held')) await ctx.call(truthy(held) ? 'snap.hold' : 'snap.unhold', [name])
      const now = await listed(ctx, name)
      if (!now) return failed(`${done} the snap, but it could not be found afterwards`)
      const left = await differences(ctx, wanted, now)
      if (left.size === 0) return changed(`${done} the snap`, changes)
      for (const key of left.keys()) changes.delete(key)
      return failed(`${done} the snap, but there are still pending changes: ${dumpJson(left)}`, changes)
    },
  })
}

const removed = (ctx: StateContext, name: string, purge: boolean): Promise<StateReturn> =>
  ensure(ctx, {
    name,
    look: async () => ((await ctx.call('snap.is_installed', [name])) ? null : settled('The snap is already absent')),
    foresee: () => foreseen('Would have removed the snap', { removed: name }),
    act: async () => {
      await ctx.call('snap.remove', [name], { purge })
      if (await ctx.call('snap.is_installed', [name]))
        return failed('Tried to remove the snap, but it is still installed')
      return changed('Removed the snap', { removed: name })
    },
  })

function switched(ctx: StateContext, name: string, verb: 'enable' | 'disable'): Promise<StateReturn> {
  const isRight = async (): Promise<boolean> => (await ctx.call('snap.is_enabled', [name])) === (verb === 'enable')
  const changes = { [`${verb}d`]: name }
  return ensure(ctx, {
    name,
    look: async () => ((await isRight()) ? settled(`The snap is already ${verb}d`) : null),
    foresee: () => foreseen(`Would have ${verb}d the snap`, changes),
    act: async () => {
      await ctx.call(`snap.${verb}`, [name])
      const still = verb === 'enable' ? 'disabled' : 'enabled'
      if (!(await isRight())) return failed(`Tried to ${verb} the snap, but it is still ${still}`)
      return changed(`${verb === 'enable' ? 'Enabled' : 'Disabled'} the snap`, changes)
    },
  })
}

/** Turn an error of the module into the comment of a failed state. */
async function guarded(ctx: StateContext, name: string, run: () => Promise<StateReturn>): Promise<StateReturn> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    if (!ctx.test || !error.message.includes('is not installed')) return failed(error.message).on(name)
    return foreseen(`${error.message} - if we weren't testing, this would be an error`).on(name)
  }
}

export default defineState({
  name: 'snap',
  doc: 'Manage snap packages.',
  when: async ({ host }) => (await host.which('snap')) !== undefined || 'Did not find `snap` execution module',
  functions: {
    installed: state({
      doc: 'Ensure that a snap is installed.',
      args: INSTALLED,
      run: (ctx, wanted) => guarded(ctx, wanted.name, () => installed(ctx, wanted)),
    }),
    removed: state({
      doc: 'Ensure that a snap is not installed.',
      args: { name, purge: arg.flag('Do not keep a snapshot of the data', { default: false }) },
      run: (ctx, { name, purge }) => guarded(ctx, name, () => removed(ctx, name, purge)),
    }),
    enabled: state({
      doc: 'Ensure that a snap is enabled.',
      args: { name },
      run: (ctx, { name }) => guarded(ctx, name, () => switched(ctx, name, 'enable')),
    }),
    disabled: state({
      doc: 'Ensure that a snap is disabled.',
      args: { name },
      run: (ctx, { name }) => guarded(ctx, name, () => switched(ctx, name, 'disable')),
    }),
  },
})
