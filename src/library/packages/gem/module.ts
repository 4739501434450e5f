// Ruby gems: through rvm or rbenv if one of them is installed, else through gem.
import { type Dict, failure, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret, runAll } from '../../../sdk/mod.ts'

const ruby = arg.text('Ruby version of rvm or rbenv', { optional: true })
const runas = arg.text('Name of the user that runs gem', { optional: true })
const gem_bin = arg.text('Path of gem; bypasses rvm and rbenv', { optional: true })
const gems = arg.any('List of gem names, or a text with spaces')
const output = ret.any('Output of gem')
const place = { ruby, runas, gem_bin }

type Place = Bound<typeof place>

const has = async (ctx: FunctionContext, manager: string, runas: string | null): Promise<boolean> =>
  ctx.has(`${manager}.is_installed`) && truthy(await ctx.call(`${manager}.is_installed`, [], { runas }))

async function gem(ctx: FunctionContext, words: readonly string[], { ruby, runas, gem_bin }: Place): Promise<Value> {
  const line = [gem_bin || 'gem', ...words]
  if (gem_bin === null) {
    if (await has(ctx, 'rvm', runas)) return ctx.call('rvm.do', [ruby, line], { runas })
    if (ctx.grains.get('kernel') !== 'Windows' && (await has(ctx, 'rbenv', runas))) {
      if (ruby === null) return ctx.call('rbenv.do', [line], { runas })
      return ctx.call('rbenv.do_with_ruby', [ruby, line], { runas })
    }
  }
  const { retcode, stdout, stderr } = await runAll(ctx, line, { runas })
  if (retcode !== 0) throw failure(stderr)
  return stdout
}

const lines = async (ctx: FunctionContext, words: readonly string[], place: Place): Promise<string[]> =>
  splitLines(str(await gem(ctx, words, place)))

const wordsOf = (gems: Value): string[] =>
  Array.isArray(gems) ? gems.map(str) : str(gems).split(/\s+/).filter(Boolean)

async function version(ctx: FunctionContext, place: Place): Promise<string | undefined> {
  return (await lines(ctx, ['--version'], place)).find((line) => /^[.0-9]+/.test(line))
}

const INSTALL = {
  gems,
  ruby,
  gem_bin,
  runas,
  version: arg.text('Version', { optional: true }),
  rdoc: arg.flag('Generate RDoc documentation', { default: false }),
  ri: arg.flag('Generate RI documentation', { default: false }),
  pre_releases: arg.flag('Include prerelease versions', { default: false }),
  proxy: arg.text('URL of an HTTP proxy', { optional: true }),
  source: arg.text('URL of the gem source', { optional: true }),
}

async function install(ctx: FunctionContext, call: Bound<typeof INSTALL>): Promise<Value> {
  const modern = (await version(ctx, call))?.startsWith('3.') ?? false
  const manuals = modern
    ? [...(call.rdoc && call.ri ? [] : ['--no-document'])]
    : [...(call.rdoc ? [] : ['--no-rdoc']), ...(call.ri ? [] : ['--no-ri'])]
  const words = [
    'install',
    ...wordsOf(call.gems),
    ...(call.version ? ['--version', call.version] : []),
    ...manuals,
    ...(call.pre_releases ? [modern ? '--prerelease' : '--pre'] : []),
    ...(call.proxy ? ['-p', call.proxy] : []),
    ...(call.source ? ['--source', call.source] : []),
  ]
  return gem(ctx, words, call)
}

function entries(output: readonly string[], pattern: RegExp, read: (text: string) => Value): Dict {
  const found: Dict = new Map()
  for (const line of output) {
    const match = pattern.exec(line)
    if (match) found.set(match[1]!, read(match[2]!))
  }
  return found
}

/** Declare a function that changes the sources of gems. */
const command = (doc: string, name: string, words: readonly string[]) =>
  changes({
    doc,
    args: { source_uri: arg.text('URL of the gem source'), ...place },
    returns: output,
    example: `gem.${name} http://rubygems.org/`,
    run: (ctx, { source_uri, ...place }) => gem(ctx, [...words, source_uri], place),
  })

export default defineModule({
  name: 'gem',
  doc: 'Manage Ruby gems.',
  functions: {
    install: changes({
      doc: 'Install gems.',
      args: INSTALL,
      returns: output,
      example: 'gem.install vagrant',
      run: install,
    }),
    uninstall: changes({
      doc: 'Remove all versions of gems and their executables.',
      args: { gems, ...place },
      returns: output,
      example: 'gem.uninstall vagrant',
      run: (ctx, { gems, ...place }) => gem(ctx, ['uninstall', ...wordsOf(gems), '-a', '-x'], place),
    }),
    update: changes({
      doc: 'Update gems to their newest version.',
      args: { gems, ...place },
      returns: output,
      example: 'gem.update vagrant',
      run: (ctx, { gems, ...place }) => gem(ctx, ['update', ...wordsOf(gems)], place),
    }),
    update_system: changes({
      doc: 'Update RubyGems itself.',
      args: { version: arg.text('Version; default: the newest one', { default: '' }), ...place },
      returns: output,
      run: (ctx, { version, ...place }) => gem(ctx, ['update', '--system', ...(version ? [version] : [])], place),
    }),
    version: reads({
      doc: 'Return the version of gem.',
      args: place,
      returns: ret.any('Version; an empty dict when gem prints none'),
      run: async (ctx, place) => (await version(ctx, place)) ?? new Map(),
    }),
    list: reads({
      doc: 'List the installed gems with their versions.',
      args: { prefix: arg.text('Start of the gem names to list; default: all gems', { default: '' }), ...place },
      returns: ret.dict('Versions by gem name'),
      calledAs: 'list_',
      run: async (ctx, { prefix, ...place }) => {
        const words = ['list', ...(prefix ? [prefix] : [])]
        return entries(await lines(ctx, words, place), /^([^ ]+) \((.+)\)/, (text) => text.split(', '))
      },
    }),
    list_upgrades: reads({
      doc: 'List the gems with a newer version.',
      args: place,
      returns: ret.dict('Newest version by gem name'),
      run: async (ctx, place) =>
        entries(await lines(ctx, ['outdated'], place), /(\S+) \(\S+ < (\S+)\)/, (version) => version),
    }),
    sources_add: command('Add a gem source.', 'sources_add', ['sources', '--add']),
    sources_remove: command('Remove a gem source.', 'sources_remove', ['sources', '--remove']),
    sources_list: reads({
      doc: 'List the gem sources.',
      args: place,
      returns: ret.texts('URLs'),
      run: async (ctx, place) => (await lines(ctx, ['sources'], place)).slice(2),
    }),
  },
})
