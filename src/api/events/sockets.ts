// Web sockets with events: `/ws` of rest_cherrypy, `/all_events` and `/formatted_events` of rest_tornado. A client says that it is
// ready, and gets a frame for each event from then on.
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { shownText, toError } from '../../base/mod.ts'
import { HttpError } from '../errors.ts'
import { peerOfRequest } from '../peer.ts'
import { errorPage, HTML_TYPE } from '../salt/answers.ts'
import type { ApiService } from '../service.ts'
import { refuseAddress } from '../settings.ts'
import type { EventHub } from './hub.ts'
import { EventListener, saltSight } from './listener.ts'
import { type SocketForm, SocketStream } from './socket-stream.ts'

/** Bytes of a frame of a client. */
const MOST_FRAME = 64 * 1024

/** Sockets of all users, and of one user. */
const MOST_SOCKETS = 2000
const MOST_OF_USER = 200

/** Milliseconds between pings. A peer that does not answer one until the next is gone. */
const PING_MS = 30_000

interface Wanted {
  form: SocketForm
  inPath: string | undefined
}

export class EventSockets {
  private readonly service: ApiService
  private readonly hub: EventHub
  private readonly server = new WebSocketServer({ noServer: true, maxPayload: MOST_FRAME, perMessageDeflate: false })
  private readonly streams = new Set<SocketStream>()
  private readonly pinging: NodeJS.Timeout

  constructor(service: ApiService, hub: EventHub) {
    this.service = service
    this.hub = hub
    this.pinging = setInterval(() => {
      for (const stream of this.streams) stream.ping()
    }, PING_MS)
    this.pinging.unref()
  }

  /** The number of open sockets. */
  get count(): number {
    return this.streams.size
  }

  /** Take over a connection that wants to become a web socket. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', (error) => this.service.log('debug', `A web socket failed: ${error.message}`))
    this.open(request, socket, head).catch((error: unknown) => this.refuse(socket, error))
  }

  close(): void {
    clearInterval(this.pinging)
    for (const stream of [...this.streams]) stream.close(1001)
    this.server.close()
  }

  private async open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { service, hub } = this
    const { settings } = service
    const peer = peerOfRequest(request)
    refuseAddress(settings, peer)
    service.limits.countAddress(peer.host)
    const url = URL.parse(request.url ?? '/', 'http://localhost')
    const wanted = url && this.wanted(url)
    if (!wanted) throw new HttpError(404, `The path '${url?.pathname ?? ''}' was not found.`)
    const headers = headersOf(request)
    const { origin } = request.headers
    if (settings.corsOrigins && origin !== undefined && !settings.corsOrigins.has(origin))
      throw new HttpError(403, 'Pages of this site may not open web sockets')
    const listener = await EventListener.of(service, { headers, peer, inPath: wanted.inPath }, saltSight(service))
    service.limits.countUser(listener.user)
    const ofUser = [...this.streams].filter((stream) => stream.user === listener.user).length
    if (this.streams.size >= MOST_SOCKETS || ofUser >= MOST_OF_USER)
      throw new HttpError(503, 'Too many web sockets are open; close some of them')
    if (socket.destroyed) return
    this.server.handleUpgrade(request, socket, head, (ws: WebSocket) => {
      const stream = new SocketStream({ ws, service, hub, listener, peer, form: wanted.form })
      this.streams.add(stream)
      ws.on('close', () => this.streams.delete(stream))
    })
  }

  private wanted(url: URL): Wanted | undefined {
    const { prefix, kind, websockets } = this.service.settings
    if (!websockets || !`${url.pathname}/`.startsWith(`${prefix}/`)) return undefined
    const [path, inPath, ...more] = url.pathname.slice(prefix.length + 1).split('/')
    if (more.length > 0) return undefined
    if (kind === 'rest_cherrypy' && path === 'ws')
      return { form: url.searchParams.has('format_events') ? 'digest' : 'frames', inPath: inPath || undefined }
    if (kind !== 'rest_tornado' || !inPath) return undefined
    if (path === 'all_events') return { form: 'bare', inPath }
    return path === 'formatted_events' ? { form: 'bare-digest', inPath } : undefined
  }

  private refuse(socket: Duplex, error: unknown): void {
    const known = error instanceof HttpError ? error : new HttpError(500, '', error)
    if (known.status >= 500)
      this.service.log('error', `Opening a web socket failed: ${shownText(toError(known.cause ?? known).message)}`)
    const page = errorPage(known.status, known.message)
    const head = [
      `HTTP/1.1 ${known.status} ${STATUS_CODES[known.status] ?? ''}`,
      `Content-Type: ${HTML_TYPE}`,
      `Content-Length: ${Buffer.byteLength(page)}`,
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${page}`)
  }
}

/** The headers of a request that recognise its caller. */
function headersOf({ headers }: IncomingMessage): Headers {
  const all = new Headers()
  for (const name of ['x-auth-token', 'authorization', 'cookie', 'origin', 'host', 'sec-fetch-site']) {
    const value = headers[name]
    if (typeof value === 'string') all.set(name, value)
  }
  return all
}
