// An object of an S3 bucket: `s3://bucket/path`, with the options `s3.*` of the minion or of pillar's `s3`. Requests are
// signed with Amazon's signature version 4; without keys they go unsigned, which public buckets accept.
import { createHash, createHmac } from 'node:crypto'
import { type Dict, isDict, SaltError, str, textOf, truthy, urlParts, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { openUrl } from '../http/mod.ts'

/** The body of the object. */
export async function openObject(host: Host, opts: Dict, url: string): Promise<AsyncIterable<Uint8Array>> {
  const { netloc: bucket, path } = urlParts(url)
  const option = (name: string, otherwise: Value = null): Value => optionOf(opts, name) ?? otherwise
  const service = textOf(option('service_url')) || 's3.amazonaws.com'
  const byPath = truthy(option('path_style', false))
  const server = byPath ? service : `${bucket}.${service}`
  const place = quoted(byPath ? `/${bucket}${path}` : path)
  const headers = signed({
    server,
    path: place,
    key: textOf(option('key')),
    keyId: textOf(option('keyid')),
    region: textOf(option('location')) || 'us-east-1',
    time: new Date(),
  })
  const scheme = truthy(option('https_enable', true)) ? 'https' : 'http'
  const parameters = new Map<string, Value>([
    ['url', `${scheme}://${server}${place}`],
    ['header_dict', new Map<Value, Value>(headers)],
    ['verify_ssl', option('verify_ssl', true)],
  ])
  const response = await openUrl(host, opts, parameters)
  if (response.status < 300) return response.body
  throw new SaltError('CommandExecutionError', `Failed to get file. ${await problem(response.status, response.body)}`)
}

function optionOf(opts: Dict, name: string): Value | undefined {
  const own = opts.get(`s3.${name}`)
  if (own !== undefined) return own
  const pillar = opts.get('pillar')
  const section = isDict(pillar ?? null) ? (pillar as Dict).get('s3') : undefined
  return isDict(section ?? null) ? (section as Dict).get(name) : undefined
}

/** What the server says is wrong: a code and a message in XML. */
async function problem(status: number, body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  const [code, message] = ['Code', 'Message'].map((tag) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1])
  return code !== undefined && message !== undefined ? `${code}: ${message}` : `http-${status}: ${text}`
}

const quoted = (path: string): string =>
  encodeURIComponent(path)
    .replace(/%2F/g, '/')
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

interface ToSign {
  server: string
  path: string
  key: string | undefined
  keyId: string | undefined
  region: string
  time: Date
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const keyed = (key: string | Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The headers of a GET that prove who asks. */
export function signed({ server, path, key, keyId, region, time }: ToSign): Map<string, string> {
  const stamp = time.toISOString().replace(/[-:]|\.\d+/g, '')
  const day = stamp.slice(0, 8)
  const headers = new Map([
    ['host', server],
    ['x-amz-content-sha256', sha256('')],
    ['x-amz-date', stamp],
  ])
  if (!key || !keyId) return headers
  const names = [...headers.keys()].join(';')
  const lines = [...headers].map(([name, value]) => `${name}:${value}\n`).join('')
  const request = ['GET', path, '', lines, names, sha256('')].join('\n')
  const scope = [day, region, 's3', 'aws4_request']
  const words = ['AWS4-HMAC-SHA256', stamp, scope.join('/'), sha256(request)].join('\n')
  const signingKey = scope.reduce<string | Uint8Array>((at, word) => keyed(at, word), `AWS4${key}`)
  const signature = keyed(signingKey, words).toString('hex')
  const credential = `${str(keyId)}/${scope.join('/')}`
  headers.set(
    'authorization',
    `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  )
  return headers
}
