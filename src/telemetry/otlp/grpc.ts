// One call of gRPC without a stream, over HTTP/2: a message with a prefix of five bytes, and the status in the trailers.
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { isAnyError, recover } from '../../base/mod.ts'

/** Bytes of an answer that are read; a collector answers with a few. */
const LONGEST_ANSWER = 1 << 20

export interface GrpcCall {
  /** `http://host:port` for a connection in the clear, `https://host:port` for TLS. */
  origin: string
  /** Service and method, such as `/package.Service/Export`. */
  method: string
  headers: Readonly<Record<string, string>>
  message: Buffer
  milliseconds: number
}

/** Make a call; throw unless the server answers in time with status 0. */
export async function callGrpc({ origin, method, headers, message, milliseconds }: GrpcCall): Promise<void> {
  const session = connect(origin)
  try {
    const prefix = Buffer.alloc(5)
    prefix.writeUInt32BE(message.length, 1)
    await answered(session, { ...headers, ':path': method }, Buffer.concat([prefix, message]), milliseconds)
  } finally {
    session.destroy()
  }
}

function answered(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body: Buffer,
  milliseconds: number,
): Promise<void> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
    const finish = (error?: Error): void => {
      clearTimeout(timer)
      if (error) fail(error)
      else done()
    }
    session.on('error', finish)
    const stream = session.request({
      ...lowerCased(headers),
      ':method': 'POST',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let told: IncomingHttpHeaders = {}
    let length = 0
    stream.on('response', (first) => {
      told = { ...told, ...first }
    })
    stream.on('trailers', (last) => {
      told = { ...told, ...last }
    })
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > LONGEST_ANSWER) stream.close(constants.NGHTTP2_CANCEL)
    })
    stream.on('error', finish)
    stream.on('close', () => finish(problemOf(told)))
    stream.end(body)
  })
}

/** Names of headers are in lower case in HTTP/2. */
const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

function problemOf(headers: IncomingHttpHeaders): Error | undefined {
  const status = headers['grpc-status']
  if (status === '0') return undefined
  if (status === undefined) return new Error(`HTTP status ${headers[':status'] ?? 'unknown'} and no status of gRPC`)
  return new Error(`gRPC status ${String(status)}: ${decodeURIComponentSafe(String(headers['grpc-message'] ?? ''))}`)
}

function decodeURIComponentSafe(text: string): string {
  // the server wrote a percent sign that is no escape
  return recover(isAnyError, text, () => decodeURIComponent(text))
}
