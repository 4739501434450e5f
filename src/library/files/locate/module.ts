// Searches of files by name in the database of locate.
import { lookup } from '../../../base/mod.ts'
import { numberOf, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, outputOf, reads, ret } from '../../../sdk/mod.ts'

/** The letters of options of locate, by Salt's names. */
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
  pattern: string
  database: string
  limit: Value
  kwargs: ReadonlyMap<string, Value>
}

function commandOf({ pattern, database, limit, kwargs }: Search): string {
  const letters = [...kwargs].flatMap(([name, value]) => (truthy(value) && LETTERS[name] ? [LETTERS[name]] : []))
  let options = letters.length > 0 ? `-${letters.join('')}` : ''
  if (database) options += ` -d ${database}`
  if ((numberOf(limit) ?? 0) > 0) options += ` -l ${str(limit)}`
  if (truthy(kwargs.get('regex') ?? false)) options += ' --regex'
  return `locate ${options} ${pattern}`
}

/** Return the counts of `locate -S` by name, and the path of the database. */
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
  doc: 'Search files by name in the database of locate.',
  when: ({ grains }) =>
    grains.get('kernel') !== 'Windows' ||
    'The locate execution module cannot be loaded: only available on non-Windows systems.',
  functions: {
    version: reads({
      doc: 'Return the version of locate.',
      returns: ret.texts('Lines of the output'),
      run: async (ctx) => splitLines(await outputOf(ctx, 'locate -V')),
    }),
    stats: reads({
      doc: 'Return statistics of the database.',
      returns: ret.dict('Counts by name, and the path of the database'),
      run: async (ctx) => statistics(splitLines(await outputOf(ctx, 'locate -S'))),
    }),
    updatedb: changes({
      doc: 'Update the database.',
      returns: ret.texts('Lines of the output'),
      run: async (ctx) => splitLines(await outputOf(ctx, 'updatedb')),
    }),
    locate: reads({
      doc: 'Return the files whose names match a pattern.',
      args: {
        pattern: arg.text('Pattern'),
        database: arg.text('Path of another database', { default: '' }),
        limit: arg.any('Maximum number of files: a number; 0 for all', { default: 0 }),
        kwargs: arg.open('Options of locate: basename, count, existing, follow, ignore, nofollow, wholename, regex'),
      },
      returns: ret.texts('Paths of the files'),
      example: 'locate.locate nginx.conf existing=True',
      run: async (ctx, search) => splitLines(await outputOf(ctx, commandOf(search))),
    }),
  },
})
