// Keys of a Consul server, by its HTTP API.
import { type Dict, decodeBytes, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { askWeb, type DataSourceContext, jsonOf, pathInUrl, type WebRequest } from '../../../sdk/mod.ts'

type Context = Pick<DataSourceContext, 'http'>

const NOT_FOUND = 404

/** Return the settings of a server, by their names without a prefix. */
export class Consul {
  private readonly ctx: Context
  private readonly settings: ReadonlyMap<string, Value>

  constructor(ctx: Context, settings: ReadonlyMap<string, Value>) {
    this.ctx = ctx
    this.settings = settings
  }

  private text(name: string, fallback: string): string {
    const value = this.settings.get(name) ?? null
    return truthy(value) ? str(value) : fallback
  }

  private request(key: string, query: string, rest: Partial<WebRequest>): WebRequest {
    const base = `${this.text('scheme', 'http')}://${this.text('host', '127.0.0.1')}:${this.text('port', '8500')}`
    const [dc, consistency] = [this.text('dc', ''), this.text('consistency', 'default')]
    const words = [
      query,
      dc === '' ? '' : `dc=${encodeURIComponent(dc)}`,
      consistency === 'default' ? '' : encodeURIComponent(consistency),
    ].filter((word) => word !== '')
    const token = this.text('token', '')
    return {
      url: `${base}/v1/kv/${pathInUrl(key)}${words.length > 0 ? `?${words.join('&')}` : ''}`,
      ...(token !== '' && { headers: { 'X-Consul-Token': token } }),
      ...(this.settings.has('verify') && { verify: truthy(this.settings.get('verify')!) }),
      ...rest,
    }
  }

  private async entries(key: string, query: string): Promise<Dict[]> {
    const request = this.request(key, query, {})
    const answer = await askWeb(this.ctx, request)
    if (answer.status === NOT_FOUND) return []
    const found = jsonOf(request, answer)
    return isList(found) ? found.filter(isDict) : []
  }

  async get(key: string): Promise<string | undefined> {
    const [entry] = await this.entries(key, '')
    return entry && storedValue(entry)
  }

  /** Return the keys with that beginning and their values, in the order of the server; a folder has no value. */
  async below(prefix: string): Promise<Array<[string, string | undefined]>> {
    const entries = await this.entries(prefix, 'recurse')
    return entries.map((entry) => [str(entry.get('Key') ?? ''), storedValue(entry)])
  }

  /** Return the keys with that beginning and their bytes, without folders. */
  async bytesBelow(prefix: string): Promise<Array<[string, Uint8Array]>> {
    const entries = await this.entries(prefix, 'recurse')
    return entries.flatMap((entry): Array<[string, Uint8Array]> => {
      const value = entry.get('Value') ?? null
      return value === null ? [] : [[str(entry.get('Key') ?? ''), Buffer.from(str(value), 'base64')]]
    })
  }

  async set(key: string, value: string | Uint8Array): Promise<boolean> {
    const request = this.request(key, '', { method: 'PUT', body: value })
    return jsonOf(request, await askWeb(this.ctx, request)) === true
  }

  async delete(key: string, recurse = false): Promise<boolean> {
    const request = this.request(key, recurse ? 'recurse' : '', { method: 'DELETE' })
    return jsonOf(request, await askWeb(this.ctx, request)) === true
  }
}

function storedValue(entry: Dict): string | undefined {
  const value = entry.get('Value') ?? null
  return value === null ? undefined : decodeBytes(Buffer.from(str(value), 'base64'))
}
