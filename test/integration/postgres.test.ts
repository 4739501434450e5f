import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { type Minion, minion } from './minion.ts'
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

  /** A dry run, the real one and a second one: what each says. */
  const thrice = async (name: string, kwargs: Record<string, Plain>): Promise<Plain[]> => {
    const dry = await salt.state(name, kwargs, true)
    const real = await salt.state(name, kwargs)
    const again = await salt.state(name, kwargs)
    expect([dry.result, real.result, again.result, again.changes]).toEqual([null, true, true, {}])
    return [dry.comment, real.comment, again.comment]
  }

  test('makes a user with its rights, and changes what differs', async () => {
    expect(await thrice('postgres_user.present', { name: 'joe', password: 'secret', createdb: true })).toEqual([
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
    expect((await thrice('postgres_user.present', wish))[2]).toBe('User scram is already present')
  })

  test('makes a database for its owner, and tells what cannot change', async () => {
    await salt.state('postgres_user.present', { name: 'owner' })
    expect(await thrice('postgres_database.present', { name: 'app', owner: 'owner' })).toEqual([
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
    await thrice('postgres_schema.present', { name: 'audit', dbname: 'parts' })
    const rights = { name: 'read-ers', object_name: 'audit', object_type: 'schema', privileges: ['ALL'], ...inParts }
    expect(await thrice('postgres_privileges.present', rights)).toEqual([
      'The privilege(s): ALL are set to be granted to read-ers',
      'The privilege(s): ALL have been granted to read-ers',
      'The requested privilege(s) are already set',
    ])
    await thrice('postgres_privileges.absent', rights)
    await thrice('postgres_schema.absent', { name: 'audit', dbname: 'parts' })
    expect(await thrice('postgres_database.absent', { name: 'parts' })).toEqual([
      'Database parts is set to be removed',
      'Database parts has been removed',
      'Database parts is not present, so it cannot be removed',
    ])
  })

  test('answers queries with rows, and with none when the query fails', async () => {
    expect(await salt.call('postgres.psql_query', ["select 'a,\"b' as x, null as y"])).toEqual([{ x: 'a,"b', y: '' }])
    expect(await salt.call('postgres.psql_query', ['nonsense'])).toEqual([])
  })
})
