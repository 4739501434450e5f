// Amazon's signature version 4: the headers that prove which access key sends a request.
import { createHash, createHmac } from 'node:crypto'
import { awsEscaped } from './aws-escape.ts'

export interface AwsKey {
  key: string
  keyId: string
  /** The session token of a temporary key, such as that of a role. */
  token?: string | undefined
}

export interface AwsRequest {
  method: string
  /** Host with port, as the header `host` has it. */
  server: string
  /** The path as it is sent, escaped. */
  path: string
  /** Sorted and escaped. */
  query: string
  /** Further headers to sign, by their names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array
  service: string
  region: string
  time: Date
  /** Without a key the request goes unsigned, which public buckets accept. */
  login: AwsKey | undefined
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const keyed = (key: string | Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** All services but S3 escape the path twice. */
const signedPath = ({ service, path }: AwsRequest): string =>
  service === 's3' ? path : path.split('/').map(awsEscaped).join('/')

/** Return all headers of the request. */
export function signAws(request: AwsRequest): Map<string, string> {
  const { method, server, query, body, service, region, time, login } = request
  const stamp = time.toISOString().replace(/[-:]|\.\d+/g, '')
  const hash = sha256(body)
  const headers = new Map([
    ...Object.entries(request.headers),
    ['host', server] as const,
    ['x-amz-content-sha256', hash] as const,
    ['x-amz-date', stamp] as const,
  ])
  if (login === undefined) return headers
  if (login.token) headers.set('x-amz-security-token', login.token)
  const sorted = [...headers].sort(([one], [other]) => (one < other ? -1 : 1))
  const names = sorted.map(([name]) => name).join(';')
  const lines = sorted.map(([name, value]) => `${name}:${value.trim()}\n`).join('')
  const canonical = [method, signedPath(request), query, lines, names, hash].join('\n')
  const scope = [stamp.slice(0, 8), region, service, 'aws4_request']
  const words = ['AWS4-HMAC-SHA256', stamp, scope.join('/'), sha256(canonical)].join('\n')
  const signingKey = scope.reduce<string | Uint8Array>((at, word) => keyed(at, word), `AWS4${login.key}`)
  const signature = keyed(signingKey, words).toString('hex')
  const credential = `${login.keyId}/${scope.join('/')}`
  headers.set(
    'authorization',
    `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  )
  return headers
}
