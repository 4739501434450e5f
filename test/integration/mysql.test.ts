import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { type Minion, minion } from './minion.ts'
import { canServe, type Server, startMariadb } from './servers.ts'

const runs = canServe('MariaDB', '/usr/sbin/mariadbd', '/usr/bin/mysql')

describe.runIf(runs)('MariaDB', () => {
  let server: Server
  let salt: Minion

  beforeAll(async () => {
    server = await startMariadb()
    salt = minion({ 'mysql.unix_socket': join(server.directory, 'mysql.sock'), 'mysql.user': 'root' })
  })
  afterAll(async () => server?.stop())

  /** A dry run, the real one and a second one: what each says. */
  const thrice = async (name: string, kwargs: Record<string, Plain>): Promise<Plain[]> => {
    const dry = await salt.state(name, kwargs, true)
    const real = await salt.state(name, kwargs)
    const again = await salt.state(name, kwargs)
    expect([dry.result, real.result, again.result, again.changes]).toEqual([null, true, true, {}])
    return [dry.comment, real.comment, again.comment]
  }

  test('makes a database, and changes its character set', async () => {
    expect(await thrice('mysql_database.present', { name: 'a_b`c' })).toEqual([
      'Database a_b`c is not present and needs to be created',
      'The database a_b`c has been created',
      'Database a_b`c is already present',
    ])
    await thrice('mysql_database.present', { name: 'a_b`c', character_set: 'utf8mb4', collate: 'utf8mb4_bin' })
    expect(await salt.call('mysql.db_get', ['a_b`c'])).toEqual({ character_set: 'utf8mb4', collate: 'utf8mb4_bin' })
    await thrice('mysql_database.absent', { name: 'a_b`c' })
  })

  test('makes a user who can log in, and changes the password', async () => {
    const password = `it's "\\`
    expect(await thrice('mysql_user.present', { name: 'joe', password })).toEqual([
      'User joe@localhost is set to be added',
      'The user joe@localhost has been added',
      'User joe@localhost is already present with the desired password',
    ])
    expect(await salt.call('mysql.verify_login', ['joe', password])).toBe(true)
    expect((await thrice('mysql_user.present', { name: 'joe', password: 'other' }))[1]).toBe(
      'Password for user joe@localhost has been changed',
    )
    expect(await salt.call('mysql.verify_login', ['joe', password])).toBe(false)
  })

  test('grants privileges, adds to them and revokes them', async () => {
    await salt.state('mysql_user.present', { name: 'ann', host: '%', password: 'x' })
    const grant = { name: 'g', database: 'shop_1.*', user: 'ann', host: '%' }
    expect(await thrice('mysql_grants.present', { ...grant, grant: 'select,insert' })).toEqual([
      'MySQL grant g is set to be created',
      'Grant select,insert on shop_1.* to ann@% has been added',
      'Grant select,insert on shop_1.* to ann@% is already present',
    ])
    await thrice('mysql_grants.present', { ...grant, grant: 'delete', revoke_first: true })
    expect(await salt.call('mysql.user_grants', ['ann', '%'])).toContain('GRANT DELETE ON `shop\\_1`.* TO `ann`@`%`')
    await thrice('mysql_grants.present', { ...grant, database: '*.*', grant: 'all', grant_option: true })
    await thrice('mysql_grants.absent', { ...grant, database: '*.*', grant: 'all', grant_option: true })
  })

  test('runs queries and files of them', async () => {
    await salt.state('mysql_database.present', { name: 'shop' })
    const file = join(server.directory, 'schema.sql')
    writeFileSync(file, "CREATE TABLE t (id INT, name VARCHAR(9)); -- new\nINSERT INTO t VALUES (1, 'a;b'), (2, NULL);")
    const { result, changes } = await salt.state('mysql_query.run_file', {
      name: 'f',
      database: 'shop',
      query_file: file,
    })
    rmSync(file)
    expect([result, changes]).toEqual([true, { query: 'Executed' }])
    expect(await salt.call('mysql.query', ['shop', 'SELECT * FROM t'])).toMatchObject({
      'rows returned': 2,
      columns: ['id', 'name'],
      results: [
        ['1', 'a;b'],
        ['2', null],
      ],
    })
    expect(await salt.call('mysql.query', ['shop', 'SELECT id FROM t WHERE id = 9'])).toMatchObject({ columns: ['id'] })
  })

  test('names the server that cannot be reached', async () => {
    const { result, comment } = await salt.state('mysql_user.present', {
      name: 'x',
      password: 'y',
      connection_unix_socket: '/nowhere.sock',
    })
    expect([result, comment]).toEqual([
      false,
      "MySQL Error 2002: Can't connect to local server through socket '/nowhere.sock' (2)",
    ])
  })
})
