// A file from an FTP server: one connection for commands, one passive connection for the bytes. `ftps` speaks TLS on both
// from the first byte.

import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { lookup } from '../base/mod.ts'
import { trustSystem } from '../http/mod.ts'

const PORTS: Readonly<Record<string, number>> = lookup({ 'ftp:': 21, 'ftps:': 990 })

const CONTROL = /[\0-\x1f\x7f]/

/** Characters of a line of the server. */
const LONGEST_LINE = 64 << 10

/** The bytes of the file; the whole is given up after that many silent seconds. */
export async function* retrieve(url: URL, seconds: number): AsyncGenerator<Uint8Array> {
  if (url.protocol === 'ftps:') await trustSystem()
  const open = (port: number): Promise<Socket> => opened(url, port, seconds)
  const control = await open(Number(url.port) || PORTS[url.protocol]!)
  try {
    const replies = repliesOf(control)
    const send = async (command: string, ...expected: number[]): Promise<string> => {
      // the parts of an address could bring commands of their own
      if (CONTROL.test(command)) throw new Error('the address has control characters')
      if (command !== '') control.write(`${command}\r\n`)
      const { value } = await replies.next()
      const line = value ?? '421 the server closed the connection'
      if (!expected.includes(Number(line.slice(0, 1)))) throw new Error(line)
      return line
    }
    await send('', 2)
    await logIn(send, decodeURIComponent(url.username) || 'anonymous', decodeURIComponent(url.password))
    await send('TYPE I', 2)
    const data = await open(passivePort(await send('EPSV', 2, 5).then((line) => extended(line, send))))
    await send(`RETR ${decodeURIComponent(url.pathname).replace(/^\/+/, '')}`, 1).catch((error) => {
      data.destroy()
      throw error
    })
    yield* data as AsyncIterable<Uint8Array>
    await send('', 2)
    control.end('QUIT\r\n')
  } finally {
    control.destroy()
  }
}

type Send = (command: string, ...expected: number[]) => Promise<string>

async function logIn(send: Send, user: string, password: string): Promise<void> {
  const line = await send(`USER ${user}`, 2, 3)
  if (line.startsWith('3')) await send(`PASS ${password === '' && user === 'anonymous' ? 'anonymous@' : password}`, 2)
}

/** Old servers know only PASV. */
const extended = async (line: string, send: Send): Promise<string> => (line.startsWith('2') ? line : send('PASV', 2))

function passivePort(line: string): number {
  const port = /\|\|\|(\d+)\|/.exec(line)?.[1]
  if (port !== undefined) return Number(port)
  const [, high, low] = /(?:\d+,){4}(\d+),(\d+)/.exec(line) ?? []
  if (low === undefined) throw new Error(line)
  return Number(high) * 256 + Number(low)
}

function opened(url: URL, port: number, seconds: number): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'ftps:'
    const socket: Socket = secure ? connectTls({ host, port, servername: host }) : connect({ host, port })
    socket.setTimeout(seconds * 1000, () => socket.destroy(new Error('timed out')))
    socket.once('error', reject)
    socket.once(secure ? 'secureConnect' : 'connect', () => resolve(socket))
  })
}

/** The last line of each reply: a number and a blank begin it. */
async function* repliesOf(socket: Socket): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const piece of socket.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + piece).split(/\r?\n/)
    rest = lines.pop()!
    if (rest.length > LONGEST_LINE) throw new Error('the server sends a line without an end')
    yield* lines.filter((line) => /^\d{3} /.test(line))
  }
  return undefined
}
