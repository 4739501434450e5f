import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Minion, minion, thrice } from './minion.ts'
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

  test('makes a database, and changes its character set', async () => {
    expect(await thrice(salt, 'mysql_database.present', { name: 'a_b`c' })).toEqual([
      'Database a_b`c is not present and needs to be created',
      'The database a_b`c has been created',
      'Database a_b`c is already present',
    ])
    await thrice(salt, 'mysql_database.present', { name: 'a_b`c', character_set: 'utf8mb4', collate: 'utf8mb4_bin' })
    expect(await salt.call('mysql.db_get', ['a_b`c'])).toEqual({ character_set: 'utf8mb4', collate: 'utf8mb4_bin' })
    await thrice(salt, 'mysql_database.absent', { name: 'a_b`c' })
  })

  test('makes a user who can log in, and changes the password', async () => {
    const password = `it's "\\`
    expect(await thrice(salt, 'mysql_user.present', { name: 'joe', password })).toEqual([
      'User joe@localhost is set to be added',
      'The user joe@localhost has been added',
      'User joe@localhost is already present with the desired password',
    ])
    expect(await salt.call('mysql.verify_login', ['joe', password])).toBe(true)
    expect((await thrice(salt, 'mysql_user.present', { name: 'joe', password: 'other' }))[1]).toBe(
      'Password for user joe@localhost has been changed',
    )
    expect(await salt.call('mysql.verify_login', ['joe', password])).toBe(false)
  })

  test('grants privileges, adds to them and revokes them', async () => {
    await salt.state('mysql_user.present', { name: 'ann', host: '%', password: 'x' })
    const grant = { name: 'g', database: 'shop_1.*', user: 'ann', host: '%' }
    expect(await thrice(salt, 'mysql_grants.present', { ...grant, grant: 'select,insert' })).toEqual([
      'MySQL grant g is set to be created',
      'Grant select,insert on shop_1.* to ann@% has been added',
      'Grant select,insert on shop_1.* to ann@% is already present',
    ])
    await thrice(salt, 'mysql_grants.present', { ...grant, grant: 'delete', revoke_first: true })
    expect(await salt.call('mysql.user_grants', ['ann', '%'])).toContain('GRANT DELETE ON `shop\\_1`.* TO `ann`@`%`')
    await thrice(salt, 'mysql_grants.present', { ...grant, database: '*.*', grant: 'all', grant_option: true })
    await thrice(salt, 'mysql_grants.absent', { ...grant, database: '*.*', grant: 'all', grant_option: true })
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

  test('creates, changes, checks and drops databases', async () => {
    expect(await salt.call('mysql.db_create', ['stock', 'latin1'])).toBe(true)
    expect(await salt.call('mysql.db_create', ['stock'])).toBe(false)
    expect(await salt.call('mysql.db_list')).toContain('stock')
    expect(await salt.call('mysql.alter_db', ['stock', 'utf8mb4'])).toBe(true)
    expect(await salt.call('mysql.db_get', ['stock'])).toMatchObject({ character_set: 'utf8mb4' })
    const file = join(server.directory, 'stock.sql')
    writeFileSync(
      file,
      'CREATE TABLE parts (id INT) ENGINE=MyISAM;\nINSERT INTO parts VALUES (1), (2);\nSELECT * FROM parts;',
    )
    expect(await salt.call('mysql.file_query', ['stock', file])).toMatchObject({
      'rows affected': 2,
      'rows returned': 2,
    })
    for (const fun of ['mysql.db_check', 'mysql.db_repair', 'mysql.db_optimize']) {
      expect(await salt.call(fun, ['stock'])).toEqual([
        [
          expect.objectContaining({
            Table: 'stock.parts',
            Op: fun.slice('mysql.db_'.length),
            Msg_type: 'status',
            Msg_text: expect.any(String),
          }),
        ],
      ])
    }
    expect(await salt.call('mysql.db_check', ['stock', 'parts'])).toEqual([
      { Table: 'stock.parts', Op: 'check', Msg_type: 'status', Msg_text: 'OK' },
    ])
    expect(await salt.call('mysql.db_remove', ['stock'])).toBe(true)
    expect(await salt.call('mysql.db_remove', ['stock'])).toBe(false)
  })

  test('creates, lists and drops users, and changes their passwords', async () => {
    expect(await salt.call('mysql.user_create', ['eve', 'localhost', 'first'])).toBe(true)
    expect(await salt.call('mysql.user_create', ['eve', 'localhost', 'first'])).toBe(false)
    expect(await salt.call('mysql.user_list')).toContainEqual({ User: 'eve', Host: 'localhost' })
    expect(await salt.call('mysql.user_info', ['eve'])).toMatchObject({ User: 'eve', max_questions: 0 })
    expect(await salt.call('mysql.user_info', ['nobody'])).toBeNull()
    expect(await salt.call('mysql.user_chpass', ['eve', 'localhost', 'second'])).toBe(true)
    expect(await salt.call('mysql.verify_login', ['eve', 'second'])).toBe(true)
    expect(await salt.call('mysql.user_remove', ['eve'])).toBe(true)
    expect(await salt.call('mysql.user_remove', ['eve'])).toBe(false)
    await salt.call('mysql.user_create', ['eve', 'localhost', 'first'])
    expect(await thrice(salt, 'mysql_user.absent', { name: 'eve' })).toEqual([
      'User eve@localhost is set to be removed',
      'User eve@localhost has been removed',
      'User eve@localhost is not present, so it cannot be removed',
    ])
  })

  test('adds, finds and revokes grants', async () => {
    await salt.call('mysql.user_create', ['sue', 'localhost', 'x'])
    const grant = ['SELECT,INSERT', 'shop.*', 'sue']
    expect(await salt.call('mysql.grant_exists', grant)).toBe(false)
    expect(await salt.call('mysql.grant_add', grant)).toBe(true)
    expect(await salt.call('mysql.grant_exists', grant)).toBe(true)
    expect(await salt.call('mysql.grant_revoke', grant)).toBe(true)
    expect(await salt.call('mysql.grant_exists', grant)).toBe(false)
    expect(await salt.call('mysql.grant_add', ['FLY', 'shop.*', 'sue'])).toBe(false)
    await salt.call('mysql.grant_add', ['SELECT (id, name), UPDATE', 'shop.t', 'sue'])
    expect(await salt.call('mysql.user_grants', ['sue'])).toContainEqual(expect.stringMatching(/SELECT \(.*UPDATE/))
    const hostile = 'SELECT (id) ON shop.t TO sue@localhost/*--end--*/\nDROP DATABASE shop/*--end--*/\nSELECT (id)'
    expect(await salt.call('mysql.grant_add', [hostile, 'shop.t', 'sue'])).toBe(false)
    expect(await salt.call('mysql.db_exists', ['shop'])).toBe(true)
    const statement = "GRANT SELECT, INSERT ON shop.* TO 'sue'@'localhost'"
    expect(await salt.call('mysql.tokenize_grant', [statement])).toEqual({
      user: 'sue',
      host: 'localhost',
      grant: ['SELECT', 'INSERT'],
      database: 'shop.*',
    })
    expect(await salt.call('mysql.quote_identifier', ['a`b_c'])).toBe('`a``b_c`')
    expect(await salt.call('mysql.quote_identifier', ['b_c'], { for_grants: true })).toBe('`b\\_c`')
  })

  test('reports the server, its threads and its replication', async () => {
    expect(await salt.call('mysql.version')).toContain('MariaDB')
    expect(await salt.call('mysql.status')).toMatchObject({ Threads_connected: '1' })
    expect(await salt.call('mysql.processlist')).toContainEqual(
      expect.objectContaining({ User: 'root', Id: expect.any(Number), Info: 'SHOW FULL PROCESSLIST' }),
    )
    for (const fun of ['mysql.showvariables', 'mysql.showglobal']) {
      expect(await salt.call(fun)).toContainEqual({ Variable_name: 'port', Value: `${server.port}` })
    }
    expect(await salt.call('mysql.get_master_status')).toEqual([])
    expect(await salt.call('mysql.get_slave_status')).toEqual([])
    expect(await salt.call('mysql.slave_lag')).toBe(-1)
    await salt.call('mysql.query', ['mysql', "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=1"])
    expect(await salt.call('mysql.get_slave_status')).toMatchObject({ Master_Host: '127.0.0.1', Master_Port: 1 })
    expect(await salt.call('mysql.slave_lag')).toBe(-2)
    expect(await salt.call('mysql.free_slave')).toBe('promoted')
    expect(await salt.call('mysql.slave_lag')).toBe(-1)
  })

  test('installs and removes plugins', async () => {
    expect(await salt.call('mysql.plugins_list')).toContainEqual({ name: 'MyISAM', status: 'ACTIVE' })
    expect(await salt.call('mysql.plugin_status', ['MyISAM'])).toBe('ACTIVE')
    expect(await salt.call('mysql.plugin_add', ['SQL_ERROR_LOG', 'sql_errlog'])).toBe(true)
    expect(await salt.call('mysql.plugin_add', ['SQL_ERROR_LOG', 'sql_errlog'])).toBe(true)
    expect(await salt.call('mysql.plugin_remove', ['SQL_ERROR_LOG'])).toBe(true)
    expect(await salt.call('mysql.plugin_remove', ['SQL_ERROR_LOG'])).toBe(true)
    expect(await salt.call('mysql.plugin_status', ['SQL_ERROR_LOG'])).toBe('')
    await salt.call('mysql.db_create', ['kept'])
    const hostile = "SQL_ERROR_LOG SONAME 'sql_errlog'/*--end--*/\nDROP DATABASE kept/*--end--*/\nSELECT 1 #"
    expect(await salt.call('mysql.plugin_add', [hostile])).toBe(false)
    expect(await salt.call('mysql.db_exists', ['kept'])).toBe(true)
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
