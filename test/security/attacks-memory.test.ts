// Unauthenticated bytes that are not counted.
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, it } from 'vitest'
import { until } from '../until.ts'
import { Besieged } from './besieged.ts'

const GREETING = Buffer.concat([Buffer.from('ff00000000000000017f0300', 'hex'), Buffer.from('NULL'), Buffer.alloc(48)])
const READY = Buffer.from('\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03REQ', 'latin1')

let site: Besieged
beforeAll(async () => {
  site = await Besieged.start({ auto_accept: false })
})
afterAll(() => site.stop())

it('the frames of a message that never ends are counted', async () => {
  const size = 60 << 20
  const head = Buffer.alloc(9)
  head[0] = 3 // long, and more follows
  head.writeUInt32BE(size, 5)
  const sockets: Socket[] = []
  let open = 0
  for (let i = 0; i < 4; i++) {
    const socket = connect(site.ports.requests, '127.0.0.1').resume()
    sockets.push(socket)
    open++
    socket.on('error', () => {})
    socket.on('close', () => open--)
    socket.write(Buffer.concat([GREETING, READY, head]))
    await new Promise((sent) => socket.write(Buffer.alloc(size), sent))
  }
  try {
    // memory that the intake does not count would be held until these connections close
    await until('the master closes them', () => open === 0)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})
