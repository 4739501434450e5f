// Files by name, through the database of locate.
import { lookup } from '../../../base/mod.ts'
import { numberOf, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, outputOf, reads, ret } from '../../../sdk/mod.ts'

/** The letters of options, by Salt's names. */
const LETTERS: Readonly<Record<string, string>> = lookup({
  basename: 'b',
  count: 'c',
  existing: 'e',
  follow: 'L',
  ignore: 'i',
  nofollow: 'P',
  wholename: 'w',
})

interface Search {
  pattern: Value
  database: Value
  limit: Value
  kwargs: ReadonlyMap<string, Value>
}

function commandOf({ pattern, database, limit, kwargs }: Search): string {
  const letters = [...kwargs].flatMap(([name, value]) => (truthy(value) && LETTERS[name] ? [LETTERS[name]] : []))
  let options = letters.length > 0 ? `-${letters.join('')}` : ''
  if (truthy(database)) options += ` -d ${str(database)}`
  if ((numberOf(limit) ?? 0) > 0) options += ` -l ${str(limit)}`
  if (truthy(kwargs.get('regex') ?? false)) options += ' --regex'
  return `locate ${options} ${str(pattern)}`
}

/** Counts by what they count, and where the database lies. */
function statistics(lines: readonly string[]): Map<Value, Value> {
  const found = new Map<Value, Value>()
  for (const line of lines) {
    const words = line.trim().split(/\s+/)
    if (line.startsWith('Database')) found.set('database', words[1]!.replaceAll(':', ''))
    else found.set(words.slice(1).join(' '), words[0]!)
  }
  return found
}

export default defineModule({
  name: 'locate',
  doc: 'Files by name, through the database of locate.',
  when: ({ grains }) =>
    grains.get('kernel') !== 'Windows' ||
    'The locate execution module cannot be loaded: only available on non-Windows systems.',
  functions: {
    version: reads({
      doc: 'What locate says about itself.',
      args: {},
      returns: ret.texts('Its lines'),
      example: 'locate.version',
      run: async (ctx) => splitLines(await outputOf(ctx, 'locate -V')),
    }),
    stats: reads({
      doc: 'How much is in the database.',
      args: {},
      returns: ret.dict('Counts'),
      example: 'locate.stats',
      run: async (ctx) => statistics(splitLines(await outputOf(ctx, 'locate -S'))),
    }),
    updatedb: changes({
      doc: 'Bring the database up to date.',
      args: {},
      returns: ret.texts('What it printed'),
      example: 'locate.updatedb',
      run: async (ctx) => splitLines(await outputOf(ctx, 'updatedb')),
    }),
    locate: reads({
      doc: 'Files whose name matches; options have the names of locate.',
      args: {
        pattern: arg.text('The pattern'),
        database: arg.text('Another database', { default: '' }),
        limit: arg.any('The most that are wanted', { default: 0 }),
        kwargs: arg.open('basename, count, existing, follow, ignore, nofollow, wholename, regex'),
      },
      returns: ret.texts('The files'),
      example: 'locate.locate nginx.conf existing=True',
      run: async (ctx, search) => splitLines(await outputOf(ctx, commandOf(search))),
    }),
  },
})
