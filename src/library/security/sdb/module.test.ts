import { expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, str, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Trial, tryFunction } from '../../../sdk/mod.ts'
import sdb from './module.ts'

const opts = fromPlain({
  osenv: { driver: 'env' },
  y: { driver: 'yaml', files: ['/a.yaml', '/b.yaml', '/none.yaml'] },
  yl: { driver: 'yaml', files: ['/a.yaml', '/b.yaml'], merge: { strategy: 'recurse', merge_lists: true } },
  bad: { driver: 'nope' },
  mine: { driver: 'mine', where: 'there' },
  nodriver: { x: 1 },
}) as Dict
const pillar = fromPlain({ pp: { driver: 'env' } }) as Dict
const files = { '/a.yaml': 'top: hello\na: {b: 1, l: [1]}\nlist: [x, y]\n', '/b.yaml': 'a: {c: 2, l: [2]}\n' }

/** What a driver of users' own was asked. */
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
  const machine = host ?? (await MemoryHost.with({ files, env: { FOO: 'bar' } }))
  const trial: Trial = { args, kwargs, opts, pillar, host: machine, context: { ownPlugin } }
  return toPlain(await tryFunction(sdb, name, trial))
}

test.each<[Value, Plain]>([
  ['sdb://osenv/FOO', 'bar'],
  ['sdb://osenv/NOTHING', null],
  ['sdb://pp/FOO', 'bar'],
  ['sdb://y/top', 'hello'],
  ['sdb://y/a:b', 1],
  ['sdb://y/a', { b: 1, l: [2], c: 2 }],
  ['sdb://yl/a', { b: 1, l: [1, 2], c: 2 }],
  ['sdb://y/list:0', 'x'],
  ['sdb://y/list:9', null],
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
])('What names nothing is an error when it must name something: %s', async (uri, message) => {
  await expect(call('get', [uri], { strict: true })).rejects.toThrow(message)
})

test.each<[string, Value[], string]>([
  ['get', ['sdb://bad/x'], "'nope.get'"],
  ['set', ['sdb://bad/x', 1], "'nope.set'"],
  ['set', ['sdb://osenv/NEW', 5], 'str expected, not int'],
  ['delete', ['sdb://osenv/FOO'], "'env.delete'"],
  ['delete', ['sdb://mine/x'], "'mine.delete'"],
])('Drivers that cannot: %s %j', async (name, args, message) => {
  await expect(call(name, args)).rejects.toThrow(message)
})

test('A variable is set once, and a profile goes to the driver of its owner', async () => {
  const host = await MemoryHost.with({ files })
  expect(await call('set', ['sdb://osenv/NEW', 'v'], {}, host)).toBe('v')
  expect(await call('set', ['sdb://osenv/NEW', 'w'], {}, host)).toBe('v')
  expect(await call('get', ['sdb://osenv/NEW'], {}, host)).toBe('v')
  asked.splice(0)
  await call('set', ['sdb://mine/k', 'v'])
  expect(asked.map((value) => str(value))).toEqual(["['set', 'k', 'v', {'driver': 'mine', 'where': 'there'}]"])
  for (const uri of ['plain', 'sdb://none/x', 'sdb://y']) expect(await call('set', [uri, 'x'])).toBe(false)
})

test('A secret is made up once', async () => {
  const host = await MemoryHost.with({ files })
  const made = await call('get_or_set_hash', ['sdb://osenv/SECRET', 12, 'ab'], {}, host)
  expect(made).toMatch(/^[ab]{12}$/)
  expect(await call('get_or_set_hash', ['sdb://osenv/SECRET'], {}, host)).toBe(made)
  expect(await call('get_or_set_hash', ['plain'])).toBe(false)
  expect(await call('get_or_set_hash', ['sdb://none/x'])).toBe('sdb://none/x')
})
