import { describe, expect, test } from 'vitest'
import { type Dict, repr, type Value } from '../../../../data/mod.ts'
import { MemoryHost } from '../../../../host/mod.ts'
import { toValue, tryFunction } from '../../../../sdk/mod.ts'
import grains from '../module.ts'

async function minion(file?: string) {
  const files = { '/etc/salt/minion': '', '/var/cache/salt/minion/': '', ...(file && { '/etc/salt/grains': file }) }
  const host = await MemoryHost.with({ files })
  const facts = toValue({ os: 'Debian', roles: ['web'], app: { port: 1 } }) as Dict
  const opts: Dict = new Map<Value, Value>([
    ['conf_file', '/etc/salt/minion'],
    ['local', true],
  ])
  return {
    facts,
    call: async (name: string, ...args: Value[]) =>
      repr(await tryFunction(grains, name, { args, opts, grains: facts, host })),
    file: async () => new TextDecoder().decode(await host.read('/etc/salt/grains')),
  }
}

describe('the grains file', () => {
  test('stores grains beside existing ones', async () => {
    const { call, file, facts } = await minion('old: 1\n')
    expect(await call('setval', 'a', new Map([['b', 1]]))).toBe("{'a': {'b': 1}}")
    expect(await file()).toBe('a:\n  b: 1\nold: 1\n')
    expect(facts.has('a')).toBe(true)
  })

  test('takes values into lists and out of them', async () => {
    const { call, file } = await minion()
    expect(await call('append', 'roles', 'db')).toBe("{'roles': ['web', 'db']}")
    expect(await call('append', 'roles', 'db')).toBe("'The val db was already in the list roles'")
    expect(await call('remove', 'roles', 'web')).toBe("{'roles': ['db']}")
    expect(await call('append', 'os', 'x')).toBe("'The key os is not a valid list'")
    expect(await file()).toBe('roles:\n- db\n')
  })

  test('is changed by path, by force where much would be lost', async () => {
    const { call, file } = await minion()
    expect(await call('set', 'app:port', 2)).toBe("{'comment': '', 'changes': {'app': {'port': 2}}, 'result': True}")
    expect(await call('set', 'app', 'x')).toMatch(/exists but is a dict or a list/)
    expect(await call('set', 'os:version', 12)).toMatch(/which is different from the provided key 'version'/)
    expect(await call('delkey', 'app', true)).toMatch(/'result': True/)
    expect(await file()).toBe('{}\n')
  })

  test('that cannot be read is left alone', async () => {
    const { call, file } = await minion('a: [\n')
    expect(await call('setval', 'b', 1)).toMatch(
      /^["']Unable to read existing grains file: .*in "\/etc\/salt\/grains", line 2, column 1/,
    )
    expect(await file()).toBe('a: [\n')
  })
})
