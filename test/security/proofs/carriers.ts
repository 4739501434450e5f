// Encodes bytes for the three transports by hand: greetings, frames, and message boundaries.
import { createHash, randomBytes } from 'node:crypto'
import { bytesOf, field, firstValue, pack, Raw, unpack } from './msgpack.ts'

/** A piece of a stream that belongs together, and the message in it unless it is a greeting or a command. */
export interface Unit {
  raw: Buffer
  body?: Buffer
}

/** Cuts one direction of a connection into units. */
export type Cutter = (bytes: Buffer) => Unit[]

export interface Carrier {
  /** The first bytes of a client, on the request port or on the publish port. */
  greeting(role: 'REQ' | 'SUB'): Buffer
  /** A request as a client sends it; `size` lies about its length where the frame tells one. */
  request(envelope: Buffer, size?: number): Buffer
  /** The value of a reply. */
  reply(body: Buffer): unknown
  /** A publication as a master sends it. */
  publication(packet: Buffer): Buffer
  /** The packet of a publication. */
  packet(body: Buffer): Buffer
  cutter(): Cutter
}

const long = (size: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(size))
  return bytes
}

/** Cuts by a function that finds the end of the first unit. */
function cutBy(first: (bytes: Buffer, index: number) => Unit | undefined): Cutter {
  let kept: Buffer = Buffer.alloc(0)
  let count = 0
  return (bytes) => {
    kept = Buffer.concat([kept, bytes])
    const units: Unit[] = []
    for (let unit = first(kept, count); unit; unit = first(kept, count)) {
      units.push(unit)
      count++
      kept = kept.subarray(unit.raw.length)
    }
    return units
  }
}

const GREETING = 64

function zmtpUnit(bytes: Buffer, index: number): Unit | undefined {
  if (index === 0) return bytes.length < GREETING ? undefined : { raw: bytes.subarray(0, GREETING) }
  if (bytes.length < 2) return undefined
  const isLong = (bytes[0]! & 2) !== 0
  if (isLong && bytes.length < 9) return undefined
  const from = isLong ? 9 : 2
  const end = from + (isLong ? Number(bytes.readBigUInt64BE(1)) : bytes[1]!)
  if (bytes.length < end) return undefined
  const isMessage = (bytes[0]! & 5) === 0
  return { raw: bytes.subarray(0, end), ...(isMessage && { body: bytes.subarray(from, end) }) }
}

const zmtpFrame = (flags: number, body: Buffer, size = body.length): Buffer =>
  size < 256 ? Buffer.concat([Buffer.of(flags, size), body]) : Buffer.concat([Buffer.of(flags | 2), long(size), body])

const zeromq: Carrier = {
  greeting(role) {
    const greeting = Buffer.alloc(GREETING)
    Buffer.from('ff00000000000000017f0300', 'hex').copy(greeting)
    greeting.write('NULL', 12)
    const ready = Buffer.from(`\x05READY\x0bSocket-Type\0\0\0\x03${role}`, 'latin1')
    const everything = role === 'SUB' ? zmtpFrame(0, Buffer.of(1)) : Buffer.alloc(0)
    return Buffer.concat([greeting, zmtpFrame(4, ready), everything])
  },
  request: (envelope, size) => Buffer.concat([Buffer.of(1, 0), zmtpFrame(0, envelope, size)]),
  reply: unpack,
  publication: (packet) => zmtpFrame(0, packet),
  packet: (body) => body,
  cutter: () => cutBy(zmtpUnit),
}

function framedUnit(bytes: Buffer): Unit | undefined {
  const found = bytes.length === 0 ? undefined : firstValue(bytes)
  if (!found) return undefined
  const raw = bytes.subarray(0, found.size)
  return { raw, body: raw }
}

const tcp: Carrier = {
  greeting: () => Buffer.alloc(0),
  request(envelope, size) {
    const body = size === undefined ? envelope : Buffer.concat([Buffer.of(0xc6), long(size).subarray(4), envelope])
    return pack({ head: { mid: randomBytes(8).toString('hex') }, body: new Raw(body) }, 'bus')
  },
  reply: (body) => field(unpack(body), 'body'),
  publication: (packet) => pack({ head: {}, body: packet }, 'bus'),
  packet: (body) => bytesOf(field(unpack(body), 'body')),
  cutter: () => cutBy(framedUnit),
}

const HEAD_END = Buffer.from('\r\n\r\n')

function webSocketUnit(bytes: Buffer, index: number): Unit | undefined {
  if (index === 0) {
    const end = bytes.indexOf(HEAD_END)
    return end < 0 ? undefined : { raw: bytes.subarray(0, end + HEAD_END.length) }
  }
  if (bytes.length < 2) return undefined
  const short = bytes[1]! & 127
  const extra = short === 127 ? 8 : short === 126 ? 2 : 0
  const mask = (bytes[1]! & 128) === 0 ? 0 : 4
  const from = 2 + extra + mask
  if (bytes.length < from) return undefined
  const size = extra === 8 ? Number(bytes.readBigUInt64BE(2)) : extra === 2 ? bytes.readUInt16BE(2) : short
  if (bytes.length < from + size) return undefined
  const body = Buffer.from(bytes.subarray(from, from + size))
  if (mask > 0) for (let i = 0; i < size; i++) body[i]! ^= bytes[from - 4 + (i & 3)]!
  return { raw: bytes.subarray(0, from + size), ...((bytes[0]! & 15) === 2 && { body }) }
}

function webSocketFrame(body: Buffer, size: number, isMasked: boolean): Buffer {
  const mask = isMasked ? 0x80 : 0
  const head = size < 126 ? Buffer.of(0x82, mask | size) : Buffer.concat([Buffer.of(0x82, mask | 127), long(size)])
  // a mask of zeros changes nothing
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), body])
}

const ws: Carrier = {
  greeting: () =>
    Buffer.from(
      'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
        `Sec-WebSocket-Key: ${createHash('md5').update(randomBytes(16)).digest('base64')}\r\n\r\n`,
    ),
  request: (envelope, size = envelope.length) => webSocketFrame(envelope, size, true),
  reply: unpack,
  publication(packet) {
    const body = pack(packet, 'bus')
    return webSocketFrame(body, body.length, false)
  },
  packet: (body) => bytesOf(unpack(body)),
  cutter: () => cutBy(webSocketUnit),
}

export const CARRIERS: Readonly<Record<string, Carrier>> = { zeromq, tcp, ws }
