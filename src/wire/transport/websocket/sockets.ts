// Serving and opening WebSockets, in clear or with TLS. Salt upgrades on `/ws` and looks at no path itself.
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { type WebSocket, WebSocket as WebSocketClient, WebSocketServer } from 'ws'
import { ownMemory } from '../../../base/mod.ts'
import { type Holder, intake } from '../intake.ts'
import type { Seat } from '../seats.ts'
import {
  bindServer,
  clientTls,
  type Listening,
  listenerTls,
  localEnd,
  refuseWrongCertificates,
  seatsOf,
  tune,
} from '../sockets.ts'
import { type Stranger, Strangers } from '../strangers.ts'
import { type Endpoint, type ListenOptions, MAX_MESSAGE_BYTES, type SocketOptions } from '../transport.ts'

const HANDSHAKE_TIMEOUT_MS = 30_000
const CLOSE = Buffer.from('close')
/** Bytes of answers to pings that may wait. */
const MOST_PONGS = 1 << 16

/** Note that so many bytes more or fewer are kept for a connection. */
type Hold = (change: number) => void

/** The data of a connection besides its socket. */
export interface Connected {
  stranger: Stranger
  seat: Seat
  hold: Hold
}

export async function serveWebSockets(
  endpoint: Endpoint,
  options: ListenOptions,
  accept: (socket: WebSocket, connected: Connected) => void,
): Promise<Listening> {
  const http = options.ssl ? createTlsServer(listenerTls(options.ssl, endpoint, options)) : createServer()
  const seats = seatsOf(http, options)
  refuseWrongCertificates(http, options)
  http.headersTimeout = options.handshakeTimeout ?? HANDSHAKE_TIMEOUT_MS
  http.on('request', (_request, response) => {
    response.writeHead(426, { connection: 'close', upgrade: 'websocket' }).end('Upgrade Required')
  })
  const maxPayload = options.maxMessageBytes ?? MAX_MESSAGE_BYTES
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload,
    autoPong: false,
    // text messages have no meaning here, so their encoding is not checked
    skipUTF8Validation: true,
    // handle one message per turn of the event loop, so that a peer with many messages delays no other
    allowSynchronousEvents: false,
  })
  http.on('upgrade', (request, stream, head) => {
    sockets.handleUpgrade(request, stream, head, (socket) => sockets.emit('connection', socket, request))
  })
  const strangers = new Strangers(maxPayload)
  sockets.on('connection', (socket, request) => {
    tune(request.socket, options)
    const seat = seats.of(request.socket)
    const stranger = strangers.meet(seat)
    const { peer } = stranger
    socket.on('error', (error) => options.log?.('debug', `Connection of ${peer.address}: ${error.message}`))
    // close a peer that sends pings without reading the answers
    socket.on('ping', (data) => {
      if (socket.bufferedAmount < MOST_PONGS) socket.pong(data)
      else socket.terminate()
    })
    accept(socket, { stranger, seat, hold: count(socket, request.socket, stranger) })
  })
  const where = await bindServer(http, endpoint, options)
  return {
    endpoint: where,
    turnAway: (isAway) => seats.turnAway(isAway),
    async stop() {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      await new Promise<void>((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      })
    },
  }
}

/** Count incoming bytes until they form a message; short control frames in between are counted with it. */
function count(socket: WebSocket, stream: Socket, stranger: Stranger): Hold {
  const holder: Holder = { overflow: () => socket.terminate(), isStranger: () => !stranger.isProven() }
  let held = 0
  stream.on('data', (chunk: Buffer) => {
    stranger.heard(performance.now())
    held += chunk.length
    if (held > stranger.largest()) socket.terminate()
    else intake.change(holder, chunk.length)
  })
  socket.on('message', () => {
    intake.change(holder, -held)
    held = 0
  })
  socket.once('close', () => intake.forget(holder))
  return (change) => intake.change(holder, change)
}

export function openWebSocket(endpoint: Endpoint, options: SocketOptions): WebSocket {
  const scheme = options.ssl ? 'wss' : 'ws'
  const url =
    'path' in endpoint
      ? `${scheme}+unix:${endpoint.path}:/ws`
      : `${scheme}://${hostOf(endpoint.host)}:${endpoint.port}/ws`
  return new WebSocketClient(url, {
    perMessageDeflate: false,
    maxPayload: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    ...(options.ssl ? clientTls(options.ssl, endpoint) : {}),
    ...localEnd(options),
  })
}

function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Return the bytes of a message; undefined for text, of which only `close` has a meaning. */
export function binaryOf(
  socket: WebSocket,
  data: Buffer | ArrayBuffer | Buffer[],
  isBinary: boolean,
): Buffer | undefined {
  if (isBinary) {
    if (Array.isArray(data)) return Buffer.concat(data)
    return data instanceof Buffer ? ownMemory(data) : Buffer.from(data as ArrayBuffer)
  }
  // `close` ends the connection in order; any other text terminates it
  if (data instanceof Buffer && data.equals(CLOSE)) socket.close()
  else socket.terminate()
  return undefined
}
