// Connections from a target: to its own sockets, or to ports that it reaches. Encryption is between this process and the other side.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path/posix'
import { Duplex } from 'node:stream'
import { systemError } from '../errors.ts'
import type { Connection, HostSocketOptions, SocketAddress } from '../host.ts'
import { openSocket, StreamConnection, type TimedStream } from '../local/local-sockets.ts'
import type { SshConnection } from './connection.ts'

export async function openRemoteSocket(
  connection: SshConnection,
  address: SocketAddress,
  { timeout = 10 }: HostSocketOptions = {},
): Promise<Connection> {
  if ('path' in address) return openPath(connection, address.path, timeout)
  const { host, port, tls } = address
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
  // it begins an argument of ssh
  if (!/^[\w.:[\]%-]+$/.test(place) || place.startsWith('-')) throw systemError('EINVAL', place)
  const opened = new StreamConnection(await passThrough(connection, place, timeout), place, timeout)
  if (tls !== undefined) await opened.secure(host, tls)
  return opened
}

/** Connect to a socket of the target's file system, through a local socket that is removed at once. */
async function openPath(connection: SshConnection, path: string, timeout: number): Promise<Connection> {
  if (!path.startsWith('/') || /[:\n]/.test(path)) throw systemError('EINVAL', path)
  const folder = mkdtempSync(join(tmpdir(), '.brine-'))
  const forward = ['-L', `${join(folder, 's')}:${path}`]
  try {
    await connection.order('forward', ...forward)
    const opened = await openSocket({ path: join(folder, 's') }, { timeout })
    await connection.order('cancel', ...forward)
    return opened
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Limit of the kept output of ssh, in characters. */
const MOST_SAID = 64 << 10

/** The output of ssh after the target has connected; otherwise it ends. */
const CONNECTED = /mux_client_request_stdio_fwd: master session id|channel \d+: open confirm/

function passThrough(connection: SshConnection, place: string, timeout: number): Promise<TimedStream> {
  const child = connection.spawn(['-o', 'LogLevel=DEBUG2', '-W', place])
  return new Promise((done, fail) => {
    let said: string | undefined = ''
    const timer = setTimeout(() => {
      child.kill('SIGTERM')
      fail(systemError('ETIMEDOUT', place))
    }, timeout * 1000)
    child.once('error', fail)
    child.once('close', () => {
      clearTimeout(timer)
      fail(systemError('ECONNREFUSED', place))
    })
    child.stderr.on('data', (piece) => {
      if (said === undefined) return
      // a connection says little before it is open
      said = (said + piece).slice(-MOST_SAID)
      if (!CONNECTED.test(said)) return
      said = undefined
      clearTimeout(timer)
      done(new ChildStream(child))
    })
  })
}

/** The stdio of a process as one stream. */
class ChildStream extends Duplex implements TimedStream {
  private readonly child: ChildProcessWithoutNullStreams
  private timer: NodeJS.Timeout | undefined
  private idle: { milliseconds: number; tell?: () => void } = { milliseconds: 0 }

  constructor(child: ChildProcessWithoutNullStreams) {
    super()
    this.child = child
    child.stdout.on('data', (piece) => {
      this.stir()
      if (!this.push(piece)) child.stdout.pause()
    })
    child.stdout.once('end', () => this.push(null))
  }

  setTimeout(milliseconds: number, tell?: () => void): this {
    this.idle = { milliseconds, ...(tell && { tell }) }
    this.stir()
    return this
  }

  private stir(): void {
    clearTimeout(this.timer)
    const { milliseconds, tell } = this.idle
    if (milliseconds === 0 || this.destroyed) return
    this.timer = setTimeout(() => {
      tell?.()
      this.emit('timeout')
    }, milliseconds)
    this.timer.unref()
  }

  override _read(): void {
    this.child.stdout.resume()
  }

  override _write(piece: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.stir()
    this.child.stdin.write(piece, done)
  }

  override _final(done: () => void): void {
    this.child.stdin.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.timer)
    this.child.kill('SIGTERM')
    done(error)
  }
}
