// The data cache on real servers: what one master stores, another one sees, and what a server cannot take waits for it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../src/data/mod.ts'
import { openCache } from '../../src/runner/mod.ts'
import type { Bank } from '../../src/store/mod.ts'
import { until } from '../until.ts'
import { canServe, type Server, startEtcd, startMariadb, startRedis } from './servers.ts'
import { startWebService, type WebService } from './web-service.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-shared-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function master(name: string, opts: Record<string, Plain>) {
  const lines: string[] = []
  const own = fromPlain({ cachedir: join(folder, name), cache_share_interval: 0, ...opts }) as Dict
  const opened = openCache({ opts: own, log: (level, text) => void lines.push(`${level}: ${text}`) })
  return { ...opened, lines }
}

const GRAINS = fromPlain({ os: 'Debian', ips: ['10.0.0.1'], text: 'ünï', n: 2 ** 40, none: null })
const shown = (bank: Bank, key: string): unknown => toPlain(bank.fetch(key) ?? 'nothing')

interface Kind {
  cache: string
  runs: boolean
  start(): Promise<Server | WebService>
  opts(server: Server): Record<string, Plain>
}

/** The key store of Consul. The answers have the form that its documents give. */
const startConsul = (): Promise<WebService> => {
  const kept = new Map<string, Buffer>()
  return startWebService(({ method, url, bytes }) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const key = decodeURIComponent(pathname.replace('/v1/kv/', ''))
    const isMeant = (name: string): boolean => (searchParams.has('recurse') ? name.startsWith(key) : name === key)
    if (method === 'PUT') kept.set(key, bytes)
    if (method === 'DELETE') for (const name of [...kept.keys()].filter(isMeant)) kept.delete(name)
    if (method !== 'GET') return 'true'
    const found = [...kept].filter(([name]) => isMeant(name))
    if (found.length === 0) return { status: 404 }
    return JSON.stringify(found.map(([Key, value]) => ({ Key, Value: value.toString('base64') })))
  })
}

const KINDS: readonly Kind[] = [
  {
    cache: 'redis',
    runs: canServe('Redis', '/usr/bin/redis-server'),
    start: () => startRedis('--requirepass', 'secret'),
    opts: ({ port }) => ({
      'cache.redis.host': '127.0.0.1',
      'cache.redis.port': port,
      'cache.redis.password': 'secret',
      'cache.redis.db': 3,
    }),
  },
  {
    cache: 'etcd',
    runs: canServe('etcd', '/usr/bin/etcd'),
    start: startEtcd,
    opts: ({ port }) => ({ 'etcd.host': '127.0.0.1', 'etcd.port': port }),
  },
  {
    cache: 'mysql',
    runs: canServe('MariaDB', '/usr/sbin/mariadbd', '/usr/bin/mysql'),
    start: async () => {
      const server = await startMariadb()
      const user = "CREATE USER salt@'127.0.0.1' IDENTIFIED BY 'pw'; GRANT ALL ON salt_cache.* TO salt@'127.0.0.1';"
      const place = ['-S', join(server.directory, 'mysql.sock'), '-u', 'root']
      execFileSync('/usr/bin/mysql', place, { input: `CREATE DATABASE salt_cache; ${user}` })
      return server
    },
    opts: ({ port }) => ({
      'mysql.host': '127.0.0.1',
      'mysql.port': port,
      'mysql.user': 'salt',
      'mysql.password': 'pw',
    }),
  },
  {
    cache: 'consul',
    runs: true,
    start: startConsul,
    opts: ({ port }) => ({ 'consul.host': '127.0.0.1', 'consul.port': port }),
  },
]

for (const { cache, runs, start, opts } of KINDS) {
  describe.runIf(runs)(`the cache on ${cache}`, () => {
    let server: Server
    beforeAll(async () => {
      server = (await start()) as Server
    })
    afterAll(async () => {
      if ('close' in server) (server as unknown as WebService).close()
      else await server.stop()
    })

    test('shows what another master stored, changed and removed', async () => {
      const settings = { cache, ...opts(server) }
      const one = master(`${cache}-1`, settings)
      await one.follow()
      one.cache.bank('grains').store('web1', GRAINS)
      one.cache.bank('grains').store("it's ü", fromPlain({ a: 1 }))
      one.cache.bank('mine').store('Web1', 'upper')
      one.cache.bank('mine').store('web1', 'lower')
      one.cache.bank('tokens').store('secret', 'mine alone')
      await one.settled()
      const two = master(`${cache}-2`, settings)
      two.cache.bank('grains').store('stale', fromPlain({}))
      await two.settled()
      one.cache.bank('grains').flush('stale')
      await one.settled()
      await two.follow()
      const grains = two.cache.bank('grains')
      expect(grains.list().sort()).toEqual(["it's ü", 'web1'])
      expect(shown(grains, 'web1')).toEqual(toPlain(GRAINS))
      const mine = two.cache.bank('mine')
      expect([shown(mine, 'Web1'), shown(mine, 'web1')]).toEqual(['upper', 'lower'])
      expect(two.cache.bank('tokens').list()).toEqual([])
      one.cache.bank('grains').store('web1', fromPlain({ os: 'Fedora' }))
      one.cache.bank('grains').flush("it's ü")
      await one.settled()
      await two.follow()
      expect([grains.list(), shown(grains, 'web1')]).toEqual([['web1'], { os: 'Fedora' }])
      two.cache.bank('cloud/active').store('vm', 'x')
      two.cache.bank('grains').flush()
      await two.settled()
      await one.follow()
      expect(one.cache.bank('grains').list()).toEqual([])
      expect([one.lines, two.lines]).toEqual([[], []])
      await Promise.all([one.close(), two.close()])
    })
  })
}

describe.runIf(KINDS[0]!.runs)('a server that is away', () => {
  test('costs no data: the newest change of each key is sent when the server is back', async () => {
    const first = await startRedis()
    const settings = { cache: 'redis', 'cache.redis.host': '127.0.0.1', 'cache.redis.port': first.port }
    const { cache, lines, follow, settled, close } = master('away', settings)
    await follow()
    await first.stop()
    const grains = cache.bank('grains')
    for (const n of [1, 2, 3]) grains.store('web1', fromPlain({ n }))
    expect(shown(grains, 'web1')).toEqual({ n: 3 })
    await until('the failure is in the log', () => lines.length > 0)
    const second = await startRedis('--port', String(first.port))
    await until('the change is on the server', async () => {
      await settled()
      const other = master('away-2', settings)
      await other.follow()
      const found: Value = other.cache.bank('grains').fetch('web1') ?? null
      await other.close()
      return found !== null && JSON.stringify(toPlain(found)) === '{"n":3}'
    })
    expect(lines.filter((line) => line.startsWith('error'))).toHaveLength(1)
    expect(lines[0]).toMatch(/^error: The cache redis cannot be reached; local data serve meanwhile: /)
    expect(lines).toContain('warning: The cache redis can be reached again')
    await close()
    await second.stop()
  })
})

test('A driver that does not exist is an error with its place, and local files serve', async () => {
  const { cache, lines } = master('none', { cache: 'redsi' })
  cache.bank('grains').store('a', 1)
  expect(cache.bank('grains').fetch('a')).toBe(1)
  expect(lines).toEqual([
    expect.stringMatching(
      /^error: Option 'cache' names 'redsi', which is not here; local files serve\. There are localfs, /,
    ),
  ])
})
