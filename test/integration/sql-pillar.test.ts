// Pillar from databases: real servers, and a file of SQLite.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, repr } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { compilePillar } from '../../src/pillar/mod.ts'
import { canServe, postgresPrograms, type Server, startMariadb, startPostgres } from './servers.ts'

const TABLE = 'CREATE TABLE facts (minion varchar(20), name varchar(20), number bigint, part double precision)'
const ROWS = `INSERT INTO facts VALUES ('it''s', 'a', 1, 1.0), ('it''s', 'b', 2, NULL), ('other', 'c', 3, 2.5)`

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'brine-sql-pillar-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function compiled(name: string, queries: Plain, more: Record<string, Plain>) {
  const logged: string[] = []
  const opts = { id: "it's", cachedir: dir, pillar_roots: {}, ext_pillar: [{ [name]: queries }], ...more }
  const { pillar } = await compilePillar({
    opts: fromPlain(opts) as Dict,
    grains: new Map(),
    minionId: "it's",
    host: new LocalHost(),
    log: (_level, text) => logged.push(text),
  })
  const errors = (pillar.get('_errors') ?? []) as string[]
  return { shown: repr(pillar), errors, logged }
}

function behaves(name: string, mark: string, more: () => Record<string, Plain>): void {
  test('has the rows of its queries, typed', async () => {
    const queries = {
      plain: `SELECT name, number FROM facts WHERE minion = ${mark} ORDER BY name`,
      whole: { query: `SELECT minion, name, number, part FROM facts WHERE minion = ${mark} ORDER BY name;`, depth: 2 },
    }
    expect((await compiled(name, queries, more())).shown).toBe(
      `{'plain': {'a': 1, 'b': 2}, 'whole': {"it's": {'a': {'number': 1, 'part': 1.0}, 'b': {'number': 2, 'part': None}}}}`,
    )
    const list = [
      `SELECT name, number FROM facts WHERE minion = ${mark} AND number > 5`,
      [`SELECT name, number FROM facts WHERE minion <> ${mark}`, 1],
    ]
    expect((await compiled(name, list, more())).shown).toBe("{'c': 3}")
  })

  test('goes on without a query that is wrong, and says so', async () => {
    const queries = [`SELECT name, number FROM facts WHERE minion = ${mark}`, `SELECT x FROM missing WHERE y = ${mark}`]
    const { shown, logged } = await compiled(name, queries, more())
    expect(shown).toBe("{'a': 1, 'b': 2}")
    expect(logged.join('\n')).toMatch(/Error in ext_pillar .*missing/)
  })
}

describe('pillar from SQLite', () => {
  beforeAll(() => {
    const db = new Libsql(join(dir, 'pillar.db'))
    db.exec(TABLE)
    db.exec(ROWS)
    db.close()
  })
  behaves('sqlite3', '?', () => ({ sqlite3: { database: join(dir, 'pillar.db') } }))

  test('is an error without its file', async () => {
    const { errors } = await compiled('sqlite3', ['SELECT 1 WHERE 1 = ?'], { sqlite3: { database: join(dir, 'none') } })
    expect(errors).toEqual([`Failed to load ext_pillar sqlite3: unable to open database file: ${join(dir, 'none')}`])
  })
})

describe.runIf(canServe('PostgreSQL', '/usr/bin/psql', `${postgresPrograms()}/postgres`))(
  'pillar from PostgreSQL',
  () => {
    let server: Server
    const more = () => ({ postgres: { host: server.directory, port: server.port, user: 'postgres', db: 'postgres' } })
    const sql = (text: string): void => {
      const place = ['-h', server.directory, '-p', `${server.port}`, '-U', 'postgres']
      execFileSync('/usr/bin/psql', [...place, '-c', text], { stdio: 'ignore' })
    }
    beforeAll(async () => {
      server = await startPostgres()
      for (const text of [TABLE, ROWS, `CREATE TABLE docs AS SELECT '{"a": {"b": [1]}}'::jsonb AS doc`]) sql(text)
    })
    afterAll(() => server?.stop())
    behaves('postgres', '%s', more)

    test('has JSON as it is', async () => {
      const queries = [{ query: 'SELECT doc FROM docs WHERE %s = %s', as_json: true }]
      expect((await compiled('postgres', queries, more())).shown).toBe("{'a': {'b': [1]}}")
    })

    test('is an error without its server', async () => {
      const { errors } = await compiled('postgres', ['SELECT 1'], { postgres: { host: dir } })
      expect(errors.join()).toMatch(
        /^Failed to load ext_pillar postgres: psql could not use the database at [^ ]+:5432: psql: error: .*No such file/,
      )
    })
  },
)

describe.runIf(canServe('MariaDB', '/usr/sbin/mariadbd', '/usr/bin/mysql'))('pillar from MariaDB', () => {
  let server: Server
  const more = () => ({ mysql: { host: '127.0.0.1', port: server.port, user: 'salt', pass: 's&"', db: 'salt' } })
  beforeAll(async () => {
    server = await startMariadb()
    const grant = `CREATE DATABASE salt; GRANT ALL ON salt.* TO salt@'%' IDENTIFIED BY 's&"'; USE salt; ${TABLE}; ${ROWS}`
    execFileSync('/usr/bin/mysql', ['--no-defaults', '-uroot', `--socket=${server.directory}/mysql.sock`, '-e', grant])
  })
  afterAll(() => server?.stop())
  behaves('mysql', '%s', more)

  test('is an error without its server', async () => {
    const { errors } = await compiled('mysql', ['SELECT 1'], { mysql: { host: '127.0.0.1', port: 1 } })
    expect(errors.join()).toMatch(
      /^Failed to load ext_pillar mysql: mysql could not use the database at 127.0.0.1:1: ERROR 2002/,
    )
  })
})
