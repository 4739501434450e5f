// The introduction of two ZMTP peers: a greeting of 64 bytes, then READY with the socket type. The mechanism is NULL:
// Salt has its own encryption.
import { lookup } from '../../../base/mod.ts'
import { WireError } from '../../errors.ts'
import { encodeCommand } from './frames.ts'

export type SocketType = 'REQ' | 'REP' | 'DEALER' | 'ROUTER' | 'PUB' | 'XPUB' | 'SUB' | 'XSUB' | 'PUSH' | 'PULL'

export const GREETING_SIZE = 64
const SIGNATURE_END = 9
const MAJOR = 10
const MINOR = 11
const MECHANISM = 12
const MECHANISM_SIZE = 20

/** Which socket types may connect. */
const COMPANIONS: Record<string, readonly string[]> = lookup({
  REQ: ['REP', 'ROUTER'],
  ROUTER: ['REQ', 'DEALER', 'ROUTER'],
  PUB: ['SUB', 'XSUB'],
  SUB: ['PUB', 'XPUB'],
  PUSH: ['PULL'],
  PULL: ['PUSH'],
})

export const GREETING: Buffer = makeGreeting()

function makeGreeting(): Buffer {
  const greeting = Buffer.alloc(GREETING_SIZE)
  greeting[0] = 0xff
  greeting[SIGNATURE_END - 1] = 1
  greeting[SIGNATURE_END] = 0x7f
  greeting[MAJOR] = 3
  greeting[MINOR] = 1
  greeting.write('NULL', MECHANISM, 'latin1')
  return greeting
}

/**
 * Throw as early as possible for anything but unencrypted ZMTP 3; return the minor version when the greeting is
 * complete.
 */
export function readGreeting(bytes: Buffer): number | undefined {
  if (bytes[0] !== 0xff || (bytes.length > SIGNATURE_END && (bytes[SIGNATURE_END]! & 1) === 0)) {
    throw new WireError('ProtocolError', 'The peer does not speak ZMTP')
  }
  if (bytes.length > MAJOR && bytes[MAJOR]! < 3) {
    throw new WireError('ProtocolError', `The peer speaks ZMTP ${bytes[MAJOR]}, 3 is needed`)
  }
  if (bytes.length < GREETING_SIZE) return undefined
  const mechanism = bytes.toString('latin1', MECHANISM, MECHANISM + MECHANISM_SIZE).replace(/\0+$/, '')
  if (mechanism !== 'NULL') throw new WireError('ProtocolError', `The peer wants the mechanism ${mechanism}, not NULL`)
  return bytes[MINOR]!
}

export function readyCommand(type: SocketType): Buffer {
  const properties = [property('Socket-Type', type)]
  if (type === 'REQ' || type === 'ROUTER') properties.push(property('Identity', ''))
  return encodeCommand('READY', Buffer.concat(properties))
}

function property(name: string, value: string): Buffer {
  const bytes = Buffer.alloc(1 + name.length + 4 + value.length)
  bytes[0] = name.length
  bytes.write(name, 1, 'latin1')
  bytes.writeUInt32BE(value.length, 1 + name.length)
  bytes.write(value, 5 + name.length, 'latin1')
  return bytes
}

/** Check that the peer's READY names a compatible socket type. */
export function checkReady(own: SocketType, data: Buffer): void {
  const type = readProperties(data).get('socket-type') ?? ''
  if (COMPANIONS[own]?.includes(type) !== true) {
    throw new WireError('ProtocolError', `A socket of type ${own} cannot talk to one of type '${type}'`)
  }
}

function readProperties(data: Buffer): Map<string, string> {
  const found = new Map<string, string>()
  let at = 0
  while (at < data.length) {
    const nameEnd = at + 1 + data[at]!
    if (nameEnd + 4 > data.length) throw new WireError('ProtocolError', 'The peer sent a broken READY')
    const valueEnd = nameEnd + 4 + data.readUInt32BE(nameEnd)
    if (valueEnd > data.length) throw new WireError('ProtocolError', 'The peer sent a broken READY')
    found.set(data.toString('latin1', at + 1, nameEnd).toLowerCase(), data.toString('latin1', nameEnd + 4, valueEnd))
    at = valueEnd
  }
  return found
}
