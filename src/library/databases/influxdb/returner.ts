// `influxdb`: jobs as points of InfluxDB 1.x, in the measurements `returns` and `jids`.
import { type Dict, dumpJson, failure, isDict, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import { askWeb, defineReturner, type FunctionContext, returnerOptions } from '../../../sdk/mod.ts'
import { literal, query, type Series } from './module/client.ts'

const DEFAULTS = { host: 'localhost', port: 8086, db: 'salt', user: 'root', password: 'root' }

/** Write a name or the value of a tag; line ends would end the point. */
const tag = (text: string): string => text.replace(/[\r\n]/g, ' ').replace(/[\\,= ]/g, '\\$&')
const field = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`

type Options = Record<keyof typeof DEFAULTS, Value>

const optionsOf = (ctx: FunctionContext, ret?: Dict): Promise<Options> =>
  returnerOptions<keyof typeof DEFAULTS>(ctx, 'influxdb', DEFAULTS, ret)

interface Point {
  name: string
  tags: Readonly<Record<string, string>>
  fields: Readonly<Record<string, string>>
}

async function write(ctx: FunctionContext, { name, tags, fields }: Point, ret?: Dict): Promise<void> {
  const { host, port, db, user, password } = await optionsOf(ctx, ret)
  const keys = Object.entries(tags).map(([key, value]) => `,${key}=${tag(value)}`)
  const values = Object.entries(fields).map(([key, value]) => `${key}=${field(value)}`)
  const url = `http://${str(host)}:${str(port)}/write?db=${encodeURIComponent(str(db))}`
  const login = truthy(user) ? { username: str(user), password: str(password) } : {}
  const body = `${name}${keys.join('')} ${values.join(',')}`
  const { status, text } = await askWeb(ctx, { url, method: 'POST', body, ...login })
  if (status >= 300)
    throw failure(`InfluxDB at ${str(host)}:${str(port)} answers with status ${status}: ${text.trim()}`)
}

async function select(ctx: FunctionContext, statement: string): Promise<Series[]> {
  const { db, ...server } = await optionsOf(ctx)
  const at = new Map(Object.entries(server).map(([name, value]) => [`influxdb_${name}`, value]))
  return (await query(ctx, at, statement, str(db))).flat()
}

const dictOf = (text: Value | undefined): Dict => {
  const value = loadJson(str(text ?? 'null'))
  return isDict(value) ? value : new Map()
}

/** Return the stored fields of a return, with the returned value in its place. */
const stored = (row: Dict): Dict =>
  dictOf(row.get('full_ret')).set('return', loadJson(str(row.get('return') ?? 'null')))

export default defineReturner({
  name: 'influxdb_return',
  virtual: 'influxdb',
  doc: 'Store jobs in InfluxDB 1.x. Options `influxdb.host`, `influxdb.port`, `influxdb.db`, `influxdb.user` and `influxdb.password`; the database must exist.',
  functions: {
    returner: async (ctx, ret) => {
      const { return: returned, ...rest } = Object.fromEntries(ret) as Record<string, Value>
      const tags = { fun: str(ret.get('fun')!), id: str(ret.get('id')!), jid: str(ret.get('jid')!) }
      const fields = { return: dumpJson(returned ?? null), full_ret: dumpJson(new Map(Object.entries(rest))) }
      await write(ctx, { name: 'returns', tags, fields }, ret)
    },
    save_load: (ctx, jid, load) => write(ctx, { name: 'jids', tags: { jid }, fields: { load: dumpJson(load) } }),
    get_load: async (ctx, jid) => {
      const [series] = await select(ctx, `SELECT load FROM jids WHERE jid = ${literal(jid)}`)
      return dictOf(series?.rows.at(-1)?.get('load'))
    },
    get_jid: async (ctx, jid) => {
      const found = await select(ctx, `SELECT id, full_ret, "return" FROM returns WHERE jid = ${literal(jid)}`)
      return new Map(
        found.flatMap(({ rows }) => rows.map((row): [Value, Value] => [row.get('id') ?? null, stored(row)])),
      )
    },
    get_fun: async (ctx, fun) => {
      const last = 'SELECT last(full_ret) AS full_ret, "return" FROM returns'
      const found = await select(ctx, `${last} WHERE fun = ${literal(fun)} GROUP BY id`)
      return new Map(
        found.flatMap(({ tags, rows }) => rows.map((row): [Value, Value] => [tags?.get('id') ?? null, stored(row)])),
      )
    },
    get_jids: async (ctx) => {
      const found = await select(ctx, 'SELECT jid, load FROM jids')
      return new Map(
        found.flatMap(({ rows }) =>
          rows.map((row): [string, Dict] => [str(row.get('jid') ?? ''), dictOf(row.get('load'))]),
        ),
      )
    },
    get_minions: async (ctx) => {
      const found = await select(ctx, 'SHOW TAG VALUES FROM returns WITH KEY = id')
      return found.flatMap(({ rows }) => rows.map((row) => row.get('value') ?? null))
    },
  },
})
