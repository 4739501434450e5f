import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import cryptdev from './module.ts'

const TABLE =
  '# ours\nswap /dev/sda2 /dev/urandom swap,size=256\nno entry\ndata /dev/sdb1 none\ndata /dev/sdb2 none luks\n'

const machine = () => MemoryHost.with({ files: { '/etc/crypttab': TABLE } })
const textOf = async (host: MemoryHost): Promise<string> => new TextDecoder().decode(await host.read('/etc/crypttab'))

test('The table is read by name, and duplicate names are distinguished', async () => {
  expect(toPlain(await tryFunction(cryptdev, 'crypttab', { host: await machine() }))).toEqual({
    swap: { device: '/dev/sda2', password: '/dev/urandom', options: ['swap', 'size=256'] },
    data: { device: '/dev/sdb1', password: 'none', options: [''] },
    data_: { device: '/dev/sdb2', password: 'none', options: ['luks'] },
  })
})

test.each<[Record<string, Value>, string, string | undefined]>([
  [{ name: 'swap', device: '/dev/sda2', password: '/dev/urandom', options: 'swap,size=256' }, 'present', undefined],
  [
    { name: 'new', device: '/dev/x', password: 'k', options: ['a', 'b'] },
    'new',
    `${TABLE}${'new'.padEnd(12)} ${'/dev/x'.padEnd(44)} ${'k'.padEnd(22)} a,b\n`,
  ],
  [
    { name: 'other', device: '/dev/sdb2', match_on: ['device'] },
    'change',
    TABLE.replace(
      'data /dev/sdb2 none luks\n',
      `${'other'.padEnd(12)} ${'/dev/sdb2'.padEnd(44)} ${'none'.padEnd(22)} \n`,
    ),
  ],
  [{ name: 'new', device: '/dev/x', test: true }, 'new', undefined],
])('Setting %j', async (kwargs, outcome, text = TABLE) => {
  const host = await machine()
  expect(await tryFunction(cryptdev, 'set_crypttab', { host, kwargs })).toBe(outcome)
  expect(await textOf(host)).toBe(text)
})

test('All lines of a name are removed', async () => {
  const host = await machine()
  expect(await tryFunction(cryptdev, 'rm_crypttab', { host, args: ['data'] })).toBe('change')
  expect(await tryFunction(cryptdev, 'rm_crypttab', { host, args: ['data'] })).toBe('absent')
  expect(await textOf(host)).toBe('# ours\nswap /dev/sda2 /dev/urandom swap,size=256\nno entry\n')
})

test('A device is not mapped without a key', async () => {
  const open = tryFunction(cryptdev, 'open', { args: ['data', '/dev/sdb1', 'none'] })
  await expect(open).rejects.toThrow('For immediate crypt device mapping, keyfile must not be none')
})
