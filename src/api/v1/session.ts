// Logins: `/v1/login` and `/v1/session`.
import { createRoute, z } from '@hono/zod-openapi'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, loadJson, str, type Value } from '../../data/mod.ts'
import { SESSION_IDLE } from '../../store/mod.ts'
import { isForeignPage, sessionCookie } from '../callers.ts'
import { HttpError } from '../errors.ts'
import { beginSession, endSession, permissionsOf } from '../logins.ts'
import { requestPeer } from '../peer.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { timeText, toJson } from './json.ts'
import { refusals } from './problems.ts'
import { Any, answer, body, line, Time } from './shapes.ts'

const Credentials = z
  .object({
    username: line(256),
    password: z.string().max(10_000).optional(),
    eauth: line(64).openapi({ description: 'A system that the option external_auth names', example: 'pam' }),
  })
  .catchall(z.union([z.string().max(10_000), z.number(), z.boolean()]))
  .openapi('Credentials', { description: 'Some systems want further fields, such as a one-time password' })

const Session = z
  .object({
    user: z.string(),
    eauth: z.string(),
    permissions: z.array(Any).openapi({ description: 'The access list of the user, as external_auth has it' }),
    expires: Time,
  })
  .openapi('Session')

const Login = Session.extend({
  token: z.string().openapi({ description: 'The id of the session: for X-Auth-Token, or Authorization: Bearer' }),
}).openapi('Login')

const tags = ['Sessions']

const login = createRoute({
  method: 'post',
  path: '/v1/login',
  operationId: 'login',
  summary: 'Begin a session',
  description:
    'The answer also sets the session cookie. A token of Salt (`salt -T`) needs no login: send it as a bearer token.',
  tags,
  security: [],
  request: { body: body(Credentials) },
  responses: { 200: answer(Login, 'The session'), ...refusals(400, 401, 404, 413, 415) },
})

const LoginInfo = z
  .object({
    eauth: z.array(z.string()).openapi({ description: 'The systems that the option external_auth names' }),
    message: z.string().nullable().openapi({ description: 'The text of the option api_motd' }),
  })
  .openapi('LoginInfo')

const loginInfo = createRoute({
  method: 'get',
  path: '/v1/login',
  operationId: 'getLoginInfo',
  summary: 'Show how to log in',
  description: 'Needs no session.',
  tags,
  security: [],
  responses: { 200: answer(LoginInfo, 'How to log in'), ...refusals(403) },
})

const shown = createRoute({
  method: 'get',
  path: '/v1/session',
  operationId: 'getSession',
  summary: 'Show the session of the caller',
  tags,
  responses: { 200: answer(Session, 'The session'), ...refusals(401) },
})

const ended = createRoute({
  method: 'delete',
  path: '/v1/session',
  operationId: 'endSession',
  summary: 'End the session of the caller, and revoke its token',
  tags,
  responses: { 204: { description: 'The session is over' }, ...refusals(401) },
})

const permissions = (opts: Dict, token: Dict): unknown[] => {
  const rights: Value = permissionsOf(opts, token)
  return isList(rights) ? rights.map(toJson) : []
}

export function addSessionRoutes(site: V1App, service: ApiService): void {
  const { settings, master } = service
  const { opts } = master.access
  const cookie = (id: string, age: number | undefined): string => sessionCookie(id, age, settings.tls !== undefined)
  site.openapi(login, async (c) => {
    if (!settings.hasSessions) throw new HttpError(404, 'The options of this server allow no sessions')
    const given = loadJson(await c.req.text())
    const begun = isDict(given) ? await beginSession(service, requestPeer(c), given) : undefined
    if (!begun) throw new HttpError(401, 'The user may not log in from this address')
    const { id, token, user, eauth, expires } = begun
    // a page of another origin must not put a browser into a session of its choice
    if (!isForeignPage(c.req.raw.headers)) c.header('Set-Cookie', cookie(id, SESSION_IDLE))
    const session = { user, eauth, permissions: permissions(opts, token), expires: timeText(expires) }
    return c.json({ token: id, ...session }, 200)
  })
  site.openapi(loginInfo, (c) => {
    const systems = option(opts, 'external_auth')
    const message = option(opts, 'api_motd')
    return c.json({ eauth: isDict(systems) ? [...systems.keys()].map(str) : [], message: message || null }, 200)
  })
  site.openapi(shown, async (c) => {
    const { call } = c.var
    const { user, eauth, expires } = call.session
    return c.json({ user, eauth, permissions: permissions(opts, await call.token()), expires: timeText(expires) }, 200)
  })
  site.openapi(ended, async (c) => {
    const { call } = c.var
    const { id } = call.caller
    await endSession(service, call.peer, { ...call.caller, id: id ?? '', session: call.session })
    c.header('Set-Cookie', cookie('0', undefined))
    return c.body(null, 204)
  })
}
