// Metrics of the API.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiSessions } from '../store/mod.ts'
import { askedAll, Counter, Histogram, type MetricFamily } from '../telemetry/mod.ts'
import type { EventHub } from './events/hub.ts'
import type { ServerCounts } from './service.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** First parts of paths that are resources. */
const RESOURCES = new Set([
  'app',
  'events',
  'favicon.ico',
  'healthz',
  'hook',
  'jobs',
  'keys',
  'login',
  'logout',
  'metrics',
  'minions',
  'openapi.json',
  'readyz',
  'run',
  'static',
  'stats',
  'token',
  'v1',
])

export interface ApiMetricsParts {
  hub: EventHub
  sessions: ApiSessions
}

export class ApiMetrics {
  private readonly requests = new Counter('brine.api.requests')
  private readonly durations = new Histogram('brine.api.request.duration', SECONDS)
  private readonly servers: Array<{ counts: ServerCounts; sockets: { count: number } }> = []
  private readonly parts: ApiMetricsParts

  constructor(parts: ApiMetricsParts) {
    this.parts = parts
  }

  /** Count the requests of a server as well. */
  addServer(counts: ServerCounts, sockets: { count: number }): void {
    this.servers.push({ counts, sockets })
  }

  /** Count a request that ended. */
  ended(request: IncomingMessage, response: ServerResponse, began: number, prefix: string): void {
    const method = METHODS.has(request.method ?? '') ? request.method! : 'other'
    const route = response.statusCode === 404 ? 'other' : routeOf(request.url ?? '', prefix)
    this.requests.add({ route, method, status: String(response.statusCode) })
    // a stream lasts as long as its reader wants
    if (!route.endsWith('/events')) this.durations.observe((performance.now() - began) / 1000, { route, method })
  }

  readonly families = (): MetricFamily[] => {
    const { sessions, hub } = this.parts
    const sum = (of: (server: { counts: ServerCounts; sockets: { count: number } }) => number): number =>
      this.servers.reduce((total, server) => total + of(server), 0)
    return [
      this.requests.family,
      this.durations.family,
      ...askedAll({
        'brine.api.requests.running': () => sum(({ counts }) => counts.running),
        'brine.api.connections': () => sum(({ counts }) => counts.connections),
        'brine.api.web_sockets': () => sum(({ sockets }) => sockets.count),
        'brine.api.sessions': () => sessions.count(),
        'brine.events': () => hub.total,
        'brine.events.missed': () => hub.missed,
        'brine.event.readers': () => hub.state.readers,
        'brine.event.readers.lag': () => hub.state.lag,
        'brine.events.kept': () => hub.state.bytes,
      }),
    ]
  }
}

/** Return the route of a path, without parts that callers choose: ids and the paths of hooks. */
function routeOf(url: string, prefix: string): string {
  const path = url.split('?', 1)[0]!
  const [first = '', ...rest] = path
    .slice(prefix.length)
    .replace(/^\/+|\/+$/g, '')
    .split('/')
  if (first === '') return '/'
  if (!RESOURCES.has(first)) return 'other'
  if (first !== 'v1') return rest.length > 0 ? `/${first}/*` : `/${first}`
  const [resource = '', ...more] = rest
  if (!/^[a-z_-]{1,32}$/.test(resource)) return 'other'
  return more.length > 0 ? `/v1/${resource}/*` : `/v1/${resource}`
}
