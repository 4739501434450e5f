import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../../test/until.ts'
import { FairReader } from './fair-reading.ts'

let server: Server
let port: number
const clients: Socket[] = []
/** The slices that were taken: their first bytes, and the sum of bytes by first byte. */
let taken: string[]
let bytes: Record<string, number>
let readers: FairReader[]
let onTaken: (name: string) => void

beforeEach(async () => {
  taken = []
  bytes = {}
  readers = []
  onTaken = () => {}
  server = createServer((socket) => {
    socket.on('error', () => {})
    const reader = new FairReader(socket, (slice) => {
      const name = String.fromCharCode(slice[0]!)
      taken.push(name)
      bytes[name] = (bytes[name] ?? 0) + slice.length
      // as many small requests would keep the thread busy
      for (const end = performance.now() + 2; performance.now() < end; );
      onTaken(name)
      return true
    })
    readers.push(reader)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as { port: number }).port
})

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  server.close()
})

async function client(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  clients.push(socket)
  await new Promise<void>((done) => socket.once('connect', done))
  return socket
}

test('connections are read in turns, and nothing of a long one is lost', async () => {
  const [long, short] = [await client(), await client()]
  let isSent = false
  onTaken = () => {
    if (!isSent) short.write('b')
    isSent = true
  }
  long.write(Buffer.alloc(2 << 20, 'a'))
  await until('all was read', () => bytes['a'] === 2 << 20)
  expect(taken.indexOf('b')).toBeGreaterThan(0)
  expect(taken.indexOf('b')).toBeLessThan(taken.lastIndexOf('a') / 2)
})

test('a reader that is held takes nothing until it is released', async () => {
  const long = await client()
  onTaken = () => readers[0]!.hold()
  long.write(Buffer.alloc(100_000, 'a'))
  await until('one slice was taken', () => taken.length === 1)
  const other = await client()
  onTaken = () => {}
  other.write('b')
  await until('others are read meanwhile', () => bytes['b'] === 1)
  expect(taken.filter((name) => name === 'a')).toHaveLength(1)
  readers[0]!.release()
  await until('the rest was read', () => bytes['a'] === 100_000)
})
