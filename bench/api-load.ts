// Callers of a REST API under measurement: requests on persistent connections, and readers of the event stream that
// count missed events.
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { stamp } from '../src/bus/mod.ts'
import { encodeEvent, frameFiredEvent } from '../src/wire/mod.ts'

export interface ApiRequest {
  path: string
  /** Sent as JSON; without it the request is a GET. */
  body?: unknown
  token?: string
}

export interface Load {
  requests: number
  seconds: number
  bytes: number
}

export class ApiCaller {
  private readonly port: number
  private readonly agent: Agent

  constructor(port: number, connections: number) {
    this.port = port
    this.agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Send a request. Return the text of the answer; throw for a status other than 200. */
  send(wanted: ApiRequest): Promise<string> {
    return new Promise((done, fail) => {
      const sent = this.open(wanted, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part)).on('error', fail)
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString()
          if (answer.statusCode === 200) done(text)
          else fail(new Error(`${wanted.path} was answered with ${answer.statusCode}: ${text.slice(0, 300)}`))
        })
      })
      sent.on('error', fail)
    })
  }

  private open(
    { path, body, token }: ApiRequest,
    answer: (message: IncomingMessage) => void,
    agent: Agent | false = this.agent,
  ): ClientRequest {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const sent = request({ host: '127.0.0.1', port: this.port, path, agent, method: text ? 'POST' : 'GET' }, answer)
    sent.setHeader('Accept', 'application/json')
    if (token !== undefined) sent.setHeader('X-Auth-Token', token)
    if (text) sent.setHeader('Content-Type', 'application/json').setHeader('Content-Length', Buffer.byteLength(text))
    sent.end(text)
    return sent
  }

  /** Log in, and return the id of the session. */
  async logIn(): Promise<string> {
    const answer = JSON.parse(await this.send({ path: '/login', body: LOGIN }))
    return answer.return[0].token
  }

  /** Repeat a request for some seconds, `lanes` at a time. */
  async load(wanted: ApiRequest, lanes: number, seconds: number): Promise<Load> {
    const began = performance.now()
    const load = { requests: 0, bytes: 0 }
    const lane = async (): Promise<void> => {
      while (performance.now() - began < seconds * 1000) {
        load.bytes += (await this.send(wanted)).length
        load.requests++
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return { ...load, seconds: (performance.now() - began) / 1000 }
  }

  /** Open a stream of events; resolve when its first bytes came. */
  stream(token: string): Promise<StreamReader> {
    return new Promise((done, fail) => {
      const sent = this.open(
        { path: '/events', token },
        (answer) => {
          if (answer.statusCode !== 200) return fail(new Error(`/events was answered with ${answer.statusCode}`))
          const reader = new StreamReader(sent, answer)
          answer.once('data', () => done(reader))
        },
        false,
      )
      sent.once('error', fail)
    })
  }

  close(): void {
    this.agent.destroy()
  }
}

/** Credentials of a user that the authentication system `auto` lets in. */
export const LOGIN = { username: 'bench', password: 'x', eauth: 'auto' }

const OF_THE_BENCH = /^tag: bench\/stream\/(\d+)$/gm

/** One reader of the event stream. It counts the events of an `EventSource` and the gaps between their numbers. */
export class StreamReader {
  seen = 0
  /** Events that came twice or after a later one. */
  disordered = 0
  isOpen = true
  private last = -1
  private rest = ''
  private readonly sent: ClientRequest

  constructor(sent: ClientRequest, answer: IncomingMessage) {
    this.sent = sent
    const end = (): void => void (this.isOpen = false)
    sent.on('error', end)
    answer.on('error', end).on('close', end)
    answer.setEncoding('latin1').on('data', (text: string) => this.take(text))
  }

  private take(text: string): void {
    const whole = this.rest + text
    const end = whole.lastIndexOf('\n') + 1
    this.rest = whole.slice(end)
    for (const [, number] of whole.slice(0, end).matchAll(OF_THE_BENCH)) {
      if (Number(number) <= this.last) this.disordered++
      else this.seen++
      this.last = Math.max(this.last, Number(number))
    }
  }

  close(): void {
    this.sent.destroy()
  }
}

const TICK_MS = 20

/** Fires numbered events at the bus of a master on this machine. */
export class EventSource {
  sent = 0
  private readonly socket: Socket

  constructor(pullSocket: string) {
    this.socket = connect(pullSocket)
  }

  /** Fire events at a steady rate. */
  async fire(perSecond: number, seconds: number): Promise<void> {
    const [began, before] = [performance.now(), this.sent]
    for (;;) {
      const passed = Math.min(seconds, (performance.now() - began) / 1000)
      while (this.sent - before < passed * perSecond) this.fireOne()
      if (passed === seconds) return
      await sleep(TICK_MS)
    }
  }

  private fireOne(): void {
    const data = new Map([
      ['text', 'x'.repeat(100)],
      ['_stamp', stamp()],
    ])
    this.socket.write(frameFiredEvent(encodeEvent(`bench/stream/${this.sent++}`, data)))
  }

  close(): void {
    this.socket.destroy()
  }
}
