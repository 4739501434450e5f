// Arbitrary queries, from the caller or from a file: rows with their columns, or how many rows were affected.
import { type Dict, dictFrom, fixedText, float, numberOf, round, str, tuple, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { type Answer, type Connection, columnsOf, keepError, MysqlError, runStatements } from './client.ts'
import { statementsOf } from './script.ts'

/** Numbers of errors in the statement itself, which are thrown; others are answered with False. */
const MISTAKES = new Set([
  1007, 1054, 1062, 1064, 1102, 1103, 1110, 1111, 1112, 1113, 1146, 1149, 1179, 1364, 1451, 1452,
])

const returnsRows = (query: string): boolean => /^\s*(SELECT|SHOW|DESC)/i.test(query)

const rounded = (value: number, digits: number): string => str(round(float(value), digits))

async function resultOf(ctx: FunctionContext, query: string, answer: Answer, connection: Connection): Promise<Dict> {
  if (!returnsRows(query)) return new Map([['rows affected', answer.affected]])
  const rows = answer.rows ?? []
  const columns = rows[0] ? [...rows[0].keys()] : await columnsOf(ctx, connection, query)
  return new Map<Value, Value>([
    ['rows returned', rows.length],
    ['columns', tuple(columns)],
    ['results', tuple(rows.map((row) => tuple([...row.values()])))],
  ])
}

/** Run statements; distinguish an unreachable server or database from other errors. */
async function answersOf(
  ctx: FunctionContext,
  statements: readonly string[],
  connection: Connection,
): Promise<Answer[] | 'unreachable' | 'failed'> {
  try {
    return await runStatements(ctx, connection, statements)
  } catch (error) {
    if (!(error instanceof MysqlError) || MISTAKES.has(error.errno)) throw error
    keepError(ctx, error.message)
    return [1044, 1045, 1049].includes(error.errno) || error.errno >= 2000 ? 'unreachable' : 'failed'
  }
}

export async function query(
  ctx: FunctionContext,
  text: string,
  database: string,
  connection: Connection,
): Promise<Dict | false> {
  const inside = new Map([...connection, ['connection_db', database]])
  const started = ctx.host.now()
  const answers = await answersOf(ctx, [text], inside)
  if (answers === 'unreachable') return new Map()
  if (answers === 'failed') return false
  const elapsed = ctx.host.now() - started
  const human = elapsed < 0.2 ? `${rounded(elapsed * 1000, 1)}ms` : `${rounded(elapsed, 2)}s`
  const time: Dict = dictFrom({ human, raw: rounded(elapsed, 5) })
  return new Map<Value, Value>([
    ['query time', time],
    ...(await resultOf(ctx, text, answers[0] ?? { rows: undefined, affected: 0 }, inside)),
  ])
}

const PROTOCOLS = /^(salt|http|https|swift|s3):\/\//

export async function fileQuery(
  ctx: FunctionContext,
  name: string,
  database: string,
  connection: Connection,
): Promise<Dict | false> {
  const file = PROTOCOLS.test(name) ? str(await ctx.call('cp.cache_file', [name])) : name
  if ((await ctx.host.stat(file)) === undefined) {
    ctx.log('error', `File "${file}" does not exist`)
    return false
  }
  const statements = statementsOf(new TextDecoder().decode(await ctx.host.read(file)))
  const inside = new Map([...connection, ['connection_db', database]])
  const started = ctx.host.now()
  const answers = await answersOf(ctx, statements, inside)
  if (typeof answers === 'string') return false
  const parts: Dict[] = []
  for (const [i, answer] of answers.entries()) parts.push(await resultOf(ctx, statements[i]!, answer, inside))
  return summed(parts, ctx.host.now() - started)
}

/** Return the results of several statements as one, without empty parts. */
function summed(parts: readonly Dict[], elapsed: number): Dict {
  const sum = (key: string): number => parts.reduce((total, part) => total + Number(part.get(key) ?? 0), 0)
  const all = (key: string): Value[] => parts.flatMap((part) => (part.has(key) ? [part.get(key)!] : []))
  const time: Dict = new Map<Value, Value>([
    ['raw', float(Number(numberOf(round(float(elapsed), 5))))],
    ['human', `${fixedText(elapsed, 2).replace(/0$/, '')}s`],
  ])
  const result: [string, Value][] = [
    ['rows returned', sum('rows returned')],
    ['columns', all('columns')],
    ['results', all('results')],
    ['rows affected', sum('rows affected')],
  ]
  const telling = result.filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== 0))
  return new Map<Value, Value>([...telling, ['query time', time]])
}
