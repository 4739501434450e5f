// Output of commands, through pipes of the system. Node's own are sockets, which programs cannot open again by name:
// `> /dev/stdout` would fail. A pipe is made under a name, which is gone as soon as it is held open, and used again.
import { spawnSync } from 'node:child_process'
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path/posix'

const free: string[] = []

const READING = constants.O_RDONLY | constants.O_NONBLOCK

/** By what an unused pipe can be opened: of a nameless one the descriptor that holds it, else its name. */
function pipeName(): string {
  const known = free.pop()
  if (known !== undefined) return known
  const directory = mkdtempSync(join(tmpdir(), '.brine-'))
  const path = join(directory, 'pipe')
  const { status, stderr } = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`Could not make a pipe: ${stderr}`)
  if (!existsSync('/proc/self/fd')) {
    process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
    return path
  }
  // it only reads, so that the end of the writers is still the end of the output
  const held = openSync(path, READING)
  rmSync(directory, { recursive: true })
  return `/proc/self/fd/${held}`
}

/** One stream of output, gathered up to a bound. */
export class Output {
  /** What the command writes to; closed once the command has it. */
  readonly writer: number
  truncated = false
  private readonly pieces: Buffer[] = []
  private readonly ended: Promise<void>
  private left: number

  constructor(limit: number) {
    this.left = limit
    const path = pipeName()
    const reader = openSync(path, READING)
    this.writer = openSync(path, 'w')
    const socket = new Socket({ fd: reader, readable: true, writable: false })
    socket.on('data', (piece) => this.take(piece))
    this.ended = new Promise((done, fail) => {
      socket.once('error', fail)
      socket.once('close', () => {
        free.push(path)
        done()
      })
    })
  }

  /** The command has its own copy; the end of the output is when the last copy is gone. */
  release(): void {
    closeSync(this.writer)
  }

  async bytes(): Promise<Uint8Array> {
    await this.ended
    return Buffer.concat(this.pieces)
  }

  private take(piece: Buffer): void {
    if (piece.length > this.left) this.truncated = true
    if (this.left > 0) this.pieces.push(piece.subarray(0, this.left))
    this.left = Math.max(0, this.left - piece.length)
  }
}
