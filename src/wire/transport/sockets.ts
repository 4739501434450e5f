// Listening and connecting, in clear or with TLS, on ports and Unix sockets; the options Salt has for both.
import { chmodSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import { connect, createServer, type ListenOptions as NetListenOptions, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import {
  connect as connectTls,
  createSecureContext,
  createServer as createTlsServer,
  type SecureContextOptions,
  type SecureVersion,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls'
import { Rates, toError } from '../../base/mod.ts'
import { WireError } from '../errors.ts'
import { connectionLimits, openFiles, RAISE_LIMIT } from './descriptors.ts'
import { endpointText } from './endpoint.ts'
import { peerOf, type Seat, Seats } from './seats.ts'
import type { Endpoint, ListenOptions, SocketOptions, TlsSettings } from './transport.ts'

/** Salt's `zmq_backlog`. */
const BACKLOG = 1000
/** One of two ports. */
const MAX_CONNECTIONS = connectionLimits(false).requests
const KEEPALIVE_IDLE = 300
/** Without an answer for so long, a new attempt finds a machine that has come back sooner than the system's next repetition. */
const CONNECT_TIMEOUT_MS = 5000

export interface Listening {
  readonly endpoint: Endpoint
  /** Close all connections, and each new one at once, until this is called with false. */
  turnAway(isAway: boolean): void
  /** Stops listening; connections stay. */
  stop(): Promise<void>
}

export interface PortListening extends Listening {
  readonly server: Server
}

export function tune(socket: Socket, { keepaliveIdle = KEEPALIVE_IDLE }: SocketOptions): void {
  socket.setNoDelay(true)
  if (keepaliveIdle !== false) socket.setKeepAlive(true, keepaliveIdle * 1000)
}

/** Handles a connection of a listener, after the TLS handshake if TLS is on. */
export type Accept = (socket: Socket, seat: Seat) => void

/** Give every connection of a server a seat, within the limit. */
export function seatsOf(server: Server, options: ListenOptions): Seats {
  const { maxConnections: most = MAX_CONNECTIONS, forSubscribers, idleTimeout: idleMs, log } = options
  const seats = new Seats({ most, forSubscribers, idleMs, log })
  server.prependListener('connection', (socket: Socket) => seats.add(socket))
  server.once('close', () => seats.close())
  return seats
}

function taker(seats: () => Seats, options: ListenOptions, accept: Accept): (socket: Socket) => void {
  return (socket) => {
    if (socket.destroyed) return
    tune(socket, options)
    accept(socket, seats().of(socket))
  }
}

/** Accepts connections of a server that another process opened. */
export function takeOver(server: Server, options: ListenOptions, accept: Accept): PortListening {
  const seats = seatsOf(server, options)
  server.on(
    'connection',
    taker(() => seats, options, accept),
  )
  const { address = '', port = 0 } = (server.address() ?? {}) as { address?: string; port?: number }
  tellRefusals(server, endpointText({ host: address, port }), options)
  const stop = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  return { endpoint: { host: address, port }, server, turnAway: (isAway) => seats.turnAway(isAway), stop }
}

/** Time limit of a TLS handshake. */
const TLS_HANDSHAKE_MS = 30_000

/** With CERT_OPTIONAL a peer may send no certificate; refuse an invalid one, which Node would accept. */
export function refuseWrongCertificates(server: Server, options: ListenOptions): void {
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    if (socket.authorized || Object.keys(socket.getPeerCertificate() ?? {}).length === 0) return
    const why = String(socket.authorizationError)
    options.log?.('debug', `Refused the certificate of ${peerOf(socket).address}: ${why}`)
    socket.destroy()
  })
}

/** Accept connections and pass them on, after the TLS handshake if TLS is on. */
export async function listenOn(endpoint: Endpoint, options: ListenOptions, accept: Accept): Promise<PortListening> {
  const take = taker(() => seats, options, accept)
  const server = options.ssl ? createTlsServer(listenerTls(options.ssl, endpoint, options), take) : createServer(take)
  const seats = seatsOf(server, options)
  refuseWrongCertificates(server, options)
  server.on('tlsClientError', (error: Error, socket: Socket) => {
    options.log?.('debug', `Refused the TLS connection of ${peerOf(socket).address}: ${error.message}`)
    socket.destroy()
  })
  const where = await bindServer(server, endpoint, options)
  const stop = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  return { endpoint: where, server, turnAway: (isAway) => seats.turnAway(isAway), stop }
}

/** Binds a server; a Unix socket that someone left behind makes room. */
export async function bindServer(server: Server, endpoint: Endpoint, options: ListenOptions): Promise<Endpoint> {
  const backlog = options.backlog ?? BACKLOG
  const listen: NetListenOptions = { backlog, ...('path' in endpoint ? { path: endpoint.path } : endpoint) }
  if ('path' in endpoint) removeSocket(endpoint.path)
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error): void => {
      reject(
        new WireError('BadSetting', `Cannot listen on ${endpointText(endpoint)}: ${error.message}`, { cause: error }),
      )
    }
    server.once('error', failed)
    server.listen(listen, () => {
      server.off('error', failed)
      resolve()
    })
  })
  tellRefusals(server, endpointText(endpoint), options)
  if ('path' in endpoint) {
    chmodSync(endpoint.path, endpoint.mode ?? 0o600)
    return endpoint
  }
  const address = server.address()
  return { host: endpoint.host, port: address !== null && typeof address === 'object' ? address.port : endpoint.port }
}

/** Say in the log why connections cannot be accepted; that the process has no descriptors left at most once a minute. */
function tellRefusals(server: Server, where: string, { log }: ListenOptions): void {
  const lines = new Rates({ perSecond: 1 / 60, burst: 1 })
  let count = 0
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EMFILE' && error.code !== 'ENFILE') {
      log?.('error', `Listening on ${where}: ${error.message}`)
      return
    }
    count++
    if (!lines.take('refused')) return
    const why = `this process has as many files open as it may (${openFiles()})`
    log?.('error', `Refused ${count} connection(s) to ${where}: ${why}. ${RAISE_LIMIT}`)
    count = 0
  })
}

function removeSocket(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Begins to connect; `opened` when it is, and the socket's `close` when it is over or never was. */
export function dial(endpoint: Endpoint, options: SocketOptions, opened: (socket: Socket) => void): Socket {
  const socket = options.ssl
    ? connectTls({ ...where(endpoint, options), ...clientTls(options.ssl, endpoint) })
    : connect(where(endpoint, options))
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('connecting took too long')))
  socket.once('connect', () => socket.setTimeout(TLS_HANDSHAKE_MS))
  socket.once(options.ssl ? 'secureConnect' : 'connect', () => {
    socket.setTimeout(0)
    tune(socket, options)
    opened(socket)
  })
  return socket
}

/** Connect, and call back with the error when the connection ends; return a function that ends it. */
export function dialUntil(
  endpoint: Endpoint,
  options: SocketOptions,
  opened: (socket: Socket) => void,
  ended: (error: Error | undefined) => void,
): () => void {
  let failure: Error | undefined
  const socket = dial(endpoint, options, opened)
  socket.on('error', (error) => {
    failure = error
  })
  socket.once('close', () => ended(failure))
  return () => socket.destroy()
}

function where(endpoint: Endpoint, options: SocketOptions): { path: string } | { host: string; port: number } {
  if ('path' in endpoint) return { path: endpoint.path }
  return { host: endpoint.host, port: endpoint.port, ...localEnd(options) }
}

/** Return the local address of connections in Node's form. */
export function localEnd({ sourceAddress, sourcePort }: SocketOptions): { localAddress?: string; localPort?: number } {
  return {
    ...(sourceAddress ? { localAddress: sourceAddress } : {}),
    ...(sourcePort ? { localPort: sourcePort } : {}),
  }
}

const wantedOf = (ssl: TlsSettings): string => (ssl.cert_reqs ?? 'CERT_REQUIRED').toUpperCase()

const hasAuthorities = (ssl: TlsSettings): boolean => Boolean(ssl.ca_certs) || (ssl.verify_locations?.length ?? 0) > 0

/**
 * Return the TLS options of a listener. Like Salt, it requests certificates from peers unless configured otherwise.
 * Without configured authorities it trusts none: with Node's list, a certificate of any public authority would be
 * accepted.
 */
export function listenerTls(ssl: TlsSettings, endpoint: Endpoint, options: ListenOptions): TlsOptions {
  const wanted = wantedOf(ssl)
  if (wanted === 'CERT_REQUIRED' && !hasAuthorities(ssl)) {
    const what = 'ssl has no ca_certs, so no certificate can be checked'
    options.log?.('warning', `${what}: nobody can connect to ${endpointText(endpoint)}. Set ca_certs, or cert_reqs`)
  }
  return {
    ...(!hasAuthorities(ssl) && { ca: [] }),
    ...context(ssl),
    requestCert: wanted !== 'CERT_NONE',
    rejectUnauthorized: wanted === 'CERT_REQUIRED',
    handshakeTimeout: options.handshakeTimeout ?? TLS_HANDSHAKE_MS,
  }
}

export function clientTls(
  ssl: TlsSettings,
  endpoint: Endpoint,
): SecureContextOptions & { rejectUnauthorized: boolean } {
  const checked = wantedOf(ssl) !== 'CERT_NONE'
  const name = 'host' in endpoint && !/^[\d.]+$|:/.test(endpoint.host) ? { servername: endpoint.host } : {}
  return { ...context(ssl), ...name, rejectUnauthorized: checked }
}

function context(ssl: TlsSettings): SecureContextOptions {
  const result: SecureContextOptions = {}
  if (ssl.certfile) result.cert = readPart('certfile', ssl.certfile)
  if (ssl.certfile) result.key = readPart('keyfile', ssl.keyfile ?? ssl.certfile)
  if (hasAuthorities(ssl)) result.ca = authorities(ssl)
  if (ssl.ciphers) result.ciphers = ssl.ciphers
  const version = /TLSv1_([123])$/.exec(ssl.ssl_version ?? '')
  if (version !== null) result.minVersion = result.maxVersion = `TLSv1.${version[1]}` as SecureVersion
  try {
    createSecureContext(result)
  } catch (error) {
    const files = Object.entries(ssl).flatMap(([name, value]) =>
      typeof value === 'string' ? [`${name}: ${value}`] : [],
    )
    const { reason, message } = toError(error) as Error & { reason?: string }
    throw new WireError('BadSetting', `Cannot use ssl (${files.join(', ')}): ${reason ?? message}`, { cause: error })
  }
  return result
}

function authorities({ ca_certs, verify_locations = [] }: TlsSettings): Array<string | Buffer> {
  const more = verify_locations.flatMap(({ kind, value }): Array<string | Buffer> => {
    if (kind === 'cadata') return [value]
    const files = kind === 'capath' ? folderFiles(value) : [value]
    return files.map((file) => readPart('verify_locations', file))
  })
  return [...(ca_certs ? [readPart('ca_certs', ca_certs)] : []), ...more]
}

function folderFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder).map((name) => join(folder, name))
    return entries.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
  } catch (error) {
    throw new WireError(
      'BadSetting',
      `Cannot read ${folder}, named by verify_locations of ssl: ${toError(error).message}`,
      {
        cause: error,
      },
    )
  }
}

function readPart(option: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new WireError('BadSetting', `Cannot read ${file}, named by ${option} of ssl: ${toError(error).message}`, {
      cause: error,
    })
  }
}
