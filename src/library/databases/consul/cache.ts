// `consul`: the data cache on a Consul server, as Salt lays it out: a key for each value and one for its time, with the end `.tstamp`, both msgpack.
import { decodeMsgpack, encodeMsgpack, numberOf, str, type Value } from '../../../data/mod.ts'
import { type CacheChange, type DataSourceContext, defineCache, type SharedBanks } from '../../../sdk/mod.ts'
import { Consul } from './client.ts'

class ConsulBanks implements SharedBanks {
  private readonly consul: Consul
  private readonly suffix: string

  constructor(ctx: DataSourceContext) {
    const names = ['host', 'port', 'token', 'scheme', 'consistency', 'dc', 'verify']
    const given = names.flatMap((name): Array<[string, Value]> => {
      const value = ctx.opts.get(`consul.${name}`)
      return value === undefined ? [] : [[name, value]]
    })
    this.consul = new Consul(ctx, new Map(given))
    this.suffix = str(ctx.opts.get('consul.timestamp_suffix') ?? '.tstamp')
  }

  async apply(changes: readonly CacheChange[]): Promise<void> {
    for (const { bank, key, value } of changes) {
      if (key === undefined) await this.consul.delete(`${bank}/`, true)
      else if (value === undefined) {
        await this.consul.delete(`${bank}/${key}${this.suffix}`)
        await this.consul.delete(`${bank}/${key}`)
      } else {
        await this.consul.set(`${bank}/${key}`, encodeMsgpack(value, 'bus'))
        const now = encodeMsgpack(Math.floor(Date.now() / 1000), 'bus')
        await this.consul.set(`${bank}/${key}${this.suffix}`, now)
      }
    }
  }

  /** Return the bytes directly below a bank, by name. */
  private async below(bank: string): Promise<Map<string, Uint8Array>> {
    const prefix = `${bank}/`
    const found = await this.consul.bytesBelow(prefix)
    const own = found.map(([key, bytes]): [string, Uint8Array] => [key.slice(prefix.length), bytes])
    return new Map(own.filter(([name]) => name !== '' && !name.includes('/')))
  }

  async fetch(bank: string, keys: readonly string[]): Promise<Map<string, Value>> {
    if (keys.length === 0) return new Map()
    const all = await this.below(bank)
    return new Map(
      keys.flatMap((key): Array<[string, Value]> => {
        const bytes = all.get(key)
        return bytes ? [[key, decodeMsgpack(bytes, { dialect: 'bus' })]] : []
      }),
    )
  }

  async times(bank: string): Promise<Map<string, number>> {
    const all = await this.below(bank)
    const times = new Map<string, number>()
    for (const name of all.keys()) {
      if (name.endsWith(this.suffix)) continue
      const stamp = all.get(name + this.suffix)
      times.set(name, stamp ? (numberOf(decodeMsgpack(stamp, { dialect: 'bus' })) ?? 0) : 0)
    }
    return times
  }

  async banks(): Promise<string[]> {
    const found = await this.consul.bytesBelow('')
    const stamped = found.filter(([key]) => key.endsWith(this.suffix)).map(([key]) => key.replace(/\/[^/]*$/, ''))
    return [...new Set(stamped)].sort()
  }

  close(): void {}
}

export default defineCache({
  name: 'consul',
  doc: 'Keep the data on a Consul server. Options `consul.host`, `consul.port`, `consul.token`, `consul.scheme`, `consul.dc`, `consul.verify` and `consul.timestamp_suffix`.',
  open: (ctx) => new ConsulBanks(ctx),
})
