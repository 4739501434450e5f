// Output of commands. Node's pipes are sockets, which programs cannot open by name: `> /dev/stdout` fails on them.
// Commands of users get named pipes, which are unlinked as soon as they are open, and are used again.
import { spawnSync } from 'node:child_process'
import { constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path/posix'
import type { Readable } from 'node:stream'

const free: string[] = []

const READING = constants.O_RDONLY | constants.O_NONBLOCK

/** Made at once, because starting mkfifo costs as much as the pipe saves. */
const BATCH = ['0', '1', '2', '3']

/** Return the path to open an unused pipe: for an unlinked one through the descriptor that holds it, else its name. */
function pipeName(): string {
  if (free.length === 0) free.push(...newPipes())
  return free.pop()!
}

function newPipes(): string[] {
  const directory = mkdtempSync(join(tmpdir(), '.brine-'))
  const paths = BATCH.map((name) => join(directory, name))
  const { status, stderr } = spawnSync('mkfifo', ['-m', '600', ...paths], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`Could not make a pipe: ${stderr}`)
  if (!existsSync('/proc/self/fd')) {
    process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
    return paths
  }
  // hold only the reading end, so that the last writer still ends the output
  const held = paths.map((path) => openSync(path, READING))
  rmSync(directory, { recursive: true })
  return held.map((descriptor) => `/proc/self/fd/${descriptor}`)
}

/**
 * Return a pipe of the system: the writing end for a command, to be closed after the command has it, and the reading
 * end.
 */
export function systemPipe(): { writer: number; source: Readable } {
  const path = pipeName()
  const reader = openSync(path, READING)
  const writer = openSync(path, 'w')
  const source = new Socket({ fd: reader, readable: true, writable: false })
  source.once('close', () => free.push(path))
  return { writer, source }
}

/** One stream of output, gathered up to a bound, or handed on as it comes. */
export class CommandOutput {
  truncated = false
  private readonly pieces: Buffer[] = []
  private ended: Promise<void> = Promise.resolve()
  private left: number
  private readonly hear: ((piece: Uint8Array) => void) | undefined

  constructor(limit: number, hear?: (piece: Uint8Array) => void) {
    this.left = limit
    this.hear = hear
  }

  /** Collect a command's output; it ends when the last copy of the writing end is closed. */
  gather(source: Readable): void {
    source.on('data', (piece) => this.take(piece))
    this.ended = new Promise((done, fail) => {
      source.once('error', fail)
      source.once('close', done)
    })
  }

  async bytes(): Promise<Uint8Array> {
    await this.ended
    return Buffer.concat(this.pieces)
  }

  private take(piece: Buffer): void {
    if (this.hear) return this.hear(piece)
    if (piece.length > this.left) this.truncated = true
    if (this.left > 0) this.pieces.push(piece.subarray(0, this.left))
    this.left = Math.max(0, this.left - piece.length)
  }
}
