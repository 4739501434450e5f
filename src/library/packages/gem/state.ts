// Ruby gems and their sources.
import { isList, str, truthy, type Value, versionHolds } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

const name = arg.text('Gem name')
const ruby = arg.text('Ruby version of rvm or rbenv', { optional: true })
const user = arg.text('Name of the user that runs gem', { optional: true })
const gem_bin = arg.text('Path of gem; bypasses rvm and rbenv', { optional: true })

/** The comments of a state, and its change. */
interface Texts {
  already: string
  would: string
  done: string
  failed: string
  change: 'Installed' | 'Removed'
}

const applied = (
  ctx: StateContext,
  name: string,
  there: boolean,
  texts: Texts,
  act: () => Value | Promise<Value>,
): Promise<StateReturn> =>
  ensure(ctx, {
    name,
    look: () => (there ? settled(texts.already) : null),
    foresee: () => texts.would,
    act: async () => (truthy(await act()) ? changed(texts.done, { [name]: texts.change }) : failed(texts.failed)),
  })

/** Return the comment about an installed gem that has the wanted version. */
function satisfied(versions: Value | undefined, wanted: string | null): string | undefined {
  if (!isList(versions ?? null)) return undefined
  const known = (versions as Value[]).map(str)
  const already = 'Gem is already installed.'
  if (wanted === null) return already
  const [operator] = /^(>=|>|<|<=)/.exec(wanted) ?? []
  if (operator === undefined) return known.includes(wanted) ? already : undefined
  const installed = (known[0] ?? '').replaceAll('default: ', '').trim()
  const desired = wanted.replaceAll(operator, '').trim()
  return versionHolds(installed, operator, desired) ? 'Installed Gem meets version requirements.' : undefined
}

const INSTALLED = {
  name,
  ruby,
  gem_bin,
  user,
  version: arg.text('Version, or a comparison such as `>= 1.2`', { optional: true }),
  rdoc: arg.flag('Generate RDoc documentation', { default: false }),
  ri: arg.flag('Generate RI documentation', { default: false }),
  pre_releases: arg.flag('Include prerelease versions', { default: false }),
  proxy: arg.text('URL of an HTTP proxy', { optional: true }),
  source: arg.text('URL of the gem source', { optional: true }),
}

async function installed(ctx: StateContext, { name, user, ...wanted }: Bound<typeof INSTALLED>): Promise<StateReturn> {
  const { ruby, gem_bin, version } = wanted
  const gems = await ctx.call('gem.list', [name, ruby], { gem_bin, runas: user })
  const already = satisfied(gems.get(name), version)
  const texts: Texts = {
    already: already ?? '',
    would: `The gem ${name} would have been installed`,
    done: 'Gem was successfully installed',
    failed: 'Could not install gem.',
    change: 'Installed',
  }
  const act = () => ctx.call('gem.install', [name], { ...wanted, runas: user })
  return applied(ctx, name, already !== undefined, texts, act)
}

const REMOVED = (name: string): Texts => ({
  already: 'Gem is not installed.',
  would: `The gem ${name} would have been removed`,
  done: 'Gem was successfully removed.',
  failed: 'Could not remove gem.',
  change: 'Removed',
})

const ADDED = (name: string): Texts => ({
  already: 'Gem source is already added.',
  would: `The gem source ${name} would have been added.`,
  done: 'Gem source was successfully added.',
  failed: 'Could not add gem source.',
  change: 'Installed',
})

const DROPPED: Texts = {
  already: 'Gem source is already removed.',
  would: 'The gem source would have been removed.',
  done: 'Gem source was successfully removed.',
  failed: 'Could not remove gem source.',
  change: 'Removed',
}

const SOURCE = { name: arg.text('URL of the gem source'), ruby, user }

const isSource = async (ctx: StateContext, { name, ruby, user }: Bound<typeof SOURCE>): Promise<boolean> =>
  (await ctx.call('gem.sources_list', [ruby], { runas: user })).includes(name)

export default defineState({
  name: 'gem',
  doc: 'Manage Ruby gems and their sources.',
  functions: {
    installed: state({ doc: 'Ensure that a gem is installed.', args: INSTALLED, run: installed }),
    removed: state({
      doc: 'Ensure that a gem is not installed.',
      args: { name, ruby, user, gem_bin },
      run: async (ctx, { name, ruby, user, gem_bin }) => {
        const gems = await ctx.call('gem.list', [name, ruby], { gem_bin, runas: user })
        const act = () => ctx.call('gem.uninstall', [name, ruby], { gem_bin, runas: user })
        return applied(ctx, name, !gems.has(name), REMOVED(name), act)
      },
    }),
    sources_add: state({
      doc: 'Ensure that a gem source is configured.',
      args: SOURCE,
      run: async (ctx, call) => {
        const { name, ruby, user } = call
        const act = () => ctx.call('gem.sources_add', [], { source_uri: name, ruby, runas: user })
        return applied(ctx, name, await isSource(ctx, call), ADDED(name), act)
      },
    }),
    sources_remove: state({
      doc: 'Ensure that a gem source is not configured.',
      args: SOURCE,
      run: async (ctx, call) => {
        const { name, ruby, user } = call
        const act = () => ctx.call('gem.sources_remove', [], { source_uri: name, ruby, runas: user })
        return applied(ctx, name, !(await isSource(ctx, call)), DROPPED, act)
      },
    }),
  },
})
