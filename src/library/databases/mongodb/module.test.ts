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

  test('tells refusals and a server that is not there', async () => {
    expect(await (await shell('brine-answer:{"error":"not authorized"}\n')).ask('db_list')).toBe('not authorized')
    expect(await (await shell('MongoNetworkError: connect ECONNREFUSED\n')).ask('user_create', 'a', 'b')).toBe(false)
  })
})
