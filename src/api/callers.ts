// The caller of a request: the session of its `X-Auth-Token` header or of its cookie.
import { isAnyError, recover } from '../base/mod.ts'
import type { ApiSession, ApiSessions } from '../store/mod.ts'
import { HttpError } from './errors.ts'

export interface Caller {
  /** The id in the request, whether or not the session exists. */
  id: string | undefined
  session: ApiSession | undefined
  /** Whether the id came in a cookie, which browsers send by themselves. */
  byCookie: boolean
}

const COOKIE = 'session_id'
const COOKIE_PAIR = /(?:^|;)\s*session_id="?([0-9a-fA-F]+)"?\s*(?:;|$)/
const ID = /^[0-9a-fA-F]{1,128}$/

/** Recognise the caller of a request. */
export function callerOf(headers: Headers, sessions: ApiSessions): Caller {
  const header = headers.get('x-auth-token') ?? ''
  const cookie = header === '' ? COOKIE_PAIR.exec(headers.get('cookie') ?? '')?.[1] : undefined
  const id = header === '' ? cookie : header
  const isId = id !== undefined && ID.test(id)
  return { id, session: isId ? sessions.find(id) : undefined, byCookie: cookie !== undefined }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuse a request that a page of another origin made a browser send (CSRF): the browser adds the cookie and the origin
 * of the page. Pages of a sibling domain get the cookie too, and could read the answer. Requests with the token in
 * their header cannot be forged that way. `trusted`: the origins in the options.
 */
export function refuseForgery(
  { method, headers }: Request,
  { byCookie, session }: Caller,
  trusted?: ReadonlySet<string>,
): void {
  if (trusted?.has(headers.get('origin') ?? '')) return

  // a link leads the browser away from the page that has it
  const isLink = SAFE_METHODS.has(method) && headers.get('sec-fetch-mode') === 'navigate'
  if (byCookie && session && !isLink) refuseForeignPage(headers)
}

/** Whether a browser sends a request for a page of another origin. */
export function isForeignPage(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return false
  const origin = headers.get('origin')
  return site !== null || (origin !== null && hostOf(origin) !== headers.get('host'))
}

/** Refuse a request with a cookie that a page of another origin sends. */
export function refuseForeignPage(headers: Headers): void {
  if (!isForeignPage(headers)) return
  throw new HttpError(403, 'A page of another site may not use the session cookie; send the token in X-Auth-Token')
}

function hostOf(origin: string): string | undefined {
  // for example, the origin `null` of a sandboxed page is no URL
  return recover(isAnyError, undefined, () => new URL(origin).host)
}

/** The header that sets the cookie of a session. */
export function sessionCookie(id: string, maxAge: number | undefined, isSecure: boolean): string {
  const age = maxAge ?? -3600
  const expires = new Date(Date.now() + age * 1000).toUTCString()
  const lasting = maxAge === undefined ? '' : ` Max-Age=${maxAge};`
  return `${COOKIE}=${id}; expires=${expires};${lasting} Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

const BEARER = /^Bearer +([0-9a-fA-F]{1,128})$/i

/** Return the id of a session, or the token of Salt, in the `Authorization` header. */
export const bearerIn = (headers: Headers): string | undefined => BEARER.exec(headers.get('authorization') ?? '')?.[1]
