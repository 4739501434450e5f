// Requests from outside as events with the origin `external:webhook`. The engine accepts requests from every host that
// reaches the port: restrict access in the network, or use the API instead.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { isAnyError, recover } from '../../../base/mod.ts'
import { type Dict, dictFrom, type Value } from '../../../data/mod.ts'
import { arg, defineEngine, type EngineContext } from '../../../sdk/mod.ts'

const MOST_BYTES = 100 << 20

/** Bytes of all bodies that are on their way: senders prove nothing, so the largest need not all come at once. */
const MOST_TOGETHER = 2 * MOST_BYTES

const MOST_CONNECTIONS = 1000

/** Bounds of a connection, in milliseconds: one that sends slowly must not keep its place for ever. */
const BOUNDS = { headersTimeout: 20_000, requestTimeout: 120_000, keepAliveTimeout: 30_000 }

export default defineEngine({
  name: 'webhook',
  doc: 'Fire an event `salt/engines/hook/<path>` with `headers` and `body` for each POST request. There is no authentication.',
  args: {
    address: arg.any('Address to listen on. Default: all addresses', { optional: true }),
    port: arg.integer('Port to listen on', { default: 5000 }),
    ssl_crt: arg.any('Path of the certificate, for HTTPS', { optional: true }),
    ssl_key: arg.any('Path of the private key', { optional: true }),
  },
  start: async (ctx, { address, port, ssl_crt, ssl_key }) => {
    const bodies = { bytes: 0 }
    const answer: RequestListener = (request, response) => {
      hear(ctx, bodies, request, response).catch((error: unknown) => {
        ctx.log('error', `webhook: ${error instanceof Error ? error.message : String(error)}`)
        respond(response, 500, 'Internal Server Error')
      })
    }
    const server =
      ssl_crt && ssl_key ? await tlsServer(ctx, String(ssl_crt), String(ssl_key), answer) : createServer(BOUNDS, answer)
    server.maxConnections = MOST_CONNECTIONS
    await listening(server, Number(port), address ? String(address) : undefined)
    await new Promise<void>((done, fail) => {
      server.once('error', fail)
      const stop = (): void => {
        server.closeAllConnections()
        server.close(() => done())
      }
      if (ctx.signal.aborted) stop()
      else ctx.signal.addEventListener('abort', stop, { once: true })
    })
  },
})

async function tlsServer(ctx: EngineContext, crt: string, key: string, answer: RequestListener): Promise<Server> {
  const [certificate, secret] = await Promise.all([ctx.host.read(crt), ctx.host.read(key)])
  return createTlsServer({ ...BOUNDS, cert: Buffer.from(certificate), key: Buffer.from(secret) }, answer)
}

function listening(server: Server, port: number, address: string | undefined): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail)
    server.listen({ port, ...(address !== undefined && { host: address }) }, () => {
      server.off('error', fail)
      done()
    })
  })
}

async function hear(
  ctx: EngineContext,
  bodies: { bytes: number },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') return respond(response, 405, 'Method Not Allowed')
  const path = pathOf(request.url ?? '/')
  if (path === undefined) return respond(response, 400, 'Bad Request')
  let size = 0
  try {
    const pieces: Buffer[] = []
    for await (const piece of request) {
      size += (piece as Buffer).length
      bodies.bytes += (piece as Buffer).length
      if (size > MOST_BYTES) return respond(response, 413, 'Request Entity Too Large')
      if (bodies.bytes > MOST_TOGETHER) return respond(response, 503, 'Service Unavailable')
      pieces.push(piece as Buffer)
    }
    const event: Dict = dictFrom({ headers: headersOf(request.rawHeaders), body: bodyOf(Buffer.concat(pieces)) })
    if (!(await ctx.fireExternal(`salt/engines/hook/${path}`, event))) return respond(response, 400, 'Bad Request')
  } finally {
    bodies.bytes -= size
  }
  response.writeHead(200, { 'Content-Type': 'text/html; charset=UTF-8' }).end()
}

/** Return the path after the first slash, without the query; undefined if it is not valid text. */
function pathOf(url: string): string | undefined {
  return recover(isAnyError, undefined, () => decodeURIComponent(url.split('?')[0]!.slice(1)))
}

/** Return headers in their usual spelling, such as `Content-Type`; repeated ones are joined with commas. */
function headersOf(raw: readonly string[]): Dict {
  const headers: Dict = new Map()
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.split('-')
      .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`)
      .join('-')
    const known = headers.get(name)
    headers.set(name, known === undefined ? raw[at + 1]! : `${String(known)},${raw[at + 1]!}`)
  }
  return headers
}

/** Return the body as text if possible, else as bytes: like Salt, the bus does not distinguish them. */
function bodyOf(bytes: Buffer): Value {
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : new Uint8Array(bytes)
}

function respond(response: ServerResponse, status: number, meaning: string): void {
  if (response.headersSent) {
    response.end()
    return
  }
  const title = `${status}: ${meaning}`
  response.writeHead(status, { 'Content-Type': 'text/html; charset=UTF-8' })
  response.end(`<html><title>${title}</title><body>${title}</body></html>`)
}
