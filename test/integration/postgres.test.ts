import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Command, type CommandResult, LocalHost } from '../../src/host/mod.ts'
import { type Minion, minion, thrice } from './minion.ts'
import { canServe, postgresPrograms, type Server, startPostgres } from './servers.ts'

const runs = canServe('PostgreSQL', '/usr/bin/psql', `${postgresPrograms()}/postgres`)

describe.runIf(runs)('PostgreSQL', () => {
  let server: Server
  let salt: Minion

  beforeAll(async () => {
    server = await startPostgres()
    salt = minion({ 'postgres.host': server.directory, 'postgres.port': server.port })
  })
  afterAll(async () => server?.stop())

  test('makes a user with its rights, and changes what differs', async () => {
    expect(await thrice(salt, 'postgres_user.present', { name: 'joe', password: 'secret', createdb: true })).toEqual([
      'User joe is set to be created',
      'The user joe has been created',
      'User joe is already present',
    ])
    const changed = await salt.state('postgres_user.present', { name: 'joe', password: 'new', createdb: false })
    expect(changed.changes).toEqual({ joe: { createdb: false, password: true } })
    expect(await salt.call('postgres.role_get', ['joe'])).toMatchObject({
      'can login': true,
      'can create databases': false,
    })
  })

  test('keeps a SCRAM password that is right already', async () => {
    const wish = { name: 'scram', password: 'päss', encrypted: 'scram-sha-256' }
    expect((await thrice(salt, 'postgres_user.present', wish))[2]).toBe('User scram is already present')
  })

  test('makes a database for its owner, and reports settings that cannot change', async () => {
    await salt.state('postgres_user.present', { name: 'owner' })
    expect(await thrice(salt, 'postgres_database.present', { name: 'app', owner: 'owner' })).toEqual([
      'Database app is set to be created',
      'The database app has been created',
      'Database app is already present',
    ])
    const { result, comment } = await salt.state('postgres_database.present', { name: 'app', encoding: 'LATIN1' })
    expect([result, comment]).toEqual([false, "Database app has wrong parameters which couldn't be changed on fly."])
  })

  test('installs extensions, schemas and privileges, and takes them away', async () => {
    await salt.state('postgres_database.present', { name: 'parts' })
    await salt.state('postgres_group.present', { name: 'read-ers' })
    const inParts = { maintenance_db: 'parts' }
    const { comment } = await salt.state('postgres_extension.present', { name: 'plpgsql', ...inParts })
    expect(comment).toBe('Extension plpgsql is already present')
    await thrice(salt, 'postgres_schema.present', { name: 'audit', dbname: 'parts' })
    const rights = { name: 'read-ers', object_name: 'audit', object_type: 'schema', privileges: ['ALL'], ...inParts }
    expect(await thrice(salt, 'postgres_privileges.present', rights)).toEqual([
      'The privilege(s): ALL are set to be granted to read-ers',
      'The privilege(s): ALL have been granted to read-ers',
      'The requested privilege(s) are already set',
    ])
    await thrice(salt, 'postgres_privileges.absent', rights)
    await thrice(salt, 'postgres_schema.absent', { name: 'audit', dbname: 'parts' })
    expect(await thrice(salt, 'postgres_database.absent', { name: 'parts' })).toEqual([
      'Database parts is set to be removed',
      'Database parts has been removed',
      'Database parts is not present, so it cannot be removed',
    ])
  })

  test('removes users, groups, languages, tablespaces and extensions', async () => {
    await salt.state('postgres_database.present', { name: 'tidy' })
    for (const kind of ['user', 'group']) {
      await salt.state(`postgres_${kind}.present`, { name: 'short-lived' })
    }
    expect((await thrice(salt, 'postgres_user.absent', { name: 'short-lived' }))[1]).toBe(
      'User short-lived has been removed',
    )
    await salt.state('postgres_group.present', { name: 'short-lived' })
    expect((await thrice(salt, 'postgres_group.absent', { name: 'short-lived' }))[1]).toBe(
      'Group short-lived has been removed',
    )
    const inTidy = { maintenance_db: 'tidy' }
    expect(await thrice(salt, 'postgres_language.absent', { name: 'plpgsql', ...inTidy }).catch(() => 'kept')).toBe(
      'kept',
    )
    await thrice(salt, 'postgres_extension.absent', { name: 'plpgsql', ...inTidy })
    expect(await thrice(salt, 'postgres_language.present', { name: 'plpgsql', ...inTidy })).toEqual([
      'Language plpgsql is set to be installed',
      'Language plpgsql has been installed',
      'Language plpgsql is already installed',
    ])
    const directory = join(server.directory, 'a place')
    mkdirSync(directory)
    chownSync(directory, statSync(server.directory).uid, statSync(server.directory).gid)
    const space = { name: 'fast "disk"', directory, options: { random_page_cost: 1.5 } }
    expect((await thrice(salt, 'postgres_tablespace.present', space))[1]).toBe(
      'The tablespace fast "disk" has been created',
    )
    const slower = { ...space, options: { random_page_cost: 2.5 } }
    expect((await salt.state('postgres_tablespace.present', slower)).comment).toBe(
      'Tablespace fast "disk" opts changed',
    )
    await thrice(salt, 'postgres_tablespace.absent', { name: 'fast "disk"' })
  })

  test('initializes a data directory once', async () => {
    const wanted = { name: join(server.directory, 'other'), user: 'boss', password: "it's", runas: 'postgres' }
    expect((await thrice(salt, 'postgres_initdb.present', { ...wanted, checksums: true }))[1]).toBe(
      `Postgres data directory ${wanted.name} has been initialized`,
    )
  })

  test('takes names for names, whatever they hold', async () => {
    const hostile = 'x"; CREATE ROLE intruder SUPERUSER; --'
    expect(await salt.call('postgres.user_create', [hostile])).toBe(true)
    expect(await salt.call('postgres.user_exists', [hostile])).toBe(true)
    await salt.call('postgres.user_update', [hostile], {
      groups: hostile,
      valid_until: "2030-01-01'; DROP ROLE joe; --",
    })
    expect(await salt.call('postgres.db_create', [hostile], { owner: 'joe' })).toBe(true)
    expect(await salt.call('postgres.db_alter', [hostile], { tablespace: hostile })).toBe(false)
    expect(await salt.call('postgres.schema_create', ['postgres', hostile])).toBe(true)
    expect(await salt.call('postgres.schema_remove', ['postgres', hostile])).toBe(true)
    await salt.call('postgres.privileges_grant', ['joe', 'a" TO public; CREATE ROLE intruder; --', 'table'], {
      privileges: 'SELECT',
      prepend: 'public"; CREATE ROLE intruder; --',
    })
    await salt.call('postgres.language_create', ['c; CREATE ROLE intruder', 'postgres'])
    expect(await salt.call('postgres.db_remove', [hostile])).toBe(true)
    expect(await salt.call('postgres.user_remove', [hostile])).toBe(true)
    expect(await salt.call('postgres.user_exists', ['intruder'])).toBe(false)
    expect(await salt.call('postgres.user_exists', ['joe'])).toBe(true)
  })

  test('keeps passwords of roles out of command lines', async () => {
    const seen: string[] = []
    class WatchedHost extends LocalHost {
      override run(command: Command): Promise<CommandResult> {
        seen.push(command.argv.join(' '))
        return super.run(command)
      }
    }
    const watched = minion({ 'postgres.host': server.directory, 'postgres.port': server.port }, new WatchedHost())
    const wanted = { name: 'quiet', password: 'whisper', groups: 'joe' }
    expect((await watched.state('postgres_user.present', wanted)).result).toBe(true)
    expect(seen.filter((line) => line.includes('psql'))).not.toEqual([])
    expect(seen.filter((line) => /whisper|md5|SCRAM/.test(line))).toEqual([])
  })

  test('answers queries with rows, and with none when the query fails', async () => {
    expect(await salt.call('postgres.psql_query', ["select 'a,\"b' as x, null as y"])).toEqual([{ x: 'a,"b', y: '' }])
    expect(await salt.call('postgres.psql_query', ['nonsense'])).toEqual([])
  })
})
