import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
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

  test('sets keys, lets them expire and deletes them', async () => {
    expect(await salt.call('redis.set_key', ['k', 7])).toBe(true)
    expect(await salt.call('redis.get_key', ['k'])).toBe('7')
    expect(await salt.call('redis.key_type', ['k'])).toBe('string')
    expect(await salt.call('redis.exists', ['k'])).toBe(1)
    expect(await salt.call('redis.keys', ['k*'])).toEqual(['k'])
    expect(await salt.call('redis.expire', ['k', 100])).toBe(true)
    expect(await salt.call('redis.expire', ['none', 100])).toBe(false)
    expect(await salt.call('redis.expireat', ['k', 1])).toBe(true)
    expect(await salt.call('redis.exists', ['k'])).toBe(0)
    await salt.call('redis.set_key', ['a', 1])
    await salt.call('redis.set_key', ['b', 2])
    expect(await salt.call('redis.delete', ['a', 'b', 'c'])).toBe(2)
  })

  test('reads and changes fields of hashes', async () => {
    expect(await salt.call('redis.hset', ['fields', 'a', '1.5'])).toBe(1)
    expect(await salt.call('redis.hset', ['fields', 'a', '2.5'])).toBe(0)
    expect(await salt.call('redis.hsetnx', ['fields', 'a', '9'])).toBe(false)
    expect(await salt.call('redis.hsetnx', ['fields', 'b', 'x'])).toBe(true)
    expect(await salt.call('redis.hincrbyfloat', ['fields', 'a', 0.25])).toBe(2.75)
    expect(await salt.call('redis.hget', ['fields', 'a'])).toBe('2.75')
    expect(await salt.call('redis.hexists', ['fields', 'c'])).toBe(false)
    expect(await salt.call('redis.hlen', ['fields'])).toBe(2)
    expect(await salt.call('redis.hvals', ['fields'])).toEqual(['2.75', 'x'])
    expect(await salt.call('redis.hscan', ['fields'], { match: 'b*', count: 10 })).toEqual([0, { b: 'x' }])
    expect(await salt.call('redis.hdel', ['fields', 'a', 'b', 'c'])).toBe(2)
  })

  test('reads sets, lists and sorted sets', async () => {
    expect(await salt.call('redis.sadd', ['set', 'x'])).toBe(1)
    expect(await salt.call('redis.sadd', ['set', 'x'])).toBe(0)
    expect(await salt.call('redis.smembers', ['set'])).toEqual(['x'])
    const cli = ['-p', `${server.port}`, '-a', 'secret', '--no-auth-warning', '-n', '2']
    execFileSync('redis-cli', [...cli, 'rpush', 'list', 'a', 'b', 'c'])
    execFileSync('redis-cli', [...cli, 'zadd', 'sorted', '2', 'two', '1', 'one'])
    expect(await salt.call('redis.llen', ['list'])).toBe(3)
    expect(await salt.call('redis.lrange', ['list', 1, -1])).toEqual(['b', 'c'])
    expect(await salt.call('redis.zcard', ['sorted'])).toBe(2)
    expect(await salt.call('redis.zrange', ['sorted', 0, -1])).toEqual(['one', 'two'])
  })

  test('saves the data, and changes settings of the server', async () => {
    const before = Math.floor(Date.now() / 1000)
    expect(await salt.call('redis.save')).toBe(true)
    expect(await salt.call('redis.lastsave')).toBeGreaterThanOrEqual(before)
    expect(await salt.call('redis.time')).toBeGreaterThanOrEqual(before)
    expect(await salt.call('redis.bgsave')).toBe(true)
    expect(await salt.call('redis.config_set', ['slowlog-max-len', 77])).toBe(true)
    expect(await salt.call('redis.config_get', ['slowlog-max-*'])).toEqual({ 'slowlog-max-len': '77' })
    await until('the save in the background ends', async () => {
      const info = (await salt.call('redis.info')) as Record<string, unknown>
      return info['rdb_bgsave_in_progress'] === 0
    })
    expect(await salt.call('redis.bgrewriteaof')).toBe(true)
  })

  test('deletes the keys of one database and of all', async () => {
    await salt.call('redis.set_key', ['here', 1])
    await salt.call('redis.set_key', ['there', 1], { db: 3 })
    expect(await salt.call('redis.flushdb')).toBe(true)
    expect(await salt.call('redis.dbsize')).toBe(0)
    expect(await salt.call('redis.dbsize', [], { db: 3 })).toBe(1)
    expect(await salt.call('redis.flushall')).toBe(true)
    expect(await salt.call('redis.dbsize', [], { db: 3 })).toBe(0)
  })

  test('makes a server the replica of the master that a sentinel names, and stops it', async () => {
    const replica = await startRedis('--masterauth', 'secret')
    const sentinelPort = await freePort()
    const config = join(replica.directory, 'sentinel.conf')
    // an address of this machine would make the state answer that the minion is the master
    writeFileSync(config, `port ${sentinelPort}\nsentinel monitor shop 127.0.0.1 ${server.port} 1\n`)
    const watch = spawn('redis-server', [config, '--sentinel'], { stdio: 'ignore' })
    try {
      const open = minion({ 'redis.host': '127.0.0.1' })
      const at = { port: replica.port }
      const sentinel = { host: '127.0.0.1', port: sentinelPort }
      const master = { master_host: '127.0.0.1', master_port: server.port }
      await until('the sentinel answers', () =>
        open.call('redis.sentinel_get_master_ip', ['shop'], sentinel).then(
          () => true,
          () => false,
        ),
      )
      expect(await open.call('redis.sentinel_get_master_ip', ['shop'], sentinel)).toEqual(master)
      expect(await open.call('redis.get_master_ip', [], at)).toEqual({ master_host: '', master_port: '' })
      const wanted = { name: 'shop', sentinel_host: '127.0.0.1', sentinel_port: sentinelPort, ...at }
      expect((await open.state('redis.slaveof', wanted, true)).comment).toBe(
        'Minion will be made a slave of shop: 127.0.0.1',
      )
      const made = await open.state('redis.slaveof', wanted)
      expect(made).toMatchObject({ result: true, comment: 'Minion successfully connected to master: shop' })
      expect((await open.state('redis.slaveof', wanted)).comment).toBe('Minion already slave of master: shop')
      expect(await open.call('redis.get_master_ip', [], at)).toEqual(master)
      expect(await open.call('redis.slaveof', [], at)).toBe(true)
      expect(await open.call('redis.shutdown', [], at)).toBe(true)
      expect(await open.call('redis.shutdown', [], at)).toBe(false)
    } finally {
      watch.kill('SIGKILL')
      await replica.stop()
    }
  })

  test('reports a wrong password and an unreachable server', async () => {
    await expect(salt.call('redis.dbsize', [], { password: 'wrong' })).rejects.toThrow('WRONGPASS')
    await expect(salt.call('redis.dbsize', [], { port: 1 })).rejects.toThrow('Connection refused')
    expect(await salt.call('redis.ping', [], { port: 1 })).toBe(false)
  })
})
