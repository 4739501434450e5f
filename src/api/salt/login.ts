// `/login`, `/logout` and `/token`.
import { randomBytes } from 'node:crypto'
import { type Dict, dictFrom, isDict, isList, type Value } from '../../data/mod.ts'
import { SESSION_IDLE } from '../../store/mod.ts'
import { isForeignPage } from '../callers.ts'
import { HttpError } from '../errors.ts'
import { beginSession, endSession, permissionsOf } from '../logins.ts'
import { runLowstate } from '../lowstate.ts'
import { messageOf } from './answers.ts'
import { cookieOf, isChunks, lowstateOf, type ResourceAnswer, type SaltCall } from './resource.ts'

/** Ask for credentials. */
export function askLogin({ headers }: SaltCall): ResourceAnswer {
  headers.set('WWW-Authenticate', 'Session')
  return {
    value: dictFrom({ status: null, return: 'Please log in' }),
  }
}

/** Begin a session for credentials. */
export async function answerLogin(call: SaltCall): Promise<ResourceAnswer> {
  const { service, request, peer, headers, body } = call
  const given = isList(body.data) ? (body.data[0] ?? null) : body.data
  if (!isDict(given)) throw new TypeError('The body is no mapping of credentials')
  const begun = await beginSession(service, peer, given)
  if (!begun) throw new HttpError(401, messageOf(401))
  const { id, token, user, eauth } = begun
  call.sessionId = id
  headers.set('X-Auth-Token', id)
  // a page of another origin must not put a browser into a session of its choice
  if (isForeignPage(request.headers)) headers.delete('Set-Cookie')
  else headers.set('Set-Cookie', cookieOf(call, SESSION_IDLE))
  const entry = new Map<Value, Value>([
    ['token', id],
    ['expire', token.get('expire') ?? null],
    ['start', token.get('start') ?? null],
    ['user', user],
    ['eauth', eauth],
    ['perms', permissionsOf(service.master.access.opts, token)],
  ])
  return { value: new Map([['return', [entry]]]) }
}

/** End a session, and the token behind it. */
export async function logOut(call: SaltCall): Promise<ResourceAnswer> {
  const { service, caller, headers, peer } = call
  await endSession(service, peer, caller)
  call.sessionId = randomBytes(20).toString('hex')
  headers.set('Set-Cookie', cookieOf(call, undefined))
  return { value: new Map([['return', 'Your token has been cleared']]) }
}

const NEEDED = ['username', 'password', 'eauth'] as const

/** Make a token of Salt, which chunks of `/run` and the programs of Salt take. */
export async function makeToken(call: SaltCall): Promise<ResourceAnswer> {
  const lowstate = lowstateOf(call)
  if (lowstate === null) throw new TypeError('The request has no body')
  if (!isChunks(lowstate)) throw new HttpError(400, 'Lowstates must be a list')
  const chunks = lowstate.map((given) => {
    if (NEEDED.some((field) => !given.has(field)))
      throw new HttpError(400, 'Require "username", "password", and "eauth" params')
    const kwarg: Dict = new Map(NEEDED.map((field) => [field, given.get(field)!]))
    return new Map(given).set('client', 'runner').set('fun', 'auth.mk_token').set('kwarg', kwarg)
  })
  return { value: await runLowstate(call.work, chunks) }
}
