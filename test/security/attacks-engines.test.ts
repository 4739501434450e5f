// Engines that listen to strangers or to servers of others.
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import ircbot from '../../src/library/messaging/ircbot/engine.ts'
import webhook from '../../src/library/messaging/webhook/engine.ts'
import { type RunningEngine, runEngine } from '../../src/library/salt/engines/try-engine.test-support.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

let engine: RunningEngine
afterEach(() => engine.stop().catch(() => undefined))

describe('the engine webhook', () => {
  it('gathers a bounded amount of bodies that do not end, and goes on', async () => {
    const port = await freePort()
    engine = runEngine(webhook, { address: '127.0.0.1', port })
    const sockets: Socket[] = []
    let refused = 0
    await until(
      'the engine listens',
      async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))?.status === 405,
    )
    const piece = Buffer.alloc(1 << 20)
    const begin = (): void => {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.on('data', (answer) => void (answer.toString().includes(' 503 ') && refused++))
      socket.write(`POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: ${90 << 20}\r\n\r\n`)
      for (let at = 0; at < 80; at++) socket.write(piece)
    }
    for (let at = 0; at < 4; at++) begin()
    await until('two are refused', () => refused >= 2)
    for (const socket of sockets) socket.destroy()
    await until(
      'the engine takes requests again',
      async () => (await fetch(`http://127.0.0.1:${port}/y`, { method: 'POST', body: 'z' })).status === 200,
    )
    expect(engine.fired.map(({ tag }) => tag)).toEqual(['salt/engines/hook/y'])
  })
})

describe('the engine ircbot', () => {
  it('leaves a server that sends a line without an end', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      const write = (): void => void (socket.destroyed || socket.write('x'.repeat(1 << 16), write))
      write()
    })
    const port = await freePort()
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
    engine = runEngine(ircbot, { nick: 'salty', host: '127.0.0.1', port })
    await expect(engine.ended).rejects.toThrow('a line without an end')
    server.close()
  })
})
