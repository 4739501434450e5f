// A WebSocket over a request, with the same TLS options, proxy and limits as other requests. If the server does not
// upgrade, its answer is returned as an ordinary response. Redirects are not followed.
import type { IncomingMessage } from 'node:http'
import { connect as connectTls } from 'node:tls'
import { WebSocket } from 'ws'
import { certificateProblem } from '../base/mod.ts'
import { HttpFailure, type HttpRequest, type HttpStream, headersOf, tlsName, tlsOptions, tunnel } from './request.ts'
import { trustSystem } from './system-trust.ts'

export interface HttpSocket {
  /** The subprotocol that the server chose. */
  readonly protocol: string
  /** Messages one after the other. The iteration ends when the server closes the connection, and fails when the connection breaks. */
  readonly messages: AsyncIterable<Uint8Array>
  /** Send a binary message. Resolves when the bytes are handed to the system. */
  send(data: Uint8Array): Promise<void>
  close(): void
  /** Cut the connection: the messages fail. */
  abort(): void
}

/** The answer to an upgrade request: status 101 with a socket, or an ordinary response. */
export interface HttpUpgrade extends HttpStream {
  socket?: HttpSocket
}

/** Bytes of messages that may wait for their reader; beyond that the server has to wait. */
const MOST_WAITING = 1 << 20

/** Ask for a WebSocket that speaks one of the subprotocols. `maxBody` bounds each message, and `timeout` the whole connection. */
export async function upgradeHttp(request: HttpRequest, protocols: readonly string[]): Promise<HttpUpgrade> {
  const { proxy, connectTimeout, signal } = request
  const url = new URL(request.url)
  const secure = url.protocol === 'https:'
  if (secure) trustSystem()
  const tunnelled = proxy && (await tunnel(url, proxy, connectTimeout))
  const ws = new WebSocket(url.href.replace(/^http/, 'ws'), [...protocols], {
    headers: Object.fromEntries(request.headers),
    perMessageDeflate: false,
    maxPayload: request.maxBody,
    handshakeTimeout: connectTimeout * 1000,
    followRedirects: false,
    ...tlsOptions(request),
    ...(tunnelled && {
      createConnection: () =>
        secure ? connectTls({ socket: tunnelled, ...tlsName(url), ...tlsOptions(request) }) : tunnelled,
    }),
  })
  const stop = (): void => ws.terminate()
  signal?.addEventListener('abort', stop)
  const overall = setTimeout(stop, Math.min(request.timeout * 1000, 2 ** 31 - 1))
  ws.once('close', () => {
    clearTimeout(overall)
    signal?.removeEventListener('abort', stop)
  })
  if (signal?.aborted) stop()
  return answerOf(ws)
}

function answerOf(ws: WebSocket): Promise<HttpUpgrade> {
  return new Promise((resolve, reject) => {
    let headers = new Map<string, string>()
    // listens from the start, because messages can come with the answer
    const messages = messagesOf(ws)
    ws.once('upgrade', (response) => {
      headers = headersOf(response)
    })
    ws.once('unexpected-response', (_request, response: IncomingMessage) => {
      response.once('close', () => ws.terminate())
      resolve({
        status: response.statusCode ?? 0,
        reason: response.statusMessage ?? '',
        headers: headersOf(response),
        body: response,
      })
    })
    ws.on('error', (error) => reject(new HttpFailure(certificateProblem(error.message))))
    ws.once('open', () => {
      const socket: HttpSocket = {
        protocol: ws.protocol,
        messages,
        send: (data) =>
          new Promise((sent, failed) =>
            ws.send(data, { binary: true }, (error) => (error ? failed(new HttpFailure(error.message)) : sent())),
          ),
        abort: () => ws.terminate(),
        close: () => {
          // the server gets a moment to close, which it need not use
          ws.close()
          setTimeout(() => ws.terminate(), 1000).unref()
        },
      }
      resolve({ status: 101, reason: 'Switching Protocols', headers, body: nothing(), socket })
    })
  })
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Return the messages of a socket, which reads no further while too many wait. */
function messagesOf(ws: WebSocket): AsyncIterable<Uint8Array> {
  const waiting: Uint8Array[] = []
  let size = 0
  let ended: 'closed' | Error | undefined
  let wake = (): void => undefined
  ws.on('message', (data: Buffer) => {
    waiting.push(data)
    size += data.length
    if (size > MOST_WAITING) ws.pause()
    wake()
  })
  ws.on('error', (error) => {
    ended ??= new HttpFailure(certificateProblem(error.message))
    wake()
  })
  ws.once('close', (code) => {
    ended ??= code === 1006 ? new HttpFailure('The connection was cut') : 'closed'
    wake()
  })
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) {
          size -= next.length
          if (ws.isPaused && size <= MOST_WAITING) ws.resume()
          yield next
        } else if (ended === undefined) await new Promise<void>((resolve) => (wake = resolve))
        else if (ended === 'closed') return
        else throw ended
      }
    },
  }
}
