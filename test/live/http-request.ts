// One request to the REST API of a scenario, sent as the recordings' client sent it: with the named headers, in that order, and
// none that Node would add.
import { request } from 'node:http'

export interface HttpRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

export interface HttpAnswer {
  status: number
  reason: string
  /** By name in lower case. */
  headers: Map<string, string>
  body: string
}

/** An answer that has not ended by then hangs. */
const ANSWER_SECONDS = 180

/**
 * Send a request to a port of loopback and return the answer. A stream has no end: `isEnough` gets the data so far, and
 * decides when to stop.
 */
export function sendHttp(
  port: number,
  { method, path, headers, body }: HttpRequest,
  isEnough: (text: string) => boolean = () => false,
): Promise<HttpAnswer> {
  const own = { Host: `127.0.0.1:${port}`, 'Accept-Encoding': 'identity' }
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  return new Promise((done, fail) => {
    const options = { host: '127.0.0.1', port, method, path, agent: false as const, setDefaultHeaders: false }
    const sent = request({ ...options, headers: { ...own, ...headers, ...length } }, (answer) => {
      let text = ''
      const end = (): void => {
        clearTimeout(timer)
        sent.destroy()
        done({
          status: answer.statusCode ?? 0,
          reason: answer.statusMessage ?? '',
          headers: new Map(Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')])),
          body: text,
        })
      }
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => {
        text += piece
        if (isEnough(text)) end()
      })
      answer.on('end', end)
      answer.on('error', fail)
    })
    const timer = setTimeout(() => sent.destroy(new Error(`No answer to ${method} ${path}`)), ANSWER_SECONDS * 1000)
    sent.removeHeader('Connection')
    sent.on('error', (error) => {
      clearTimeout(timer)
      fail(error)
    })
    sent.end(body)
  })
}
