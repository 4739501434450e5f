// InfluxDB 1.x over HTTP: statements go to `/query`, answers are series of columns and values.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, failure, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'

/** Keywords `influxdb_host`, `influxdb_user` and so on. */
export type Connection = ReadonlyMap<string, Value>

export interface Series {
  name: string
  tags: Dict | null
  rows: Dict[]
}

const DEFAULTS: Readonly<Record<string, Value>> = lookup({
  user: 'root',
  password: 'root',
  host: 'localhost',
  port: 8086,
})

async function setting(ctx: FunctionContext, at: Connection, name: string): Promise<string> {
  const given = at.get(`influxdb_${name}`) ?? null
  const fallback = DEFAULTS[name] ?? ''
  return str(truthy(given) ? given : await ctx.call('config.option', [`influxdb.${name}`], { default: fallback }))
}

function seriesOf(result: Dict): Series[] {
  return ((result.get('series') ?? []) as Dict[]).map((series) => {
    const columns = (series.get('columns') ?? []) as Value[]
    const values = (series.get('values') ?? []) as Value[][]
    const tags = series.get('tags') ?? null
    return {
      name: str(series.get('name') ?? 'results'),
      tags: isDict(tags) ? tags : null,
      rows: values.map((row) => new Map(columns.map((column, i) => [column, row[i] ?? null]))),
    }
  })
}

/** Run statements, and return the series of each. */
export async function query(
  ctx: FunctionContext,
  at: Connection,
  statement: string,
  database?: string,
): Promise<Series[][]> {
  const scheme = truthy(at.get('ssl') ?? null) ? 'https' : 'http'
  const url = `${scheme}://${await setting(ctx, at, 'host')}:${await setting(ctx, at, 'port')}/query`
  const fields = [
    `q=${encodeURIComponent(statement)}`,
    ...(database === undefined ? [] : [`db=${encodeURIComponent(database)}`]),
  ]
  const answer = await ctx.call('http.query', [url], {
    method: 'POST',
    data: fields.join('&'),
    header_dict: new Map([['Content-Type', 'application/x-www-form-urlencoded']]),
    username: await setting(ctx, at, 'user'),
    password: await setting(ctx, at, 'password'),
    decode: true,
    decode_type: 'json',
    status: true,
    raise_error: false,
  })
  const body = answer.get('dict') ?? null
  const refusal = isDict(body) ? (body.get('error') ?? null) : (answer.get('error') ?? 'no answer')
  if (refusal !== null) throw failure(`InfluxDB at ${url}: ${str(refusal)}`)
  const results = isDict(body) ? (body.get('results') ?? []) : []
  return (results as Dict[]).map((result) => {
    const error = result.get('error')
    if (error !== undefined) throw failure(str(error))
    return seriesOf(result)
  })
}

/** Run a statement that returns no rows. */
export async function execute(ctx: FunctionContext, at: Connection, statement: string): Promise<boolean> {
  await query(ctx, at, statement)
  return true
}

/** Return all rows of one statement. */
export async function rows(ctx: FunctionContext, at: Connection, statement: string): Promise<Dict[]> {
  return (await query(ctx, at, statement)).flatMap((series) => series.flatMap((each) => each.rows))
}

export const identifier = (name: string): string => `"${name.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
export const literal = (text: string): string => `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`
