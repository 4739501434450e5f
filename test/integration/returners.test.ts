// Returners against real servers: a job goes in as a minion or master hands it over, and comes back as it was.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { returnerOf } from '../../src/daemon/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import type { FunctionContext, ReturnerFunctions } from '../../src/sdk/mod.ts'
import {
  canServe,
  postgresPrograms,
  type Server,
  startInflux,
  startMariadb,
  startNothing,
  startPostgres,
  startRedis,
} from './servers.ts'

const JID = '20260102030405060708'
const dict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))
const load = dict({ fun: 'test.echo', tgt: '*', arg: ["it's"] })
const ret = dict({
  id: 'web1',
  jid: JID,
  fun: 'test.echo',
  fun_args: ["it's \\ grün\n"],
  return: "it's \\ grün\n",
  retcode: 0,
  success: true,
})

function context(opts: Record<string, Value>): FunctionContext {
  const own = dict({ id: 'web1', cachedir: '/tmp/brine-cache', extension_modules: '/nonexistent', ...opts })
  return new Registry(moduleTable, { opts: own, grains: new Map(), pillar: new Map(), host: new LocalHost() }).ctx
}

const tables = (json: string): string => `
  CREATE TABLE jids (jid varchar(255) NOT NULL PRIMARY KEY, ${json === 'jsonb' ? '"load" jsonb' : 'load_ text'});
  CREATE TABLE salt_returns (fun varchar(50), jid varchar(255), return_ ${json}, id varchar(255), success varchar(10),
    full_ret ${json});
  CREATE TABLE salt_events (tag varchar(255), data ${json}, master_id varchar(255));`

const quoted = (sql: string, quote: string): string =>
  sql.replace('load_', `${quote}load${quote}`).replace('return_', `${quote}return${quote}`)

interface Kind {
  returner: string
  start(): Promise<Server>
  runs: boolean
  opts(server: Server): Record<string, Value>
  prepare?(server: Server): void
  /** Keys of a return that are kept, where not all of them are. */
  keeps?: readonly string[]
}

const psql = (server: Server, database: string, sql: string): void => {
  const place = ['-h', server.directory, '-p', String(server.port), '-U', 'postgres', '-d', database]
  execFileSync('/usr/bin/psql', ['-X', '-q', ...place], { input: sql })
}

const postgres = (returner: string, json: string): Kind => ({
  returner,
  runs: canServe('PostgreSQL', '/usr/bin/psql', `${postgresPrograms()}/postgres`),
  start: startPostgres,
  opts: (server) => ({
    [`returner.${returner}.host`]: server.directory,
    [`returner.${returner}.port`]: server.port,
    [`returner.${returner}.user`]: 'postgres',
  }),
  prepare: (server) => {
    psql(server, 'postgres', 'CREATE DATABASE salt;')
    psql(server, 'salt', quoted(tables(json), '"'))
  },
})

const KINDS: readonly Kind[] = [
  {
    returner: 'redis',
    runs: canServe('Redis', '/usr/bin/redis-server'),
    start: startRedis,
    opts: ({ port }) => ({ 'redis.host': '127.0.0.1', 'redis.port': port }),
  },
  postgres('postgres', 'text'),
  postgres('pgjsonb', 'jsonb'),
  {
    returner: 'mysql',
    runs: canServe('MariaDB', '/usr/sbin/mariadbd', '/usr/bin/mysql'),
    start: startMariadb,
    opts: ({ directory }) => ({ 'mysql.unix_socket': join(directory, 'mysql.sock') }),
    prepare: ({ directory }) => {
      const user = "CREATE USER salt@localhost IDENTIFIED BY 'salt'; GRANT ALL ON salt.* TO salt@localhost;"
      const input = `CREATE DATABASE salt; ${user} USE salt; ${quoted(tables('text'), '`')}`
      execFileSync('/usr/bin/mysql', ['-S', join(directory, 'mysql.sock'), '-u', 'root'], { input })
    },
  },
  {
    returner: 'sqlite3',
    runs: canServe('SQLite', '/usr/bin/sqlite3'),
    start: startNothing,
    opts: ({ directory }) => ({ 'sqlite3.database': join(directory, 'salt.db') }),
    keeps: ['return'],
  },
  {
    returner: 'influxdb',
    runs: canServe('InfluxDB', '/usr/bin/influxd', '/usr/bin/influx'),
    start: startInflux,
    opts: ({ port }) => ({ 'influxdb.host': '127.0.0.1', 'influxdb.port': port }),
    prepare: ({ port }) => {
      execFileSync('/usr/bin/influx', ['-port', String(port), '-execute', 'CREATE DATABASE salt'])
    },
  },
]

for (const { returner, runs, start, opts, prepare, keeps } of KINDS) {
  describe.runIf(runs)(`the ${returner} returner`, () => {
    let server: Server
    beforeAll(async () => {
      server = await start()
      prepare?.(server)
    })
    afterAll(async () => server?.stop())

    test('gives back jobs, returns and minions', async () => {
      const ctx = context(opts(server))
      const found = (await returnerOf(ctx, returner)) as Required<ReturnerFunctions>
      await found.save_load(ctx, JID, load, ['web1'])
      await found.save_load(ctx, JID, load, ['web1'])
      await found.returner(ctx, ret)
      expect(Object.fromEntries(await found.get_load(ctx, JID))).toEqual(Object.fromEntries(load))
      const returned = (answer: Dict): unknown => Object.fromEntries(answer.get('web1') as Dict)
      const kept = Object.fromEntries([...ret].filter(([key]) => !keeps || keeps.includes(String(key))))
      expect(returned(await found.get_jid(ctx, JID))).toEqual(kept)
      expect(returned(await found.get_fun(ctx, 'test.echo'))).toEqual(kept)
      expect([...(await found.get_jids(ctx)).keys()]).toEqual([JID])
      expect(await found.get_minions(ctx)).toEqual(['web1'])
      await found.event_return?.(ctx, [dict({ tag: 'a/b', data: dict({ x: 1 }) })])
    })
  })
}

describe.runIf(postgres('postgres', 'text').runs)('the postgres_local_cache and multi_returner returners', () => {
  let server: Server
  beforeAll(async () => {
    server = await startPostgres()
    psql(server, 'postgres', 'CREATE DATABASE salt;')
    const parts = ['tgt_type', 'cmd', 'tgt', 'kwargs', 'ret', 'username', 'arg', 'fun']
    const columns = parts.map((part) => `${part} text NOT NULL`).join(', ')
    const time = 'timestamp with time zone DEFAULT now()'
    psql(
      server,
      'salt',
      `CREATE TABLE jids (jid varchar(20) PRIMARY KEY, started ${time}, ${columns});
       CREATE TABLE salt_returns (added ${time}, fun text, jid varchar(20), "return" text, id text, success boolean);
       CREATE TABLE salt_events (id serial, tag text, data text, alter_time ${time}, master_id text);`,
    )
  })
  afterAll(async () => server?.stop())

  const job = dict({ fun: 'test.echo', tgt: '*', tgt_type: 'glob', arg: ["it's"], user: 'root', cmd: 'publish' })
  const place = (): Record<string, Value> => ({
    'master_job_cache.postgres.host': server.directory,
    'master_job_cache.postgres.port': server.port,
    'master_job_cache.postgres.user': 'postgres',
  })

  test.each(['postgres_local_cache', 'multi_returner'])('give back jobs and returns: %s', async (name) => {
    const jid = name === 'multi_returner' ? '20260102030405060709' : JID
    const ctx = context({ ...place(), multi_returner: ['local_cache', 'postgres_local_cache'], keep_jobs_seconds: 0 })
    const found = (await returnerOf(ctx, name)) as Required<ReturnerFunctions>
    await found.save_load(ctx, jid, job, ['web1'])
    await found.save_load(ctx, jid, job, ['web1'])
    await found.returner(ctx, new Map([...ret, ['jid', jid]]))
    expect(Object.fromEntries(await found.get_load(ctx, jid))).toMatchObject({ ...Object.fromEntries(job), jid })
    const returned = Object.fromEntries((await found.get_jid(ctx, jid)).get('web1') as Dict)
    expect(returned).toEqual({ return: ret.get('return'), retcode: 0, success: true })
    expect([...(await found.get_jids(ctx)).keys()]).toContain(jid)
    await found.event_return?.(ctx, [dict({ tag: 'a/b', data: dict({ x: 1 }) })])
  })

  test('old jobs are not listed', async () => {
    const ctx = context({ ...place(), keep_jobs_seconds: 86_400 })
    const found = (await returnerOf(ctx, 'postgres_local_cache')) as Required<ReturnerFunctions>
    await found.save_load(ctx, '20200102030405060708', job, [])
    expect([...(await found.get_jids(ctx)).keys()]).not.toContain('20200102030405060708')
  })
})
