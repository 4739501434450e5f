// The HTTP server of the API: sockets, TLS and connection limits. Other files make the answers.
import { readFileSync } from 'node:fs'
import { createServer, IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { BrineError, type Log, toError } from '../base/mod.ts'
import { openFiles, Seats } from '../wire/mod.ts'
import { sentDirectly } from './direct-body.ts'
import type { ServerCounts } from './service.ts'
import type { ApiSettings } from './settings.ts'

/** Bounds of one connection: a caller that sends slowly must not keep a place for ever. */
const BOUNDS: ServerOptions = {
  headersTimeout: 20_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
}

const MOST_CONNECTIONS = 20_000

/** The part of the files that the process may open; stores and minions of a master need the others. */
const SHARE_OF_FILES = 1 / 4

export interface ServerParts {
  settings: ApiSettings
  counts: ServerCounts
  log: Log
  app: Hono
  /** Takes over a connection that becomes a web socket. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Hears of each request when it ended. */
  ended?(request: IncomingMessage, response: ServerResponse, began: number): void
  /** The most connections, where the options of the process do not say. */
  mostConnections?: number
}

export class ApiServer {
  private readonly server: Server
  private readonly settings: ApiSettings
  private readonly log: Log

  constructor({ settings, counts, log, app, upgrade, ended, mostConnections = connectionLimit() }: ServerParts) {
    this.settings = settings
    this.log = log
    const seats = new Seats({ most: mostConnections, log })
    this.server = make(settings, listener({ app, counts, log, ...(ended && { ended }) }, seats))
    this.server.once('close', () => seats.close())
    this.server.on('connection', (socket) => {
      seats.add(socket)
      counts.connections++
      socket.on('close', () => {
        counts.bytesRead += socket.bytesRead
        counts.bytesWritten += socket.bytesWritten
      })
    })
    // errors of a connection are the caller's: a broken request line, a TLS handshake that failed
    this.server.on('tlsClientError', (error) => log('debug', `A TLS handshake failed: ${error.message}`))
    if (upgrade) {
      this.server.on('upgrade', (request: ApiRequest, socket, head) => {
        const seat = seats.of(request.socket)
        seat.isBusy = () => true
        request.recognise = (user) => seat.prove(user)
        upgrade(request, socket, head)
      })
    }
  }

  /** The port, also where the options let the system choose one. */
  get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? this.settings.port
  }

  /** Listen; throw where the address is taken. */
  listen(): Promise<void> {
    const { host, port, backlog } = this.settings
    return new Promise((done, fail) => {
      const refused = (error: NodeJS.ErrnoException): void => {
        this.server.off('listening', opened)
        const reason = error.code === 'EADDRINUSE' ? 'another process listens there' : error.message
        fail(new BrineError(error.code ?? 'ApiNotOpen', `The API cannot listen on ${host}, port ${port}: ${reason}`))
      }
      const opened = (): void => {
        this.server.off('error', refused)
        this.server.on('error', (error) => this.log('error', `The server of the API failed: ${error.message}`))
        done()
      }
      this.server.once('error', refused).once('listening', opened)
      this.server.listen({ host, port, backlog: Math.max(1, backlog) })
    })
  }

  /** Accept no more requests, and abort running ones after a short time. */
  close(): Promise<void> {
    return new Promise((done) => {
      this.server.close(() => done())
      this.server.closeIdleConnections()
      setTimeout(() => this.server.closeAllConnections(), CLOSING_MS).unref()
    })
  }
}

const CLOSING_MS = 2000

const WANTED = Symbol('wanted upgrade')

/** A request that becomes a web socket, and no other protocol: programs that offer HTTP/2 get the answer of HTTP/1.1. */
export class ApiRequest extends IncomingMessage {
  /**
   * Note that the connection belongs to a user who has logged in: a full port closes connections of strangers first.
   */
  recognise?: (user: string) => void
  private [WANTED]?: boolean

  get upgrade(): boolean {
    return this[WANTED] === true && this.headers.upgrade?.toLowerCase() === 'websocket'
  }

  set upgrade(wanted: boolean) {
    this[WANTED] = wanted
  }
}

function make(settings: ApiSettings, handle: (request: ApiRequest, response: ServerResponse) => void): Server {
  if (!settings.tls) return createServer({ ...BOUNDS, IncomingMessage: ApiRequest }, handle)
  const { certificate, key, chain } = settings.tls
  const read = (name: string, file: string): string => {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      throw new BrineError('BadSetting', `The option ${settings.kind}: ${name}: ${toError(error).message}`)
    }
  }
  const cert = [read('ssl_crt', certificate), ...(chain === undefined ? [] : [read('ssl_chain', chain)])].join('\n')
  return createTlsServer(
    { ...BOUNDS, IncomingMessage: ApiRequest, cert, key: read('ssl_key', key), minVersion: 'TLSv1.2' },
    handle,
  )
}

const connectionLimit = (): number => Math.min(MOST_CONNECTIONS, Math.floor(openFiles() * SHARE_OF_FILES))

function listener(
  { app, counts, log, ended }: Pick<ServerParts, 'app' | 'counts' | 'log' | 'ended'>,
  seats: Seats,
): (request: ApiRequest, response: ServerResponse) => void {
  const answer = getRequestListener(
    async (request, env) => sentDirectly(await app.fetch(request, env), env.outgoing as ServerResponse, log),
    // requests of HTTP/1.0, such as health checks, may have no Host header
    { overrideGlobalObjects: false, hostname: 'localhost' },
  )
  return (request, response) => {
    const began = performance.now()
    const seat = seats.of(request.socket)
    seat.heard(began)
    seat.isBusy = () => !response.writableFinished && !response.destroyed
    request.recognise = (user) => seat.prove(user)
    counts.requests++
    counts.running++
    response.once('close', () => {
      counts.running--
      ended?.(request, response, began)
    })
    // before the listener of Node that closes the connection
    response.prependOnceListener('finish', () => {
      if (!request.complete) linger(request.socket)
    })
    void answer(request, response)
  }
}

/** How long, in milliseconds, and for how many bytes a connection stays open after its body was refused. */
const LINGER_MS = 1000
const LINGER_BYTES = 8 << 20
const LINGER_LOOK_MS = 20

/**
 * Discard further input of a connection before it closes: an immediate close would reset it, and the caller would not
 * get the answer.
 */
function linger(socket: Socket): void {
  let isClosing = false
  socket.destroySoon = () => {
    if (isClosing) return
    isClosing = true
    const [began, before] = [performance.now(), socket.bytesRead]
    socket.end()
    const looking = setInterval(() => {
      if (performance.now() - began > LINGER_MS || socket.bytesRead - before > LINGER_BYTES) socket.destroy()
    }, LINGER_LOOK_MS)
    socket.once('close', () => clearInterval(looking))
  }
}
