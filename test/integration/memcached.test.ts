import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { freePort } from '../free-port.ts'
import { type Minion, minion, thrice } from './minion.ts'
import { canServe, type Server, startMemcached } from './servers.ts'

const runs = canServe('memcached', '/usr/bin/memcached')

describe.runIf(runs)('memcached', () => {
  const salt: Minion = minion()
  let server: Server

  beforeAll(async () => {
    server = await startMemcached()
  })
  afterAll(async () => server?.stop())

  const call = (fun: string, ...args: (string | number)[]): Promise<Plain> =>
    salt.call(`memcached.${fun}`, args, { port: server.port })

  test('sets, reads and deletes keys', async () => {
    expect(await call('get', 'colour')).toBeNull()
    expect(await call('replace', 'colour', 'blue')).toBe(false)
    expect(await call('set', 'colour', 'grün')).toBe(true)
    expect(await call('add', 'colour', 'blue')).toBe(false)
    expect(await call('get', 'colour')).toBe('grün')
    expect(await call('replace', 'colour', 'x\r\nEND\r\n')).toBe(true)
    expect(await call('get', 'colour')).toBe('x\r\nEND\r\n')
    expect(await call('delete', 'colour')).toBe(true)
    expect(await call('delete', 'colour')).toBe(false)
    expect(await call('add', 'k'.repeat(250), '')).toBe(true)
    expect(await call('get', 'k'.repeat(250))).toBe('')
  })

  test('counts integers up and down', async () => {
    await call('set', 'hits', 9)
    expect(await call('increment', 'hits')).toBe(10)
    expect(await call('incr', 'hits', 5)).toBe(15)
    expect(await call('decr', 'hits', 6)).toBe(9)
    expect(await call('get', 'hits')).toBe(9)
    expect(await call('decrement', 'hits', 100)).toBe(0)
    await call('set', 'colour', 'red')
    const refused = "Value for key 'colour' must be an integer to be decremented"
    await expect(call('decrement', 'colour')).rejects.toThrow(refused)
    await expect(call('increment', 'nothing')).rejects.toThrow("Key 'nothing' does not exist")
  })

  test('lets keys expire, and compresses values', async () => {
    const text = 'a'.repeat(100_000)
    await salt.call('memcached.set', ['gone', 'x'], { port: server.port, time: -1 })
    await salt.call('memcached.set', ['long', text], { port: server.port, min_compress_len: 1000 })
    expect(await call('get', 'gone')).toBeNull()
    expect(await call('get', 'long')).toBe(text)
  })

  test('refuses hostile keys before the server sees them', async () => {
    await call('set', 'kept', 1)
    for (const key of ['x\r\nflush_all', 'kept 0', 'k'.repeat(251)])
      await expect(call('get', key)).rejects.toThrow(/key/i)
    expect(await call('get', 'kept')).toBe(1)
  })

  test("reports the server's errors", async () => {
    const large = 'memcached answered: SERVER_ERROR object too large for cache'
    await expect(call('set', 'large', 'x'.repeat(2_000_000))).rejects.toThrow(large)
    const status = (await call('status')) as Record<string, Record<string, string>>
    expect(status[`127.0.0.1:${server.port} (1)`]).toMatchObject({ accepting_conns: '1', version: expect.any(String) })
    expect(await salt.call('memcached.status', [], { port: await freePort() })).toBe(false)
  })

  test('keeps keys as states want them', async () => {
    const { port } = server
    expect(await thrice(salt, 'memcached.managed', { name: 'size', value: 5, port })).toEqual([
      "Key 'size' would be added",
      "Successfully set key 'size'",
      "Key 'size' does not need to be updated",
    ])
    expect((await salt.state('memcached.managed', { name: 'size', value: 'L', port })).changes).toEqual({
      old: 5,
      new: 'L',
    })
    expect(await thrice(salt, 'memcached.absent', { name: 'size', port })).toEqual([
      "Key 'size' would be deleted",
      "Successfully deleted key 'size'",
      "Key 'size' does not exist",
    ])
  })

  test('a state reports an unreachable server, and a hostile key', async () => {
    const down = await salt.state('memcached.managed', { name: 'k', value: 'v', port: await freePort() })
    expect(down).toEqual({ result: false, comment: 'memcached server is down or does not exist', changes: {} })
    const hostile = await salt.state('memcached.absent', { name: 'a b', port: server.port })
    expect(hostile).toMatchObject({ result: false, comment: expect.stringMatching('not allowed in the key "a b"') })
  })
})
