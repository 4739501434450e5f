// One resource of Salt's API, and the course of a request to it: recognise the caller, ask for a login where one is needed, read the
// body, check the address, and only then the method and the handler. The order decides which of several errors a caller sees.
import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { shownText, toError } from '../../base/mod.ts'
import { type Dict, isDict, isList, type Value } from '../../data/mod.ts'
import { traceback } from '../../render/mod.ts'
import { SESSION_IDLE } from '../../store/mod.ts'
import type { Peer } from '../../wire/mod.ts'
import { readBytes } from '../body-bytes.ts'
import { type Caller, callerOf, refuseForgery, sessionCookie } from '../callers.ts'
import type { ClientWork } from '../clients/work.ts'
import { HttpError } from '../errors.ts'
import { peerOf } from '../peer.ts'
import { type ApiService, clientWork } from '../service.ts'
import { answerType, encodeAnswer, errorPage, HTML_TYPE, messageOf } from './answers.ts'
import { type Body, NO_BODY, readBody } from './bodies.ts'

export type Method = 'GET' | 'POST'

/** A request to a resource. */
export interface SaltCall {
  service: ApiService
  request: Request
  peer: Peer
  caller: Caller
  body: Body
  /** What follows the path of the resource, by parts. */
  rest: readonly string[]
  work: ClientWork
  /** Headers of the answer. */
  headers: Headers
  /** The id that the cookie of the answer carries. */
  sessionId: string
}

/** Data for the caller, or a whole answer. */
export type Answer = { value: Value; status?: number } | Response

export interface Resource {
  handlers: Readonly<Partial<Record<Method, (call: SaltCall) => Answer | Promise<Answer>>>>
  /** The methods, for the header `Allow`. */
  allow: string
  /** The methods that have a session. */
  sessions: readonly Method[]
  /** The methods that need a login. */
  login: readonly Method[]
  /** The methods whose unexpected errors are pages of HTML too, and whose answers are neither JSON nor YAML. */
  bare?: readonly Method[]
  /** The most parts that may follow the path of the resource. */
  depth?: number
}

/** Answer a request to a resource. */
export async function answerResource(
  c: Context,
  service: ApiService,
  resource: Resource,
  rest: readonly string[],
): Promise<Response> {
  const request = c.req.raw
  const method = (request.method === 'HEAD' ? 'GET' : request.method) as Method
  const headers = new Headers({ Allow: resource.allow, Vary: 'Accept-Encoding' })
  addCors(request, service, headers)
  // other methods are refused after all else is checked
  const hasSession = resource.sessions.includes(method) || (!resource.handlers[method] && resource.sessions.length > 0)
  const caller: Caller = hasSession
    ? callerOf(request.headers, service.sessions)
    : { id: undefined, session: undefined, byCookie: false }
  const sessionId = caller.session ? caller.id! : randomBytes(20).toString('hex')
  const peer = peerOf(c)
  const work = clientWork(service, peer, request.signal)
  const call: SaltCall = { service, request, peer, caller, body: NO_BODY, rest, work, headers, sessionId }
  if (hasSession) headers.set('Set-Cookie', cookieOf(call, SESSION_IDLE))
  try {
    if (resource.login.includes(method) || (!resource.handlers[method] && isAllLogin(resource))) {
      if (!caller.session) throw new HttpError(401, messageOf(401))
      headers.set('Cache-Control', 'private')
    }
    refuseForgery(request, caller)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const bytes = await readBytes(request, service.settings.maxBody)
      call.body = readBody(bytes, request.headers.get('content-type'))
    }
    const handler = resource.handlers[method]
    if (!handler) throw new HttpError(405, messageOf(405))
    return await answered(call, resource, handler)
  } catch (error) {
    return refused(call, error)
  }
}

const isAllLogin = ({ handlers, login }: Resource): boolean =>
  Object.keys(handlers).every((method) => login.includes(method as Method))

/** The cookie of the session of a call; without an age the browser forgets it. */
export const cookieOf = ({ sessionId, service }: SaltCall, age: number | undefined): string =>
  sessionCookie(sessionId, age, service.settings.tls !== undefined)

/** Pages of other sites may read answers; they need the token for that, since browsers keep the cookie from them. */
function addCors(request: Request, { settings }: ApiService, headers: Headers): void {
  const origin = request.headers.get('origin')
  if (settings.corsOrigins && (origin === null || !settings.corsOrigins.has(origin))) return
  headers.set('Access-Control-Allow-Origin', origin ?? '*')
  headers.set('Access-Control-Expose-Headers', 'GET, POST')
  headers.set('Access-Control-Allow-Credentials', 'true')
}

async function answered(
  call: SaltCall,
  resource: Resource,
  handler: (call: SaltCall) => Answer | Promise<Answer>,
): Promise<Response> {
  const { headers, request } = call
  const isBare = resource.bare?.includes(request.method === 'HEAD' ? 'GET' : (request.method as Method))
  const type = isBare ? undefined : answerType(request.headers.get('accept') ?? undefined)
  try {
    const answer = await handler(call)
    if (answer instanceof Response) {
      for (const [name, value] of headers) if (!answer.headers.has(name)) answer.headers.set(name, value)
      return answer
    }
    headers.set('Content-Type', type!)
    return new Response(encodeAnswer(answer.value, type!), { status: answer.status ?? 200, headers })
  } catch (error) {
    if (error instanceof HttpError || type === undefined) throw error
    return unexpected(call, error, type)
  }
}

/** Tell of an error that no check foresaw; its trace is for the log, and with `debug` for the caller. */
function unexpected({ service, request, headers }: SaltCall, error: unknown, type: string): Response {
  const path = shownText(new URL(request.url).pathname)
  service.log('error', `Error while processing request for ${path}: ${shownText(toError(error).message)}`)
  const text = service.settings.debug ? traceback(error) : 'An unexpected error occurred'
  const value: Value = new Map<Value, Value>([
    ['status', 500],
    ['return', text],
  ])
  headers.set('Content-Type', type)
  return new Response(encodeAnswer(value, type), { status: 500, headers })
}

/** Return the page of an error. */
export function refused({ service, headers, request }: SaltCall, error: unknown): Response {
  const known = error instanceof HttpError ? error : new HttpError(500, '', error)
  if (known.status >= 500) {
    const path = shownText(new URL(request.url).pathname)
    service.log('error', `Request for ${path} failed: ${shownText(toError(known.cause ?? known).message)}`)
  }
  headers.set('Content-Type', HTML_TYPE)
  if (known.status === 413) headers.set('Connection', 'close')
  return new Response(errorPage(known.status, known.message || messageOf(known.status)), {
    status: known.status,
    headers,
  })
}

/** Return the lowstate of a body: a list of chunks, or one chunk. */
export function lowstateOf({ body: { data } }: SaltCall): Value {
  return isDict(data) && data.size > 0 ? [data] : data
}

/** Return the field that gives chunks the token of the session. */
export const tokenField = ({ caller }: SaltCall): Dict =>
  caller.session ? new Map<Value, Value>([['token', caller.session.token]]) : new Map()

/** Whether a value is a list of mappings. */
export const isChunks = (value: Value): value is Dict[] => isList(value) && value.every(isDict)
