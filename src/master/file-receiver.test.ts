import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Dict, dictFrom, type Value } from '../data/mod.ts'
import { FileServer } from '../fileserver/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { receiveFile } from './file-receiver.ts'
import { Quotas } from './quotas.ts'

let cachedir: string
let opts: Dict

beforeEach(() => {
  cachedir = mkdtempSync(join(tmpdir(), 'brine-recv-'))
  opts = new Map<Value, Value>([
    ['cachedir', cachedir],
    ['file_recv', true],
    ['file_recv_max_size', 1],
    ['fileserver_backend', ['roots', 'minionfs']],
    ['file_roots', new Map()],
  ])
})
afterEach(() => rmSync(cachedir, { recursive: true, force: true }))

const push = (path: Value, data: string, loc = 0): Promise<boolean> => {
  const load = { id: 'web1', path, data: Buffer.from(data), loc }
  return receiveFile({ opts, log: () => {}, quotas: new Quotas(opts, () => {}) }, dictFrom(load))
}
const stored = (path: string): string => readFileSync(join(cachedir, 'minions/web1/files', path), 'utf8')

test('a pushed file is put together from its pieces', async () => {
  expect(await push(['etc', 'motd'], 'hello ')).toBe(true)
  expect(await push(['etc', 'motd'], 'world', 6)).toBe(true)
  expect(stored('etc/motd')).toBe('hello world')
  expect(await push(['etc', 'motd'], 'new')).toBe(true)
  expect(stored('etc/motd')).toBe('new')
})

test('all files of a minion together have a limit, which room that became free counts for', async () => {
  opts.set('file_recv_max_total', 1)
  const half = 'x'.repeat(600_000)
  expect(await push(['one'], half)).toBe(true)
  expect(await push(['two'], half)).toBe(false)
  expect(existsSync(join(cachedir, 'minions/web1/files/two'))).toBe(false)
  rmSync(join(cachedir, 'minions/web1/files/one'))
  expect(await push(['two'], half)).toBe(true)
})

test.each([[['..', 'x']], [['etc', '..', '..', 'x']], [['/etc/passwd']], [['etc/../../../x']], ['etc/motd'], [[]]])(
  'a path such as %j is refused',
  async (path) => {
    expect(await push(path as Value, 'x')).toBe(false)
  },
)

test('a file is not written through a link that leads out', async () => {
  await push(['a'], 'x')
  symlinkSync(tmpdir(), join(cachedir, 'minions/web1/files/out'))
  expect(await push(['out', 'brine-escaped'], 'x')).toBe(false)
  expect(existsSync(join(tmpdir(), 'brine-escaped'))).toBe(false)
})

test('nothing is taken beyond file_recv_max_size, or without file_recv', async () => {
  expect(await push(['big'], 'x', 1024 * 1024)).toBe(false)
  opts.set('file_recv', false)
  expect(await push(['small'], 'x')).toBe(false)
})

test('minionfs serves pushed files below the id of their minion, but no top files', async () => {
  await push(['etc', 'motd'], 'hello')
  await push(['top.sls'], 'base: {}')
  const server = new FileServer(opts, new LocalHost())
  expect((await server.list('base')).files).toEqual(['web1/etc/motd', 'web1/top.sls'])
  expect(await server.find('web1/etc/motd', 'base')).toMatchObject({ rel: 'web1/etc/motd', back: 'minionfs' })
  expect(await server.find('web1/top.sls', 'base')).toBeUndefined()
  expect(await server.find('web1/../../../jobs.db', 'base')).toBeUndefined()
})
