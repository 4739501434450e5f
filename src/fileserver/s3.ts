// An object of an S3 bucket: `s3://bucket/path`, with the options `s3.*` of the minion or of pillar's `s3`. Requests
// are signed with Amazon's signature version 4; without keys they are unsigned, which public buckets accept.
import { type Dict, isDict, SaltError, textOf, truthy, urlParts, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { awsEscaped, type HttpStream, openUrl, signAws } from '../http/mod.ts'

/** The credentials: an access key, and a token for the key of a role. */
export interface S3Login {
  key: string | undefined
  keyId: string | undefined
  token?: string
}

/** The body of the object. */
export async function openObject(host: Host, opts: Dict, url: string): Promise<AsyncIterable<Uint8Array>> {
  const { netloc: bucket, path } = urlParts(url)
  const response = await askBucket(host, opts, { bucket, path })
  if (response.status < 300) return response.body
  throw new SaltError('CommandExecutionError', `Failed to get file. ${await s3Problem(response)}`)
}

/** The key that the options name. */
export const s3Login = (opts: Dict): S3Login => ({
  key: textOf(optionOf(opts, 'key') ?? null),
  keyId: textOf(optionOf(opts, 'keyid') ?? null),
})

interface S3Question {
  bucket: string
  /** Begins with a slash. */
  path: string
  query?: Readonly<Record<string, string>>
  login?: S3Login
}

/** Request an object of a bucket, or with a query a list of objects. */
export async function askBucket(host: Host, opts: Dict, question: S3Question): Promise<HttpStream> {
  const { bucket, path, query = {}, login = s3Login(opts) } = question
  const option = (name: string, otherwise: Value = null): Value => optionOf(opts, name) ?? otherwise
  const service = textOf(option('service_url')) || 's3.amazonaws.com'
  const byPath = truthy(option('path_style', false))
  const server = byPath ? service : `${bucket}.${service}`
  const place = quoted(byPath ? `/${bucket}${path}` : path)
  const words = queryText(query)
  const { key, keyId, token } = login
  const headers = await signAws({
    method: 'GET',
    server,
    path: place,
    query: words,
    headers: {},
    body: '',
    service: 's3',
    region: textOf(option('location')) || 'us-east-1',
    time: new Date(),
    login: key && keyId ? { key, keyId, token } : undefined,
  })
  const scheme = truthy(option('https_enable', true)) ? 'https' : 'http'
  const parameters = new Map<string, Value>([
    ['url', `${scheme}://${server}${place}${words === '' ? '' : `?${words}`}`],
    ['header_dict', new Map<Value, Value>(headers)],
    ['verify_ssl', option('verify_ssl', true)],
  ])
  return openUrl(host, opts, parameters)
}

/** Parameters in the order that signatures want. */
const queryText = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${awsEscaped(name)}=${awsEscaped(value)}`)
    .join('&')

function optionOf(opts: Dict, name: string): Value | undefined {
  const own = opts.get(`s3.${name}`)
  if (own !== undefined) return own
  const pillar = opts.get('pillar')
  const section = isDict(pillar ?? null) ? (pillar as Dict).get('s3') : undefined
  return isDict(section ?? null) ? (section as Dict).get(name) : undefined
}

/** Return a body as text; throw above the size limit. */
export async function wholeText(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > most)
      throw new SaltError('CommandExecutionError', `the answer of the server is longer than ${most} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

const MOST_PROBLEM = 1 << 20

/** Return the server's error: a code and a message in XML. */
export async function s3Problem({ status, body }: HttpStream): Promise<string> {
  const text = await wholeText(body, MOST_PROBLEM)
  const [code, message] = ['Code', 'Message'].map((tag) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1])
  return code !== undefined && message !== undefined ? `${code}: ${message}` : `http-${status}: ${text}`
}

const quoted = (path: string): string => awsEscaped(path).replace(/%2F/g, '/')
