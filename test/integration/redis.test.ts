import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Minion, minion } from './minion.ts'
import { canServe, type Server, startRedis } from './servers.ts'

const runs = canServe('Redis', '/usr/bin/redis-server')

describe.runIf(runs)('Redis', () => {
  let server: Server
  let salt: Minion

  beforeAll(async () => {
    server = await startRedis('--requirepass', 'secret')
    salt = minion({ 'redis.host': '127.0.0.1', 'redis.port': server.port, 'redis.password': 'secret', 'redis.db': 2 })
  })
  afterAll(async () => server?.stop())

  test('keeps keys as states want them', async () => {
    const wish = { name: 'colour', value: 'grün' }
    expect((await salt.state('redis.string', wish, true)).result).toBeNull()
    expect(await salt.call('redis.get_key', ['colour'])).toBeNull()
    expect((await salt.state('redis.string', wish)).comment).toBe('Key updated to new value')
    expect((await salt.state('redis.string', wish)).comment).toBe('Key already set to defined value')
    expect((await salt.state('redis.absent', { name: 'colour' })).changes).toEqual({ deleted: ['colour'] })
    expect((await salt.state('redis.absent', { name: 'colour' })).comment).toBe('Key(s) specified already absent')
  })

  test('answers with dicts, lists, numbers and truth', async () => {
    expect(await salt.call('redis.hmset', ['h'], { a: '1', b: '2' })).toBe(true)
    expect(await salt.call('redis.hgetall', ['h'])).toEqual({ a: '1', b: '2' })
    expect(await salt.call('redis.hmget', ['h', 'a', 'c'])).toEqual(['1', null])
    expect(await salt.call('redis.hincrby', ['h', 'a', 4])).toBe(5)
    expect(await salt.call('redis.info')).toMatchObject({ tcp_port: server.port, db2: { keys: 1 } })
  })

  test('tells a wrong password and a server that is not there', async () => {
    await expect(salt.call('redis.dbsize', [], { password: 'wrong' })).rejects.toThrow('WRONGPASS')
    await expect(salt.call('redis.dbsize', [], { port: 1 })).rejects.toThrow('Connection refused')
    expect(await salt.call('redis.ping', [], { port: 1 })).toBe(false)
  })
})
