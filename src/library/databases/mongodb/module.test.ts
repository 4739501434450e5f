import { describe, expect, test } from 'vitest'
import { fromPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import mongodb from './module.ts'

/** A shell that answers the same to every script, and keeps the scripts. */
async function shell(answer: string) {
  const scripts: string[] = []
  const host = await MemoryHost.with({
    files: { '/usr/bin/mongosh': { text: '', mode: 0o755 }, '/tmp/': '' },
    commands: [
      async ({ argv }, machine) => {
        scripts.push(new TextDecoder().decode(await machine.read(argv.at(-1)!)))
        return { stdout: answer }
      },
    ],
  })
  const others = {
    'config.option': (_args: readonly Value[], kwargs: unknown) => (kwargs as { default: Value }).default,
  }
  return { scripts, ask: (name: string, ...args: Value[]) => tryFunction(mongodb, name, { host, args, others }) }
}

describe('mongodb', () => {
  test('hands values over as data, never as part of the script', async () => {
    const { scripts, ask } = await shell('brine-answer:{"value":null}\n')
    expect(await ask('user_create', `joe'); drop("`, 'pw')).toBe(true)
    expect(scripts[0]).toContain(`"name": "joe'); drop(\\""`)
    expect(scripts[0]).toContain('target.createUser({ user: given.name, pwd: given.passwd, roles: given.roles })')
  })

  test('finds users and their roles', async () => {
    const { ask } = await shell('brine-answer:{"value":[{"user":"joe","roles":[{"role":"readWrite","db":"app"}]}]}\n')
    expect(await ask('user_exists', 'joe')).toBe(true)
    expect(await ask('user_exists', 'ann')).toBe(false)
    expect(await ask('user_roles_exists', 'joe', '["readWrite"]', 'app')).toBe(true)
    expect(await ask('user_roles_exists', 'joe', fromPlain(['dbAdmin']), 'app')).toBe(false)
  })

  test('reports refusals and an unreachable server', async () => {
    expect(await (await shell('brine-answer:{"error":"not authorized"}\n')).ask('db_list')).toBe('not authorized')
    expect(await (await shell('MongoNetworkError: connect ECONNREFUSED\n')).ask('user_create', 'a', 'b')).toBe(false)
  })
})

describe('mongodb, on databases and documents', () => {
  test.each<[string, Value[], unknown, unknown, string]>([
    ['db_exists', ['app'], ['admin', 'app'], true, 'listDatabases'],
    ['db_remove', ['app'], null, true, 'db.getSiblingDB(given.name).dropDatabase()'],
    ['version', [], '6.0.5', '6.0.5', 'return db.version()'],
    ['user_list', [], [{ user: 'joe', roles: [] }], [{ user: 'joe', roles: [] }], 'target.getUsers()'],
    ['user_find', ['joe'], [{ user: 'joe' }], [{ user: 'joe' }], 'usersInfo: given.name'],
    ['user_remove', ['joe'], null, true, 'target.dropUser(given.name)'],
    ['user_grant_roles', ['joe', '["read"]', 'app'], null, true, 'target.grantRolesToUser(given.name, given.roles)'],
    [
      'user_revoke_roles',
      ['joe', '["read"]', 'app'],
      null,
      true,
      'target.revokeRolesFromUser(given.name, given.roles)',
    ],
    ['collections_list', [], ['things'], ['things'], 'getCollectionNames'],
    ['collection_create', ['things'], null, true, 'target.createCollection(given.collection)'],
    ['collection_drop', ['things'], null, true, 'target.getCollection(given.collection).drop()'],
    ['insert', ['[{"a": 1}]', 'things'], true, true, 'insertMany(given.objects)'],
    ['update_one', ['{"a": 1} {"b": 2}', 'things'], 1, '1 objects updated', 'countDocuments(given.filter)'],
    ['find', ['things', '[{"a": 1}]'], [{ a: 1 }], [{ a: 1 }], 'find(query)'],
    ['remove', ['things', '{"a": 1}'], 1, '1 objects removed', 'deleteOne(query)'],
  ])('%s%j sends one script and reads its answer', async (name, args, answered, wanted, part) => {
    const { scripts, ask } = await shell(`brine-answer:${JSON.stringify({ value: answered })}\n`)
    expect(await ask(name, ...args)).toEqual(fromPlain(wanted as never))
    expect(scripts[0]).toContain(part)
  })

  test('update_one wants a filter and changes', async () => {
    const { ask } = await shell('brine-answer:{"value":0}\n')
    expect(await ask('update_one', '{"a": 1}', 'things')).toContain('Your request does not contain a valid')
    expect(await ask('update_one', '{"a": 1} {"b": 2}', 'things')).toBe(
      'Did not find any result. You should try an insert before.',
    )
  })
})
