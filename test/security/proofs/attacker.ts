// A Salt wire client written by hand. A *stranger* has only a connection; a *minion* signed in with its own key; both
// can send any bytes. The client imports nothing of the product, so no check of the product filters an attack.
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { CARRIERS, type Carrier } from './carriers.ts'
import { bytesOf, field, firstValue, pack, unpack } from './msgpack.ts'
import { openSealed, RsaKey, seal } from './seal.ts'

const HOST = '127.0.0.1'
/** The address of attackers: a master may know hosts with proven minions and programs. */
const STRANGERS_FROM = '127.0.0.66'
const ROGUES_FROM = '127.0.0.77'
const SECONDS = 30

export interface Ports {
  requests: number
  publications: number
}

/** One connection to the request port: one request at a time. */
class Line {
  isBusy = false
  private readonly socket: Socket
  private readonly carrier: Carrier
  private settle: ((result: unknown, error?: Error) => void) | undefined

  constructor(port: number, carrier: Carrier, from: string) {
    this.carrier = carrier
    this.socket = connect({ port, host: HOST, localAddress: from })
    const cut = carrier.cutter()
    this.socket.on('data', (bytes: Buffer) => {
      for (const { body } of cut(bytes)) if (body) this.settle?.(carrier.reply(body))
    })
    this.socket.on('error', (error) => this.settle?.(undefined, error))
    this.socket.on('close', () => this.settle?.(undefined, new Error('the master closed the connection')))
    this.socket.write(carrier.greeting('REQ'))
  }

  get isOpen(): boolean {
    return !this.socket.destroyed
  }

  ask(envelope: Buffer, seconds: number): Promise<unknown> {
    this.isBusy = true
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        this.close()
        this.settle?.(undefined, new Error(`no answer in ${seconds} s`))
      }, seconds * 1000)
      this.settle = (result, error) => {
        clearTimeout(timer)
        this.settle = undefined
        this.isBusy = false
        if (error) fail(error)
        else done(result)
      }
      this.socket.write(this.carrier.request(envelope))
    })
  }

  close(): void {
    this.socket.destroy()
  }
}

export class Stranger {
  readonly ports: Ports
  readonly carrier: Carrier
  private readonly from: string
  private lines: Line[] = []

  constructor(ports: Ports, transport = 'zeromq', from = STRANGERS_FROM) {
    this.ports = ports
    this.from = from
    this.carrier = CARRIERS[transport]!
  }

  /** Sends an envelope as it is, on a connection that is free. */
  bytes(envelope: Buffer, seconds = SECONDS): Promise<unknown> {
    this.lines = this.lines.filter((line) => line.isOpen)
    let line = this.lines.find(({ isBusy }) => !isBusy)
    if (!line) this.lines.push((line = new Line(this.ports.requests, this.carrier, this.from)))
    return line.ask(envelope, seconds)
  }

  /** A command without encryption. */
  clear(load: unknown, seconds?: number, version: unknown = 3): Promise<unknown> {
    return this.bytes(pack({ enc: 'clear', load, version }), seconds)
  }

  ping(seconds?: number): Promise<unknown> {
    return this.clear({ cmd: 'ping' }, seconds)
  }

  close(): void {
    for (const line of this.lines) line.close()
  }
}

const ALGORITHMS = { enc_algo: 'OAEP-SHA1', sig_algo: 'PKCS1v15-SHA1' }

const nonce = (): string => randomBytes(16).toString('hex')

/** The request with which a minion signs in. */
export const signInLoad = (id: unknown, pub: unknown, more: object = {}): object => ({
  cmd: '_auth',
  id,
  nonce: nonce(),
  ...ALGORITHMS,
  pub,
  ...more,
})

export class RogueMinion {
  readonly id: string
  readonly key: RsaKey
  readonly stranger: Stranger
  /** The publish key, which all minions share, and this minion's own session key. */
  publishKey = ''
  sessionKey = ''
  private subscription: Socket | undefined

  private constructor(id: string, stranger: Stranger, key: RsaKey) {
    this.id = id
    this.stranger = stranger
    this.key = key
  }

  /** Signs in at a master that accepts every key. */
  static async signIn(id: string, ports: Ports, transport = 'zeromq', key = new RsaKey()): Promise<RogueMinion> {
    const minion = new RogueMinion(id, new Stranger(ports, transport, ROGUES_FROM), key)
    for (let tries = 0; tries < 3 && minion.sessionKey === ''; tries++) await minion.authenticate()
    if (minion.sessionKey === '') throw new Error(`the master did not let ${id} in`)
    return minion
  }

  async authenticate(): Promise<void> {
    const reply = await this.stranger.clear(signInLoad(this.id, this.key.publicPem))
    const load = unpack(bytesOf(field(reply, 'load')))
    const aes = field(load, 'aes')
    if (aes === undefined) return
    this.publishKey = this.key.decrypt(bytesOf(aes)).toString()
    this.sessionKey = this.key.decrypt(bytesOf(field(load, 'session'))).toString()
  }

  /** A request as this minion, encrypted with its session key; the fields given win over the true ones. */
  envelope(load: object, outside: object = {}): Buffer {
    const proven = { nonce: nonce(), ts: Math.floor(Date.now() / 1000), tok: this.key.token, id: this.id, ...load }
    return this.sealed(seal(this.sessionKey, proven), outside)
  }

  sealed(load: Buffer, outside: object = {}): Buffer {
    return pack({ enc: 'aes', load, version: 3, id: this.id, ...ALGORITHMS, ...outside })
  }

  /** Return the answer to a request; an answer that cannot be decrypted is returned unchanged. */
  async ask(load: object, seconds?: number): Promise<unknown> {
    const reply = await this.stranger.bytes(this.envelope(load), seconds)
    try {
      return openSealed(this.sessionKey, bytesOf(reply), true)
    } catch {
      return reply
    }
  }

  /** The pillar that a request brings, which is encrypted for this minion's key. */
  async pillar(load: object): Promise<unknown> {
    const whole = { saltenv: 'base', pillarenv: null, pillar_override: {}, grains: {}, ver: '2', ...load }
    const reply = await this.stranger.bytes(this.envelope({ cmd: '_pillar', ...whole }))
    const key = field(reply, 'key')
    if (key === undefined) return reply
    const signed = openSealed(this.key.decrypt(bytesOf(key)).toString(), bytesOf(field(reply, 'pillar')), false)
    return field(unpack(bytesOf(field(signed, 'data'))), 'pillar')
  }

  /** Return the content of a publication, unless it was made with a newer key. */
  private opened(packet: Buffer): unknown {
    try {
      return openSealed(this.publishKey, bytesOf(field(unpack(packet), 'load')), false)
    } catch {
      return undefined
    }
  }

  /** Listen to publications; pass on their content. */
  async listen(onLoad: (load: unknown) => void): Promise<void> {
    const { ports, carrier } = this.stranger
    const socket = connect(ports.publications, HOST)
    this.subscription?.destroy()
    this.subscription = socket
    socket.on('error', () => {})
    const cut = carrier.cutter()
    socket.on('data', (bytes: Buffer) => {
      for (const { body } of cut(bytes)) {
        if (!body) continue
        const load = this.opened(carrier.packet(body))
        if (load !== undefined) onLoad(load)
      }
    })
    await new Promise((done, fail) => socket.once('connect', done).once('error', fail))
    socket.write(carrier.greeting('SUB'))
  }

  close(): void {
    this.subscription?.destroy()
    this.stranger.close()
  }
}

export interface BusEvent {
  tag: string
  data: unknown
}

/** A frame as local programs fire events, with its length in front. */
export function firedEvent(tag: string, data: unknown): Buffer {
  const frame = pack({ head: {}, body: Buffer.concat([Buffer.from(`${tag}\n\n`), pack(data, 'bus')]) }, 'bus')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(frame.length)
  return Buffer.concat([length, frame])
}

/** A program that listens to a master's events. */
export function listenToBus(path: string, onEvent: (event: BusEvent) => void): Socket {
  const socket = connect(path)
  let kept: Buffer = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (bytes: Buffer) => {
    kept = Buffer.concat([kept, bytes])
    for (let frame = firstValue(kept); frame; frame = kept.length > 0 ? firstValue(kept) : undefined) {
      kept = kept.subarray(frame.size)
      const body = bytesOf(field(frame.value, 'body'))
      const end = body.indexOf('\n\n')
      onEvent({ tag: body.toString('utf8', 0, end), data: unpack(body.subarray(end + 2)) })
    }
  })
  return socket
}
