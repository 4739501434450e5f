// SQLite databases, through the sqlite3 program, which prints values as literals: numbers, texts and NULL differ.
import { failure, float, int, str, traverse, tuple, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

const DRIVER = '2.6.0'

/** Return the file and options. A dry run must not create even an empty file. */
async function target(ctx: FunctionContext, db: string): Promise<string[]> {
  if (!ctx.host.readOnly) return [db]
  return (await ctx.host.stat(db)) === undefined ? [':memory:'] : [db, '-readonly']
}

async function sqlite(ctx: FunctionContext, db: string, sql: string): Promise<string> {
  const [file, ...guard] = await target(ctx, db)
  const argv = ['sqlite3', ...guard, '-batch', '-bail', '-quote', '-separator', '\t', file!, sql]
  const { retcode, stdout, stderr } = await ctx.host.run({ argv })
  if (retcode === 0) return new TextDecoder().decode(stdout)
  const said = new TextDecoder().decode(stderr).trim()
  const message =
    /(?:Parse error|Runtime error|Error)[^:]*: (?:near line \d+: )?(?:in prepare, |stepping, )?([^\n]*?)(?: \(\d+\))?(?:\n|$)/.exec(
      said,
    )
  throw failure(message?.[1] ?? said)
}

const LITERAL = /^(?:'((?:[^']|'')*)'|X'([0-9A-Fa-f]*)'|(NULL)|([^\t\n]*))(?:\t|\n|$)/

function parsed([, text, blob, none, number]: RegExpExecArray): Value {
  if (none !== undefined) return null
  if (text !== undefined) return text.replaceAll("''", "'")
  if (blob !== undefined) return Buffer.from(blob, 'hex')
  return /^-?\d+$/.test(number!) ? int(BigInt(number!)) : float(Number(number))
}

/** Parse rows of literals between tabs; a text may contain line ends. */
function rowsOf(output: string): Value[] {
  const rows: Value[] = []
  let row: Value[] = []
  let rest = output
  while (rest !== '') {
    const literal = LITERAL.exec(rest)!
    row.push(parsed(literal))
    rest = rest.slice(literal[0].length)
    if (literal[0].endsWith('\t')) continue
    rows.push(tuple(row))
    row = []
  }
  return rows
}

async function fetch(ctx: FunctionContext, db: string | null, sql: string | null): Promise<Value[] | false> {
  return db === null ? false : rowsOf(await sqlite(ctx, db, str(sql)))
}

const names = (kind: string): string => `SELECT name FROM sqlite_master WHERE type='${kind}' ORDER BY name;`

const db = arg.text('Path of the database', { optional: true })
const sql = arg.text('Statement', { optional: true })

const indices = reads({
  doc: 'Return the indices of a database.',
  args: { db },
  returns: ret.orFalse(ret.list('Rows of one name; False without a database')),
  example: 'sqlite3.indices /root/test.db',
  run: (ctx, { db }) => fetch(ctx, db, names('index')),
})

export default defineModule({
  name: 'sqlite3',
  doc: 'Manage SQLite databases.',
  when: async ({ host }) =>
    (await host.which('sqlite3')) !== undefined ||
    'The sqlite3 execution module failed to load: the program sqlite3 was not found',
  functions: {
    version: reads({
      doc: 'Return the version of the interface: that of the Python driver.',
      returns: ret.string('Version'),
      run: () => DRIVER,
    }),
    sqlite_version: reads({
      doc: 'Return the version of SQLite.',
      returns: ret.string('Version'),
      run: async (ctx) => str(traverse(rowsOf(await sqlite(ctx, ':memory:', 'SELECT sqlite_version();')), '0:0')),
    }),
    modify: changes({
      doc: 'Run a statement that changes a database.',
      args: { db, sql },
      returns: ret.boolean('True; False without a database'),
      example: `sqlite3.modify /root/test.db 'CREATE TABLE test(id INT, testdata TEXT);'`,
      run: async (ctx, { db, sql }) => {
        if (db === null) return false
        await sqlite(ctx, db, str(sql))
        return true
      },
    }),
    fetch: reads({
      doc: 'Return the rows of a query.',
      args: { db, sql },
      returns: ret.orFalse(ret.list('Rows as tuples; False without a database')),
      example: "sqlite3.fetch /root/test.db 'SELECT * FROM test;'",
      run: (ctx, { db, sql }) => fetch(ctx, db, sql),
    }),
    tables: reads({
      doc: 'Return the tables of a database.',
      args: { db },
      returns: ret.orFalse(ret.list('Rows of one name; False without a database')),
      example: 'sqlite3.tables /root/test.db',
      run: (ctx, { db }) => fetch(ctx, db, names('table')),
    }),
    indices,
    indexes: { ...indices },
  },
})
