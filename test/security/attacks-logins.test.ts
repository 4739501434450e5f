// A host that asks for more logins than the master judges at once, against a login from another host.
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTransport } from '../../src/wire/mod.ts'
import { until } from '../until.ts'
import { Besieged, dict } from './besieged.ts'
import { CARRIERS } from './proofs/carriers.ts'
import { pack } from './proofs/msgpack.ts'

let site: Besieged
let system: Server
let attacker: Socket
let isOpen = false
const asked: string[] = []
const answers: Array<() => void> = []

beforeAll(async () => {
  system = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += String(piece)
    const user = new URLSearchParams(body).get('username')!
    asked.push(user)
    const answer = (): void => void response.writeHead(user === 'joe' ? 200 : 401).end('["test.*"]')
    if (isOpen) answer()
    else answers.push(answer)
  })
  await new Promise<void>((done) => system.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(system.address() as AddressInfo).port}/`
  site = await Besieged.start({ external_auth: { rest: { '^url': url, joe: ['test.*'] } } })
})
afterAll(async () => {
  attacker.destroy()
  await site.stop()
  system.close()
})

it('a login of another host is judged after the turns that were taken already', async () => {
  const where = { port: site.ports.requests, host: '127.0.0.1' }
  const login = (username: string): Record<string, string> => ({
    cmd: 'mk_token',
    eauth: 'rest',
    username,
    password: 'x',
  })
  const carrier = CARRIERS['zeromq']!
  const flood = (from: number): Buffer[] =>
    Array.from({ length: 250 }, (_, at) =>
      carrier.request(pack({ enc: 'clear', load: login(`u${from + at}`), version: 3 })),
    )
  const attack = (from: number): Socket => {
    const socket = connect({ ...where, localAddress: '127.0.0.2' }).on('error', () => {})
    socket.write(Buffer.concat([carrier.greeting('REQ'), ...flood(from)]))
    return socket.resume()
  }
  attacker = attack(0)
  const second = attack(250)
  await until('the system is busy', () => asked.length === 8)
  await until('logins are turned away', () => site.logs.some((line) => line.includes('Too many logins')))
  const client = (await openTransport('zeromq')).connect(where, { sourceAddress: '127.0.0.3' })
  const token = client.request({ enc: 'clear', load: dict(login('joe')), version: 3 }, { timeout: 60, tries: 1 })
  // the request must be here before places become free
  const ping = client.request({ enc: 'clear', load: dict({ cmd: 'ping' }), version: 3 }, { timeout: 60, tries: 1 })
  await ping
  isOpen = true
  for (const answer of answers) answer()
  expect(await token).toBeInstanceOf(Map)
  client.close()
  second.destroy()
})
