// `postgres_local_cache`: the master's job cache in PostgreSQL, with a column for each part of a job.
import { type Dict, dumpJson, isDict, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import { defineReturner, type FunctionContext, option, returnerOptions } from '../../../sdk/mod.ts'
import { alone, literal, runPsql } from './sql/postgres.ts'

const DEFAULTS = { host: '127.0.0.1', user: 'salt', passwd: 'salt', db: 'salt', port: 5432 }

async function run(ctx: FunctionContext, sql: string): Promise<string> {
  const { passwd, ...server } = await returnerOptions(ctx, 'master_job_cache.postgres', DEFAULTS)
  return runPsql(ctx, { ...server, pass: passwd }, sql)
}

/** Columns of `jids` beside the number and the time, by the names that jobs have for them. */
const COLUMNS = {
  ...{ tgt_type: 'tgt_type', cmd: 'cmd', tgt: 'tgt', kwargs: 'kwargs', ret: 'ret', user: 'username' },
  ...{ arg: 'arg', fun: 'fun' },
} as const

/** Return the time in a job id, as PostgreSQL reads it. */
function startOf(jid: string): string {
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})/.exec(jid)
  if (match === null) return 'now()'
  const [, year, month, day, hour, minute, second, fraction] = match
  return literal(`${year}-${month}-${day} ${hour}:${minute}:${second}.${fraction}`)
}

async function rows(ctx: FunctionContext, sql: string): Promise<Dict[]> {
  const lines = (await run(ctx, sql)).split('\n').filter((line) => line !== '')
  return lines.map((line) => loadJson(line)).filter((row): row is Dict => isDict(row))
}

/** Return the jobs that a condition selects. Arguments are stored as JSON. */
async function jobs(ctx: FunctionContext, condition: string): Promise<Dict[]> {
  const pairs = [['jid', 'jid'], ...Object.entries(COLUMNS)].map(([name, column]) => `'${name}', ${column}`).join(', ')
  const found = await rows(ctx, `SELECT json_build_object(${pairs}) FROM jids ${condition};\n`)
  for (const job of found) job.set('arg', loadJson(str(job.get('arg') ?? '[]')))
  return found
}

function insertReturn(ret: Dict): string {
  const held: Dict = new Map([['return', ret.get('return') ?? null]])
  for (const name of ['retcode', 'success']) if (ret.has(name)) held.set(name, ret.get(name)!)
  const success = ret.has('success') ? (truthy(ret.get('success')!) ? 'TRUE' : 'FALSE') : 'NULL'
  const [fun, jid, id] = ['fun', 'jid', 'id'].map((name) => literal(str(ret.get(name)!)))
  const values = [fun, jid, literal(dumpJson(held)), id, success].join(', ')
  // an earlier attempt whose answer was lost may have inserted it
  const known = `SELECT 1 FROM salt_returns WHERE jid = ${jid} AND id = ${id} AND fun = ${fun}`
  const sql = `INSERT INTO salt_returns (fun, jid, return, id, success) SELECT ${values} WHERE NOT EXISTS (${known});\n`
  return alone(`${str(ret.get('jid')!)} ${str(ret.get('id')!)}`, sql)
}

function insertJob(jid: string, load: Dict): string {
  const part = (name: string): Value => load.get(name) ?? null
  const values = Object.keys(COLUMNS).map((name) => literal(name === 'arg' ? dumpJson(part(name)) : str(part(name))))
  const columns = ['jid', 'started', ...Object.values(COLUMNS)].join(', ')
  const row = [literal(jid), startOf(jid), ...values].join(', ')
  return `INSERT INTO jids (${columns}) VALUES (${row}) ON CONFLICT DO NOTHING;\n`
}

/** Return the fields of a return. Old rows contain only the returned value. */
function returned(text: Value): Value {
  const held = loadJson(str(text))
  return isDict(held) && held.has('return') ? held : new Map([['return', held]])
}

export default defineReturner({
  name: 'postgres_local_cache',
  doc: 'Store jobs in tables of PostgreSQL with a column for each part of a job.',
  functions: {
    returner: (ctx, ret) => run(ctx, insertReturn(ret)),
    event_return: (ctx, events) => {
      const master = literal(option(ctx.opts, 'id'))
      const values = events.map(
        (event) =>
          `(${literal(str(event.get('tag') ?? ''))}, ${literal(dumpJson(event.get('data') ?? ''))}, ${master})`,
      )
      return run(ctx, `INSERT INTO salt_events (tag, data, master_id) VALUES ${values.join(', ')};\n`)
    },
    save_load: (ctx, jid, load) => run(ctx, insertJob(jid, load)),
    get_load: async (ctx, jid) => (await jobs(ctx, `WHERE jid = ${literal(jid)}`))[0] ?? new Map(),
    get_jid: async (ctx, jid) => {
      const sql = `SELECT json_build_object('id', id, 'return', return) FROM salt_returns WHERE jid = ${literal(jid)};\n`
      return new Map((await rows(ctx, sql)).map((row) => [row.get('id')!, returned(row.get('return')!)]))
    },
    get_jids: async (ctx) => {
      const seconds = option(ctx.opts, 'keep_jobs_seconds')
      const recent = seconds > 0 ? `WHERE started > now() - INTERVAL '${Math.floor(seconds)} seconds' ` : ''
      const found = await jobs(ctx, `${recent}ORDER BY jid`)
      return new Map(found.map((job) => [str(job.get('jid')!), job]))
    },
  },
})
