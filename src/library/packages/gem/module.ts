// Gems of Ruby: through gem itself, or through rvm or rbenv where one of them is installed.
import { type Dict, SaltError, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret, runAll } from '../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const ruby = optional('The Ruby of rvm or rbenv')
const runas = arg.text('Whom gem runs as', { optional: true })
const gem_bin = arg.text('The path of gem; then rvm and rbenv are not asked', { optional: true })
const gems = arg.any('Gems: a list, or a text with spaces')
const place = { ruby, runas, gem_bin }

interface Place {
  ruby: Value
  runas: Value
  gem_bin: Value
}

const has = async (ctx: FunctionContext, manager: string, runas: Value): Promise<boolean> =>
  ctx.has(`${manager}.is_installed`) && truthy(await ctx.call(`${manager}.is_installed`, [], { runas }))

async function gem(ctx: FunctionContext, words: readonly string[], { ruby, runas, gem_bin }: Place): Promise<Value> {
  const line = [truthy(gem_bin) ? str(gem_bin) : 'gem', ...words]
  if (gem_bin === null) {
    if (await has(ctx, 'rvm', runas)) return ctx.call('rvm.do', [ruby, line], { runas })
    if (ctx.grains.get('kernel') !== 'Windows' && (await has(ctx, 'rbenv', runas))) {
      if (ruby === null) return ctx.call('rbenv.do', [line], { runas })
      return ctx.call('rbenv.do_with_ruby', [ruby, line], { runas })
    }
  }
  const { retcode, stdout, stderr } = await runAll(ctx, line, { runas })
  if (retcode !== 0) throw new SaltError('CommandExecutionError', stderr)
  return stdout
}

const lines = async (ctx: FunctionContext, words: readonly string[], place: Place): Promise<string[]> =>
  splitLines(str(await gem(ctx, words, place)))

const wordsOf = (gems: Value): string[] =>
  Array.isArray(gems) ? (gems as Value[]).map((name) => str(name)) : str(gems).split(/\s+/).filter(Boolean)

async function version(ctx: FunctionContext, place: Place): Promise<string | undefined> {
  return (await lines(ctx, ['--version'], place)).find((line) => /^[.0-9]+/.test(line))
}

interface Installation extends Place {
  gems: Value
  version: Value
  rdoc: Value
  ri: Value
  pre_releases: Value
  proxy: Value
  source: Value
}

async function install(ctx: FunctionContext, call: Installation): Promise<Value> {
  const modern = (await version(ctx, call))?.startsWith('3.') ?? false
  const manuals = modern
    ? [...(truthy(call.rdoc) && truthy(call.ri) ? [] : ['--no-document'])]
    : [...(truthy(call.rdoc) ? [] : ['--no-rdoc']), ...(truthy(call.ri) ? [] : ['--no-ri'])]
  const words = [
    'install',
    ...wordsOf(call.gems),
    ...(truthy(call.version) ? ['--version', str(call.version)] : []),
    ...manuals,
    ...(truthy(call.pre_releases) ? [modern ? '--prerelease' : '--pre'] : []),
    ...(truthy(call.proxy) ? ['-p', str(call.proxy)] : []),
    ...(truthy(call.source) ? ['--source', str(call.source)] : []),
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

/** A function that is one call of gem with a word of the user's. */
const command = (doc: string, name: string, words: readonly string[]) =>
  changes({
    doc,
    args: { source_uri: arg.text('The source'), ...place },
    returns: ret.any('What gem says'),
    example: `gem.${name} http://rubygems.org/`,
    run: (ctx, { source_uri, ...place }) => gem(ctx, [...words, source_uri], place),
  })

export default defineModule({
  name: 'gem',
  doc: 'Install gems of Ruby.',
  functions: {
    install: changes({
      doc: 'Install gems.',
      args: {
        gems,
        ruby,
        gem_bin,
        runas,
        version: optional('The version'),
        rdoc: arg.flag('Whether RDoc is made', { default: false }),
        ri: arg.flag('Whether RI is made', { default: false }),
        pre_releases: arg.flag('Include versions before a release', { default: false }),
        proxy: arg.text('A proxy', { optional: true }),
        source: arg.text('Where gems come from', { optional: true }),
      },
      returns: ret.any('What gem says'),
      example: 'gem.install vagrant',
      run: install,
    }),
    uninstall: changes({
      doc: 'Remove gems, with all their versions and programs.',
      args: { gems, ...place },
      returns: ret.any('What gem says'),
      example: 'gem.uninstall vagrant',
      run: (ctx, { gems, ...place }) => gem(ctx, ['uninstall', ...wordsOf(gems), '-a', '-x'], place),
    }),
    update: changes({
      doc: 'Bring gems to their newest version.',
      args: { gems, ...place },
      returns: ret.any('What gem says'),
      example: 'gem.update vagrant',
      run: (ctx, { gems, ...place }) => gem(ctx, ['update', ...wordsOf(gems)], place),
    }),
    update_system: changes({
      doc: 'Bring rubygems itself to another version.',
      args: { version: arg.any('The version; the newest without one', { default: '' }), ...place },
      returns: ret.any('What gem says'),
      example: 'gem.update_system',
      run: (ctx, { version, ...place }) => gem(ctx, ['update', '--system', str(version)], place),
    }),
    version: reads({
      doc: 'The version of gem.',
      args: place,
      returns: ret.any('The version'),
      example: 'gem.version',
      run: async (ctx, place) => (await version(ctx, place)) ?? new Map(),
    }),
    list: reads({
      doc: 'Installed gems.',
      args: { prefix: arg.text('How names begin', { default: '' }), ...place },
      returns: ret.dict('Versions by name'),
      example: 'gem.list',
      calledAs: 'list_',
      run: async (ctx, { prefix, ...place }) => {
        const words = ['list', ...(prefix ? [prefix] : [])]
        return entries(await lines(ctx, words, place), /^([^ ]+) \((.+)\)/, (text) => text.split(', '))
      },
    }),
    list_upgrades: reads({
      doc: 'Gems of which there is a newer version.',
      args: place,
      returns: ret.dict('Newest versions by name'),
      example: 'gem.list_upgrades',
      run: async (ctx, place) =>
        entries(await lines(ctx, ['outdated'], place), /(\S+) \(\S+ < (\S+)\)/, (version) => version),
    }),
    sources_add: command('Add a source of gems.', 'sources_add', ['sources', '--add']),
    sources_remove: command('Remove a source of gems.', 'sources_remove', ['sources', '--remove']),
    sources_list: reads({
      doc: 'Sources of gems.',
      args: place,
      returns: ret.texts('Their addresses'),
      example: 'gem.sources_list',
      run: async (ctx, place) => (await lines(ctx, ['sources'], place)).slice(2),
    }),
  },
})
