// A caller of the REST API that notices everything: answers, connections that break, and requests that are not complete.
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'

export interface ApiAnswer {
  status: number
  text: string
}

export class ApiCaller {
  private readonly port: number
  /** The session, once there is one. */
  token = ''

  constructor(port: number) {
    this.port = port
  }

  /** Send a request on a separate connection. Fail if the connection breaks before the end of the answer. */
  ask(path: string, body?: string | Buffer | object): Promise<ApiAnswer> {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : body && JSON.stringify(body)
    return new Promise((done, fail) => {
      const method = bytes === undefined ? 'GET' : 'POST'
      const headers = { Accept: 'application/json', 'Content-Type': 'application/json', 'X-Auth-Token': this.token }
      const sent = request({ host: '127.0.0.1', port: this.port, path, method, headers, agent: false }, (answer) =>
        textOf(answer).then((text) => done({ status: answer.statusCode!, text }), fail),
      )
      sent.on('error', fail)
      sent.end(bytes)
    })
  }

  async isServed(): Promise<boolean> {
    return this.ask('/').then(
      ({ status }) => status === 200,
      () => false,
    )
  }

  /** Log in as a user that may do everything. */
  async logIn(): Promise<void> {
    const { status, text } = await this.ask('/login', { username: 'admin', password: 'x', eauth: 'auto' })
    if (status !== 200) throw new Error(`the login was answered with ${status}: ${text}`)
    this.token = JSON.parse(text).return[0].token
  }

  /** Begin a request by hand: the head, and a part of its body. */
  begin(head: readonly string[], body: string | Buffer = ''): Socket {
    const socket = connect(this.port, '127.0.0.1')
    // the end of a connection reports that it broke
    socket.on('error', () => {})
    const lines = [...head, 'Host: localhost', ...(this.token === '' ? [] : [`X-Auth-Token: ${this.token}`])]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    if (body.length > 0) socket.write(body)
    return socket
  }

  /** Open a stream of events. */
  stream(more: readonly string[] = []): Socket {
    return this.begin(['GET /events HTTP/1.1', ...more])
  }

  /** Send a body of `size` bytes until it is refused. Return the status of the answer, and how much was sent by then. */
  async flood(head: readonly string[], size: number): Promise<{ status: number; sent: number }> {
    const socket = this.begin(head)
    let [text, sent] = ['', 0]
    const isChunked = head.some((line) => /chunked/.test(line))
    const part = 'x'.repeat(0x10000)
    const bytes = isChunked ? `10000\r\n${part}\r\n` : part
    socket.on('data', (data) => void (text += data))
    const ended = new Promise<void>((done) => socket.once('close', () => done()))
    for (let isOpen = true; isOpen && sent < size; sent += part.length) {
      if (socket.write(bytes)) await new Promise(setImmediate)
      else isOpen = await Promise.race([ended.then(() => false), drained(socket).then(() => true)])
    }
    socket.end()
    await ended
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), sent }
  }
}

const drained = (socket: Socket): Promise<void> => new Promise((done) => socket.once('drain', done))

function textOf(answer: IncomingMessage): Promise<string> {
  return new Promise((done, fail) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (part: string) => void (text += part))
    answer.on('error', fail).on('end', () => (answer.complete ? done(text) : fail(new Error('the answer broke off'))))
  })
}
