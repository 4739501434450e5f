// Keys of an etcd server, by its API v2 or, through its JSON gateway, v3. A profile has Salt's names (`etcd.host` and
// so on). As in Salt, values of v3 are msgpack, unless `etcd.encode_values` is off.
import { didYouMean, type Log, withHint } from '../../../base/mod.ts'
import {
  type Dict,
  decodeBytes,
  decodeMsgpack,
  dumpJson,
  encodeMsgpack,
  failure,
  fromPlain,
  isDict,
  isList,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { askWeb, askWebJson, type DataSourceContext, jsonOf, pathInUrl, type WebRequest } from '../../../sdk/mod.ts'

/** Values and folders by name. */
export interface Etcd {
  get(key: string): Promise<Value | undefined>
  /** Keep a value, for a number of seconds where one is given. */
  set(key: string, value: Value, seconds?: number): Promise<void>
  /** Create a folder; return false if it exists. Only the API v2 has folders. */
  makeFolder(key: string, seconds?: number): Promise<boolean>
  /** Delete a key; return whether it existed. */
  delete(key: string, recurse?: boolean): Promise<boolean>
  /** Return the data below a key as nested dicts; undefined if there is none. */
  tree(key: string): Promise<Dict | undefined>
}

type Context = Pick<DataSourceContext, 'http'>

/** The parts of a request that differ between requests to one server. */
type Request = Pick<WebRequest, 'method' | 'body' | 'headers'>

function serverOf(profile: Dict): { base: string; rest: Partial<WebRequest> } {
  const setting = (name: string): string | undefined => {
    const value = profile.get(`etcd.${name}`) ?? null
    return truthy(value) ? str(value) : undefined
  }
  const [ca, cert, key] = [setting('ca'), setting('client_cert'), setting('client_key')]
  const host = setting('host') ?? '127.0.0.1'
  const protocol = ca ? 'https' : (setting('protocol') ?? 'http')
  const base = `${protocol}://${host.includes(':') ? `[${host}]` : host}:${setting('port') ?? '2379'}`
  const [username, password] = [setting('username'), setting('password')]
  return {
    base,
    rest: {
      ...(username && password && { username, password }),
      ...(ca && { ca }),
      ...(cert && key && { cert: [cert, key] as const }),
    },
  }
}

/** Settings of Salt's client; some of them have no effect here. */
const SETTINGS = [
  ...['host', 'port', 'protocol', 'username', 'password', 'ca', 'cert', 'client_cert', 'client_key', 'require_v2'],
  ...['encode_keys', 'encode_values', 'raw_keys', 'raw_values', 'unicode_errors', 'read_timeout', 'timeout'],
  ...['allow_reconnect', 'allow_redirect', 'srv_domain', 'version_prefix', 'expected_cluster_id', 'lock_prefix'],
].map((name) => `etcd.${name}`)

/** Log settings of a profile that no client of etcd has: a misspelt one would mean the server of the default. */
export function reportUnknownSettings(profile: Dict, log: Log): void {
  for (const name of [...profile.keys()].map(str)) {
    if (!name.startsWith('etcd.') || SETTINGS.includes(name)) continue
    const unknown = `An etcd profile has the unknown setting '${name}', which has no effect`
    log('warning', withHint(unknown, didYouMean(name, SETTINGS)))
  }
}

/** Return a client of the server that a profile names. */
export function etcdOf(ctx: Context, profile: Dict): Etcd {
  const isV2 = truthy(profile.get('etcd.require_v2') ?? true)
  return isV2 ? new EtcdV2(ctx, profile) : new EtcdV3(ctx, profile)
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const NOT_FOUND = 404

class EtcdV2 implements Etcd {
  private readonly ctx: Context
  private readonly server: ReturnType<typeof serverOf>

  constructor(ctx: Context, profile: Dict) {
    this.ctx = ctx
    this.server = serverOf(profile)
  }

  /** Return the node that a request is about; undefined for a key that does not exist. */
  private async node(path: string, request: Request = {}): Promise<Dict | undefined> {
    const { base, rest } = this.server
    const full = { url: `${base}/v2/keys${path}`, ...rest, ...request }
    const answer = await askWeb(this.ctx, full)
    if (answer.status === NOT_FOUND && !answer.text.startsWith('{')) {
      throw failure(`${base} has no API v2; set etcd.require_v2 to False for v3`)
    }
    if (answer.status === NOT_FOUND) return undefined
    const value = jsonOf(full, answer)
    const node = isDict(value) ? value.get('node') : undefined
    return node !== undefined && isDict(node) ? node : undefined
  }

  async get(key: string): Promise<Value | undefined> {
    return (await this.node(pathOf(key)))?.get('value')
  }

  async set(key: string, value: Value, seconds?: number): Promise<void> {
    await this.put(key, { value: textOf(value) ?? str(value) }, seconds)
  }

  async makeFolder(key: string, seconds?: number): Promise<boolean> {
    if (await this.node(pathOf(key))) return false
    await this.put(key, { dir: 'true' }, seconds)
    return true
  }

  private put(key: string, fields: Record<string, string>, seconds?: number): Promise<Dict | undefined> {
    const body = new URLSearchParams({ ...fields, ...(seconds && { ttl: String(seconds) }) }).toString()
    return this.node(pathOf(key), { method: 'PUT', body, headers: FORM })
  }

  async delete(key: string, recurse = false): Promise<boolean> {
    const query = recurse ? '?recursive=true' : ''
    return (await this.node(`${pathOf(key)}${query}`, { method: 'DELETE' })) !== undefined
  }

  async tree(key: string): Promise<Dict | undefined> {
    const node = await this.node(`${pathOf(key)}?recursive=true`)
    return node && below(node)
  }
}

/** Return the values below a folder of v2. */
function below(node: Dict): Dict {
  const nodes = node.get('nodes') ?? []
  const found: Dict = new Map()
  if (!isList(nodes)) return found
  for (const child of nodes) {
    if (!isDict(child)) continue
    const name = str(child.get('key') ?? '')
      .split('/')
      .at(-1)!
    found.set(name, child.get('dir') === true ? below(child) : (child.get('value') ?? null))
  }
  return found
}

/** Return the path of a key in a URL. */
function pathOf(key: string): string {
  const parts = key.split('/').filter((part) => part !== '')
  return `/${pathInUrl(parts.join('/'))}`
}

class EtcdV3 implements Etcd {
  private readonly ctx: Context
  private readonly base: string
  private readonly rest: Partial<WebRequest>
  private readonly login: Pick<WebRequest, 'username' | 'password'> | undefined
  private readonly encodes: boolean
  private token: Promise<string> | undefined

  constructor(ctx: Context, profile: Dict) {
    this.ctx = ctx
    const { username, password, ...rest } = serverOf(profile).rest
    this.base = serverOf(profile).base
    this.rest = rest
    this.login = username ? { username, password: password ?? null } : undefined
    this.encodes = truthy(profile.get('etcd.encode_values') ?? true)
  }

  private async ask(path: string, body: Readonly<Record<string, string | number>>): Promise<Dict> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' }
    if (this.login && path !== 'auth/authenticate') headers['Authorization'] = await this.signIn()
    const url = `${this.base}/v3/${path}`
    const answer = await askWebJson(this.ctx, {
      url,
      method: 'POST',
      body: dumpJson(fromPlain(body)),
      headers,
      ...this.rest,
    })
    return isDict(answer) ? answer : new Map()
  }

  private signIn(): Promise<string> {
    this.token ??= this.ask('auth/authenticate', {
      name: this.login!.username!,
      password: this.login!.password ?? '',
    }).then((answer) => str(answer.get('token') ?? ''))
    return this.token
  }

  private async range(key: string, end?: Uint8Array): Promise<Array<[string, Value]>> {
    const answer = await this.ask('kv/range', { key: base64(key), ...(end && { range_end: base64(end) }) })
    const found = answer.get('kvs') ?? []
    return (isList(found) ? found.filter(isDict) : []).map((entry) => [
      decodeBytes(bytesOf(entry.get('key'))),
      this.decoded(bytesOf(entry.get('value'))),
    ])
  }

  private decoded(bytes: Uint8Array): Value {
    return this.encodes ? decodeMsgpack(bytes, { dialect: 'bus' }) : decodeBytes(bytes)
  }

  async get(key: string): Promise<Value | undefined> {
    return (await this.range(key))[0]?.[1]
  }

  async set(key: string, value: Value, seconds?: number): Promise<void> {
    const bytes = this.encodes ? encodeMsgpack(value, 'bus') : Buffer.from(textOf(value) ?? str(value))
    const lease = seconds ? str((await this.ask('lease/grant', { TTL: seconds })).get('ID') ?? '') : undefined
    await this.ask('kv/put', { key: base64(key), value: base64(bytes), ...(lease && { lease }) })
  }

  async makeFolder(): Promise<boolean> {
    throw failure('etcd3 does not have directories')
  }

  async delete(key: string, recurse = false): Promise<boolean> {
    const end = recurse ? { range_end: base64(prefixEnd(key)) } : {}
    const answer = await this.ask('kv/deleterange', { key: base64(key), ...end })
    return truthy(answer.get('deleted') ?? false)
  }

  async tree(key: string): Promise<Dict | undefined> {
    const prefix = key.endsWith('/') ? key : `${key}/`
    const found = await this.range(prefix, prefixEnd(prefix))
    if (found.length === 0) return undefined
    const tree: Dict = new Map()
    for (const [path, value] of found) put(tree, path.slice(prefix.length).split('/'), value)
    return tree
  }
}

/** Put a value below a path of names; names without text are left out. */
function put(tree: Dict, path: readonly string[], value: Value): void {
  const names = path.filter((name) => name !== '')
  let place = tree
  for (const name of names.slice(0, -1)) {
    const known = place.get(name)
    const inner: Dict = known !== undefined && isDict(known) ? known : new Map()
    place.set(name, inner)
    place = inner
  }
  if (names.length > 0) place.set(names.at(-1)!, value)
}

const base64 = (text: string | Uint8Array): string => Buffer.from(text as string).toString('base64')

const bytesOf = (text: Value | undefined): Uint8Array => Buffer.from(str(text ?? ''), 'base64')

/** Return the first key after all keys with a prefix. */
function prefixEnd(prefix: string): Uint8Array {
  const bytes = Buffer.from(prefix)
  for (let i = bytes.length - 1; i >= 0; i--) {
    if (bytes[i]! === 0xff) continue
    bytes[i]!++
    return bytes.subarray(0, i + 1)
  }
  return Buffer.from([0])
}
