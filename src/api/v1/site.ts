// The interface under `/v1`: the checks before a route handles a request, the description of all routes, and the
// manual.
import type { HttpBindings } from '@hono/node-server'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, Hono } from 'hono'
import { type Dict, isDict, loadJson } from '../../data/mod.ts'
import { readBytes, utf8 } from '../body-bytes.ts'
import { HttpError } from '../errors.ts'
import { requestPeer } from '../peer.ts'
import type { ApiService } from '../service.ts'
import { type ApiSettings, refuseAddress } from '../settings.ts'
import { type V1App, V1Call, type V1Env } from './call.ts'
import { addCallRoutes } from './calls.ts'
import { documentText } from './document.ts'
import { EventRate } from './event-rate.ts'
import { addFileRoutes } from './files.ts'
import { addFireRoutes } from './fire.ts'
import { addFunctionRoutes } from './functions.ts'
import { addJobRoutes } from './jobs.ts'
import { addKeyRoutes } from './keys.ts'
import { manualPage } from './manual.ts'
import { addMatrixRoutes } from './matrix.ts'
import { addMinionDataRoutes } from './minion-data.ts'
import { MinionFacts } from './minion-facts.ts'
import { addMinionRoutes } from './minions.ts'
import { addOptionRoutes } from './options.ts'
import { fieldErrors, problem, problemOf } from './problems.ts'
import { addReactorRoutes } from './reactor.ts'
import { addReturnRoutes } from './returns.ts'
import { addRightRoutes } from './rights.ts'
import { addRunRoutes } from './runs.ts'
import { addSessionRoutes } from './session.ts'
import { addStatusRoutes } from './status.ts'
import { addTargetRoutes } from './targets.ts'
import { addTemplateRoutes } from './templates.ts'
import { addTraceRoutes } from './traces.ts'

/**
 * Serve the interface under `/v1`, its description and its manual. Return the application, to which further routes can
 * be added before the first request; each route of it has an authenticated caller in `c.var.call`.
 */
export function addV1Routes(app: Hono, service: ApiService): V1App {
  const { settings } = service
  const site: V1App = new OpenAPIHono<V1Env>({
    getPath: (request) => pathOf(request, settings),
    defaultHook: (result) => {
      if (result.success) return undefined
      return problem(400, 'The request has fields that cannot be used', fieldErrors(result.error, result.target))
    },
  })
  site.onError((error, c) => problemOf(error, c, service))
  site.notFound((c) => unknownPath(site, c))
  site.use('*', async (c, next) => {
    refuseAddress(settings, requestPeer(c))
    await next()
    allowOrigin(c.req.header('origin'), settings, c.res.headers)
    c.res.headers.set('Cache-Control', c.res.headers.get('Cache-Control') ?? 'no-store')
    c.res.headers.set('X-Content-Type-Options', 'nosniff')
  })
  site.use('/v1/*', async (c, next) => prepare(c, service, next))
  addDescription(site, settings)
  addRoutes(site, service)
  app.use('*', async (c, next) => {
    if (!isOurs(pathOf(c.req.raw, settings), settings)) return next()
    return site.fetch(c.req.raw, c.env as HttpBindings)
  })
  return site
}

function addRoutes(site: V1App, service: ApiService): void {
  const facts = new MinionFacts(service.master.access, service.master.events)
  for (const path of ['/v1/minions', '/v1/minions/*', '/v1/status'])
    site.use(path, (c, next) => mindAge(c, next, facts))
  addSessionRoutes(site, service)
  addMinionRoutes(site, service, facts)
  addMinionDataRoutes(site, service, facts)
  addTargetRoutes(site, service)
  addJobRoutes(site, service)
  addMatrixRoutes(site, service)
  addReturnRoutes(site, service)
  addCallRoutes(site, service)
  addKeyRoutes(site, service)
  addRunRoutes(site, service)
  addReactorRoutes(site, service)
  addTraceRoutes(site, service)
  addFireRoutes(site, service)
  addRightRoutes(site, service)
  addFileRoutes(site, service)
  addOptionRoutes(site, service)
  addFunctionRoutes(site, service)
  addTemplateRoutes(site, service)
  addStatusRoutes(site, service, facts, new EventRate(service.master.events))
}

/** Give answers from facts about minions, which may be some seconds old, the number of the event that the facts were read after. */
async function mindAge(c: Context<V1Env>, next: () => Promise<void>, facts: MinionFacts): Promise<void> {
  const shown = facts.shownNumber
  await next()
  const { call } = c.var
  call.eventNumber = Math.min(call.eventNumber, shown ?? facts.eventNumber)
}

/** Add the description and the manual, which are generated at the first request. */
function addDescription(site: V1App, settings: ApiSettings): void {
  let text: string | undefined
  let page: string | undefined
  const description = (): string => {
    text ??= documentText(site, settings.prefix)
    return text
  }
  const cached = { 'Cache-Control': 'max-age=300' }
  site.get('/openapi.json', (c) => c.body(description(), 200, { 'Content-Type': 'application/json', ...cached }))
  site.get('/docs', (c) => {
    page ??= manualPage(JSON.parse(description()), `${settings.prefix}/openapi.json`)
    const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
    return c.html(page, 200, { 'Content-Security-Policy': policy, ...cached })
  })
}

/** The path without the prefix that the options put before all paths; empty where it is missing. */
function pathOf(request: Request, { prefix }: ApiSettings): string {
  const { pathname } = new URL(request.url)
  if (prefix !== '' && !pathname.startsWith(`${prefix}/`)) return ''
  const path = pathname.slice(prefix.length)
  // the descriptions of functions are at the root as well
  return /^\/functions(\/|$)/.test(path) ? `/v1${path}` : path
}

/** Paths that the options give to hooks and files stay theirs. */
function isOurs(path: string, { webhookUrl, app, appPath, staticFolder, staticPath }: ApiSettings): boolean {
  const isBelow = (root: string): boolean => root !== '' && (path === root || path.startsWith(`${root}/`))
  if (!isBelow('/v1') && path !== '/openapi.json' && path !== '/docs') return false
  return !(isBelow(webhookUrl) || (app !== undefined && isBelow(appPath)) || (staticFolder && isBelow(staticPath)))
}

const METHODS = 'GET, POST, DELETE'

/** Whether a request needs no session. */
const isOpen = (method: string, path: string): boolean =>
  path === '/v1/login' && (method === 'POST' || method === 'GET' || method === 'HEAD')

/** Recognise the caller and read the body, before any route. */
async function prepare(
  c: Context<V1Env>,
  service: ApiService,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  const { method, raw, path } = c.req
  if (method === 'OPTIONS') return preflight()
  const { limits } = service
  limits.countAddress(requestPeer(c).host)
  const call = isOpen(method, path) ? undefined : await V1Call.of(service, c)
  if (call) {
    call.peer.recognise?.(call.user)
    limits.countUser(call.user)
    c.set('call', call)
  }
  if (method !== 'GET' && method !== 'HEAD') {
    const body = readJson(utf8(await readBytes(raw, service.settings.maxBody, call ? undefined : limits.strangers)), c)
    if (call) call.body = body
  }
  await next()
  // the answer may lack later events; a stream with `since` has them
  if (call && (method === 'GET' || method === 'HEAD')) c.res.headers.set('Event-Number', String(call.eventNumber))
  return undefined
}

/**
 * Set the CORS headers. If `cors_origin` names origins, only their pages may read answers, and they may use the cookie.
 * Otherwise every page may, but needs the token, because a browser also sends the cookie for pages of other ports and
 * subdomains.
 */
function allowOrigin(origin: string | undefined, { corsOrigins }: ApiSettings, headers: Headers): void {
  if (corsOrigins && (origin === undefined || !corsOrigins.has(origin))) return
  headers.set('Access-Control-Allow-Origin', corsOrigins && origin ? origin : '*')
  headers.set('Access-Control-Expose-Headers', 'Event-Number, Location')
  if (corsOrigins) headers.set('Access-Control-Allow-Credentials', 'true')
  headers.append('Vary', 'Origin')
}

/** Answer a CORS preflight request. */
function preflight(): Response {
  const headers = new Headers({
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, X-Auth-Token',
    'Access-Control-Max-Age': '1400',
  })
  return new Response(null, { status: 204, headers })
}

const DEEPEST = 100

/** Check a body before it is parsed, and leave it to the validation of the route. */
function readJson(text: string, c: Context): Dict {
  // the cache contains promises, in spite of its type
  c.req.bodyCache.text = Promise.resolve(text) as never
  if (text === '') return new Map()
  const type = (c.req.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json') throw new HttpError(415, 'The body must be application/json')
  if (depthOf(text) > DEEPEST) throw new HttpError(400, `The body is nested more than ${DEEPEST} levels deep`)
  try {
    const value = loadJson(text)
    return isDict(value) ? value : new Map()
  } catch (error) {
    throw new HttpError(400, 'The body is not valid JSON', error)
  }
}

/** Return the nesting depth of brackets in a JSON text. */
function depthOf(text: string): number {
  let [depth, most, isInString] = [0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isInString) {
      if (character === '\\') at++
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '{' || character === '[') most = Math.max(most, ++depth)
    else if (character === '}' || character === ']') depth--
  }
  return most
}

/** Answer 404 for an unknown path, or 405 for an unknown method. */
function unknownPath(site: V1App, c: Context): Response {
  const allowed = site.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route' || !definition.route.path.startsWith('/v1/')) return []
    const pattern = definition.route.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')
    return new RegExp(`^${pattern}$`).test(c.req.path) ? [definition.route.method.toUpperCase()] : []
  })
  if (allowed.length === 0) return problem(404, 'There is no such resource')
  const answer = problem(405, `The resource has the methods ${allowed.join(', ')}`)
  answer.headers.set('Allow', allowed.join(', '))
  return answer
}
