// One request to a web service: the status, the headers and the text of its answer. A service that does not answer is an error that names it.
import { withoutLogin } from '../base/mod.ts'
import { failure, isDict, loadJson, misuse, numberOf, str, type Value } from '../data/mod.ts'
import type { FunctionContext } from './context.ts'

export interface WebRequest {
  url: string
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  username?: string | null
  password?: string | null
  /** Whether the certificate of the service is checked; as the options say when not given. */
  verify?: boolean
  /** Path of the certificates to trust. */
  ca?: string | null
  /** Paths of a certificate and its key, to sign in with. */
  cert?: readonly [string, string] | null
  /** Whether the path of the URL is a secret, as with web hooks: errors do not contain it. */
  hasSecretPath?: boolean
}

export interface WebAnswer {
  status: number
  text: string
  /** By header name in lower case. */
  headers: ReadonlyMap<string, string>
}

/** Size limit for an answer of a web service, in bytes. */
const MOST_BYTES = 256 * 1024 * 1024

/** Return an address as a URL; throw an error that names its option if it is none. The text may hold secrets. */
export function webUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw failure(`${option} is not a URL of http or https`)
  return url
}

/** Send a request. Any status is an answer. */
export async function askWeb({ http }: Pick<FunctionContext, 'http'>, request: WebRequest): Promise<WebAnswer> {
  const { url, method = 'GET', headers = {}, body, username, password, verify, ca, cert } = request
  webUrl(url, request.hasSecretPath ? 'The address of the request' : `'${withoutLogin(url)}'`)
  const query = new Map<string, Value>([
    ['url', url],
    ['method', method],
    ['header_dict', new Map(Object.entries(headers))],
    ['raise_error', false],
    ['status', true],
    ['headers', true],
    ['max_body', MOST_BYTES],
  ])
  if (body !== undefined) query.set('data', body)
  if (username) query.set('username', username).set('password', password ?? '')
  if (verify !== undefined) query.set('verify_ssl', verify)
  if (ca) query.set('ca_bundle', ca)
  if (cert) query.set('cert', [...cert])
  const answer = await http.query(query)
  const error = answer.get('error')
  if (error !== undefined) throw failure(`${serviceOf(request)} does not answer: ${str(error)}`)
  const found = answer.get('headers')
  const named = (found !== undefined && isDict(found) ? [...found] : []).map(([name, value]): [string, string] => [
    str(name).toLowerCase(),
    str(value),
  ])
  return {
    status: numberOf(answer.get('status') ?? 0) ?? 0,
    text: str(answer.get('body') ?? ''),
    headers: new Map(named),
  }
}

/** Send a request with a JSON answer. A status of 300 or more is an error with the service's message. */
export async function askWebJson(ctx: Pick<FunctionContext, 'http'>, request: WebRequest): Promise<Value> {
  return jsonOf(request, await askWeb(ctx, request))
}

const SHOWN_TEXT = 300

/** Read an answer that must be JSON. */
export function jsonOf(request: WebRequest, { status, text }: WebAnswer): Value {
  if (status >= 300) throw failure(`${serviceOf(request)} answers with status ${status}: ${text.slice(0, SHOWN_TEXT)}`)
  return loadJson(text)
}

/** Return the part of an address that holds no secrets. */
function serviceOf({ url, hasSecretPath }: WebRequest): string {
  const { origin, pathname } = new URL(url)
  return hasSecretPath ? origin : `${origin}${pathname}`
}

/**
 * Return a key with slashes as a part of a URL. The segments `.` and `..` are refused, because they would address other
 * parts of the service.
 */
export function pathInUrl(key: string): string {
  const parts = key.split('/')
  if (parts.some((part) => part === '.' || part === '..'))
    throw misuse(`A key cannot contain the part '.' or '..': ${key}`)
  return parts.map(encodeURIComponent).join('/')
}
