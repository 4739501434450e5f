// Requests of bytes that Brine's encoder never writes.
import { connect } from 'node:net'
import { encodeMsgpack } from '../../src/data/mod.ts'

const GREETING = Buffer.concat([Buffer.from('ff00000000000000017f0300', 'hex'), Buffer.from('NULL'), Buffer.alloc(48)])
const READY = Buffer.from('\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03REQ', 'latin1')

/** So many lists within each other. */
export const nestedLists = (levels: number): Buffer => Buffer.concat([Buffer.alloc(levels, 0x91), Buffer.from([1])])

/** A list of so many empty mappings. */
export function emptyMappings(count: number): Buffer {
  const head = Buffer.from([0xdd, 0, 0, 0, 0])
  head.writeUInt32BE(count, 1)
  return Buffer.concat([head, Buffer.alloc(count, 0x80)])
}

const packed = (value: unknown): Buffer => Buffer.from(encodeMsgpack(value, 'wire'))

/** The message of a clear command, one of whose fields is given in bytes. */
export function clearMessage(fields: Record<string, unknown>, name: string, bytes: Buffer): Buffer {
  const all = Object.entries(fields).flatMap(([key, value]) => [packed(key), packed(value)])
  const load = Buffer.concat([Buffer.from([0x80 | (all.length / 2 + 1)]), ...all, packed(name), bytes])
  const envelope = ['enc', 'clear', 'version', 3, 'load'].map(packed)
  return Buffer.concat([Buffer.from([0x83]), ...envelope, load])
}

/** Sends a message over ZeroMQ; gives the bytes of the answer, or nothing when the connection was closed. */
export function sendRaw(port: number, message: Buffer): Promise<Buffer> {
  const frame = Buffer.alloc(9)
  frame[0] = 2
  frame.writeUInt32BE(message.length, 5)
  const socket = connect(port, '127.0.0.1')
  socket.write(Buffer.concat([GREETING, READY, Buffer.from('0100', 'hex'), frame, message]))
  let heard = Buffer.alloc(0)
  return new Promise((done) => {
    const finish = (): void => {
      socket.destroy()
      done(heard)
    }
    socket.on('error', finish).once('close', finish)
    socket.on('data', (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk])
      // its greeting and its READY come first
      if (heard.length > GREETING.length + READY.length + 16) finish()
    })
  })
}
