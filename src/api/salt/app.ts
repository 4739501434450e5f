// The routes of Salt's API. Most paths are options, so that one handler finds the resource of a path.
import type { Context, Hono } from 'hono'
import { HttpError } from '../errors.ts'
import { peerOf } from '../peer.ts'
import { type ApiService, clientWork } from '../service.ts'
import { refuseAddress } from '../settings.ts'
import { bestType } from './answers.ts'
import { NO_BODY } from './bodies.ts'
import { notFound, serveBelow, serveFile } from './files.ts'
import { hookResource } from './hook.ts'
import { answerResource, type Resource, refused } from './resource.ts'
import { OF_SESSIONS, RESOURCES } from './resources.ts'
import { statsResource } from './stats.ts'

/** Resources that other parts of the API add, by path. */
export type MoreResources = ReadonlyMap<string, Resource>

/** Add the routes of Salt's API to an application. They take every path that nobody took before. */
export function addSaltRoutes(app: Hono, service: ApiService, more: MoreResources): void {
  const site = new SaltSite(service, more)
  app.all('*', (c) => site.answer(c))
}

class SaltSite {
  private readonly service: ApiService
  private readonly resources: Map<string, Resource>

  constructor(service: ApiService, more: MoreResources) {
    const { settings } = service
    this.service = service
    this.resources = new Map([...RESOURCES, ...more])
    this.resources.set('/stats', statsResource(service))
    this.resources.set(settings.webhookUrl, hookResource(settings.webhookAuth && settings.hasSessions))
    if (!settings.hasSessions) for (const path of OF_SESSIONS) this.resources.delete(path)
    if (settings.isWsgi) this.resources.set('/', RESOURCES.get('/run')!)
  }

  async answer(c: Context): Promise<Response> {
    const { pathname } = new URL(c.req.url)
    try {
      refuseAddress(this.service.settings, peerOf(c))
      const inner = this.withoutPrefix(pathname)
      if (inner === undefined) throw notFound(pathname)
      if (c.req.method === 'GET' || c.req.method === 'HEAD') {
        const file = await this.file(c, inner)
        if (file) return file
      }
      const found = this.find(inner)
      if (!found) throw notFound(pathname)
      if (c.req.method === 'OPTIONS') return preflight(c, found.resource)
      return await answerResource(c, this.service, found.resource, found.rest)
    } catch (error) {
      const { host } = peerOf(c)
      if (error instanceof HttpError && error.status === 403) this.service.log('error', `Blocked IP: ${host}`)
      return this.refused(c, error)
    }
  }

  private refused(c: Context, error: unknown): Response {
    const peer = peerOf(c)
    const request = c.req.raw
    const work = clientWork(this.service, peer, request.signal)
    const caller = { id: undefined, session: undefined, byCookie: false }
    const headers = new Headers({ Vary: 'Accept-Encoding' })
    return refused(
      { service: this.service, request, peer, caller, body: NO_BODY, rest: [], work, headers, sessionId: '' },
      error,
    )
  }

  private withoutPrefix(path: string): string | undefined {
    const { prefix } = this.service.settings
    if (prefix === '') return path
    if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined
    return path.slice(prefix.length) || '/'
  }

  /** Answer with a file of the web application, where the path or the Accept header asks for one. */
  private async file(c: Context, path: string): Promise<Response | undefined> {
    const { app, appPath, favicon, staticFolder, staticPath } = this.service.settings
    const request = c.req.raw
    const below = (root: string): string | undefined =>
      path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined
    if (favicon !== undefined && path === '/favicon.ico') return serveFile(favicon, request)
    const inner = below(staticPath)
    if (staticFolder !== undefined && inner !== undefined) return serveBelow(staticFolder, decoded(inner), request)
    if (path === appPath || below(appPath) !== undefined) {
      return app === undefined ? page() : withHeaders(await serveFile(app, request))
    }
    if (app === undefined || !wantsHtml(request)) return undefined
    return withHeaders(await serveFile(app, request))
  }

  private find(path: string): { resource: Resource; rest: string[] } | undefined {
    const parts = path.split('/').filter((part) => part !== '')
    for (let length = parts.length; length >= 0; length--) {
      const resource = this.resources.get(`/${parts.slice(0, length).join('/')}`)
      const rest = parts.slice(length)
      if (!resource) continue
      return rest.length <= (resource.depth ?? 0) ? { resource, rest: rest.map(decoded) } : undefined
    }
    return undefined
  }
}

/** A browser asks for a page: its Accept header names HTML. A header that takes everything is not one of a browser. */
function wantsHtml(request: Request): boolean {
  const accept = request.headers.get('accept')
  if (accept === '*/*') return false
  return bestType(accept ?? undefined, ['text/html']) !== undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    throw new HttpError(400, 'The path is not valid', error)
  }
}

const withHeaders = (response: Response): Response => {
  response.headers.set('Allow', 'GET, HEAD')
  response.headers.set('Vary', 'Accept-Encoding')
  return response
}

/** The page that is served where no web application is named. */
const page = (): Response =>
  withHeaders(
    new Response(
      '<!DOCTYPE html><html><head><meta charset="utf-8"><title>salt-api</title></head><body><p>This is the API of a Salt master. <a href="/openapi.json">Its description</a></p></body></html>\n',
      { headers: { 'Content-Type': 'text/html;charset=utf-8' } },
    ),
  )

/** Answer what a browser asks before it sends a request of a page of another site. */
function preflight(c: Context, { allow }: Resource): Response {
  const headers = new Headers({
    Allow: allow,
    Vary: 'Accept-Encoding',
    'Access-Control-Allow-Origin': c.req.header('origin') ?? '*',
    'Access-Control-Expose-Headers': 'GET, POST',
    'Access-Control-Allow-Credentials': 'true',
  })
  if (['GET', 'POST'].includes(c.req.header('access-control-request-method') ?? '')) {
    headers.set('Access-Control-Allow-Methods', 'GET, POST')
    headers.set('Access-Control-Allow-Headers', 'Content-Type, X-Auth-Token, X-Requested-With')
    headers.set('Access-Control-Max-Age', '1400')
  }
  return new Response(null, { status: 200, headers })
}
