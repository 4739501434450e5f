// Text over a WebSocket, which means nothing to a master.
import { spawn } from 'node:child_process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { openTransport } from '../../src/wire/mod.ts'

/** Upgrades, and sends two messages of 60 MiB. */
const SENDER = `
const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1').on('error', () => {})
const body = Buffer.alloc(60 << 20, '\\u00e9')
const head = Buffer.alloc(14)
head[0] = 0x81
head[1] = 0xff
head.writeUInt32BE(body.length, 6)
const upgrade = ['GET /ws HTTP/1.1', 'Host: x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
socket.write([...upgrade, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''].join('\\r\\n'))
socket.once('data', () => {
  for (let i = 0; i < 2; i++) { socket.write(head); socket.write(body) }
})
socket.on('close', () => process.exit())
setTimeout(() => process.exit(), 3000)
`

it.each(['requests', 'publications'])('long text does not hold up the port of %s', async (what) => {
  const transport = await openTransport('ws')
  const where = { host: '127.0.0.1', port: 0 }
  const server = await (what === 'requests' ? transport.listen(where, () => null) : transport.publisher(where))
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const { port } = server.endpoint as { port: number }
  const sender = spawn(process.execPath, ['-e', SENDER, String(port)], { stdio: 'ignore' })
  await new Promise((done) => sender.once('exit', done))
  delay.disable()
  await server.close()
  expect(delay.max / 1e6).toBeLessThan(250)
})
