// Gems of Ruby and their sources.
import { str, truthy, type Value, versionHolds } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const name = arg.any('The gem')
const ruby = optional('The Ruby of rvm or rbenv')
const user = arg.text('Whom gem runs as', { optional: true })
const gem_bin = optional('The path of gem')

/** The four ends that a change can come to. */
interface Texts {
  already: string
  would: string
  done: string
  failed: string
  change: 'Installed' | 'Removed'
}

async function brought(
  ctx: StateContext,
  name: string,
  there: boolean,
  texts: Texts,
  act: () => Value | Promise<Value>,
): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  if (there) return report(true, texts.already)
  if (ctx.test) return report(null, texts.would)
  return truthy(await act()) ? report(true, texts.done, { [name]: texts.change }) : report(false, texts.failed)
}

/** The sentence about an installed gem that does. */
function satisfied(versions: Value[] | undefined, wanted: Value): string | undefined {
  if (versions === undefined) return undefined
  const already = 'Gem is already installed.'
  if (wanted === null) return already
  const [operator] = /^(>=|>|<|<=)/.exec(str(wanted)) ?? []
  if (operator === undefined) return versions.some((version) => str(version) === str(wanted)) ? already : undefined
  const installed = str(versions[0]!).replaceAll('default: ', '').trim()
  const desired = str(wanted).replaceAll(operator, '').trim()
  return versionHolds(installed, operator, desired) ? 'Installed Gem meets version requirements.' : undefined
}

interface Wanted {
  name: string
  ruby: Value
  gem_bin: Value
  user: Value
  version: Value
  [further: string]: Value
}

async function installed(ctx: StateContext, { name, user, ...wanted }: Wanted): Promise<StateReturn> {
  const { ruby, gem_bin, version } = wanted
  const gems = await ctx.call('gem.list', [name, ruby], { gem_bin, runas: user })
  const already = satisfied(gems.get(name) as Value[] | undefined, version)
  const texts: Texts = {
    already: already ?? '',
    would: `The gem ${name} would have been installed`,
    done: 'Gem was successfully installed',
    failed: 'Could not install gem.',
    change: 'Installed',
  }
  const act = () => ctx.call('gem.install', [name], { ...wanted, runas: user })
  return brought(ctx, name, already !== undefined, texts, act)
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

const sources = async (ctx: StateContext, ruby: Value, user: string | null): Promise<Value[]> =>
  await ctx.call('gem.sources_list', [ruby], { runas: user })

export default defineState({
  name: 'gem',
  doc: 'Keep gems of Ruby.',
  functions: {
    installed: state({
      doc: 'A gem is installed.',
      args: {
        name,
        ruby,
        gem_bin,
        user,
        version: optional('The version, or a comparison such as `>= 1.2`'),
        rdoc: arg.flag('Whether RDoc is made', { default: false }),
        ri: arg.flag('Whether RI is made', { default: false }),
        pre_releases: arg.flag('Include versions before a release', { default: false }),
        proxy: optional('A proxy'),
        source: arg.text('Where gems come from', { optional: true }),
      },
      run: (ctx, wanted) => installed(ctx, wanted as Wanted),
    }),
    removed: state({
      doc: 'A gem is not installed.',
      args: { name, ruby, user, gem_bin },
      run: async (ctx, { name: gem, ruby, user, gem_bin }) => {
        const name = str(gem)
        const gems = await ctx.call('gem.list', [name, ruby], { gem_bin, runas: user })
        const act = () => ctx.call('gem.uninstall', [name, ruby], { gem_bin, runas: user })
        return brought(ctx, name, !gems.has(name), REMOVED(name), act)
      },
    }),
    sources_add: state({
      doc: 'A source of gems is known.',
      args: { name: arg.text('The source'), ruby, user },
      run: async (ctx, { name: source, ruby, user }) => {
        const name = source
        const act = () => ctx.call('gem.sources_add', [], { source_uri: name, ruby, runas: user })
        return brought(ctx, name, (await sources(ctx, ruby, user)).includes(name), ADDED(name), act)
      },
    }),
    sources_remove: state({
      doc: 'A source of gems is not known.',
      args: { name: arg.text('The source'), ruby, user },
      run: async (ctx, { name: source, ruby, user }) => {
        const name = source
        const act = () => ctx.call('gem.sources_remove', [], { source_uri: name, ruby, runas: user })
        return brought(ctx, name, !(await sources(ctx, ruby, user)).includes(name), DROPPED, act)
      },
    }),
  },
})
