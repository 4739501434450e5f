// Logins and the ends of sessions, for all interfaces of the API.
import { shownText } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, equals, isDict, isList, numberOf, order, repr, str, type Value } from '../data/mod.ts'
import type { Peer } from '../wire/mod.ts'
import type { Caller } from './callers.ts'
import { HttpError, mindRefusal } from './errors.ts'
import type { ApiService } from './service.ts'
import { mayLogIn } from './settings.ts'

const WRONG = 'Could not authenticate using provided credentials'

export interface BegunSession {
  id: string
  user: string
  eauth: string
  /** Seconds since 1970. */
  expires: number
  /** The record of the token of Salt behind the session. */
  token: Dict
}

/**
 * Begin a session for credentials. Return undefined if the user may not log in from the address; throw if they are
 * invalid.
 */
export async function beginSession(
  service: ApiService,
  peer: Peer,
  credentials: Dict,
): Promise<BegunSession | undefined> {
  const user = str(credentials.get('username') ?? '')
  if (!mayLogIn(service.settings, user, peer.host ?? '')) {
    service.log('info', `[api_acl] Authentication failed for user ${shownText(user)} from IP ${peer.host}`)
    return undefined
  }
  const address = peer.host ?? ''
  service.limits.beforeLogin(address)
  const asked = new Map(credentials).set('cmd', 'mk_token')
  // as in Salt, a shared secret comes as the password
  asked.delete('sharedsecret')
  const token = await service.master.command(asked, peer)
  mindRefusal(token)
  const isProven = isDict(token) && token.has('token')
  const fields = dictFrom({ eauth: credentials.get('eauth') ?? '', success: isProven })
  service.audit.tell({ what: 'login', user, address, isProven, fields })
  if (!isProven) {
    service.limits.loginFailed(address)
    throw new HttpError(401, WRONG)
  }
  const [name, eauth] = [str(token.get('name') ?? ''), str(token.get('eauth') ?? '')]
  const expires = numberOf(token.get('expire') ?? null) ?? 0
  const id = await service.sessions.make({ token: str(token.get('token')!), user: name, eauth, expires })
  return { id, user: name, eauth, expires, token }
}

/** End a session, and the token behind it. */
export async function endSession(
  { sessions, master, audit }: ApiService,
  peer: Peer,
  { id, session }: Caller,
): Promise<void> {
  if (id === undefined || !session) return
  audit.tell({ what: 'logout', user: session.user, address: peer.host ?? '', isProven: true, fields: new Map() })
  await sessions.end(id)
  const load: Array<[Value, Value]> = [
    ['cmd', 'revoke_token'],
    ['token', session.token],
  ]
  await master.command(new Map(load), peer)
}

/**
 * Return the rights that `external_auth` gives to the owner of a token: those of the user, of everybody and of the
 * user's groups.
 */
export function permissionsOf(opts: Dict, token: Dict): Value {
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
