// Requests to a Vault server, with its namespace, trust, time limits and retries. The credentials are a parameter of
// each request.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../base/mod.ts'
import {
  type Dict,
  dumpJson,
  isDict,
  isList,
  loadJson,
  misuse,
  numberOf,
  PyError,
  str,
  toPlain,
  type Value,
} from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import type { ClientConfig, JsonObject, ServerConfig } from './config.ts'
import { statusError, VaultError } from './errors.ts'

/** The part of the context that this subject uses, for functions and runners. */
export interface Surroundings {
  readonly opts: Dict
  readonly log: Log
  readonly host: FunctionContext['host']
  readonly http: FunctionContext['http']
  /** Return the value that an `sdb://` URI names. */
  fetch(uri: string): Promise<Value>
}

export interface Question {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'LIST'
  /** Below `/v1/`. */
  path: string
  payload?: Value
  params?: Readonly<Record<string, string>>
  token?: string
  /** Wrap the answer for so long. */
  wrap?: string | false
  /** Whether the request may be sent again although its method does not say so. */
  isRepeatable?: boolean
}

export interface Reply {
  status: number
  /** The decoded body; an empty dict for none. */
  body: Dict
}

/** Size limit for an answer, in bytes. */
const MOST_BYTES = 64 << 20

/** Statuses that are answers, and not refusals. */
const isAnswer = (status: number): boolean => status >= 200 && status < 300

/** Return a path as part of a URL. */
function encodedPath(path: string): string {
  const parts = path.split('/').filter((part, index, all) => part !== '' || (index === all.length - 1 && index > 0))
  if (parts.some((part) => part === '.' || part === '..'))
    throw misuse(`A path of Vault cannot contain '.' or '..': ${path}`)
  return parts.map(encodeURIComponent).join('/')
}

/** Return the n-th Fibonacci number. */
function fibonacci(n: number): number {
  let [a, b] = [0, 1]
  for (let i = 0; i < n; i++) [a, b] = [b, a + b]
  return a
}

export class VaultClient {
  readonly server: ServerConfig
  private readonly client: ClientConfig
  private readonly parts: Surroundings

  constructor(parts: Surroundings, server: ServerConfig, client: ClientConfig) {
    this.parts = parts
    this.server = server
    this.client = client
  }

  /** Ask, and fail when the server refuses. */
  async ask(question: Question): Promise<Dict> {
    const { status, body } = await this.send(question)
    if (isAnswer(status)) return body
    throw statusError(status, errorsIn(body), question.path)
  }

  /** Ask, and return the answer of any status. */
  async send(question: Question): Promise<Reply> {
    const { maxRetries } = this.client
    for (let attempt = 0; ; attempt++) {
      const answer = await this.attempt(question)
      const status = numberOf(answer.get('status') ?? 0) ?? 0
      const hasFailed = answer.has('error') && !(status >= 100 && status < 599)
      const mayRetry = attempt < maxRetries && this.isRetried(question, status, hasFailed)
      if (!mayRetry) return hasFailed ? this.unreachable(answer) : { status, body: bodyOf(answer) }
      const pause = this.pause(attempt, hasFailed, answer)
      this.parts.log(
        'debug',
        `Vault: ${question.method} ${question.path} is sent again in ${pause.toFixed(1)} s (${hasFailed ? 'no answer' : status})`,
      )
      await sleep(pause * 1000, undefined, { signal: this.parts.host.ending })
    }
  }

  private isRetried({ method, isRepeatable }: Question, status: number, hasFailed: boolean): boolean {
    if (status === 429) return true
    const isSafe = isRepeatable || this.client.retryPost || (method !== 'POST' && method !== 'PATCH')
    return isSafe && (hasFailed || this.client.retryStatus.includes(status))
  }

  /** Return the seconds before the next attempt: those that the server requests, or growing ones. */
  private pause(attempt: number, hasFailed: boolean, answer: Dict): number {
    const { backoffFactor, backoffMax, backoffJitter, respectRetryAfter, retryAfterMax } = this.client
    const headers = answer.get('headers')
    const asked =
      headers !== undefined && isDict(headers) ? Number(headers.get('Retry-After') ?? Number.NaN) : Number.NaN
    if (respectRetryAfter && asked >= 0) return Math.min(asked, retryAfterMax)
    const step = hasFailed ? attempt - 1 : attempt
    if (step < 0) return 0
    return Math.min(backoffFactor * fibonacci(step + 3) + Math.random() * backoffJitter, backoffMax)
  }

  private async attempt({ method, path, payload, params, token, wrap }: Question): Promise<Dict> {
    const { parts, server, client } = this
    const headers = new Map<Value, Value>([['X-Vault-Request', 'true']])
    if (token !== undefined) headers.set('X-Vault-Token', token)
    if (server.namespace !== null) headers.set('X-Vault-Namespace', server.namespace)
    if (wrap) headers.set('X-Vault-Wrap-TTL', wrap)
    const query = new URLSearchParams({ ...params, ...(method === 'LIST' && { list: 'true' }) }).toString()
    const asked = new Map<string, Value>([
      ['url', `${server.url}/v1/${encodedPath(path)}${query && `?${query}`}`],
      // Vault treats this like its method LIST; proxies do not know that method
      ['method', method === 'LIST' ? 'GET' : method],
      ['status', true],
      ['headers', true],
      ['raise_error', false],
      ['header_dict', headers],
      ['max_body', MOST_BYTES],
      [
        'opts',
        new Map(parts.opts)
          .set('http_connect_timeout', client.connectTimeout)
          .set('http_request_timeout', client.connectTimeout + client.readTimeout),
      ],
      ...this.trust(),
    ])
    if (payload !== undefined) {
      // the server refuses a PATCH of another type
      headers.set('Content-Type', method === 'PATCH' ? 'application/merge-patch+json' : 'application/json')
      asked.set('data', dumpJson(payload))
    }
    return parts.http.query(asked)
  }

  private trust(): Array<[string, Value]> {
    const { verify } = this.server
    if (verify === false) return [['verify_ssl', false]]
    return typeof verify === 'string' && verify !== '' ? [['ca_bundle', verify]] : []
  }

  private unreachable(answer: Dict): never {
    const reason = str(answer.get('error') ?? '')
    throw new VaultError('ConnectionError', `Cannot reach Vault at ${this.server.url}: ${reason}`)
  }
}

function bodyOf(answer: Dict): Dict {
  const text = str(answer.get('body') ?? '')
  if (text.trim() === '') return new Map()
  try {
    const body = loadJson(text)
    if (isDict(body)) return body
  } catch (error) {
    if (!(error instanceof PyError)) throw error
  }
  // a proxy in front of the server, or no Vault at all
  return new Map<Value, Value>([['errors', ['the answer is not one of Vault']]])
}

/** Return the server's error texts for a refused request. */
export function errorsIn(body: Dict): string[] {
  const errors = body.get('errors') ?? null
  const warnings = body.get('warnings') ?? null
  return [errors, warnings].flatMap((list) => (isList(list) ? list.map(str) : []))
}

/** Return a dict of an answer as a plain object; an empty one if it is missing. */
export function objectAt(body: Dict, name: string): JsonObject {
  const value = body.get(name) ?? null
  return isDict(value) ? (toPlain(value) as JsonObject) : {}
}
