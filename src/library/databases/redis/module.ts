// Redis: keys, hashes, lists and sets, and the server itself. Results have the form of the Python client: an OK of the
// server is True.
import { recover } from '../../../base/mod.ts'
import { type Dict, float, int, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { Reply } from './module/client.ts'
import { ask, isUnreachable, REDIS, SENTINEL, type Server, withRedis } from './module/connection.ts'

const serverOnly = {
  host: arg.text('Host, or path of a socket. Default: the option `redis.host`, else localhost', { optional: true }),
  port: arg.text('Port. Default: the option `redis.port`, else 6379', { optional: true }),
}
const password = arg.text('Password. Default: the option `redis.password`', { optional: true, secret: true })
const connection = {
  ...serverOnly,
  db: arg.text('Number of the database. Default: the option `redis.db`', { optional: true }),
  password,
}
const sentinel = { ...serverOnly, password }
const options = arg.open('Connection: host, port, db and password')

/** Return the server that keywords name. */
const serverOf = (keywords: ReadonlyMap<string, Value>): Server =>
  Object.fromEntries(
    [...keywords]
      .filter(([name]) => name in connection)
      .map(([name, value]) => [name, value === null ? null : str(value)]),
  )

const isOk = (reply: Reply): boolean => reply === 'OK'
const isOne = (reply: Reply): boolean => reply === 1
const isStarted = (reply: Reply): Reply | boolean => (typeof reply === 'string' ? true : reply)

const items = (reply: Reply = null): Reply[] => (Array.isArray(reply) ? reply : [])

/** Return a reply of alternating fields and values as a dict. */
function paired(reply?: Reply): Dict {
  const words = items(reply)
  const found: Dict = new Map()
  for (let i = 0; i < words.length; i += 2) found.set(words[i] ?? null, words[i + 1] ?? null)
  return found
}

const key = arg.text('Key')
const value = arg.any('Value, stored as text')
const replied = ret.any('Reply of the server')

const keys = {
  delete: changes({
    doc: 'Delete keys.',
    args: { items: arg.rest('Keys'), options },
    returns: replied,
    example: 'redis.delete foo bar',
    run: (ctx, { items, options }) => ask(ctx, serverOf(options), ['DEL', ...items]),
  }),
  exists: reads({
    doc: 'Return whether a key exists.',
    args: { key, ...connection },
    returns: ret.any('1 if the key exists, else 0'),
    example: 'redis.exists foo',
    run: (ctx, { key, ...server }) => ask(ctx, server, ['EXISTS', key]),
  }),
  expire: changes({
    doc: 'Let a key expire after a number of seconds.',
    args: { key, seconds: arg.text('Seconds until the key expires'), ...connection },
    returns: ret.boolean('Whether the key exists'),
    example: 'redis.expire foo 300',
    run: async (ctx, { key, seconds, ...server }) => isOne(await ask(ctx, server, ['EXPIRE', key, seconds])),
  }),
  expireat: changes({
    doc: 'Let a key expire at a time.',
    args: { key, timestamp: arg.text('Seconds since the epoch'), ...connection },
    returns: ret.boolean('Whether the key exists'),
    example: 'redis.expireat foo 1400000000',
    run: async (ctx, { key, timestamp, ...server }) => isOne(await ask(ctx, server, ['EXPIREAT', key, timestamp])),
  }),
  get_key: reads({
    doc: 'Return the value of a key.',
    args: { key, ...connection },
    returns: ret.any('Value as text; None if there is no such key'),
    example: 'redis.get_key foo',
    run: (ctx, { key, ...server }) => ask(ctx, server, ['GET', key]),
  }),
  set_key: changes({
    doc: 'Set the value of a key.',
    args: { key, value, ...connection },
    returns: ret.boolean('Whether the server accepted the value'),
    example: 'redis.set_key foo bar',
    run: async (ctx, { key, value, ...server }) => isOk(await ask(ctx, server, ['SET', key, value])),
  }),
  keys: reads({
    doc: 'Return the keys that match a pattern.',
    args: { pattern: arg.text('Glob pattern', { default: '*' }), ...connection },
    returns: ret.any('List of keys'),
    example: "redis.keys 'foo*'",
    run: (ctx, { pattern, ...server }) => ask(ctx, server, ['KEYS', pattern]),
  }),
  key_type: reads({
    doc: 'Return the type of the value of a key.',
    args: { key, ...connection },
    returns: ret.any('`string`, `list`, `set`, `zset`, `hash`, `stream` or `none`'),
    example: 'redis.key_type foo',
    run: (ctx, { key, ...server }) => ask(ctx, server, ['TYPE', key]),
  }),
}

const range = {
  key,
  start: arg.text('Index of the first element, from 0; negative ones count from the end'),
  stop: arg.text('Index of the last element'),
  ...connection,
}

const collections = {
  llen: reads({
    doc: 'Return the length of a list.',
    args: { key, ...connection },
    returns: ret.any('Number of elements'),
    example: 'redis.llen foo_list',
    run: (ctx, { key, ...server }) => ask(ctx, server, ['LLEN', key]),
  }),
  lrange: reads({
    doc: 'Return a range of a list.',
    args: range,
    returns: ret.any('List of elements'),
    example: 'redis.lrange foo_list 0 10',
    run: (ctx, { key, start, stop, ...server }) => ask(ctx, server, ['LRANGE', key, start, stop]),
  }),
  sadd: changes({
    doc: 'Add a member to a set.',
    args: { key, value, ...connection },
    returns: ret.any('Number of added members'),
    example: 'redis.sadd foo_set bar',
    run: (ctx, { key, value, ...server }) => ask(ctx, server, ['SADD', key, value]),
  }),
  smembers: reads({
    doc: 'Return the members of a set.',
    args: { key, ...connection },
    returns: ret.any('List of members'),
    example: 'redis.smembers foo_set',
    run: (ctx, { key, ...server }) => ask(ctx, server, ['SMEMBERS', key]),
  }),
  zcard: reads({
    doc: 'Return the number of members of a sorted set.',
    args: { key, ...connection },
    returns: ret.any('Number of members'),
    example: 'redis.zcard foo_sorted',
    run: (ctx, { key, ...server }) => ask(ctx, server, ['ZCARD', key]),
  }),
  zrange: reads({
    doc: 'Return a range of a sorted set.',
    args: range,
    returns: ret.any('List of members'),
    example: 'redis.zrange foo_sorted 0 10',
    run: (ctx, { key, start, stop, ...server }) => ask(ctx, server, ['ZRANGE', key, start, stop]),
  }),
}

const hash = { key, ...connection }
const fieldOf = { key, field: arg.text('Field of the hash') }

const hashes = {
  hdel: changes({
    doc: 'Delete fields of a hash.',
    args: { key, items: arg.rest('Fields'), options },
    returns: replied,
    example: 'redis.hdel foo_hash bar_field',
    run: (ctx, { key, items, options }) => ask(ctx, serverOf(options), ['HDEL', key, ...items]),
  }),
  hexists: reads({
    doc: 'Return whether a hash has a field.',
    args: { ...fieldOf, ...connection },
    returns: ret.boolean('Whether the hash has the field'),
    example: 'redis.hexists foo_hash bar_field',
    run: async (ctx, { key, field, ...server }) => isOne(await ask(ctx, server, ['HEXISTS', key, field])),
  }),
  hget: reads({
    doc: 'Return the value of a field of a hash.',
    args: { ...fieldOf, ...connection },
    returns: ret.any('Value as text; None if there is no such field'),
    example: 'redis.hget foo_hash bar_field',
    run: (ctx, { key, field, ...server }) => ask(ctx, server, ['HGET', key, field]),
  }),
  hgetall: reads({
    doc: 'Return all fields of a hash.',
    args: hash,
    returns: ret.dict('Values by field'),
    example: 'redis.hgetall foo_hash',
    run: async (ctx, { key, ...server }) => paired(await ask(ctx, server, ['HGETALL', key])),
  }),
  hincrby: changes({
    doc: 'Add an integer to a field of a hash.',
    args: { ...fieldOf, increment: arg.any('Integer to add', { default: 1 }), ...connection },
    returns: ret.any('New value of the field'),
    example: 'redis.hincrby foo_hash bar_field 5',
    run: (ctx, { key, field, increment, ...server }) => ask(ctx, server, ['HINCRBY', key, field, increment]),
  }),
  hincrbyfloat: changes({
    doc: 'Add a float to a field of a hash.',
    args: { ...fieldOf, increment: arg.any('Number to add', { default: float(1) }), ...connection },
    returns: ret.any('New value of the field'),
    example: 'redis.hincrbyfloat foo_hash bar_field 5.17',
    run: async (ctx, { key, field, increment, ...server }) =>
      float(Number(await ask(ctx, server, ['HINCRBYFLOAT', key, field, increment]))),
  }),
  hlen: reads({
    doc: 'Return the number of fields of a hash.',
    args: hash,
    returns: ret.any('Number of fields'),
    example: 'redis.hlen foo_hash',
    run: (ctx, { key, ...server }) => ask(ctx, server, ['HLEN', key]),
  }),
  hmget: reads({
    doc: 'Return the values of fields of a hash.',
    args: { key, items: arg.rest('Fields'), options },
    returns: ret.any('List of values; None for a missing field'),
    example: 'redis.hmget foo_hash bar_field1 bar_field2',
    run: (ctx, { key, items, options }) => ask(ctx, serverOf(options), ['HMGET', key, ...items]),
  }),
  hmset: changes({
    doc: 'Set fields of a hash.',
    args: { key, fieldsvals: arg.open('Fields and their values; host, port, db and password of the server') },
    returns: ret.boolean('Whether the server accepted the values'),
    example: 'redis.hmset foo_hash bar_field1=bar_value1',
    run: async (ctx, { key, fieldsvals }) => {
      const fields = [...fieldsvals].filter(([name]) => !(name in connection) && !name.startsWith('__'))
      return isOk(await ask(ctx, serverOf(fieldsvals), ['HMSET', key, ...fields.flat()]))
    },
  }),
  hset: changes({
    doc: 'Set a field of a hash.',
    args: { ...fieldOf, value, ...connection },
    returns: ret.any('1 if the field is new, else 0'),
    example: 'redis.hset foo_hash bar_field bar_value',
    run: (ctx, { key, field, value, ...server }) => ask(ctx, server, ['HSET', key, field, value]),
  }),
  hsetnx: changes({
    doc: 'Set a field of a hash unless the field exists.',
    args: { ...fieldOf, value, ...connection },
    returns: ret.boolean('Whether the field was set'),
    example: 'redis.hsetnx foo_hash bar_field bar_value',
    run: async (ctx, { key, field, value, ...server }) => isOne(await ask(ctx, server, ['HSETNX', key, field, value])),
  }),
  hvals: reads({
    doc: 'Return the values of a hash.',
    args: hash,
    returns: ret.any('List of values'),
    example: 'redis.hvals foo_hash',
    run: (ctx, { key, ...server }) => ask(ctx, server, ['HVALS', key]),
  }),
  hscan: reads({
    doc: 'Return a part of the fields of a hash, and the cursor of the next part.',
    args: {
      key,
      cursor: arg.any('Cursor of the part; 0 for the first one', { default: 0 }),
      match: arg.text('Glob pattern of the fields', { optional: true }),
      count: arg.text('Approximate number of fields', { optional: true }),
      ...connection,
    },
    returns: ret.list('Next cursor, 0 at the end; values by field'),
    example: "redis.hscan foo_hash match='field_prefix_*' count=1",
    run: async (ctx, { key, cursor, match, count, ...server }) => {
      const pattern = match === null ? [] : ['MATCH', match]
      const size = count === null ? [] : ['COUNT', count]
      const [next, found] = items(await ask(ctx, server, ['HSCAN', key, cursor, ...pattern, ...size]))
      return [Number(next), paired(found)]
    },
  }),
}

/** Parse lines of `key:value`; digits become numbers, and `a=1,b=2` a dict. */
function infoOf(reply: Reply): Dict {
  const info: Dict = new Map()
  for (const line of String(reply).split('\r\n')) {
    const colon = line.indexOf(':')
    if (line.startsWith('#') || colon < 0) continue
    info.set(line.slice(0, colon), infoValue(line.slice(colon + 1)))
  }
  return info
}

function infoValue(text: string): Value {
  if (text.includes('=') && text.includes(',')) {
    const pairs = text.split(',').map((part) => part.split('='))
    return new Map(pairs.map(([name = '', value = '']) => [name, infoValue(value)]))
  }
  if (/^-?\d+$/.test(text)) return int(BigInt(text))
  return /^-?\d+\.\d+$/.test(text) ? float(Number(text)) : text
}

async function answers(ctx: FunctionContext, server: Server): Promise<boolean> {
  return recover(isUnreachable, false, async () => (await ask(ctx, server, ['PING'])) === 'PONG')
}

const server = {
  bgrewriteaof: changes({
    doc: 'Rewrite the append-only file in the background.',
    args: connection,
    returns: ret.any('True once the server has started to'),
    run: async (ctx, server) => isStarted(await ask(ctx, server, ['BGREWRITEAOF'])),
  }),
  bgsave: changes({
    doc: 'Save the databases to disk in the background.',
    args: connection,
    returns: ret.any('True once the server has started to'),
    run: async (ctx, server) => isStarted(await ask(ctx, server, ['BGSAVE'])),
  }),
  save: changes({
    doc: 'Save the databases to disk, and wait for it.',
    args: connection,
    returns: ret.boolean('Whether the databases were saved'),
    run: async (ctx, server) => isOk(await ask(ctx, server, ['SAVE'])),
  }),
  config_get: reads({
    doc: 'Return settings of the server.',
    args: { pattern: arg.text('Glob pattern of the settings', { default: '*' }), ...connection },
    returns: ret.dict('Values by setting'),
    example: 'redis.config_get port',
    run: async (ctx, { pattern, ...server }) => paired(await ask(ctx, server, ['CONFIG', 'GET', pattern])),
  }),
  config_set: changes({
    doc: 'Change a setting of the server.',
    args: { name: arg.text('Name of the setting'), value, ...connection },
    returns: ret.boolean('Whether the server accepted the value'),
    example: 'redis.config_set masterauth luv_kittens',
    run: async (ctx, { name, value, ...server }) => isOk(await ask(ctx, server, ['CONFIG', 'SET', name, value])),
  }),
  dbsize: reads({
    doc: 'Return the number of keys of a database.',
    args: connection,
    returns: ret.any('Number of keys'),
    run: (ctx, server) => ask(ctx, server, ['DBSIZE']),
  }),
  flushall: changes({
    doc: 'Delete the keys of all databases.',
    args: connection,
    returns: ret.boolean('Whether the keys were deleted'),
    run: async (ctx, server) => isOk(await ask(ctx, server, ['FLUSHALL'])),
  }),
  flushdb: changes({
    doc: 'Delete the keys of one database.',
    args: connection,
    returns: ret.boolean('Whether the keys were deleted'),
    run: async (ctx, server) => isOk(await ask(ctx, server, ['FLUSHDB'])),
  }),
  info: reads({
    doc: 'Return information and statistics about the server.',
    args: connection,
    returns: ret.dict('Values by name'),
    run: async (ctx, server) => infoOf(await ask(ctx, server, ['INFO'])),
  }),
  lastsave: reads({
    doc: 'Return the time of the last save.',
    args: connection,
    returns: ret.any('Seconds since the epoch'),
    run: (ctx, server) => ask(ctx, server, ['LASTSAVE']),
  }),
  time: reads({
    doc: 'Return the time of the server.',
    args: connection,
    returns: ret.number('Seconds since the epoch'),
    run: async (ctx, server) => Number(items(await ask(ctx, server, ['TIME']))[0]),
  }),
  slaveof: changes({
    doc: 'Make the server a replica of another one, or of none.',
    args: {
      master_host: arg.text('Host of the master; none ends the replication', { optional: true }),
      master_port: arg.text('Port of the master. Default: 6379', { optional: true }),
      ...connection,
    },
    returns: ret.boolean('Whether the server accepted the command'),
    example: 'redis.slaveof redis-server.example.com 6379',
    run: async (ctx, { master_host, master_port, ...server }) => {
      const master = master_host ? [master_host, master_port || REDIS.port] : ['NO', 'ONE']
      return isOk(await ask(ctx, server, ['SLAVEOF', ...master]))
    },
  }),
  ping: reads({
    doc: 'Return whether the server answers.',
    args: connection,
    returns: ret.boolean('Whether the server answers'),
    run: (ctx, server) => answers(ctx, server),
  }),
  shutdown: changes({
    doc: 'Save the databases to disk and stop the server.',
    args: connection,
    returns: ret.boolean('Whether the server stopped'),
    run: async (ctx, server) => {
      if (!(await answers(ctx, server))) return false
      try {
        await ask(ctx, server, ['SHUTDOWN'])
      } catch (error) {
        // a server that stops closes the connection without an answer
        if (!isUnreachable(error)) throw error
      }
      return !(await answers(ctx, server))
    },
  }),
  sentinel_get_master_ip: reads({
    doc: 'Return the address of a master, as a sentinel knows it.',
    args: { master: arg.text('Name of the master'), ...sentinel },
    returns: ret.dict('`master_host` and `master_port`; None for an unknown master'),
    example: 'redis.sentinel_get_master_ip mymaster',
    run: (ctx, { master, ...server }) =>
      withRedis(
        ctx,
        server,
        async (send) => {
          const [host = null, port] = items(await send('SENTINEL', 'get-master-addr-by-name', master))
          return { master_host: host, master_port: port === undefined ? null : Number(port) }
        },
        SENTINEL,
      ),
  }),
  get_master_ip: reads({
    doc: 'Return the address of the master that the server replicates.',
    args: sentinel,
    returns: ret.dict('`master_host` and `master_port`; empty texts for a server without a master'),
    run: async (ctx, server) => {
      const info = infoOf(await ask(ctx, server, ['INFO']))
      return { master_host: info.get('master_host') ?? '', master_port: info.get('master_port') ?? '' }
    },
  }),
}

export default defineModule({
  name: 'redismod',
  virtual: 'redis',
  doc: 'Manage Redis.',
  functions: { ...server, ...keys, ...hashes, ...collections },
})
