// The address of `metrics: {exporter: prometheus}`: metrics and health over HTTP, without authentication, as Salt has it. A stranger may
// only ask for three fixed paths, and holds neither memory nor connections for long.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Log, toError } from '../base/mod.ts'
import type { Health } from './health.ts'
import { METRICS_TYPE } from './text.ts'

export interface ListenerOptions {
  host: string
  port: number
  health: Health
  text: () => string
  log: Log
}

const MOST_CONNECTIONS = 64
const LONGEST_HEADERS = 8192

/** Time limits of a connection for headers, for a request, and for idling. */
const HEADERS_MS = 5000
const REQUEST_MS = 10_000
const IDLE_MS = 5000

/** For how long a text is shown again: making it costs more than sending it. */
const FRESH_MS = 200

/** Interval between attempts to listen at an occupied address. */
const AGAIN_MS = 10_000

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/

export class MetricsListener {
  private readonly options: ListenerOptions
  private readonly server: Server
  private shown = { text: '', at: Number.NEGATIVE_INFINITY }
  private again: NodeJS.Timeout | undefined
  private isRefused = false

  constructor(options: ListenerOptions) {
    this.options = options
    const { host, port, log } = options
    this.server = createServer(
      {
        maxHeaderSize: LONGEST_HEADERS,
        headersTimeout: HEADERS_MS,
        requestTimeout: REQUEST_MS,
        keepAliveTimeout: IDLE_MS,
        connectionsCheckingInterval: 1000,
      },
      (request, response) => this.answer(request, response),
    )
    this.server.maxConnections = MOST_CONNECTIONS
    this.server.on('error', (error) => this.retry(toError(error).message))
    this.server.on('listening', () => {
      this.isRefused = false
      log('info', `Prometheus /metrics listener bound on ${host}:${this.port}`)
    })
    if (!LOOPBACK.test(host))
      log(
        'warning',
        `The metrics on ${host}:${port} need no authentication: let a firewall choose who reaches the port`,
      )
    this.listen()
  }

  /** The port that is bound. */
  get port(): number {
    const address = this.server.address()
    return typeof address === 'object' && address ? address.port : this.options.port
  }

  close(): void {
    clearTimeout(this.again)
    this.server.close()
    this.server.closeAllConnections()
  }

  private listen(): void {
    const { host, port } = this.options
    this.server.listen(port, host)
    this.server.unref()
  }

  private retry(reason: string): void {
    const { host, port, log } = this.options
    if (!this.isRefused) {
      const advice = 'Another daemon may use the port: set metrics:prometheus:port to another one. Trying again'
      log('error', `Failed to bind Prometheus listener on ${host}:${port}: ${reason}. ${advice}`)
    }
    this.isRefused = true
    this.again = setTimeout(() => this.listen(), AGAIN_MS).unref()
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = request
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD', Connection: 'close' }).end()
      return
    }
    const path = url.split('?', 1)[0]!
    const health = this.options.health.answer(path)
    const isMetrics = path === '/metrics' || path === '/'
    const body = health?.body ?? (isMetrics ? this.text() : '')
    const type = health ? 'application/json' : METRICS_TYPE
    const status = health?.status ?? (isMetrics ? 200 : 404)
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' })
    response.end(method === 'HEAD' ? undefined : body)
  }

  private text(): string {
    const now = performance.now()
    if (now - this.shown.at > FRESH_MS) this.shown = { text: this.options.text(), at: now }
    return this.shown.text
  }
}
