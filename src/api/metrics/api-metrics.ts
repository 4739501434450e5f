// Numbers about the API and its process, with the prefix `brine_`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ApiSessions, PkiKeys } from '../../store/mod.ts'
import type { EventHub } from '../events/hub.ts'
import type { ServerCounts } from '../service.ts'
import { asked, Counter, type Family, Histogram } from './families.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** First parts of paths that are resources. */
const RESOURCES = new Set([
  'app',
  'events',
  'favicon.ico',
  'hook',
  'jobs',
  'keys',
  'login',
  'logout',
  'metrics',
  'minions',
  'openapi.json',
  'run',
  'static',
  'stats',
  'token',
  'v1',
])

const KEY_STATES = [
  ['minions', 'accepted'],
  ['minions_pre', 'pending'],
  ['minions_rejected', 'rejected'],
  ['minions_denied', 'denied'],
] as const

const NANOSECONDS = 1e9

export interface ApiMetricsParts {
  hub: EventHub
  sessions: ApiSessions
  keys: Pick<PkiKeys, 'list'>
}

export class ApiMetrics {
  private readonly requests = new Counter('brine.api.requests', 'Requests that the API answered.')
  private readonly durations = new Histogram(
    'brine.api.request.duration',
    'Time to answer a request, without streams.',
    's',
    SECONDS,
  )
  private readonly servers: Array<{ counts: ServerCounts; sockets: { count: number } }> = []
  private readonly delay = monitorEventLoopDelay({ resolution: 20 })
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

  get families(): Family[] {
    return [this.requests, this.durations, ...this.ofServers(), ...this.ofEvents(), ...this.ofProcess()]
  }

  close(): void {
    this.delay.disable()
  }

  private ofServers(): Family[] {
    const { sessions, keys } = this.parts
    const sum = (of: (server: { counts: ServerCounts; sockets: { count: number } }) => number): number =>
      this.servers.reduce((total, server) => total + of(server), 0)
    const name = (last: string): string => `brine.api.${last}`
    return [
      asked({ name: name('requests.running'), help: 'Requests that are being answered.' }, () =>
        sum(({ counts }) => counts.running),
      ),
      asked({ name: name('connections'), help: 'Connections to the API.', type: 'counter' }, () =>
        sum(({ counts }) => counts.connections),
      ),
      asked({ name: name('web_sockets'), help: 'Web sockets with events.' }, () => sum(({ sockets }) => sockets.count)),
      asked({ name: name('sessions'), help: 'Sessions of the API.' }, () => sessions.count()),
      asked({ name: 'brine.minions', help: 'Minions by the state of their keys.' }, () =>
        KEY_STATES.map(([folder, state]) => [{ state }, keys.list(folder).length]),
      ),
    ]
  }

  private ofEvents(): Family[] {
    const { hub } = this.parts
    const of = (name: string, help: string, ask: () => number, type: 'counter' | 'gauge' = 'gauge'): Family =>
      asked({ name, help, type }, ask)
    return [
      of('brine.events', 'Events of the master that the API heard.', () => hub.total, 'counter'),
      of('brine.events.missed', 'Events that readers missed.', () => hub.missed, 'counter'),
      of('brine.event.readers', 'Readers of events.', () => hub.state.readers),
      of('brine.event.readers.lag', 'Events that the slowest reader lacks.', () => hub.state.lag),
      asked(
        { name: 'brine.events.kept', help: 'Memory of the events that are kept for readers.', unit: 'By' },
        () => hub.state.bytes,
      ),
    ]
  }

  private ofProcess(): Family[] {
    return [
      asked({ name: 'brine.process.cpu', help: 'CPU time of the process.', type: 'counter', unit: 's' }, () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1e6
      }),
      asked({ name: 'brine.process.resident_memory', help: 'Memory of the process.', unit: 'By' }, () =>
        process.memoryUsage.rss(),
      ),
      asked(
        { name: 'brine.event_loop.lag', help: 'Longest delay of the event loop since the last look.', unit: 's' },
        () => {
          const { max } = this.delay
          this.delay.reset()
          return max / NANOSECONDS
        },
      ),
    ]
  }
}

/** Return the resource of a path, without what callers choose: ids and the paths of hooks. */
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
