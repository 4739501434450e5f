// `etcd`: the data cache on an etcd server by its API v2, as Salt lays it out: a key for each value, in Base64 of msgpack, and one for its
// time with the end `.tstamp`.
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, numberOf, str, type Value } from '../../../data/mod.ts'
import { type CacheChange, type DataSourceContext, defineCache, type SharedBanks } from '../../../sdk/mod.ts'
import { type Etcd, etcdOf } from './client.ts'

class EtcdBanks implements SharedBanks {
  private readonly etcd: Etcd
  private readonly prefix: string
  private readonly suffix: string

  constructor(ctx: DataSourceContext) {
    const given = ctx.opts.get('etcd.path_prefix')
    const path = str(given ?? '/salt_cache').replace(/^\/+|\/+$/g, '')
    this.prefix = path === '' ? '' : `/${path}`
    this.suffix = str(ctx.opts.get('etcd.timestamp_suffix') ?? '.tstamp')
    const profile: Dict = new Map(ctx.opts)
    // Salt's driver has other names for certificates, and knows API v2 alone
    if (ctx.opts.has('etcd.ca_cert')) profile.set('etcd.ca', ctx.opts.get('etcd.ca_cert')!)
    profile.set('etcd.require_v2', true)
    this.etcd = etcdOf(ctx, profile)
  }

  private place(bank: string, key?: string): string {
    return `${this.prefix}/${bank}${key === undefined ? '' : `/${key}`}`
  }

  async apply(changes: readonly CacheChange[]): Promise<void> {
    for (const { bank, key, value } of changes) {
      if (key === undefined) await this.etcd.delete(this.place(bank), true)
      else if (value === undefined) {
        await this.etcd.delete(this.place(bank, key + this.suffix))
        await this.etcd.delete(this.place(bank, key), true)
      } else {
        await this.etcd.set(this.place(bank, key), Buffer.from(encodeMsgpack(value, 'bus')).toString('base64'))
        await this.etcd.set(this.place(bank, key + this.suffix), Math.floor(Date.now() / 1000))
      }
    }
  }

  async fetch(bank: string, keys: readonly string[]): Promise<Map<string, Value>> {
    const found = new Map<string, Value>()
    if (keys.length === 0) return found
    const tree = await this.etcd.tree(this.place(bank))
    for (const key of keys) {
      const text = tree?.get(key)
      if (typeof text === 'string') found.set(key, decodeMsgpack(Buffer.from(text, 'base64'), { dialect: 'bus' }))
    }
    return found
  }

  async times(bank: string): Promise<Map<string, number>> {
    const tree = await this.etcd.tree(this.place(bank))
    const names = [...(tree ?? [])].flatMap(([key, value]) => (isDict(value) ? [] : [str(key)]))
    const values = names.filter((name) => !name.endsWith(this.suffix))
    return new Map(values.map((name) => [name, numberOf(Number(str(tree!.get(name + this.suffix) ?? 0))) ?? 0]))
  }

  async banks(): Promise<string[]> {
    const tree = await this.etcd.tree(this.prefix === '' ? '/' : this.prefix)
    return tree ? banksIn(tree, '') : []
  }

  close(): void {}
}

/** Return the folders that hold values, with their paths. */
function banksIn(tree: Dict, path: string): string[] {
  const hasValues = path !== '' && [...tree.values()].some((value) => !isDict(value))
  const inner = [...tree].flatMap(([key, value]) =>
    isDict(value) ? banksIn(value, path === '' ? str(key) : `${path}/${str(key)}`) : [],
  )
  return [...(hasValues ? [path] : []), ...inner]
}

export default defineCache({
  name: 'etcd',
  doc:
    'Keep the data on an etcd server, by its API v2. Options `etcd.host`, `etcd.port`, `etcd.protocol`, `etcd.username`, `etcd.password`, `etcd.ca_cert`, ' +
    '`etcd.path_prefix` and `etcd.timestamp_suffix`.',
  open: (ctx) => new EtcdBanks(ctx),
})
