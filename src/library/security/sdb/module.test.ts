import { expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, str, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type FunctionContext, type Trial, tryFunction } from '../../../sdk/mod.ts'
import sdb from './module.ts'

const opts = fromPlain({
  osenv: { driver: 'env' },
  y: { driver: 'readonly', where: 'there' },
  bad: { driver: 'nope' },
  mine: { driver: 'mine', where: 'there' },
  nodriver: { x: 1 },
}) as Dict
const pillar = fromPlain({ pp: { driver: 'env' } }) as Dict

/** Test drivers of the library: one that stores values in the environment, and one that records its requests. */
const drivers = (host: MemoryHost): FunctionContext['callSdb'] => {
  return async (driver, { action, key, value, profile }) => {
    if (driver === 'readonly') return `${action} ${key} at ${str(profile.get('where')!)}`
    if (driver !== 'env') return undefined
    if (action === 'set') await host.setEnv(key, str(value!))
    return (await host.env()).get(key) ?? null
  }
}

/** Requests to a user's own driver. */
const asked: Value[] = []
const ownPlugin = async (_family: string, name: string) =>
  name === 'mine'
    ? {
        has: (fun: string) => fun !== 'delete',
        call: async (fun: string, args: readonly Value[], kwargs?: Dict) => {
          asked.push([fun, ...args, kwargs?.get('profile') ?? null])
          return 'mine'
        },
      }
    : undefined

async function call(
  name: string,
  args: Value[],
  kwargs: Record<string, Value> = {},
  host?: MemoryHost,
): Promise<Plain> {
  const machine = host ?? (await MemoryHost.with({ env: { FOO: 'bar' } }))
  const trial: Trial = { args, kwargs, opts, pillar, host: machine, context: { ownPlugin, callSdb: drivers(machine) } }
  return toPlain(await tryFunction(sdb, name, trial))
}

test.each<[Value, Plain]>([
  ['sdb://osenv/FOO', 'bar'],
  ['sdb://osenv/NOTHING', null],
  ['sdb://pp/FOO', 'bar'],
  ['sdb://y/a/b:c', 'get a/b:c at there'],
  ['sdb://mine/key', 'mine'],
  ['sdb://nodriver/x', 'sdb://nodriver/x'],
  ['sdb://none/x', 'sdb://none/x'],
  ['sdb://y/', 'sdb://y/'],
  ['plain', 'plain'],
  [5, 5],
])('Getting %s', async (uri, expected) => {
  expect(await call('get', [uri])).toEqual(expected)
})

test.each<[Value, string]>([
  ['sdb://none/x', 'SDB profile "none" wasnt found in the minion configuration'],
  ['sdb://nodriver/x', 'SDB profile "nodriver" wasnt found in the minion configuration'],
  ['sdb://y', 'SDB uri must have a profile name as a first part of the uri before the /'],
  [5, 'SDB uri must start with "sdb://"'],
])('A text that names nothing is an error where a name is required: %s', async (uri, message) => {
  await expect(call('get', [uri], { strict: true })).rejects.toThrow(message)
})

test.each<[string, Value[], string]>([
  ['get', ['sdb://bad/x'], "There is no sdb driver 'nope'"],
  ['set', ['sdb://bad/x', 1], "There is no sdb driver 'nope'"],
  ['delete', ['sdb://mine/x'], "The sdb driver 'mine' has no function 'delete'"],
])('Drivers that cannot: %s %j', async (name, args, message) => {
  await expect(call(name, args)).rejects.toThrow(message)
})

test('A value is set, and a profile goes to the driver of its owner', async () => {
  const host = await MemoryHost.with({})
  expect(await call('set', ['sdb://osenv/NEW', 'v'], {}, host)).toBe('v')
  expect(await call('get', ['sdb://osenv/NEW'], {}, host)).toBe('v')
  asked.splice(0)
  await call('set', ['sdb://mine/k', 'v'])
  expect(asked.map((value) => str(value))).toEqual(["['set', 'k', 'v', {'driver': 'mine', 'where': 'there'}]"])
  for (const uri of ['plain', 'sdb://none/x', 'sdb://y']) expect(await call('set', [uri, 'x'])).toBe(false)
})

test('A secret is made up once', async () => {
  const host = await MemoryHost.with({})
  const made = await call('get_or_set_hash', ['sdb://osenv/SECRET', 12, 'ab'], {}, host)
  expect(made).toMatch(/^[ab]{12}$/)
  expect(await call('get_or_set_hash', ['sdb://osenv/SECRET'], {}, host)).toBe(made)
  expect(await call('get_or_set_hash', ['plain'])).toBe(false)
  expect(await call('get_or_set_hash', ['sdb://none/x'])).toBe('sdb://none/x')
})
