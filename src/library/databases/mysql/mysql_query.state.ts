// Queries run by states, with the answer in the comment, a grain or a file.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
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
  type Verdict,
} from '../../../sdk/mod.ts'
import { connectionArgs, takeError, whenMysql } from './state/connection.ts'

const target = { name: arg.text('Label of the query'), database: arg.text('Name of the database') }
const storing = {
  output: arg.text('Where the answer goes: `grain`, or a path. Default: the comment', { optional: true }),
  grain: arg.text('Grain that holds the answer', { optional: true }),
  key: arg.text('Key of the answer within the grain', { optional: true }),
  overwrite: arg.flag('Whether a stored answer is replaced', { default: true }),
}
const checking = {
  check_db_exists: arg.flag('Whether the state checks first that the database exists', { default: true }),
  client_flags: arg.any('List of flags of the connection; anything else is an error', { optional: true }),
  connection_args: connectionArgs,
}
const common = { ...target, ...storing, ...checking }

type Task = Bound<typeof common>

const grainPlace = ({ grain, key }: Task): string => (key === null ? str(grain) : `${str(grain)}:${key}`)

async function isStored(ctx: StateContext, { output, grain, key }: Task): Promise<boolean> {
  if (output !== 'grain') return (await ctx.host.stat(str(output)))?.type === 'file'
  const there = (await ctx.call('grains.ls')).includes(str(grain))
  if (!there || key === null) return there
  const held = await ctx.call('grains.get', [grain])
  return isDict(held) && held.has(key)
}

/** Return rows as dicts by column. */
function mapped(columns: Value, rows: Value): Dict[] {
  if (!Array.isArray(columns) || !Array.isArray(rows)) return []
  return rows
    .filter((row) => Array.isArray(row))
    .map((row) => new Map(columns.map((name, i) => [name, row[i] ?? null])))
}

/** Return the answer with its rows as dicts. The answer of a file has columns and rows for each statement. */
function withMappedRows(result: Dict): Dict {
  if (!result.has('results')) return result
  const [columns = [], results = []] = [result.get('columns'), result.get('results')]
  const several = Array.isArray(columns) && Array.isArray(columns[0])
  const rows =
    several && Array.isArray(results)
      ? results.flatMap((rows, i) => mapped(columns[i] ?? null, rows))
      : mapped(columns, results)
  return new Map([...result, ['results', rows]])
}

function fileText(result: Dict): string {
  const results = result.get('results')
  const rows = results !== undefined && isList(results) ? results.filter(isDict) : [result]
  return rows.flatMap((row) => [...row].map(([column, cell]) => `${str(column)}:${str(cell)}\n`)).join('')
}

async function store(ctx: StateContext, task: Task, result: Dict): Promise<string> {
  const { output, grain, key } = task
  if (output === null) return 'Executed'
  if (output !== 'grain') {
    await ctx.host.write(output, fileText(result))
    return `Executed. Output into ${output}`
  }
  const held = key === null ? null : await ctx.call('grains.get', [grain])
  const kept = key === null ? result : new Map([...(isDict(held) ? held : []), [key, result]])
  await ctx.call('grains.setval', [grain, kept])
  return `Executed. Output into grain: ${grainPlace(task)}`
}

async function look(ctx: StateContext, task: Task, subject: string, connection: Connection) {
  const { database, output, grain, overwrite } = task
  if (!isList(connection['client_flags'] ?? null)) return failed('Error: client_flags must be a list.')
  if (task.check_db_exists && !truthy(await ctx.call('mysql.db_exists', [database], connection))) {
    const error = takeError(ctx)
    return error === undefined ? foreseen(`Database ${subject} is not present`) : failed(error)
  }
  if (output === 'grain' && grain === null) return failed("Error: output type 'grain' needs the grain parameter\n")
  if (output !== null && !overwrite && (await isStored(ctx, task))) {
    const place = output === 'grain' ? `Grain ${grainPlace(task)}` : `File ${output}`
    return settled(`No execution needed. ${place} already set`)
  }
  return 'to run'
}

type Connection = Readonly<Record<string, Value>>

/** Run a query after the checks, and store the answer. `subject` is named when the database is missing. */
function run(
  ctx: StateContext,
  task: Task,
  subject: string,
  query: (connection: Connection) => Value | Promise<Value>,
): Promise<StateReturn> {
  const { name, output } = task
  const connection = { ...Object.fromEntries(task.connection_args), client_flags: task.client_flags ?? [] }
  return ensure<string>(ctx, {
    name,
    look: () => look(ctx, task, subject, connection),
    foresee: () => {
      if (output === null) return 'Query would execute, not storing result'
      const place = output === 'grain' ? `grain: ${grainPlace(task)}` : `file: ${output}`
      return `Query would execute, storing result in ${place}`
    },
    act: async (): Promise<Verdict> => {
      const result = await query(connection)
      if (!isDict(result)) return failed(takeError(ctx) ?? 'The query failed')
      const answer = withMappedRows(result)
      const stored = await store(ctx, task, answer)
      return changed(str(answer), { query: stored })
    },
  })
}

const PROTOCOLS = /^(http|https|salt|s3|swift):\/\//

async function runFile(ctx: StateContext, task: Task, query_file: string, saltenv: string): Promise<StateReturn> {
  const { name, database } = task
  const file = PROTOCOLS.test(query_file) ? str(await ctx.call('cp.cache_file', [query_file], { saltenv })) : query_file
  if ((await ctx.host.stat(file)) === undefined) return failed(`File ${file} does not exist`).on(name)
  return run(ctx, task, database, (connection) => ctx.call('mysql.file_query', [database, file], connection))
}

export default defineState({
  name: 'mysql_query',
  doc: 'Run queries on MySQL and MariaDB.',
  when: whenMysql,
  functions: {
    run: state({
      doc: 'Run a query, and store its answer.',
      args: { ...target, query: arg.text('Query'), ...storing, ...checking },
      run: (ctx, { query, ...task }) =>
        run(ctx, task, task.name, (connection) => ctx.call('mysql.query', [task.database, query], connection)),
    }),
    run_file: state({
      doc: 'Run the statements of a file, and store their answer.',
      args: {
        ...target,
        query_file: arg.text('Path, or URL of a file of the file server', { optional: true }),
        ...storing,
        saltenv: arg.text('Environment of the file server. Default: the one of the state', { optional: true }),
        ...checking,
      },
      run: (ctx, { query_file, saltenv, ...task }) => runFile(ctx, task, str(query_file), saltenv || ctx.env),
    }),
  },
})
