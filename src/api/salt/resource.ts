// One resource of Salt's API, and the course of a request to it: recognise the caller, ask for a login where one is needed, read the
// body, check the address, and only then the method and the handler. The order decides which of several errors a caller sees.
import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { shownText, toError } from '../../base/mod.ts'
import { type Dict, dictFrom, isDict, isList, type Value } from '../../data/mod.ts'
import { traceback } from '../../render/mod.ts'
import { SESSION_IDLE } from '../../store/mod.ts'
import type { Peer } from '../../wire/mod.ts'
import { mayBeTooLong, readBytes } from '../body-bytes.ts'
import { type Caller, callerOf, refuseForgery, sessionCookie } from '../callers.ts'
import type { ClientWork } from '../clients/work.ts'
import { HttpError, MissingField } from '../errors.ts'
import { type KeyedRequest, once } from '../idempotency.ts'
import { TooManyRequests } from '../limits.ts'
import { hangUpOf, requestPeer } from '../peer.ts'
import { type ApiService, clientWork } from '../service.ts'
import { refuseAddress } from '../settings.ts'
import { answerType, encodeAnswer, errorPage, HTML_TYPE, messageOf } from './answers.ts'
import { type Body, NO_BODY, readBody } from './bodies.ts'
import { commonHeaders } from './headers.ts'

export type Method = 'GET' | 'POST'

/** A request to a resource. */
export interface SaltCall {
  service: ApiService
  request: Request
  peer: Peer
  caller: Caller
  body: Body
  /** The path after that of the resource. */
  rest: readonly string[]
  /** The same by the names that the handler gives to it; a query may name it too. */
  parts: Readonly<Record<string, string | undefined>>
  work: ClientWork
  /** Headers of the answer. */
  headers: Headers
  /** The id that the cookie of the answer carries. */
  sessionId: string
  /** Break the connection. */
  hangUp(): void
}

/** Data for the caller, or a whole answer. */
export type ResourceAnswer = { value: Value; status?: number } | Response

export interface Handler {
  answer(call: SaltCall): ResourceAnswer | Promise<ResourceAnswer>
  /** The names of the further parts of the path; `any` for any number. */
  parts?: readonly string[] | 'any'
  /** Whether a query may have any parameter; otherwise only those in `parts`. */
  query?: 'any'
  /** Whether unexpected errors are pages of HTML too, and answers neither JSON nor YAML. */
  isBare?: boolean
  /** Whether answers do not renew the cookie of the session. */
  isWithoutCookie?: boolean
}

export interface ApiResource {
  handlers: Readonly<Partial<Record<Method, Handler>>>
  /** The methods, for the header `Allow`. */
  allow: string
  /** The methods that have a session. */
  sessions: readonly Method[]
  /** The methods that need a login. */
  login: readonly Method[]
  /** Whether answers to requests with an `Idempotency-Key` are kept. Answers with secrets are not. */
  keepsAnswers?: boolean
}

/** Answer a request to a resource. */
export async function answerResource(
  c: Context,
  service: ApiService,
  resource: ApiResource,
  rest: readonly string[],
): Promise<Response> {
  const request = c.req.raw
  const method = (request.method === 'HEAD' ? 'GET' : request.method) as Method
  const headers = commonHeaders(request, service)
  headers.set('Allow', resource.allow)
  // other methods are refused after all else is checked
  const hasSession = resource.sessions.includes(method) || (!resource.handlers[method] && resource.sessions.length > 0)
  const caller: Caller = hasSession
    ? callerOf(request.headers, service.sessions)
    : { id: undefined, session: undefined, byCookie: false }
  const sessionId = caller.session ? caller.id! : randomBytes(20).toString('hex')
  const peer = requestPeer(c)
  const work = clientWork(service, peer, request.signal, caller.session?.user)
  const call: SaltCall = {
    service,
    request,
    peer,
    caller,
    body: NO_BODY,
    rest,
    parts: {},
    work,
    headers,
    sessionId,
    hangUp: hangUpOf(c),
  }
  if (hasSession && !resource.handlers[method]?.isWithoutCookie) headers.set('Set-Cookie', cookieOf(call, SESSION_IDLE))
  try {
    service.limits.countAddress(peer.host)
    if (caller.session) {
      peer.recognise?.(caller.session.user)
      service.limits.countUser(caller.session.user)
    }
    if (resource.login.includes(method) || (!resource.handlers[method] && isAllLogin(resource))) {
      if (!caller.session) throw new HttpError(401, messageOf(401))
      headers.set('Cache-Control', 'private')
    }
    refuseForgery(request, caller, service.settings.corsOrigins)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const room = caller.session ? undefined : service.limits.strangers
      const bytes = await readBytes(request, service.settings.maxBody, room)
      call.body = readBody(bytes, request.headers.get('content-type'), !caller.session)
    }
    refuseAddress(service.settings, peer)
    const handler = resource.handlers[method]
    if (!handler) throw new HttpError(405, messageOf(405))
    call.parts = partsOf(c, handler, rest)
    const key = method === 'POST' && resource.keepsAnswers ? request.headers.get('idempotency-key') : null
    if (key === null) return await answered(call, handler)
    return await once(keyed(call, key), () => answered(call, handler))
  } catch (error) {
    return errorAnswer(service, request, headers, error)
  }
}

/** Callers without a session share the room for kept answers; the keys of one address mean nothing to another. */
const STRANGERS = 'strangers'

/** Return the parts of a request that must equal for the same idempotency key. */
function keyed({ service, request, caller, peer, body }: SaltCall, key: string): KeyedRequest {
  const { session } = caller
  const owner = session ? `${session.eauth}\0${session.user}` : STRANGERS
  const name = session ? key : `${peer.host}\0${key}`
  const parts = [request.method, new URL(request.url).pathname, body.raw]
  return { answers: service.answers, owner, key, name, parts }
}

const isAllLogin = ({ handlers, login }: ApiResource): boolean =>
  Object.keys(handlers).every((method) => login.includes(method as Method))

/** The cookie of the session of a call; without an age the browser forgets it. */
export const cookieOf = ({ sessionId, service }: SaltCall, age: number | undefined): string =>
  sessionCookie(sessionId, age, service.settings.tls !== undefined)

/** Parse the path after that of a resource, and the query; throw for parts that the handler does not accept. */
function partsOf(c: Context, { parts = [], query }: Handler, rest: readonly string[]): SaltCall['parts'] {
  if (parts === 'any') return {}
  const asked = query === 'any' ? {} : c.req.query()
  if (rest.length > parts.length || Object.keys(asked).some((name) => !parts.includes(name)))
    throw new HttpError(404, messageOf(404))
  return { ...asked, ...Object.fromEntries(rest.map((part, index) => [parts[index]!, part])) }
}

async function answered(call: SaltCall, handler: Handler): Promise<Response> {
  const { headers, request } = call
  const type = handler.isBare ? undefined : answerType(request.headers.get('accept') ?? undefined)
  try {
    const answer = await handler.answer(call)
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

/** Report an unexpected error; its trace is logged and, with `debug`, sent to the caller. */
function unexpected({ service, request, headers }: SaltCall, error: unknown, type: string): Response {
  const path = shownText(new URL(request.url).pathname)
  service.log('error', `Error while processing request for ${path}: ${shownText(toError(error).message)}`)
  const shown = error instanceof MissingField ? error.message : 'An unexpected error occurred'
  const text = service.settings.debug ? traceback(error) : shown
  const value: Value = dictFrom({ status: 500, return: text })
  headers.set('Content-Type', type)
  return new Response(encodeAnswer(value, type), { status: 500, headers })
}

/** Return the page of an error. */
export function errorAnswer(service: ApiService, request: Request, headers: Headers, error: unknown): Response {
  const known = error instanceof HttpError ? error : new HttpError(500, '', error)
  if (known.status >= 500) {
    const path = shownText(new URL(request.url).pathname)
    service.log('error', `Request for ${path} failed: ${shownText(toError(known.cause ?? known).message)}`)
  }
  headers.set('Content-Type', HTML_TYPE)
  // CherryPy begins the answer to an unexpected error anew
  if (known.status === 500) headers.delete('Vary')
  // the rest of a body that is refused does not come
  if (known.status === 413 || mayBeTooLong(request, service.settings.maxBody)) headers.set('Connection', 'close')
  if (known instanceof TooManyRequests) headers.set('Retry-After', String(known.retryAfter))
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
