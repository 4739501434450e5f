// Text over a WebSocket, which means nothing to a master.
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { openTransport } from '../../src/wire/mod.ts'
import { until } from '../until.ts'

const UPGRADE = [
  'GET /ws HTTP/1.1',
  'Host: x',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

/** The head of a frame of text. */
function textHead(length: number): Buffer {
  const head = Buffer.alloc(14)
  head[0] = 0x81
  head[1] = 0xff
  head.writeUInt32BE(length, 6)
  return head
}

it.each([
  ['requests', 60 << 20],
  ['publications', 60 << 20],
  ['publications', 100_000],
])('the port of %s closes a connection on which text of %d bytes comes', async (what, length) => {
  const transport = await openTransport('ws')
  const where = { host: '127.0.0.1', port: 0 }
  const server = await (what === 'requests' ? transport.listen(where, () => null) : transport.publisher(where))
  const { port } = server.endpoint as { port: number }
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  let isUpgraded = false
  socket.on('data', () => {
    isUpgraded = true
  })
  socket.write([...UPGRADE, '', ''].join('\r\n'))
  try {
    await until('the upgrade', () => isUpgraded)
    socket.write(textHead(length))
    socket.write(Buffer.alloc(length, '\u00e9'))
    await until('the connection is closed', () => socket.destroyed)
    expect(isUpgraded).toBe(true)
  } finally {
    socket.destroy()
    await server.close()
  }
})
