// `/login`, `/logout` and `/token`.
import { randomBytes } from 'node:crypto'
import { shownText } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, equals, isDict, isList, numberOf, order, repr, str, type Value } from '../../data/mod.ts'
import { HttpError, mindRefusal } from '../errors.ts'
import { runLowstate } from '../lowstate.ts'
import { mayLogIn } from '../settings.ts'
import { messageOf } from './answers.ts'
import { type Answer, cookieOf, isChunks, lowstateOf, type SaltCall } from './resource.ts'

/** Ask for credentials. */
export function askLogin({ headers }: SaltCall): Answer {
  headers.set('WWW-Authenticate', 'Session')
  return {
    value: new Map<Value, Value>([
      ['status', null],
      ['return', 'Please log in'],
    ]),
  }
}

const WRONG = 'Could not authenticate using provided credentials'

/** Begin a session for credentials. */
export async function logIn(call: SaltCall): Promise<Answer> {
  const { service, peer, headers, body } = call
  const given = isList(body.data) ? (body.data[0] ?? null) : body.data
  if (!isDict(given)) throw new TypeError('The body is no mapping of credentials')
  const user = str(given.get('username') ?? '')
  if (!mayLogIn(service.settings, user, peer.host ?? '')) {
    service.log('info', `[api_acl] Authentication failed for user ${shownText(user)} from IP ${peer.host}`)
    throw new HttpError(401, messageOf(401))
  }
  const address = peer.host ?? ''
  const eauthGiven = str(given.get('eauth') ?? '')
  service.limits.beforeLogin(address)
  const asked = new Map(given).set('cmd', 'mk_token')
  // as in Salt, a shared secret comes as the password
  asked.delete('sharedsecret')
  const token = await service.master.command(asked, peer)
  mindRefusal(token)
  const isProven = isDict(token) && token.has('token')
  const fields = new Map<Value, Value>([
    ['eauth', eauthGiven],
    ['success', isProven],
  ])
  service.audit.tell({ what: 'login', user, address, isProven, fields })
  if (!isProven) {
    service.limits.loginFailed(address)
    throw new HttpError(401, WRONG)
  }
  const [name, eauth] = [str(token.get('name') ?? ''), str(token.get('eauth') ?? '')]
  const expires = numberOf(token.get('expire') ?? null) ?? 0
  const id = service.sessions.make({ token: str(token.get('token')!), user: name, eauth, expires })
  call.sessionId = id
  headers.set('X-Auth-Token', id)
  headers.set('Set-Cookie', cookieOf(call, SESSION_AGE))
  const entry = new Map<Value, Value>([
    ['token', id],
    ['expire', token.get('expire') ?? null],
    ['start', token.get('start') ?? null],
    ['user', name],
    ['eauth', eauth],
    ['perms', permissionsOf(service.master.access.opts, token)],
  ])
  return { value: new Map([['return', [entry]]]) }
}

const SESSION_AGE = 36_000

/** The rights that `external_auth` gives to the owner of a token: of the user, of everybody and of the user's groups. */
function permissionsOf(opts: Dict, token: Dict): Value {
  const own = token.get('auth_list') ?? null
  if (isList(own) && own.length > 0) return sorted(own)
  const all = option(opts, 'external_auth')
  const rules = isDict(all) ? all.get(token.get('eauth') ?? '') : undefined
  if (rules === undefined || !isDict(rules)) return new Map()
  const groups = token.get('groups') ?? []
  const names: Value[] = [
    token.get('name') ?? '',
    '*',
    ...(isList(groups) ? groups.map((group) => `${str(group)}%`) : []),
  ]
  const rights = names.flatMap((name) => {
    const list = rules.get(name) ?? []
    return isList(list) ? list : []
  })
  return rights.length === 0 ? new Map() : sorted(rights)
}

/** Texts in their order, then mappings in the order of their texts; each right once. */
function sorted(rights: readonly Value[]): Value[] {
  const texts = new Set<string>()
  const others: Value[] = []
  for (const right of rights) {
    if (typeof right === 'string') texts.add(right)
    else if (!others.some((other) => equals(other, right))) others.push(right)
  }
  const byText = (left: Value, right: Value): number => order(repr(left), repr(right)) ?? 0
  return [...[...texts].sort((left, right) => order(left, right) ?? 0), ...others.sort(byText)]
}

/** End a session, and the token behind it. */
export async function logOut(call: SaltCall): Promise<Answer> {
  const { service, caller, headers, peer } = call
  service.sessions.end(caller.id!)
  const { user } = caller.session!
  service.audit.tell({ what: 'logout', user, address: peer.host ?? '', isProven: true, fields: new Map() })
  await service.master.command(
    new Map<Value, Value>([
      ['cmd', 'revoke_token'],
      ['token', caller.session!.token],
    ]),
    peer,
  )
  call.sessionId = randomBytes(20).toString('hex')
  headers.set('Set-Cookie', cookieOf(call, undefined))
  return { value: new Map([['return', 'Your token has been cleared']]) }
}

const NEEDED = ['username', 'password', 'eauth'] as const

/** Make a token of Salt, which chunks of `/run` and the programs of Salt take. */
export async function makeToken(call: SaltCall): Promise<Answer> {
  const lowstate = lowstateOf(call)
  if (!isChunks(lowstate)) throw new HttpError(400, 'Lowstates must be a list')
  const chunks = lowstate.map((given) => {
    if (NEEDED.some((field) => !given.has(field)))
      throw new HttpError(400, 'Require "username", "password", and "eauth" params')
    const kwarg: Dict = new Map(NEEDED.map((field) => [field, given.get(field)!]))
    return new Map(given).set('client', 'runner').set('fun', 'auth.mk_token').set('kwarg', kwarg)
  })
  return { value: await runLowstate(call.work, chunks) }
}
