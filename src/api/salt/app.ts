// The routes of Salt's API. Options set most paths, so one handler finds the resource of a path.
import type { Context, Hono } from 'hono'
import { isAnyError, recover } from '../../base/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import { bestType, HTML_TYPE } from './answers.ts'
import { pathNotFound, serveBelow, serveFile } from './files.ts'
import { commonHeaders } from './headers.ts'
import { hookResource } from './hook.ts'
import { type ApiResource, answerResource, errorAnswer } from './resource.ts'
import { OF_SESSIONS, RESOURCES } from './resources.ts'
import { statsResource } from './stats.ts'

/** Resources that other parts of the API add, by path. */
export type MoreResources = ReadonlyMap<string, ApiResource>

/** Add the routes of Salt's API to an application. They handle every path without another route. */
export function addSaltRoutes(app: Hono, service: ApiService, more: MoreResources): void {
  const site = new SaltSite(service, more)
  app.all('*', (c) => site.answer(c))
}

class SaltSite {
  private readonly service: ApiService
  private readonly resources: Map<string, ApiResource>
  /** Most parts in the path of a resource. */
  private readonly mostParts: number

  constructor(service: ApiService, more: MoreResources) {
    const { settings } = service
    this.service = service
    this.resources = new Map([...RESOURCES, ...more])
    this.resources.set('/stats', statsResource(service))
    this.resources.set(settings.webhookUrl, hookResource(settings.webhookAuth))
    if (!settings.hasSessions) for (const path of OF_SESSIONS) this.resources.delete(path)
    if (settings.isWsgi) this.resources.set('/', RESOURCES.get('/run')!)
    this.mostParts = Math.max(...[...this.resources.keys()].map((path) => partsOf(path).length))
  }

  async answer(c: Context): Promise<Response> {
    const request = c.req.raw
    const shown = decoded(c.req.path) ?? c.req.path
    try {
      const inner = this.withoutPrefix(c.req.path)
      if (inner === undefined) return new Response(null, { status: 404 })
      if (inner === '' && request.method !== 'POST') return this.moved(request)
      if (request.method === 'GET' || request.method === 'HEAD') {
        const file = await this.file(request, inner, shown)
        if (file) return this.withHeaders(request, file)
      }
      const found = this.find(inner)
      if (request.method === 'OPTIONS') return this.preflight(request, found?.resource)
      if (!found) throw pathNotFound(shown)
      return await answerResource(c, this.service, found.resource, found.rest)
    } catch (error) {
      return errorAnswer(this.service, request, commonHeaders(request, this.service), error)
    }
  }

  /** Send callers of the prefix alone to the path with a slash. The host is left out, because the caller chooses it. */
  private moved(request: Request): Response {
    const headers = commonHeaders(request, this.service)
    const target = `${this.service.settings.prefix}/`
    headers.set('Content-Type', HTML_TYPE)
    headers.set('Allow', this.resources.get('/')!.allow)
    headers.set('Location', target)
    const text = `This resource has permanently moved to <a href="${target}">${target}</a>.`
    return new Response(text, { status: 301, headers })
  }

  private withHeaders(request: Request, response: Response): Response {
    for (const [name, value] of commonHeaders(request, this.service)) response.headers.set(name, value)
    return response
  }

  private withoutPrefix(path: string): string | undefined {
    const { prefix } = this.service.settings
    if (prefix === '') return path
    if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined
    return path.slice(prefix.length)
  }

  /** Answer with a file of the web application, where the path or the Accept header asks for one. */
  private async file(request: Request, path: string, shown: string): Promise<Response | undefined> {
    const { app, appPath, favicon, staticFolder, staticPath } = this.service.settings
    const isBelow = (root: string): boolean => path.startsWith(`${root}/`)
    if (favicon !== undefined && path === '/favicon.ico') return serveFile(favicon, request, shown)
    if (staticFolder !== undefined && isBelow(staticPath)) {
      return serveBelow(staticFolder, decodedPart(path.slice(staticPath.length + 1)), request, shown)
    }
    const isApp = path === appPath || isBelow(appPath)
    if (!isApp && (app === undefined || !wantsHtml(request))) return undefined
    const answer = app === undefined ? page() : await serveFile(app, request, shown)
    answer.headers.set('Content-Type', HTML_TYPE)
    answer.headers.set('Allow', 'GET, HEAD')
    return answer
  }

  private find(path: string): { resource: ApiResource; rest: string[] } | undefined {
    const parts = partsOf(path)
    // a path of a stranger may have thousands of parts
    for (let length = Math.min(parts.length, this.mostParts); length >= 0; length--) {
      const resource = this.resources.get(`/${parts.slice(0, length).join('/')}`)
      if (!resource) continue
      // the root resource does not match longer paths
      if (length === 0 && parts.length > 0) return undefined
      return { resource, rest: parts.slice(length).map(decodedPart) }
    }
    return undefined
  }

  /** Answer a CORS preflight request. */
  private preflight(request: Request, resource: ApiResource | undefined): Response {
    const headers = commonHeaders(request, this.service)
    headers.set('Content-Type', 'text/html')
    if (resource) headers.set('Allow', resource.allow)
    if (['GET', 'POST'].includes(request.headers.get('access-control-request-method') ?? '')) {
      headers.set('Access-Control-Allow-Methods', 'GET, POST')
      headers.set('Access-Control-Allow-Headers', 'Content-Type, X-Auth-Token, X-Requested-With')
      headers.set('Access-Control-Max-Age', '1400')
    }
    return new Response(null, { status: 200, headers })
  }
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** A browser asks for a page: its Accept header names HTML. A header that takes everything is not one of a browser. */
function wantsHtml(request: Request): boolean {
  const accept = request.headers.get('accept')
  if (accept === '*/*') return false
  return bestType(accept ?? undefined, ['text/html']) !== undefined
}

function decoded(part: string): string | undefined {
  // not valid: it has a lone % or is not UTF-8
  return recover(isAnyError, undefined, () => decodeURIComponent(part))
}

function decodedPart(part: string): string {
  const text = decoded(part)
  if (text === undefined) throw new HttpError(400, 'The path is not valid')
  return text
}

/** The page that is served where no web application is named. */
const page = (): Response =>
  new Response(
    '<!DOCTYPE html><html><head><meta charset="utf-8"><title>salt-api</title></head><body><p>This is the API of a Salt master. <a href="/docs">Its manual</a></p></body></html>\n',
  )
