// `redis`: the data cache on a Redis server, as Salt lays it out: a sorted set of banks, and for each bank a hash of values and one of times.
import { decodeMsgpack, encodeMsgpack, failure, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { type CacheChange, type DataSourceContext, defineCache, type SharedBanks } from '../../../sdk/mod.ts'
import { portOf, RedisClient, RedisError, type Reply } from './module/client.ts'

/** Each character of these texts is one byte. */
const bytesText = (value: Value): string => Buffer.from(encodeMsgpack(value, 'bus')).toString('latin1')
const valueOfText = (text: string): Value => decodeMsgpack(Buffer.from(text, 'latin1'), { dialect: 'bus' })
const toWire = (text: string): string => Buffer.from(text).toString('latin1')
const fromWire = (text: string): string => Buffer.from(text, 'latin1').toString()

const texts = (reply: Reply | undefined): string[] =>
  Array.isArray(reply) ? reply.map((item) => (typeof item === 'string' ? item : '')) : []

class RedisBanks implements SharedBanks {
  private readonly ctx: DataSourceContext
  private client: Promise<RedisClient> | undefined
  private queue: Promise<unknown> = Promise.resolve()
  private readonly keys: string
  private readonly stamps: string
  private readonly list: string

  constructor(ctx: DataSourceContext) {
    this.ctx = ctx
    const separator = this.setting('separator') || '_'
    const prefix = (name: string, fallback: string): string => `${this.setting(name) || fallback}${separator}`
    this.list = prefix('banks_prefix', '$BANKS')
    this.keys = prefix('keys_prefix', '$KEYS')
    this.stamps = prefix('timestamp_prefix', '$TSTAMP')
    if ([this.list, this.keys, this.stamps].some((text) => text.includes('/'))) {
      throw failure("Slash '/' cannot be used in redis cache prefix configuration.")
    }
    if (this.setting('cluster_mode')) throw failure('cache.redis.cluster_mode is not supported')
  }

  private setting(name: string): string {
    const value = this.ctx.opts.get(`cache.redis.${name}`) ?? null
    return truthy(value) ? str(value) : ''
  }

  private open(): Promise<RedisClient> {
    const socket = this.setting('unix_socket_path')
    const place = {
      host: this.setting('host') || 'localhost',
      port: portOf(this.setting('port'), 'cache.redis.port', 6379),
    }
    const [password, db] = [this.setting('password'), this.setting('db')]
    const login = [...(password ? [['AUTH', toWire(password)]] : []), ...(db ? [['SELECT', db]] : [])]
    return RedisClient.open(this.ctx, socket ? { path: socket } : place, login, 'latin1')
  }

  /** Send requests in one go. A connection that failed is opened again at the next call. */
  private ask(requests: ReadonlyArray<readonly string[]>): Promise<Reply[]> {
    const run = async (): Promise<Reply[]> => {
      this.client ??= this.open()
      try {
        const replies = await (await this.client).sendAll(requests)
        return replies.map((reply) => {
          if (reply instanceof RedisError) throw reply
          return reply
        })
      } catch (error) {
        if (!(error instanceof RedisError)) this.close()
        throw error
      }
    }
    const answer = this.queue.then(run, run)
    this.queue = answer.catch(() => undefined)
    return answer
  }

  private place(prefix: string, bank: string): string {
    return toWire(`${prefix}${bank.replace(/\/+$/, '')}/`)
  }

  async apply(changes: readonly CacheChange[]): Promise<void> {
    const requests: string[][] = []
    const touched = new Set<string>()
    for (const { bank, key, value } of changes) {
      const [values, times] = [this.place(this.keys, bank), this.place(this.stamps, bank)]
      if (key === undefined) requests.push(...(await this.removals(bank)))
      else if (value === undefined) {
        requests.push(['HDEL', values, toWire(key)], ['HDEL', times, toWire(key)])
        touched.add(values)
      } else {
        const now = bytesText(Math.floor(Date.now() / 1000))
        requests.push(
          ['ZADD', toWire(this.list), '0', values],
          ['HSET', values, toWire(key), bytesText(value)],
          ['HSET', times, toWire(key), now],
        )
      }
    }
    if (requests.length > 0) await this.ask(requests)
    await this.forgetEmpty([...touched])
  }

  /** Return the requests that remove a bank and its sub-banks. */
  private async removals(bank: string): Promise<string[][]> {
    const below = (await this.banks()).filter((each) => each === bank || each.startsWith(`${bank}/`))
    return below.flatMap((each) => {
      const values = this.place(this.keys, each)
      return [
        ['UNLINK', values, this.place(this.stamps, each)],
        ['ZREM', toWire(this.list), values],
      ]
    })
  }

  private async forgetEmpty(banks: readonly string[]): Promise<void> {
    if (banks.length === 0) return
    const there = await this.ask(banks.map((bank) => ['EXISTS', bank]))
    const empty = banks.filter((_, index) => there[index] === 0)
    if (empty.length > 0) await this.ask([['ZREM', toWire(this.list), ...empty]])
  }

  async fetch(bank: string, keys: readonly string[]): Promise<Map<string, Value>> {
    if (keys.length === 0) return new Map()
    const [reply] = await this.ask([['HMGET', this.place(this.keys, bank), ...keys.map(toWire)]])
    const found = Array.isArray(reply) ? reply : []
    return new Map(
      keys.flatMap((key, index): Array<[string, Value]> => {
        const text = found[index]
        return typeof text === 'string' ? [[key, valueOfText(text)]] : []
      }),
    )
  }

  async times(bank: string): Promise<Map<string, number>> {
    const [names, stamped] = await this.ask([
      ['HKEYS', this.place(this.keys, bank)],
      ['HGETALL', this.place(this.stamps, bank)],
    ])
    const pairs = texts(stamped)
    const known = new Map<string, number>()
    for (let i = 0; i < pairs.length; i += 2) known.set(pairs[i]!, numberOf(valueOfText(pairs[i + 1]!)) ?? 0)
    return new Map(texts(names).map((name) => [fromWire(name), known.get(name) ?? 0]))
  }

  async banks(): Promise<string[]> {
    const [reply] = await this.ask([['ZRANGE', toWire(this.list), '0', '-1']])
    const names = texts(reply).map(fromWire)
    return names.map((name) => name.slice(this.keys.length).replace(/\/$/, ''))
  }

  close(): void {
    const open = this.client
    this.client = undefined
    open?.then((client) => client.close()).catch(() => undefined)
  }
}

export default defineCache({
  name: 'redis',
  doc:
    'Keep the data on a Redis server. Options `cache.redis.host`, `cache.redis.port`, `cache.redis.unix_socket_path`, `cache.redis.db`, `cache.redis.password`, ' +
    '`cache.redis.banks_prefix`, `cache.redis.keys_prefix`, `cache.redis.timestamp_prefix` and `cache.redis.separator`.',
  open: (ctx) => new RedisBanks(ctx),
})
