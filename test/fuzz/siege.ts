// What strangers can do with nothing but connections: many that say nothing, messages that never end, messages of which
// each byte becomes a mapping, questions whose answers nobody reads. The master must stay small, and others be served.
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeMsgpack } from '../../src/data/mod.ts'
import type { Chance } from '../faults/chance.ts'

const GREETING = Buffer.concat([Buffer.from('ff00000000000000017f0300', 'hex'), Buffer.from('NULL'), Buffer.alloc(48)])
const ready = (type: string): Buffer =>
  Buffer.from(`\x04${String.fromCharCode(22 + type.length)}\x05READY\x0bSocket-Type\x00\x00\x00\x03${type}`, 'latin1')
const UPGRADE = Buffer.from(
  'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
)

/** How a stranger begins on a transport, and how it wraps a message. */
interface Manner {
  begin: Buffer
  wrap(body: Buffer, length: number): Buffer
  ping: Buffer
}

const long = (size: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(size))
  return bytes
}

const MANNERS: Readonly<Record<string, Manner>> = {
  zeromq: {
    begin: Buffer.concat([GREETING, ready('REQ')]),
    wrap: (body, length) => Buffer.concat([Buffer.from([1, 0, 2]), long(length), body]),
    ping: Buffer.concat([Buffer.from([4, 7, 4]), Buffer.from('PING'), Buffer.alloc(2)]),
  },
  tcp: {
    begin: Buffer.alloc(0),
    wrap: (body, length) => {
      // the length of a byte string that would be the body
      const head = Buffer.concat([
        Buffer.from([0x82, 0xa4]),
        Buffer.from('head'),
        Buffer.from([0x80, 0xa4]),
        Buffer.from('body'),
      ])
      if (length === body.length) return Buffer.concat([head, body])
      return Buffer.concat([head, Buffer.from([0xc6]), long(length).subarray(4), body])
    },
    ping: Buffer.from(
      encodeMsgpack(
        new Map<string, unknown>([
          ['head', new Map([['mid', 1]])],
          ['body', 1],
        ]),
        'bus',
      ),
    ),
  },
  ws: {
    begin: UPGRADE,
    wrap: (body, length) => Buffer.concat([Buffer.from([0x82, 0xff]), long(length), Buffer.alloc(4), body]),
    ping: Buffer.from([0x89, 0x84, 0, 0, 0, 0, 1, 2, 3, 4]),
  },
}

const MIB = 1 << 20

function stranger(where: NetConnectOpts): Socket {
  const socket = connect(where)
  socket.on('error', () => {})
  return socket
}

/** Writes as long as the other side takes it, up to so many bytes. */
async function pour(socket: Socket, piece: Buffer, bytes: number, patience: number): Promise<number> {
  let sent = 0
  for (; sent < bytes && !socket.destroyed; sent += piece.length) {
    if (!socket.write(piece) && !(await isDrained(socket, patience))) break
  }
  return sent
}

/** Whether the other side reads on within a while. */
function isDrained(socket: Socket, patience: number): Promise<boolean> {
  return new Promise((done) => {
    const finish = (isRead: boolean) => (): void => {
      clearTimeout(timer)
      socket.off('drain', drained).off('close', closed)
      done(isRead)
    }
    const [drained, closed] = [finish(true), finish(false)]
    const timer = setTimeout(closed, patience)
    socket.on('drain', drained).on('close', closed)
  })
}

/** Does all of it at once, and leaves when `until` is done. */
export async function siege(
  transport: string,
  places: { requests: NetConnectOpts; publications: NetConnectOpts },
  chance: Chance,
  during: () => Promise<void>,
): Promise<void> {
  const manner = MANNERS[transport]!
  const sockets: Socket[] = []
  const open = (where: NetConnectOpts): Socket => {
    const socket = stranger(where)
    sockets.push(socket)
    return socket
  }
  try {
    // nothing, or half an introduction
    for (let i = 0; i < 1000; i++) {
      const socket = open(i % 2 === 0 ? places.requests : places.publications)
      const part = manner.begin.subarray(0, chance.whole(0, manner.begin.length - 1))
      if (part.length > 0) socket.write(part)
    }
    // messages that never end
    let poured = 0
    const endless = Array.from({ length: 12 }, async () => {
      const socket = open(places.requests)
      socket.write(manner.begin)
      socket.resume()
      await sleep(300)
      socket.write(manner.wrap(Buffer.alloc(0), 200 * MIB))
      const sent = await pour(socket, Buffer.alloc(MIB), 60 * MIB, 8000)
      poured += sent
    })
    // a mapping in each byte
    const count = 4 * MIB
    const size = Buffer.alloc(4)
    size.writeUInt32BE(count)
    const bomb = Buffer.concat([Buffer.from([0xdd]), size, Buffer.alloc(count, 0x80)])
    const bombs = Array.from({ length: 4 }, async () => {
      const socket = open(places.requests)
      socket.write(manner.begin)
      socket.resume()
      await sleep(300)
      socket.write(manner.wrap(bomb, bomb.length))
    })
    // questions whose answers nobody reads
    const pings = Buffer.concat(Array(5000).fill(manner.ping))
    const deaf = Array.from({ length: 6 }, async (_, index) => {
      const socket = open(index % 2 === 0 ? places.requests : places.publications)
      socket.pause()
      socket.write(transport === 'zeromq' && index % 2 === 1 ? Buffer.concat([GREETING, ready('SUB')]) : manner.begin)
      await sleep(300)
      await pour(socket, pings, 30 * MIB, 1500)
    })
    await Promise.all([...endless, ...bombs, ...deaf])
    process.stdout.write(`     ${(poured / MIB).toFixed()} MiB of messages without end\n`)
    await during()
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}
