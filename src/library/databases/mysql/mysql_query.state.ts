// Queries run by states, with their answer in the comment, a grain or a file.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { connectionArgs, type Given, parted, report, takeError, whenMysql } from './state/connection.ts'

interface Task {
  ctx: StateContext
  given: Given
  connection: Record<string, Value>
  name: string
}

const value = ({ given }: Task, name: string): Value => given[name] ?? null

const grainPlace = (task: Task): string => {
  const key = value(task, 'key')
  return key === null ? str(value(task, 'grain')) : `${str(value(task, 'grain'))}:${str(key)}`
}

async function isSet(task: Task): Promise<boolean> {
  const { ctx } = task
  const [output, grain, key] = ['output', 'grain', 'key'].map((name) => value(task, name))
  if (output !== 'grain') return (await ctx.host.stat(str(output!)))?.type === 'file'
  const there = (await ctx.call('grains.ls')).includes(grain!)
  if (!there || key === null) return there
  const held = await ctx.call('grains.get', [grain!])
  return isDict(held) && held.has(key!)
}

/** The report when nothing needs to be run, or may be in a dry run. */
async function beforehand(task: Task): Promise<StateReturn | undefined> {
  const { ctx, name } = task
  const output = value(task, 'output')
  if (output === 'grain' && value(task, 'grain') === null) {
    return report(name, "Error: output type 'grain' needs the grain parameter\n", false)
  }
  if (output !== null && !truthy(value(task, 'overwrite')) && (await isSet(task))) {
    const place = output === 'grain' ? `Grain ${grainPlace(task)}` : `File ${str(output)}`
    return report(name, `No execution needed. ${place} already set`)
  }
  if (!ctx.test) return undefined
  if (output === null) return report(name, 'Query would execute, not storing result', null)
  const place = output === 'grain' ? `grain: ${grainPlace(task)}` : `file: ${str(output)}`
  return report(name, `Query would execute, storing result in ${place}`, null)
}

/** Rows as mappings by column. */
function mapped(columns: Value, rows: Value): Dict[] {
  const names = columns as Value[]
  return (rows as Value[][]).map((row) => new Map(names.map((name, i) => [name, row[i] ?? null])))
}

function withMappedRows(result: Dict): Dict {
  if (!result.has('results')) return result
  const [columns, results] = [result.get('columns') as Value[], result.get('results') as Value[]]
  const several = columns.length > 0 && Array.isArray(columns[0])
  const rows = several ? results.flatMap((rows, i) => mapped(columns[i]!, rows)) : mapped(columns, results)
  return new Map([...result, ['results', rows]])
}

function fileText(result: Dict): string {
  const rows = result.has('results') ? (result.get('results') as Dict[]) : [result]
  return rows.flatMap((row) => [...row].map(([column, cell]) => `${str(column)}:${str(cell)}\n`)).join('')
}

async function store(task: Task, result: Dict): Promise<string> {
  const { ctx } = task
  const [output, grain, key] = ['output', 'grain', 'key'].map((name) => value(task, name))
  if (output === null) return 'Executed'
  if (output !== 'grain') {
    await ctx.host.write(str(output!), fileText(result))
    return `Executed. Output into ${str(output!)}`
  }
  const held = key === null ? null : await ctx.call('grains.get', [grain!])
  const kept = key === null ? result : new Map([...(isDict(held) ? held : []), [key!, result]])
  await ctx.call('grains.setval', [grain!, kept])
  return `Executed. Output into grain: ${grainPlace(task)}`
}

/** Everything but the query itself. */
async function around(task: Task, subject: Value, query: () => Value | Promise<Value>): Promise<StateReturn> {
  const { ctx, name, connection } = task
  if (!Array.isArray(connection['client_flags'])) return report(name, 'Error: client_flags must be a list.', false)
  const checks = truthy(value(task, 'check_db_exists'))
  if (checks && !truthy(await ctx.call('mysql.db_exists', [value(task, 'database')], connection))) {
    const error = takeError(ctx)
    if (error !== undefined) return report(name, error, false)
    return report(name, `Database ${str(subject)} is not present`, null)
  }
  const early = await beforehand(task)
  if (early) return early
  const result = await query()
  if (!isDict(result)) return report(name, takeError(ctx) ?? 'The query failed', false)
  const told = withMappedRows(result)
  const executed = await store(task, told)
  return report(name, str(told), true, { query: executed })
}

const PROTOCOLS = /^(http|https|salt|s3|swift):\/\//

async function runFile(task: Task): Promise<StateReturn> {
  const { ctx, name, connection } = task
  const named = str(value(task, 'query_file'))
  const saltenv = truthy(value(task, 'saltenv')) ? value(task, 'saltenv') : ctx.env
  const file = PROTOCOLS.test(named) ? str(await ctx.call('cp.cache_file', [named], { saltenv })) : named
  if ((await ctx.host.stat(file)) === undefined) return report(name, `File ${file} does not exist`, false)
  const database = value(task, 'database')
  return around(task, database, () => ctx.call('mysql.file_query', [database, file], connection))
}

const optional = (doc: string) => arg.any(doc, { optional: true })

const keeping = {
  output: optional('Where the answer goes: `grain`, a file, or into the comment when not given'),
  grain: optional('The grain'),
  key: optional('A key within the grain'),
  overwrite: arg.flag('Whether an answer that is there already is replaced', { default: true }),
}
const checking = {
  check_db_exists: arg.flag('Whether the database must be there', { default: true }),
  client_flags: optional('Flags of the connection'),
  connection_args: connectionArgs,
}
const target = { name: arg.any('A name for the query'), database: arg.any('The database') }

function taskOf(ctx: StateContext, args: object): Task {
  const { given, connection } = parted(args)
  const flags = { client_flags: given['client_flags'] ?? [] }
  return { ctx, given, connection: { ...connection, ...flags }, name: str(given['name']!) }
}

export default defineState({
  name: 'mysql_query',
  doc: 'Run queries on MySQL and MariaDB.',
  when: whenMysql,
  functions: {
    run: state({
      doc: 'A query has been run.',
      args: { ...target, query: arg.any('The query'), ...keeping, ...checking },
      run: (ctx, args) => {
        const task = taskOf(ctx, args)
        const words = [value(task, 'database'), value(task, 'query')]
        return around(task, args.name, () => ctx.call('mysql.query', words, task.connection))
      },
    }),
    run_file: state({
      doc: 'The statements of a file have been run.',
      args: {
        ...target,
        query_file: optional('A path, or a file of the file server'),
        ...keeping,
        saltenv: optional('The environment of the file server'),
        ...checking,
      },
      run: (ctx, args) => runFile(taskOf(ctx, args)),
    }),
  },
})
