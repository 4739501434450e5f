// The interface of these filters to the machine, and its implementation with Node. Tests and agentless runs supply
// their own. Parts beyond files are loaded at first use, because few runs need them.
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { isAnyError, recover } from '../../base/mod.ts'
import { type SendHttp, sendHttp } from '../../http/mod.ts'

export interface FileKind {
  size: number
  isFile: boolean
  isDirectory: boolean
  /** Identifies a directory, whatever path leads to it. */
  identity: string
}

export interface ResolvedAddress {
  address: string
  family: number
}

/** Failures of the file functions are Node's system errors, with `code` and `errno`. */
export interface FilterHost {
  now(): Date
  randomBytes(count: number): Uint8Array
  environment(name: string): string | undefined
  stat(path: string): FileKind | undefined
  isExecutable(path: string): boolean
  /** Return the first bytes of a file; all of them for a negative count. */
  readStart(path: string, count: number): Uint8Array
  /** Feeds a whole file to `take`, piece by piece. */
  readThrough(path: string, take: (piece: Uint8Array) => void): void
  writeFile(path: string, text: string): void
  /** The names in a directory, in the order of the system. */
  list(path: string): string[]
  userId(): number | undefined
  userIdOf(name: string): number | undefined
  resolve(name: string, family: 0 | 4 | 6): Promise<ResolvedAddress[]>
  /** Whether something answers at that address. */
  canConnect(address: string, port: number, timeout: number): Promise<boolean>
  sendHttp: SendHttp
}

function stat(path: string): FileKind | undefined {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  return {
    size: found.size,
    isFile: found.isFile(),
    isDirectory: found.isDirectory(),
    identity: `${found.dev}:${found.ino}`,
  }
}

function isExecutable(path: string): boolean {
  return recover(isAnyError, false, () => {
    fs.accessSync(path, fs.constants.X_OK)
    return fs.statSync(path).isFile()
  })
}

const PIECE = 65536

function readThrough(path: string, take: (piece: Uint8Array) => boolean | undefined): void {
  const file = fs.openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(PIECE)
    for (let count = 1; count > 0; ) {
      count = fs.readSync(file, buffer, 0, PIECE, null)
      if (count > 0 && take(buffer.subarray(0, count)) === false) return
    }
  } finally {
    fs.closeSync(file)
  }
}

function readStart(path: string, wanted: number): Uint8Array {
  const pieces: Uint8Array[] = []
  let read = 0
  readThrough(path, (piece) => {
    pieces.push(Buffer.from(piece))
    read += piece.length
    return wanted < 0 || read < wanted
  })
  const all = Buffer.concat(pieces)
  return wanted < 0 ? all : all.subarray(0, wanted)
}

/** Return a uid from the local file, else from the system's directory service. */
function userIdOf(name: string): number | undefined {
  if (name === '' || name.includes(':') || name.includes('\n')) return undefined
  const local = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
  const entry = local ?? askDirectory(name)
  return entry === undefined ? undefined : Number(entry.split(':')[2])
}

function askDirectory(name: string): string | undefined {
  if (name.startsWith('-')) return undefined
  // the user does not exist, or the system has no getent
  return recover(isAnyError, undefined, () => {
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    return execFileSync('getent', ['passwd', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  })
}

async function canConnect(address: string, port: number, timeout: number): Promise<boolean> {
  const { connect } = await import('node:net')
  return new Promise((done) => {
    const socket = connect({ host: address, port, timeout })
    const end = (answer: boolean) => () => {
      socket.destroy()
      done(answer)
    }
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
  })
}

export const localHost: FilterHost = {
  now: () => new Date(),
  randomBytes: (count) => randomBytes(count),
  environment: (name) => process.env[name],
  stat,
  isExecutable,
  readStart,
  readThrough: (path, take) =>
    readThrough(path, (piece) => {
      take(piece)
      return true
    }),
  writeFile: (path, text) => fs.writeFileSync(path, text),
  list: (path) => fs.readdirSync(path),
  userId: () => process.geteuid?.(),
  userIdOf,
  resolve: async (name, family) => (await import('node:dns/promises')).lookup(name, { family, all: true }),
  canConnect,
  sendHttp,
}
