// The connection to an API server and its credentials: from a kubeconfig, from single settings, or from the service
// account of the pod.
import {
  type Dict,
  decodeBase64,
  failure,
  isDict,
  isList,
  markSecret,
  misuse,
  str,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { dirName, isAbsolute, joinPaths, loadYaml, textAt } from '../../../../sdk/mod.ts'
import type { Settings, Surroundings } from './settings.ts'

export interface Cluster {
  /** Address without a slash at the end. */
  readonly server: string
  readonly tls: { verify: boolean; ca?: Uint8Array; cert?: Uint8Array; key?: Uint8Array; serverName?: string }
  readonly identity: Identity
  readonly proxy?: { host: string; port: number; authorization?: string }
  /** Time limit of one request in seconds. */
  readonly timeout: number
}

/** The credentials besides a client certificate. */
export interface Identity {
  readonly authorization?: string
  /** File with a token that changes. */
  readonly tokenFile?: string
  readonly exec?: ExecPlugin
  readonly headers?: Readonly<Record<string, string>>
}

export interface ExecPlugin {
  readonly command: string
  readonly args: readonly string[]
  readonly env: ReadonlyMap<string, string>
  readonly apiVersion: string
  readonly installHint: string
  /** The cluster data for the plug-in, if the kubeconfig requests that. */
  readonly cluster?: Value
  readonly timeout: number
}

/** Seconds that a request and a credential plugin may take. */
const USUAL = { request: 60, exec: 30 }
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
const MOST_BYTES = 4 * 1024 * 1024

const HINT =
  'Set kubernetes.kubeconfig (and kubernetes.context), kubernetes.kubeconfig-data, kubernetes.host with credentials, or kubernetes.in_cluster'

/** Return the cluster of a call. Arguments of the call override the environment, options and pillar. */
export async function clusterOf(ctx: Surroundings, settings: Settings): Promise<Cluster> {
  const inCluster = await settings.flag('in_cluster')
  const named = [settings.given('host'), settings.given('api_url')].find(truthy)
  if (named !== undefined) return single(ctx, settings, str(named))
  if (settings.given('in_cluster') !== null && inCluster) return serviceAccount(ctx, settings)
  const file = await settings.text('kubeconfig')
  if (file !== undefined) return fromKubeconfig(ctx, settings, await readKubeconfigs(ctx, settings, file))
  const data = await settings.text('kubeconfig-data')
  if (data !== undefined) {
    const text = new TextDecoder().decode(decodeBase64(Buffer.from(data)))
    return fromKubeconfig(ctx, settings, [
      {
        path: 'kubernetes.kubeconfig-data',
        content: await parse(text, 'kubernetes.kubeconfig-data'),
        isTrusted: settings.given('kubeconfig-data') === null,
      },
    ])
  }
  const host = (await settings.text('host')) ?? (await settings.text('api_url'))
  if (host !== undefined) return single(ctx, settings, host)
  const env = settings.env
  if (inCluster ?? (env.has('KUBERNETES_SERVICE_HOST') && env.has('KUBERNETES_SERVICE_PORT'))) {
    return serviceAccount(ctx, settings)
  }
  throw failure(`Invalid kubernetes configuration: it names no API server. ${HINT}`)
}

interface Kubeconfig {
  path: string
  content: Dict
  /** Whether only the owner of the minion can have written it: then it may name programs and files. */
  isTrusted: boolean
}

async function parse(text: string, path: string): Promise<Dict> {
  let content: Value
  try {
    content = await loadYaml(text)
  } catch (error) {
    throw failure(`${path} is not YAML: ${(error as Error).message}`)
  }
  if (!isDict(content)) throw failure(`${path} is no kubeconfig`)
  return content
}

/** Read the files of a list with colons, as kubectl does: a file that is missing is skipped, unless it is the only one. */
async function readKubeconfigs(ctx: Surroundings, settings: Settings, list: string): Promise<Kubeconfig[]> {
  const home = settings.env.get('HOME') ?? '/root'
  const paths = list
    .split(':')
    .filter(Boolean)
    .map((path) => path.replace(/^~(?=\/)/, home))
  const found: Kubeconfig[] = []
  for (const path of paths) {
    const text = await textAt(ctx.host, path)
    if (text === undefined) continue
    if (text.length > MOST_BYTES) throw failure(`${path} is too long for a kubeconfig`)
    const isTrusted = settings.given('kubeconfig') === null || (await isOwnFile(ctx, path))
    found.push({ path, content: await parse(text, path), isTrusted })
  }
  if (found.length === 0) throw failure(`The kubeconfig ${list} cannot be read`)
  return found
}

/** Return whether a file belongs to root or to the user of the minion, and no other user can write it. */
async function isOwnFile(ctx: Surroundings, path: string): Promise<boolean> {
  const stat = await ctx.host.stat(path)
  return stat !== undefined && [0, process.getuid?.() ?? 0].includes(stat.uid) && (stat.mode & 0o022) === 0
}

interface Named {
  entry: Dict
  path: string
  isTrusted: boolean
}

/** Return an entry of `clusters`, `users` or `contexts`; the first file that has it counts. */
function named(files: readonly Kubeconfig[], group: string, field: string, name: string): Named {
  const names: string[] = []
  for (const { path, content, isTrusted } of files) {
    const entries = content.get(group) ?? null
    for (const entry of isList(entries) ? entries : []) {
      if (!isDict(entry)) continue
      names.push(str(entry.get('name') ?? ''))
      if (names.at(-1) !== name) continue
      const found = entry.get(field) ?? null
      return { entry: isDict(found) ? found : new Map(), path, isTrusted }
    }
  }
  const where = files.map(({ path }) => path).join(', ')
  throw failure(`${where} has no '${name}' in ${group}; there are: ${names.join(', ') || 'none'}`)
}

const textIn = (dict: Dict, name: string): string | undefined => {
  const value = dict.get(name) ?? null
  return truthy(value) ? str(value) : undefined
}

async function fromKubeconfig(ctx: Surroundings, settings: Settings, files: readonly Kubeconfig[]): Promise<Cluster> {
  const chosen =
    (await settings.text('context')) ?? files.map(({ content }) => textIn(content, 'current-context')).find(Boolean)
  if (chosen === undefined) throw failure(`${files[0]!.path} has no current-context: name one with kubernetes.context`)
  const context = named(files, 'contexts', 'context', chosen)
  const cluster = named(files, 'clusters', 'cluster', textIn(context.entry, 'cluster') ?? '')
  const user = textIn(context.entry, 'user')
  const who =
    user === undefined ? { entry: new Map(), path: cluster.path, isTrusted: true } : named(files, 'users', 'user', user)
  const server = textIn(cluster.entry, 'server')
  if (server === undefined) throw failure(`The cluster of context ${chosen} has no server`)
  const [ca, cert, key] = [
    await pem(ctx, cluster, 'certificate-authority'),
    await pem(ctx, who, 'client-certificate'),
    await pem(ctx, who, 'client-key'),
  ]
  if (key) markSecret(new TextDecoder().decode(key))
  const verify = (await settings.flag('verify_ssl')) ?? !truthy(cluster.entry.get('insecure-skip-tls-verify') ?? false)
  const serverName = textIn(cluster.entry, 'tls-server-name')
  return {
    server: checkedServer(server),
    tls: { verify, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...(serverName && { serverName }) },
    identity: await identityOf(who, cluster.entry, settings),
    ...(await proxyOf(settings, server, textIn(cluster.entry, 'proxy-url'))),
    timeout: await settings.seconds('request_timeout', USUAL.request),
  }
}

/** Return a certificate or key in the kubeconfig, or in a file whose path is relative to it. */
async function pem(ctx: Surroundings, { entry, path }: Named, name: string): Promise<Uint8Array | undefined> {
  const data = textIn(entry, `${name}-data`)
  if (data !== undefined) return decodeBase64(Buffer.from(data))
  const file = textIn(entry, name)
  return file === undefined ? undefined : readPem(ctx, relativeTo(path, file))
}

const relativeTo = (kubeconfig: string, file: string): string =>
  isAbsolute(file) ? file : joinPaths(dirName(kubeconfig), file)

async function readPem(ctx: Surroundings, file: string): Promise<Uint8Array> {
  const text = await textAt(ctx.host, file)
  if (text === undefined) throw failure(`The file ${file} cannot be read`)
  return Buffer.from(text)
}

function checkedServer(server: string): string {
  let url: URL
  try {
    url = new URL(server)
  } catch {
    throw failure(`The address of an API server must be a URL, not ${server}`)
  }
  if (!/^https?:$/.test(url.protocol))
    throw failure(`The address of an API server must begin with https or http: ${server}`)
  if (url.username || url.password) throw failure('The address of an API server must not hold credentials')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

async function identityOf({ entry, path, isTrusted }: Named, cluster: Dict, settings: Settings): Promise<Identity> {
  const reaching = ['exec', 'tokenFile'].find((name) => entry.has(name))
  if (reaching !== undefined && !isTrusted) {
    throw misuse(
      `${path} comes with the call and uses ${reaching}: name a file in the options that only root can write`,
    )
  }
  if (entry.has('auth-provider')) {
    throw failure(`${path} uses auth-provider, which Kubernetes 1.26 removed: use an exec credential plugin`)
  }
  const headers = impersonation(entry)
  const token = textIn(entry, 'token')
  const tokenFile = textIn(entry, 'tokenFile')
  const username = textIn(entry, 'username')
  const exec = entry.get('exec') ?? null
  if (tokenFile !== undefined) return { tokenFile: relativeTo(path, tokenFile), headers }
  if (token !== undefined) return { authorization: bearer(token), headers }
  if (username !== undefined) return { authorization: basic(username, textIn(entry, 'password') ?? ''), headers }
  if (isDict(exec)) return { exec: await execPlugin(exec, path, cluster, settings), headers }
  return { headers }
}

function impersonation(entry: Dict): Record<string, string> {
  const user = textIn(entry, 'as')
  const groups = entry.get('as-groups') ?? null
  if (user === undefined) return {}
  if (isList(groups) && groups.length > 1)
    throw failure('Impersonation of a user with several groups is not supported: as-groups may have one')
  return {
    'Impersonate-User': user,
    ...(isList(groups) && groups.length === 1 && { 'Impersonate-Group': str(groups[0]!) }),
  }
}

export function bearer(token: string, prefix = 'Bearer'): string {
  const plain = token.trim()
  markSecret(plain)
  if (!/^[\x21-\x7e]+$/.test(plain)) throw failure('The token for the API server holds characters that no token has')
  return `${prefix} ${plain}`
}

function basic(username: string, password: string): string {
  const word = Buffer.from(`${username}:${password}`).toString('base64')
  markSecret([password, word])
  return `Basic ${word}`
}

async function execPlugin(exec: Dict, path: string, cluster: Dict, settings: Settings): Promise<ExecPlugin> {
  const command = textIn(exec, 'command')
  if (command === undefined) throw failure(`${path} has an exec credential plugin without a command`)
  if (exec.get('interactiveMode') === 'Always')
    throw failure(`The credential plugin ${command} asks a person: Brine cannot use it`)
  const args = exec.get('args') ?? null
  return {
    command: command.includes('/') ? relativeTo(path, command) : command,
    args: isList(args) ? args.map(str) : [],
    env: execEnvironment(exec.get('env') ?? null),
    apiVersion: textIn(exec, 'apiVersion') ?? textIn(exec, 'api_version') ?? 'client.authentication.k8s.io/v1beta1',
    installHint: textIn(exec, 'installHint') ?? textIn(exec, 'install_hint') ?? '',
    ...(truthy(exec.get('provideClusterInfo') ?? false) && { cluster }),
    timeout: await settings.seconds('exec_timeout', USUAL.exec),
  }
}

/** Variables of a plugin: a list of names and values in a kubeconfig, a dict in the options of Salt. */
function execEnvironment(env: Value): Map<string, string> {
  if (isDict(env)) return new Map([...env].map(([name, value]) => [str(name), str(value)]))
  const entries = (isList(env) ? env : []).filter(isDict)
  return new Map(entries.map((entry) => [str(entry.get('name') ?? ''), str(entry.get('value') ?? '')]))
}

/** Return the server and credentials of single settings, including the older ones of Salt 3006. */
async function single(ctx: Surroundings, settings: Settings, host: string): Promise<Cluster> {
  const read = async (...names: [data: string | undefined, ...files: string[]]): Promise<Uint8Array | undefined> => {
    const [data, ...files] = names
    const inline = data === undefined ? undefined : await settings.text(data)
    if (inline !== undefined)
      return inline.includes('-----BEGIN') ? Buffer.from(inline) : decodeBase64(Buffer.from(inline))
    for (const name of files) {
      const file = await settings.text(name)
      if (file !== undefined) return readPem(ctx, file)
    }
    return undefined
  }
  const ca = await read('certificate-authority-data', 'ca_cert', 'certificate-authority-file')
  const cert = await read('client-certificate-data', 'client_cert', 'client-certificate-file')
  const key = await read('client-key-data', 'client_key', 'client-key-file')
  if (key) markSecret(new TextDecoder().decode(key))
  return {
    server: checkedServer(host),
    tls: {
      verify: (await settings.flag('verify_ssl')) ?? true,
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
    },
    identity: await singleIdentity(settings),
    ...(await proxyOf(settings, host, undefined)),
    timeout: await settings.seconds('request_timeout', USUAL.request),
  }
}

async function singleIdentity(settings: Settings): Promise<Identity> {
  const token = await settings.text('api_key')
  if (token !== undefined) return { authorization: bearer(token, (await settings.text('api_key_prefix')) ?? 'Bearer') }
  const username = (await settings.text('username')) ?? (await settings.text('user'))
  if (username !== undefined) return { authorization: basic(username, (await settings.text('password')) ?? '') }
  const exec = await settings.value('exec')
  if (exec === null) return {}
  if (settings.given('exec') !== null) throw misuse("A call cannot give 'exec': set kubernetes.exec in the options")
  if (!isDict(exec)) throw misuse('kubernetes.exec must be a dict with command, args and env')
  return { exec: await execPlugin(exec, 'kubernetes.exec', new Map(), settings) }
}

async function serviceAccount(ctx: Surroundings, settings: Settings): Promise<Cluster> {
  const [host, port] = ['HOST', 'PORT'].map((part) => settings.env.get(`KUBERNETES_SERVICE_${part}`))
  if (!host || !port)
    throw failure('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this is no pod of a cluster')
  const server = checkedServer(`https://${host.includes(':') ? `[${host}]` : host}:${port}`)
  return {
    server,
    tls: { verify: (await settings.flag('verify_ssl')) ?? true, ca: await readPem(ctx, `${SERVICE_ACCOUNT}/ca.crt`) },
    identity: { tokenFile: `${SERVICE_ACCOUNT}/token` },
    ...(await proxyOf(settings, server, undefined)),
    timeout: await settings.seconds('request_timeout', USUAL.request),
  }
}

/** Return the proxy of a server: that of the settings, of the kubeconfig, or of the environment. */
async function proxyOf(settings: Settings, server: string, own: string | undefined): Promise<Pick<Cluster, 'proxy'>> {
  const variable = server.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const { env } = settings
  const text = (await settings.text('proxy')) ?? own ?? env.get(variable) ?? env.get(variable.toLowerCase())
  if (
    !text ||
    isDirect(
      new URL(server).hostname,
      (await settings.text('no_proxy')) ?? env.get('NO_PROXY') ?? env.get('no_proxy') ?? '',
    )
  ) {
    return {}
  }
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw failure('The proxy for the API server is no URL')
  }
  if (url.protocol !== 'http:') throw failure(`The proxy for the API server must begin with http: ${url.origin}`)
  const given = await settings.value('proxy_headers')
  const header = isDict(given)
    ? [...given].find(([name]) => str(name).toLowerCase() === 'proxy-authorization')
    : undefined
  const credentials = url.username
    ? basic(decodeURIComponent(url.username), decodeURIComponent(url.password))
    : undefined
  const authorization = header === undefined ? credentials : str(header[1])
  return {
    proxy: { host: url.hostname, port: Number(url.port || 80), ...(authorization !== undefined && { authorization }) },
  }
}

/** Return whether a list of hosts and domains names a host. */
function isDirect(host: string, list: string): boolean {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
  return entries.some(
    (entry) => entry === '*' || host === entry || host.endsWith(entry.startsWith('.') ? entry : `.${entry}`),
  )
}
