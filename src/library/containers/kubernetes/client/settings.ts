// The sources of connection settings: arguments of the call, then the environment, then options and pillar.
import { type Dict, isDict, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../../sdk/mod.ts'

/** The parts of the context that the client uses. */
export type Surroundings = Pick<FunctionContext, 'host' | 'http' | 'call' | 'memory' | 'log'>

/** Environment variables of a setting; the first one that is set is used. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  kubeconfig: ['KUBE_CONFIG_PATH', 'KUBECONFIG', 'K8S_AUTH_KUBECONFIG'],
  context: ['KUBE_CTX', 'K8S_AUTH_CONTEXT'],
  host: ['K8S_AUTH_HOST'],
  api_key: ['K8S_AUTH_API_KEY'],
  api_key_prefix: ['K8S_AUTH_API_KEY_PREFIX'],
  username: ['K8S_AUTH_USERNAME'],
  password: ['K8S_AUTH_PASSWORD'],
  client_cert: ['K8S_AUTH_CERT_FILE'],
  client_key: ['K8S_AUTH_KEY_FILE'],
  ca_cert: ['K8S_AUTH_SSL_CA_CERT'],
  verify_ssl: ['K8S_AUTH_VERIFY_SSL'],
  proxy: ['K8S_AUTH_PROXY'],
  no_proxy: ['K8S_AUTH_NO_PROXY'],
  in_cluster: ['K8S_AUTH_IN_CLUSTER'],
}

/** Settings that functions take as keywords, in addition to those in `VARIABLES`. */
const FURTHER = [
  'kubeconfig-data',
  'kubeconfig_data',
  'cluster',
  'api_url',
  'user',
  'exec',
  'exec_timeout',
  'proxy_headers',
  'request_timeout',
  'certificate-authority-data',
  'certificate-authority-file',
  'client-certificate-data',
  'client-certificate-file',
  'client-key-data',
  'client-key-file',
] as const

const KEYWORDS: ReadonlySet<string> = new Set([...Object.keys(VARIABLES), ...FURTHER])

/** The parameter of functions that takes settings of the connection. */
export const connection = arg.open(
  'Settings of the connection: `kubeconfig`, `kubeconfig_data`, `context`, `cluster`, `host`, `api_key`, `username`, `password`, ' +
    '`client_cert`, `client_key`, `ca_cert`, `verify_ssl`, `proxy`, `in_cluster`',
)

/** Settings with credentials. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  ...['api_key', 'api_key_prefix', 'username', 'user', 'password', 'exec', 'client_cert', 'client_key'],
  ...['client-certificate-data', 'client-certificate-file', 'client-key-data', 'client-key-file'],
])

/** Settings that determine the server that gets the credentials. */
const ROUTE = [
  'proxy',
  'no_proxy',
  'proxy_headers',
  'verify_ssl',
  'ca_cert',
  'certificate-authority-data',
  'certificate-authority-file',
]

/**
 * The settings of a call. A user who may only call functions of `kubernetes` must not get the credentials of the
 * minion: a call that names a server must contain credentials, and a call without one cannot change the connection to
 * the server.
 */
export class Settings {
  private readonly ctx: Surroundings
  private readonly kwargs: ReadonlyMap<string, Value>
  private readonly alias: Dict
  readonly env: ReadonlyMap<string, string>

  private constructor(
    ctx: Surroundings,
    kwargs: ReadonlyMap<string, Value>,
    env: ReadonlyMap<string, string>,
    alias: Dict,
  ) {
    this.ctx = ctx
    this.kwargs = kwargs
    this.env = env
    this.alias = alias
  }

  static async open(ctx: Surroundings, kwargs: ReadonlyMap<string, Value>): Promise<Settings> {
    const odd = [...kwargs.keys()].find((name) => !KEYWORDS.has(name) && !name.startsWith('__'))
    if (odd !== undefined)
      throw misuse(`'${odd}' is neither an argument of this function nor a setting of a connection to Kubernetes`)
    const cluster = kwargs.get('cluster') ?? null
    const alias = truthy(cluster) && cluster !== 'default' ? await aliasOf(ctx, str(cluster)) : new Map<Value, Value>()
    const settings = new Settings(ctx, kwargs, await ctx.host.env(), alias)
    const routed = settings.namesServer ? undefined : ROUTE.find((name) => settings.given(name) !== null)
    if (routed !== undefined) {
      throw misuse(
        `A call can give '${routed}' only together with 'host' and its credentials: set kubernetes.${routed} in the options`,
      )
    }
    return settings
  }

  /** Whether the call itself names the server. */
  private get namesServer(): boolean {
    return truthy(this.given('host')) || truthy(this.given('api_url'))
  }

  /** Return the value that the call itself gives. */
  given(name: string): Value {
    return this.kwargs.get(name) ?? this.kwargs.get(name.replaceAll('-', '_')) ?? null
  }

  /** Return a setting; None where nothing sets it. */
  async value(name: string): Promise<Value> {
    const given = this.given(name)
    if (given !== null || (this.namesServer && CREDENTIALS.has(name))) return given
    const named = this.alias.get(`kubernetes.${name}`) ?? this.alias.get(name) ?? null
    if (named !== null) return named
    if (this.alias.size === 0) {
      for (const variable of VARIABLES[name] ?? []) {
        const value = this.env.get(variable)
        if (value) return value
      }
    }
    const option = await this.ctx.call('config.get', [`kubernetes.${name}`, ''])
    return truthy(option) || option === false ? option : null
  }

  async text(name: string): Promise<string | undefined> {
    const value = await this.value(name)
    return truthy(value) ? str(value) : undefined
  }

  /** Return a setting that is true or false, undefined where nothing sets it. */
  async flag(name: string): Promise<boolean | undefined> {
    const value = await this.value(name)
    if (value === null || typeof value === 'boolean') return value ?? undefined
    const text = str(value).trim().toLowerCase()
    if (['1', 'true', 'yes', 'on'].includes(text)) return true
    if (['0', 'false', 'no', 'off'].includes(text)) return false
    throw misuse(`The setting kubernetes.${name} must be true or false, not ${text}`)
  }

  async seconds(name: string, usual: number): Promise<number> {
    const value = await this.value(name)
    if (value === null) return usual
    const seconds = Number(str(value))
    if (!(seconds > 0)) throw misuse(`The setting kubernetes.${name} must be a number of seconds, not ${str(value)}`)
    return seconds
  }
}

/** Return the names of the clusters that options and pillar describe. */
export async function clusterAliases(ctx: Surroundings): Promise<string[]> {
  const names = [...(await clusters(ctx)).keys()].map(str).sort()
  return names.includes('default') ? names : ['default', ...names]
}

async function clusters(ctx: Surroundings): Promise<Dict> {
  const found = await ctx.call('config.get', ['kubernetes.clusters', new Map()])
  return isDict(found) ? found : new Map()
}

async function aliasOf(ctx: Surroundings, name: string): Promise<Dict> {
  const all = await clusters(ctx)
  const found = all.get(name) ?? null
  if (isDict(found) && found.size > 0) return found
  const known = [...all.keys()].map(str).sort().join(', ') || 'none'
  throw misuse(`There is no cluster ${name} in kubernetes.clusters; there are: ${known}`)
}
