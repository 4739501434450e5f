import { describe, expect, test, vi } from 'vitest'
import type { ExpectedRead } from '../host.ts'
import { ReadCache, type SshRead } from './read-cache.ts'

const stat = (path: string): SshRead => ({ op: 'stat', path })
const id: SshRead = { op: 'run', command: { argv: ['id'] } }

const look = (line: string): SshRead => ({ op: 'run', command: { argv: ['/bin/sh', '-c', line], cwd: '/root' } })

function linesOf(): { cache: ReadCache; lines: string[] } {
  const lines: string[] = []
  const perform = async (read: SshRead): Promise<string> => {
    if (read.op === 'run') expect(read.command.cwd).toBe('/root')
    lines.push(read.op === 'run' ? (read.command.argv[2] ?? '') : read.op)
    return ''
  }
  return { cache: new ReadCache(perform), lines }
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done))

function cacheOf(): { cache: ReadCache; asked: string[] } {
  const asked: string[] = []
  const perform = async (read: SshRead): Promise<string> => {
    const name = 'path' in read ? read.path : read.op
    asked.push(name)
    if (name === '/gone') throw new Error('gone')
    return `${name} ${asked.length}`
  }
  return { cache: new ReadCache(perform), asked }
}

describe('a cache of reads', () => {
  test('asks for each thing once, until something changes', async () => {
    const { cache, asked } = cacheOf()
    expect(await Promise.all([cache.get(stat('/a')), cache.get(stat('/a'))])).toEqual(['/a 1', '/a 1'])
    await expect(cache.get(stat('/gone'))).rejects.toThrow('gone')
    await expect(cache.get(stat('/gone'))).rejects.toThrow('gone')
    cache.clear()
    await cache.get(stat('/a'))
    expect(asked).toEqual(['/a', '/gone', '/a'])
  })

  test('keeps nothing for long, and nothing that changes by itself', async () => {
    vi.useFakeTimers()
    try {
      const { cache, asked } = cacheOf()
      await cache.get(stat('/a'))
      vi.advanceTimersByTime(6000)
      for (const path of ['/a', '/proc/uptime', '/proc/uptime', '/var/run/x', '/var/run/x']) await cache.get(stat(path))
      expect(asked).toEqual(['/a', '/a', '/proc/uptime', '/proc/uptime', '/var/run/x', '/var/run/x'])
    } finally {
      vi.useRealTimers()
    }
  })

  test('keeps nothing while a command may change the target', async () => {
    const { cache, asked } = cacheOf()
    await cache.get(stat('/a'))
    await cache.whileChanging(async () => {
      await cache.get(stat('/a'))
      await cache.get(stat('/a'))
    })
    await cache.get(stat('/a'))
    expect(asked).toHaveLength(4)
  })

  test('gives the output of a command once', async () => {
    const { cache, asked } = cacheOf()
    await cache.prefetch([id])
    await cache.get(id)
    await cache.get(id)
    expect(asked).toEqual(['run', 'run'])
  })

  test('asks for lines of later states in the surroundings of the last line', async () => {
    const { cache, lines } = linesOf()
    const forecast: ExpectedRead[] = [
      { op: 'line', line: 'test -f /b' },
      { op: 'line', line: 'rm /c' },
    ]
    cache.expect(forecast, [])
    await cache.get(look('test -f /a'))
    expect(lines).toEqual(['test -f /a', 'test -f /b'])
    await cache.whileChanging(async (sent) => sent())
    expect(lines).toEqual(['test -f /a', 'test -f /b', 'test -f /b'])
    await cache.get(look('test -f /b'))
    expect(lines).toHaveLength(3)
    lines.length = 0
    cache.expect([{ op: 'line', line: 'test -f /d' }], [])
    await cache.get({ op: 'stat', path: '/e' })
    expect(lines).toEqual(['stat', 'test -f /d'])
  })

  test('asks for accounts again behind a change, however many files were looked at', async () => {
    const { cache, asked } = cacheOf()
    await cache.get({ op: 'user', key: 'joe' })
    for (let i = 0; i < 20; i++) await cache.get(stat(`/many${i}`))
    asked.length = 0
    cache.renew()
    await turn()
    expect(asked).toContain('user')
  })

  test('asks once behind all changes of one turn', async () => {
    const { cache, asked } = cacheOf()
    await cache.get(stat('/a'))
    cache.renew(['/a'])
    cache.renew(['/b'])
    await turn()
    expect(asked).toEqual(['/a', '/a'])
  })

  test('forgets only reads in the place of a change, while several tasks run', async () => {
    const { cache, asked } = cacheOf()
    cache.setPlaces([['/a'], ['/b']])
    for (const path of ['/a', '/a/x', '/b', '/ab']) await cache.get(stat(path))
    await cache.get({ op: 'list', path: '/' })
    asked.length = 0
    cache.renew(['/a/x'])
    const read = await Promise.all(['/b', '/ab', '/a', '/a/x'].map((path) => cache.get(stat(path))))
    expect(read.slice(0, 2)).toEqual(['/b 3', '/ab 4'])
    await cache.get({ op: 'list', path: '/' })
    expect(asked.toSorted()).toEqual(['/', '/a', '/a/x'])
    cache.renew(['/elsewhere'])
    asked.length = 0
    await cache.get(stat('/b'))
    expect(asked).toContain('/b')
  })

  test('forgets earlier reads in a place when the work in it ends, but not later ones', async () => {
    const { cache, asked } = cacheOf()
    cache.setPlaces([['/a'], ['/b']])
    for (const path of ['/c', '/d']) await cache.get(stat(path))
    cache.expect([{ op: 'stat', path: '/c' }], [])
    cache.renew(['/a'])
    await turn()
    cache.setPlaces([])
    asked.length = 0
    expect(await cache.get(stat('/c'))).toBe('/c 3')
    await cache.get(stat('/d'))
    expect(asked).toEqual(['/d'])
  })

  test('knows by its name an account that was asked for by its number, until something changes', async () => {
    const asked: SshRead[] = []
    const cache = new ReadCache(async (read) => {
      asked.push(read)
      return { name: 'root', uid: 0 }
    })
    await cache.get({ op: 'user', key: 0 })
    expect(await cache.get({ op: 'user', key: 'root' })).toEqual({ name: 'root', uid: 0 })
    await cache.get({ op: 'group', key: 'root' })
    expect(asked).toEqual([
      { op: 'user', key: 0 },
      { op: 'group', key: 'root' },
    ])
    cache.clear()
    await cache.get({ op: 'user', key: 'root' })
    expect(asked).toHaveLength(3)
  })

  test('asks for the rest of a plan again, together with the first read after a change', async () => {
    const { cache, asked } = cacheOf()
    const plan = ['/a', '/b', '/c'].map(stat)
    await cache.prefetch(plan)
    await cache.get(stat('/a'))
    cache.clear()
    const first = cache.get(stat('/b'))
    expect(asked).toEqual(['/a', '/b', '/c', '/b', '/c'])
    await first
    await cache.get(stat('/c'))
    expect(asked).toHaveLength(5)
    expect(cache.recorded()).toEqual(plan)
  })
})
