// Redis: keys, hashes, lists and sets, and the server itself. Answers have the shape that the Python client gives them:
// what a server confirms with OK is true.
import { type Dict, float, int, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type FunctionDeclaration,
  fn,
  type Result,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import type { Reply } from './module/client.ts'
import { type Given, isUnreachable, REDIS, SENTINEL, withRedis } from './module/connection.ts'

const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })

const connection = {
  host: optional('The host, or the path of a socket'),
  port: optional('The port'),
  db: optional('The number of the database'),
  password: arg.any('The password', { optional: true, secret: true }),
}

type Shape = (reply: Reply) => Result

const ok = (reply: Reply): boolean => reply === 'OK'
const truth: Shape = (reply) => reply === 1
const plain: Shape = (reply) => reply as Result
const started: Shape = (reply) => (typeof reply === 'string' ? true : (reply as Result))

/** Fields and values in turn, as a dict. */
function paired(reply: Reply): Dict {
  const items = (reply ?? []) as string[]
  const found: Dict = new Map()
  for (let i = 0; i < items.length; i += 2) found.set(items[i]!, items[i + 1]!)
  return found
}

interface Declared {
  effect: FunctionDeclaration['effect']
  doc: string
  args?: Record<string, Arg<Value>>
  example: string
  /** The words of the command, after the names of those arguments that become words. */
  words: (given: Given) => readonly Value[]
  shape?: Shape
}

/** A function that is one command. */
function command({ effect, doc, args = {}, example, words, shape = plain }: Declared): FunctionDeclaration {
  return fn({
    doc,
    args: { ...args, ...connection },
    returns: ret.any('What Redis answers'),
    examples: [`salt '*' redis.${example}`],
    effect,
    run: (ctx, given) =>
      withRedis(ctx, given as Given, async (send) =>
        shape(await send(...words(given as Given).map((word) => str(word)))),
      ),
  })
}

/** A function that takes any number of words, and its connection as keywords. */
function gathering(
  effect: FunctionDeclaration['effect'],
  doc: string,
  example: string,
  first: Record<string, Arg<Value>>,
  verb: string,
): FunctionDeclaration {
  return fn({
    doc,
    args: { ...first, items: arg.rest('The names'), options: arg.open('host, port, db and password') },
    returns: ret.any('What Redis answers'),
    examples: [`salt '*' redis.${example}`],
    effect,
    run: (ctx, given) => {
      const { items, options, ...own } = given as { items: Value[]; options: Map<string, Value> } & Given
      const words = [verb, ...Object.values(own), ...items].map((word) => str(word as Value))
      return withRedis(ctx, Object.fromEntries(options), async (send) => plain(await send(...words)))
    },
  })
}

const key = arg.text('The key')
const field = arg.any('The field')
const value = arg.any('The value')

const keys = {
  delete: gathering('change', 'Delete keys.', 'delete foo bar', {}, 'DEL'),
  exists: command({
    effect: 'read',
    doc: 'Whether there is a key.',
    args: { key },
    example: 'exists foo',
    words: ({ key }) => ['EXISTS', key!],
  }),
  expire: command({
    effect: 'change',
    doc: 'Let a key expire after some seconds.',
    args: { key, seconds: arg.any('The seconds') },
    example: 'expire foo 300',
    words: ({ key, seconds }) => ['EXPIRE', key!, seconds!],
    shape: truth,
  }),
  expireat: command({
    effect: 'change',
    doc: 'Let a key expire at a time.',
    args: { key, timestamp: arg.any('Seconds since the epoch') },
    example: 'expireat foo 1400000000',
    words: ({ key, timestamp }) => ['EXPIREAT', key!, timestamp!],
    shape: truth,
  }),
  get_key: command({
    effect: 'read',
    doc: 'The value of a key.',
    args: { key },
    example: 'get_key foo',
    words: ({ key }) => ['GET', key!],
  }),
  set_key: command({
    effect: 'change',
    doc: 'Set the value of a key.',
    args: { key, value },
    example: 'set_key foo bar',
    words: ({ key, value }) => ['SET', key!, value!],
    shape: ok,
  }),
  keys: command({
    effect: 'read',
    doc: 'The keys that a pattern matches.',
    args: { pattern: arg.any('The pattern', { default: '*' }) },
    example: "keys 'foo*'",
    words: ({ pattern }) => ['KEYS', pattern!],
  }),
  key_type: command({
    effect: 'read',
    doc: 'The kind of a key.',
    args: { key },
    example: 'key_type foo',
    words: ({ key }) => ['TYPE', key!],
  }),
}

const range = { key, start: arg.any('The first'), stop: arg.any('The last') }

const collections = {
  llen: command({
    effect: 'read',
    doc: 'The length of a list.',
    args: { key },
    example: 'llen foo_list',
    words: ({ key }) => ['LLEN', key!],
  }),
  lrange: command({
    effect: 'read',
    doc: 'A part of a list.',
    args: range,
    example: 'lrange foo_list 0 10',
    words: ({ key, start, stop }) => ['LRANGE', key!, start!, stop!],
  }),
  sadd: command({
    effect: 'change',
    doc: 'Put a member into a set.',
    args: { key, value: arg.any('The member') },
    example: 'sadd foo_set bar',
    words: ({ key, value }) => ['SADD', key!, value!],
  }),
  smembers: command({
    effect: 'read',
    doc: 'The members of a set.',
    args: { key },
    example: 'smembers foo_set',
    words: ({ key }) => ['SMEMBERS', key!],
  }),
  zcard: command({
    effect: 'read',
    doc: 'How many members a sorted set has.',
    args: { key },
    example: 'zcard foo_sorted',
    words: ({ key }) => ['ZCARD', key!],
  }),
  zrange: command({
    effect: 'read',
    doc: 'A part of a sorted set.',
    args: range,
    example: 'zrange foo_sorted 0 10',
    words: ({ key, start, stop }) => ['ZRANGE', key!, start!, stop!],
  }),
}

const hashes = {
  hdel: gathering('change', 'Delete fields of a hash.', 'hdel foo_hash bar_field', { key }, 'HDEL'),
  hexists: command({
    effect: 'read',
    doc: 'Whether a hash has a field.',
    args: { key, field },
    example: 'hexists foo_hash bar_field',
    words: ({ key, field }) => ['HEXISTS', key!, field!],
    shape: truth,
  }),
  hget: command({
    effect: 'read',
    doc: 'A field of a hash.',
    args: { key, field },
    example: 'hget foo_hash bar_field',
    words: ({ key, field }) => ['HGET', key!, field!],
  }),
  hgetall: command({
    effect: 'read',
    doc: 'All fields of a hash.',
    args: { key },
    example: 'hgetall foo_hash',
    words: ({ key }) => ['HGETALL', key!],
    shape: paired,
  }),
  hincrby: command({
    effect: 'change',
    doc: 'Add to a number in a hash.',
    args: { key, field, increment: arg.any('How much', { default: 1 }) },
    example: 'hincrby foo_hash bar_field 5',
    words: ({ key, field, increment }) => ['HINCRBY', key!, field!, increment!],
  }),
  hincrbyfloat: command({
    effect: 'change',
    doc: 'Add to a number with a fraction in a hash.',
    args: { key, field, increment: arg.any('How much', { default: float(1) }) },
    example: 'hincrbyfloat foo_hash bar_field 5.17',
    words: ({ key, field, increment }) => ['HINCRBYFLOAT', key!, field!, increment!],
    shape: (reply) => float(Number(reply)),
  }),
  hlen: command({
    effect: 'read',
    doc: 'How many fields a hash has.',
    args: { key },
    example: 'hlen foo_hash',
    words: ({ key }) => ['HLEN', key!],
  }),
  hmget: gathering('read', 'Some fields of a hash.', 'hmget foo_hash bar_field1 bar_field2', { key }, 'HMGET'),
  hmset: changes({
    doc: 'Set fields of a hash.',
    args: { key, fieldsvals: arg.open('Fields and their values; host, port, db and password') },
    returns: ret.boolean('Whether Redis took them'),
    example: 'redis.hmset foo_hash bar_field1=bar_value1',
    run: (ctx, { key, fieldsvals }) => {
      const own = [...fieldsvals].filter(([name]) => !(name in connection) && !name.startsWith('__'))
      const words = own.flatMap(([name, value]) => [name, str(value)])
      return withRedis(ctx, Object.fromEntries(fieldsvals), async (send) => ok(await send('HMSET', key, ...words)))
    },
  }),
  hset: command({
    effect: 'change',
    doc: 'Set a field of a hash.',
    args: { key, field, value },
    example: 'hset foo_hash bar_field bar_value',
    words: ({ key, field, value }) => ['HSET', key!, field!, value!],
  }),
  hsetnx: command({
    effect: 'change',
    doc: 'Set a field of a hash that is not there yet.',
    args: { key, field, value },
    example: 'hsetnx foo_hash bar_field bar_value',
    words: ({ key, field, value }) => ['HSETNX', key!, field!, value!],
    shape: truth,
  }),
  hvals: command({
    effect: 'read',
    doc: 'The values of a hash.',
    args: { key },
    example: 'hvals foo_hash',
    words: ({ key }) => ['HVALS', key!],
  }),
  hscan: command({
    effect: 'read',
    doc: 'Some fields of a hash, and where to go on.',
    args: {
      key,
      cursor: arg.any('Where to begin', { default: 0 }),
      match: optional('A pattern for the fields'),
      count: optional('About how many'),
    },
    example: "hscan foo_hash match='field_prefix_*' count=1",
    words: ({ key, cursor, match, count }) => [
      'HSCAN',
      key!,
      cursor!,
      ...(match === null ? [] : ['MATCH', match!]),
      ...(count === null ? [] : ['COUNT', count!]),
    ],
    shape: (reply) => {
      const [next, items] = reply as [string, Reply]
      return [Number(next), paired(items)]
    },
  }),
}

/** `key:value` lines; numbers are numbers, and `a=1,b=2` is a dict. */
function infoOf(text: string): Dict {
  const info: Dict = new Map()
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    if (line.startsWith('#') || colon < 0) continue
    info.set(line.slice(0, colon), infoValue(line.slice(colon + 1)))
  }
  return info
}

function infoValue(text: string): Value {
  if (text.includes('=') && text.includes(',')) {
    return new Map(text.split(',').map((part) => [part.split('=')[0]!, infoValue(part.split('=')[1] ?? '')]))
  }
  if (/^-?\d+$/.test(text)) return int(BigInt(text))
  return /^-?\d+\.\d+$/.test(text) ? float(Number(text)) : text
}

const masterOf = (host: Value, port: Value): Dict =>
  new Map([
    ['master_host', host],
    ['master_port', port],
  ])

async function answers(ctx: FunctionContext, given: Given): Promise<boolean> {
  try {
    return await withRedis(ctx, given, async (send) => (await send('PING')) === 'PONG')
  } catch (error) {
    if (isUnreachable(error)) return false
    throw error
  }
}

const { db: _, ...serverOnly } = connection

const server = {
  bgrewriteaof: command({
    effect: 'change',
    doc: 'Rewrite the append-only file in the background.',
    example: 'bgrewriteaof',
    words: () => ['BGREWRITEAOF'],
    shape: started,
  }),
  bgsave: command({
    effect: 'change',
    doc: 'Save in the background.',
    example: 'bgsave',
    words: () => ['BGSAVE'],
    shape: started,
  }),
  save: command({ effect: 'change', doc: 'Save now.', example: 'save', words: () => ['SAVE'], shape: ok }),
  config_get: command({
    effect: 'read',
    doc: 'Settings of the server.',
    args: { pattern: arg.any('Which', { default: '*' }) },
    example: 'config_get port',
    words: ({ pattern }) => ['CONFIG', 'GET', pattern!],
    shape: paired,
  }),
  config_set: command({
    effect: 'change',
    doc: 'Change a setting of the server.',
    args: { name: arg.any('The setting'), value },
    example: 'config_set masterauth luv_kittens',
    words: ({ name, value }) => ['CONFIG', 'SET', name!, value!],
    shape: ok,
  }),
  dbsize: command({ effect: 'read', doc: 'How many keys there are.', example: 'dbsize', words: () => ['DBSIZE'] }),
  flushall: command({
    effect: 'change',
    doc: 'Delete the keys of all databases.',
    example: 'flushall',
    words: () => ['FLUSHALL'],
    shape: ok,
  }),
  flushdb: command({
    effect: 'change',
    doc: 'Delete the keys of a database.',
    example: 'flushdb',
    words: () => ['FLUSHDB'],
    shape: ok,
  }),
  info: command({
    effect: 'read',
    doc: 'Facts about the server.',
    example: 'info',
    words: () => ['INFO'],
    shape: (reply) => infoOf(String(reply)),
  }),
  lastsave: command({
    effect: 'read',
    doc: 'When it was last saved, in seconds since the epoch.',
    example: 'lastsave',
    words: () => ['LASTSAVE'],
  }),
  time: command({
    effect: 'read',
    doc: 'The clock of the server, in seconds since the epoch.',
    example: 'time',
    words: () => ['TIME'],
    shape: (reply) => Number((reply as string[])[0]),
  }),
  slaveof: command({
    effect: 'change',
    doc: 'Follow another server, or none.',
    args: { master_host: optional('The host to follow'), master_port: optional('Its port') },
    example: 'slaveof redis-server.example.com 6379',
    words: ({ master_host, master_port }) =>
      truthy(master_host!)
        ? ['SLAVEOF', master_host!, truthy(master_port!) ? master_port! : REDIS.port]
        : ['SLAVEOF', 'NO', 'ONE'],
    shape: ok,
  }),
  ping: reads({
    doc: 'Whether the server answers.',
    args: connection,
    returns: ret.boolean('Whether it does'),
    example: 'redis.ping',
    run: (ctx, given) => answers(ctx, given),
  }),
  shutdown: changes({
    doc: 'Save and stop the server.',
    args: connection,
    returns: ret.boolean('Whether it is down'),
    example: 'redis.shutdown',
    run: async (ctx, given) => {
      if (!(await answers(ctx, given))) return false
      try {
        await withRedis(ctx, given, (send) => send('SHUTDOWN'))
      } catch (error) {
        // a server that goes down answers with nothing
        if (!isUnreachable(error)) throw error
      }
      return !(await answers(ctx, given))
    },
  }),
  sentinel_get_master_ip: reads({
    doc: 'Where a sentinel says that a master is.',
    args: { master: arg.text('The name of the master'), ...serverOnly },
    returns: ret.dict('`master_host` and `master_port`'),
    example: 'redis.sentinel_get_master_ip mymaster',
    run: (ctx, { master, ...given }) =>
      withRedis(
        ctx,
        given,
        async (send) => {
          const reply = (await send('SENTINEL', 'get-master-addr-by-name', master)) as [string, string] | null
          return masterOf(reply?.[0] ?? null, reply ? Number(reply[1]) : null)
        },
        SENTINEL,
      ),
  }),
  get_master_ip: reads({
    doc: 'Whom a server follows.',
    args: serverOnly,
    returns: ret.dict('`master_host` and `master_port`'),
    example: 'redis.get_master_ip',
    run: (ctx, given) =>
      withRedis(ctx, given, async (send) => {
        const info = infoOf(String(await send('INFO')))
        return masterOf(info.get('master_host') ?? '', info.get('master_port') ?? '')
      }),
  }),
}

export default defineModule({
  name: 'redismod',
  virtual: 'redis',
  doc: 'Work with Redis.',
  functions: { ...server, ...keys, ...hashes, ...collections },
})
