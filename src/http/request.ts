// One HTTP request with its redirects, over a proxy if there is one. The body is returned as it was received.
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls'
import { certificateProblem } from '../base/mod.ts'
import { isSecretHeader, type PyError, valueError } from '../data/mod.ts'
import { trustSystem } from './system-trust.ts'

export interface HttpRequest {
  url: string
  method: string
  headers: ReadonlyMap<string, string>
  body: Uint8Array | undefined
  /** Seconds for the connection, and for everything. */
  connectTimeout: number
  timeout: number
  /** The most bytes that are taken. */
  maxBody: number
  tls: { verify: boolean; ca?: Uint8Array; cert?: Uint8Array; key?: Uint8Array; serverName?: string }
  proxy?: { host: string; port: number; authorization?: string }
  /** Ends the request, and the reading of its answer. */
  signal?: AbortSignal
}

export interface HttpResponse {
  status: number
  reason: string
  /** By name in canonical case; repeated headers are joined with commas. */
  headers: Map<string, string>
  body: Uint8Array
}

/** A failure that is not the network's own: a time limit, too large a body. */
export class HttpFailure extends Error {}

/** A response with an unread body. */
export interface HttpStream extends Omit<HttpResponse, 'body'> {
  body: AsyncIterable<Uint8Array>
}

export type SendHttp = (request: HttpRequest) => Promise<HttpResponse>

const MOST_REDIRECTS = 5

export const sendHttp: SendHttp = async (request) => collect(await streamHttp(request), request.maxBody)

/** Send a request and follow redirects; the caller reads the body. */
export async function streamHttp(request: HttpRequest): Promise<HttpStream> {
  let current = request
  for (let redirects = 0; ; redirects++) {
    const message = await sendOnce(current)
    const target = message.headers.location
    const status = message.statusCode!
    if (![301, 302, 303, 307, 308].includes(status) || target === undefined || redirects === MOST_REDIRECTS) {
      return { status, reason: message.statusMessage ?? '', headers: headersOf(message), body: message }
    }
    const next = redirected(current, new URL(target, current.url).href, status)
    if (next === undefined) {
      return { status, reason: message.statusMessage ?? '', headers: headersOf(message), body: message }
    }
    // no body is read that nobody needs: it may have no end
    message.destroy()
    current = next
  }
}

/**
 * Return the request for a redirect. A posted form is posted again only for 307 and 308, and credentials are sent only
 * to their server. Return undefined if a body that was sent over TLS would be sent unencrypted.
 */
function redirected(request: HttpRequest, url: string, status: number): HttpRequest | undefined {
  const asGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST')
  const [from, to] = [new URL(request.url), new URL(url)]
  if (!asGet && request.body !== undefined && from.protocol === 'https:' && to.protocol !== 'https:') return undefined
  const staysThere = keepsCredentials(from, to)
  const headers = new Map(request.headers)
  for (const name of request.headers.keys()) {
    if (asGet && name.toLowerCase().startsWith('content-')) headers.delete(name)
    if (!staysThere && isSecretHeader(name)) headers.delete(name)
  }
  return asGet ? { ...request, url, headers, method: 'GET', body: undefined } : { ...request, url, headers }
}

/** Whether both addresses are of one server: the same scheme, host and port, or the step from http to https at the usual ports. */
function keepsCredentials(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  return from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && from.host === to.host
}

function sendOnce(request: HttpRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    open(request).then((message) => {
      let answer: IncomingMessage | undefined
      const overall = setTimeout(
        () => (answer ?? message).destroy(new HttpFailure('Timeout during request')),
        Math.min(request.timeout * 1000, 2 ** 31 - 1),
      )
      const stop = (): void => void (answer ?? message).destroy(new HttpFailure('The request was ended'))
      if (request.signal?.aborted) stop()
      request.signal?.addEventListener('abort', stop)
      message.once('close', () => {
        clearTimeout(overall)
        request.signal?.removeEventListener('abort', stop)
      })
      message.on('error', (error) => {
        error.message = certificateProblem(error.message)
        reject(error)
      })
      message.once('socket', (socket) => limitConnecting(message, socket, request.connectTimeout))
      message.once('response', (response) => {
        answer = response
        resolve(response)
      })
      message.end(request.body)
    }, reject)
  })
}

function limitConnecting(message: ClientRequest, socket: Socket, seconds: number): void {
  if (!socket.connecting) return
  const timer = setTimeout(() => message.destroy(new HttpFailure('Timeout while connecting')), seconds * 1000)
  socket.once('connect', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
}

const unsupported = (url: string): PyError => valueError(`Unsupported url scheme: ${url}`)

async function open(request: HttpRequest): Promise<ClientRequest> {
  const { method, proxy } = request
  if (!/^[a-z][a-z0-9+.-]*:/i.test(request.url)) throw unsupported(request.url)
  const url = new URL(request.url)
  const length = request.body && { 'content-length': request.body.length }
  const headers = { ...Object.fromEntries(request.headers), ...length, connection: 'close' }
  const secure = url.protocol === 'https:'
  if (!secure && url.protocol !== 'http:') throw unsupported(request.url)
  if (secure) trustSystem()
  if (proxy === undefined)
    return (secure ? httpsRequest : httpRequest)(url, { method, headers, ...tlsOptions(request) })
  if (!secure) {
    const own = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }
    return httpRequest({ ...proxy, method, path: url.href, headers: { host: url.host, ...headers, ...own } })
  }
  const tunnelled = await tunnel(url, proxy, request.connectTimeout)
  const socket = connectTls({ socket: tunnelled, ...tlsName(url), ...tlsOptions(request) })
  return httpsRequest(url, { method, headers, createConnection: () => socket })
}

/** TLS names servers by their names only, not by addresses. */
export const tlsName = ({ hostname }: URL): TlsOptions =>
  isIP(hostname.replace(/^\[|\]$/g, '')) ? { host: hostname } : { servername: hostname }

export function tlsOptions({ tls: { verify, ca, cert, key, serverName } }: HttpRequest): TlsOptions {
  return {
    rejectUnauthorized: verify,
    ...(serverName !== undefined && { servername: serverName }),
    ...(ca && { ca: Buffer.from(ca) }),
    ...(cert && { cert: Buffer.from(cert) }),
    ...(key && { key: Buffer.from(key) }),
  }
}

export function tunnel(url: URL, proxy: NonNullable<HttpRequest['proxy']>, seconds: number): Promise<Socket> {
  const path = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
  const headers = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: proxy.host, port: proxy.port, method: 'CONNECT', path, headers })
    const timer = setTimeout(() => asked.destroy(new HttpFailure('Timeout while connecting')), seconds * 1000)
    asked
      .once('close', () => clearTimeout(timer))
      .once('error', reject)
      .once('response', (response) => {
        asked.destroy(new HttpFailure(`Tunnel connection failed: ${response.statusCode} ${response.statusMessage}`))
      })
      .once('connect', (response, socket) => {
        clearTimeout(timer)
        if (response.statusCode === 200) resolve(socket as Socket)
        else reject(new HttpFailure(`Tunnel connection failed: ${response.statusCode} ${response.statusMessage}`))
      })
      .end()
  })
}

async function collect({ body, ...head }: HttpStream, maxBody: number): Promise<HttpResponse> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > maxBody) throw new HttpFailure('Content-Length too long')
    pieces.push(piece)
  }
  return { ...head, body: new Uint8Array(Buffer.concat(pieces)) }
}

export function headersOf(message: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>()
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    const name = canonicalName(message.rawHeaders[i]!)
    const value = message.rawHeaders[i + 1]!
    headers.set(name, headers.has(name) ? `${headers.get(name)},${value}` : value)
  }
  return headers
}

/** `content-type` as `Content-Type`. */
function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}
