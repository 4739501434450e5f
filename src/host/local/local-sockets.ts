// Connections from this machine: to its own sockets, or over the network, with or without TLS. Reads return pieces; the
// protocol code joins them.
import { connect, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { fromNodeError, systemError } from '../errors.ts'
import type { Connection, HostSocketOptions, SocketAddress, TlsTrust } from '../host.ts'

const placeOf = (address: SocketAddress): string =>
  'path' in address ? address.path : `${address.host}:${address.port}`

function opened(socket: Socket, place: string, event: 'connect' | 'secureConnect'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      socket.destroy()
      reject(fromNodeError(error, place))
    }
    socket.once('error', fail)
    socket.once('timeout', () => fail(systemError('ETIMEDOUT', place)))
    socket.once(event, () => {
      socket.removeAllListeners('error').removeAllListeners('timeout')
      resolve(socket)
    })
  })
}

const checked = (trust: TlsTrust) => ({ rejectUnauthorized: trust === 'verified' })

export async function openSocket(
  address: SocketAddress,
  { timeout = 10 }: HostSocketOptions = {},
): Promise<Connection> {
  const place = placeOf(address)
  const trust = 'tls' in address ? address.tls : undefined
  const socket = trust === undefined ? connect(address) : connectTls({ ...address, ...checked(trust) })
  socket.setTimeout(timeout * 1000)
  return new StreamConnection(
    await opened(socket, place, trust === undefined ? 'connect' : 'secureConnect'),
    place,
    timeout,
  )
}

/** A stream with an idle timeout. */
export type TimedStream = Duplex & { setTimeout(milliseconds: number, tell?: () => void): unknown }

/** A connection over a stream that is open. */
export class StreamConnection implements Connection {
  private socket: TimedStream
  private readonly place: string
  private readonly timeout: number
  private pieces!: AsyncIterator<Uint8Array>

  constructor(socket: TimedStream, place: string, timeout: number) {
    this.socket = socket
    this.place = place
    this.timeout = timeout
    this.listen()
  }

  private listen(): void {
    const { socket, place } = this
    socket.setTimeout(this.timeout * 1000, () => socket.destroy(systemError('ETIMEDOUT', place)))
    // the next read or write reports the error
    socket.on('error', () => {})
    this.pieces = socket[Symbol.asyncIterator]()
  }

  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.write(data, (error) => (error ? reject(fromNodeError(error, this.place)) : resolve()))
    })
  }

  async read(): Promise<Uint8Array | undefined> {
    try {
      const { value, done } = await this.pieces.next()
      return done ? undefined : value
    } catch (error) {
      throw fromNodeError(error, this.place)
    }
  }

  async secure(serverName: string, trust: TlsTrust): Promise<void> {
    const plain = this.socket
    plain.removeAllListeners()
    const socket = connectTls({ socket: plain, servername: isIP(serverName) ? '' : serverName, ...checked(trust) })
    socket.setTimeout(this.timeout * 1000)
    this.socket = await opened(socket, this.place, 'secureConnect')
    this.listen()
  }

  close(): void {
    this.socket.destroy()
  }
}
