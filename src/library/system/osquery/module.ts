// Facts about the machine from osquery: each table has a function, and any query can be run.
import { type Dict, isDict, isList, loadJson, PyError, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { DEBIAN, EVERYWHERE, MACOS, RED_HAT } from './tables.ts'

/** Run a query; `error` is osquery's error. */
async function ask(ctx: FunctionContext, sql: string): Promise<{ data: Value } | { error: string }> {
  const program = (await ctx.host.which('osqueryi')) ?? 'osqueryi'
  const { retcode, stdout, stderr } = await ctx.host.run({ argv: [program, '--json', sql] })
  const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).trim()
  if (retcode !== 0 || stderr.length > 0) return { error: decode(stderr) || `osqueryi ended with ${retcode}` }
  try {
    return { data: loadJson(decode(stdout)) }
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    return { error: `The answer of osqueryi is no JSON: ${error.message}` }
  }
}

const rowsOf = (data: Value): Dict[] => (isList(data) ? data.filter(isDict) : [])

/** Return the columns of a table; empty if the table does not exist. */
async function columnsOf(ctx: FunctionContext, table: string): Promise<string[]> {
  const answer = await ask(ctx, `pragma table_info(${table})`)
  return 'data' in answer ? rowsOf(answer.data).map((row) => str(row.get('name') ?? '')) : []
}

const refused = (comment: string) => ({ result: false, comment })

const asked = {
  attrs: arg.any('List of columns. Default: all', { optional: true }),
  where: arg.text('Condition in SQL, without the word where', { optional: true }),
}

async function fromTable(ctx: FunctionContext, table: string, { attrs, where }: Bound<typeof asked>) {
  let columns = '*'
  if (attrs !== null) {
    if (!isList(attrs)) return refused('attrs must be specified as a list.')
    const known = await columnsOf(ctx, table)
    if (known.length === 0) return refused(`Invalid table ${table}.`)
    const wrong = attrs.map(str).find((name) => !known.includes(name))
    if (wrong !== undefined) return refused(`${wrong} is not a valid attribute for table ${table}`)
    if (attrs.length > 0) columns = attrs.map(str).join(',')
  }
  const answer = await ask(ctx, `select ${columns} from ${table}${where ? ` where ${where}` : ''};`)
  return 'data' in answer ? { result: true, data: answer.data } : refused(answer.error)
}

const outcome = ret.dict('`result`, and the rows as `data`, or a `comment`')

interface Systems {
  readonly isHere: (grains: Dict) => boolean
  readonly only: string
}

const tableFunction = (table: string, systems?: Systems) =>
  reads({
    doc: `Return rows of the table \`${table}\` of osquery.${systems ? ` ${systems.only}` : ''}`,
    args: asked,
    returns: outcome,
    example: `osquery.${table}`,
    run: (ctx, given) =>
      !systems || systems.isHere(ctx.grains) ? fromTable(ctx, table, given) : refused(systems.only),
  })

const functionsFor = <Name extends string>(tables: readonly Name[], systems?: Systems) =>
  Object.fromEntries(tables.map((table) => [table, tableFunction(table, systems)])) as Record<
    Name,
    ReturnType<typeof tableFunction>
  >

const family = (name: string): Systems => ({
  isHere: (grains) => grains.get('os_family') === name,
  only: `Only available on ${name} based systems.`,
})

export default defineModule({
  name: 'osquery',
  doc: 'Ask osquery about the machine.',
  when: async ({ host }) => (await host.which('osqueryi')) !== undefined || 'The program osqueryi was not found',
  functions: {
    version: reads({
      doc: 'Return the version of osquery.',
      returns: ret.any('Version; False if it is not known'),
      run: async (ctx) => {
        const answer = await ask(ctx, 'select version from osquery_info;')
        return ('data' in answer ? rowsOf(answer.data)[0]?.get('version') : undefined) ?? false
      },
    }),
    query: reads({
      doc: 'Run a query of osquery.',
      args: { sql: arg.text('Query in SQL') },
      returns: ret.dict('`result`, and the rows as `data`, or an `error`'),
      example: "osquery.query 'select * from users;'",
      run: async (ctx, { sql }) => {
        const answer = await ask(ctx, sql)
        return { result: 'data' in answer, ...answer }
      },
    }),
    time: reads({
      doc: 'Return the row of the table `time` of osquery.',
      args: { attrs: asked.attrs },
      returns: outcome,
      run: (ctx, { attrs }) => fromTable(ctx, 'time', { attrs, where: null }),
    }),
    ...functionsFor(EVERYWHERE),
    ...functionsFor(RED_HAT, family('RedHat')),
    ...functionsFor(DEBIAN, family('Debian')),
    ...functionsFor(MACOS, {
      isHere: (grains) => grains.get('kernel') === 'Darwin',
      only: 'Only available on macOS systems.',
    }),
  },
})
