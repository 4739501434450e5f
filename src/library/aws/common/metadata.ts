// Keys of roles from the metadata services: that of an EC2 instance (version 2, which needs a token), and that of a container.
import { type Dict, failure, float, isDict, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import type { AwsKey } from '../../../sdk/mod.ts'
import type { AwsContext } from './login.ts'

/** A key that may end. */
export interface TimedKey extends AwsKey {
  /** Milliseconds since 1970. */
  ends?: number | undefined
}

type Environment = ReadonlyMap<string, string>

const MACHINE = 'http://169.254.169.254'
const MOST_BYTES = 1 << 20
const CONTAINER = 'http://169.254.170.2'

/** Hosts of full addresses that may be queried without TLS: loopback and the agents of ECS and EKS. */
const PLAIN_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]', '169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'])

interface MetadataRequest {
  url: string
  method?: string
  headers?: Readonly<Record<string, string>>
}

/** Return the answer of a metadata service as text; empty if there is no such service. Proxies are not used. */
async function askMetadata(ctx: AwsContext, { url, method = 'GET', headers = {} }: MetadataRequest): Promise<string> {
  const opts: Dict = new Map(ctx.opts)
  opts.set('http_connect_timeout', float(1)).set('http_request_timeout', float(5)).set('proxy_host', '')
  const answer = await ctx.http.query(
    new Map<string, Value>([
      ['url', url],
      ['method', method],
      ['header_dict', new Map<Value, Value>(Object.entries(headers))],
      ['opts', opts],
      ['max_body', MOST_BYTES],
    ]),
  )
  const body = answer.get('body')
  return answer.has('error') || body === undefined ? '' : str(body).trim()
}

/** Return a function that queries metadata of this machine: its argument is the path below `latest/meta-data/`. */
async function machineMetadata(ctx: AwsContext, env: Environment): Promise<(path: string) => Promise<string>> {
  const base = `${(env.get('AWS_EC2_METADATA_SERVICE_ENDPOINT') || MACHINE).replace(/\/+$/, '')}/latest`
  const ttl = { 'X-aws-ec2-metadata-token-ttl-seconds': '60' }
  const token = await askMetadata(ctx, { url: `${base}/api/token`, method: 'PUT', headers: ttl })
  if (token === '') return async () => ''
  return (path) =>
    askMetadata(ctx, { url: `${base}/meta-data/${path}`, headers: { 'X-aws-ec2-metadata-token': token } })
}

/** Return the key of the role of this machine; undefined where it has none. */
export async function fromMachine(ctx: AwsContext, env: Environment): Promise<TimedKey | undefined> {
  if (env.get('AWS_EC2_METADATA_DISABLED')?.toLowerCase() === 'true') return undefined
  const ask = await machineMetadata(ctx, env)
  const [role = ''] = (await ask('iam/security-credentials/')).split('\n')
  if (!/^[\w+=,.@-]+$/.test(role)) return undefined
  return keyOfJson(await ask(`iam/security-credentials/${role}`))
}

/** Return the key of the role of this container; undefined outside of one. */
export async function fromContainer(ctx: AwsContext, env: Environment): Promise<TimedKey | undefined> {
  const [path, full] = [
    env.get('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'),
    env.get('AWS_CONTAINER_CREDENTIALS_FULL_URI'),
  ]
  if (!path && !full) return undefined
  const url = new URL(path ? `${CONTAINER}${path}` : full!)
  if (url.protocol !== 'https:' && !PLAIN_HOSTS.has(url.hostname)) {
    throw failure(`Cannot read the key of the container: '${url.hostname}' would be asked without TLS`)
  }
  const file = env.get('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE')
  const token = file
    ? Buffer.from(await ctx.host.read(file))
        .toString()
        .trim()
    : env.get('AWS_CONTAINER_AUTHORIZATION_TOKEN')
  return keyOfJson(await askMetadata(ctx, { url: url.href, headers: token ? { authorization: token } : {} }))
}

/** Return the key in a JSON document of the metadata services; undefined where it holds none. */
function keyOfJson(text: string): TimedKey | undefined {
  const value: Value = text === '' ? null : loadJson(text)
  if (!isDict(value)) return undefined
  const field = (name: string): string => (truthy(value.get(name) ?? null) ? str(value.get(name)!) : '')
  const [keyId, key] = [field('AccessKeyId'), field('SecretAccessKey')]
  if (keyId === '' || key === '') return undefined
  const ends = Date.parse(field('Expiration'))
  return { keyId, key, token: field('Token') || undefined, ends: Number.isNaN(ends) ? undefined : ends }
}
