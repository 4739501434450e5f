// Attacks with nothing but connections: a host that keeps as many as a port takes, connections that stay after they introduced
// themselves, and logins that keep others waiting. Hosts of the attack are further addresses of the loopback interface.
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Value } from '../../src/data/mod.ts'
import { openTransport, type Peer, type RequestClient, type Transport } from '../../src/wire/mod.ts'
import type { RequestListenOptions } from '../../src/wire/transport/transport.ts'
import { until } from '../until.ts'
import { CARRIERS } from './proofs/carriers.ts'
import { pack } from './proofs/msgpack.ts'

const TRANSPORTS = ['zeromq', 'tcp', 'ws']
const HOST = '127.0.0.1'
const MOST = 16

const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

interface Port {
  port: number
  transport: Transport
  name: string
  /** How many connections the listener has. */
  connections(): number
}

async function listen(
  name: string,
  options: RequestListenOptions = {},
  answer: (message: Value, peer: Peer) => unknown = () => 'heard',
): Promise<Port> {
  const transport = await openTransport(name)
  const listener = await transport.listen({ host: HOST, port: 0 }, answer, { maxConnections: MOST, ...options })
  ends.push(() => listener.close())
  const { port } = listener.endpoint as { port: number }
  return { port, transport, name, connections: () => listener.connections }
}

interface Held {
  socket: Socket
  isOpen(): boolean
}

/** A connection of a host that introduces itself and then says nothing. */
async function hold(
  { port, name }: Pick<Port, 'port' | 'name'>,
  host: string,
  role: 'REQ' | 'SUB' = 'REQ',
): Promise<Held> {
  const socket = connect({ port, host: HOST, localAddress: host }).on('error', () => {})
  ends.push(() => socket.destroy())
  let isOver = false
  socket.once('close', () => (isOver = true)).resume()
  await new Promise((done) => socket.once('connect', done).once('close', done))
  socket.write(CARRIERS[name]!.greeting(role))
  return { socket, isOpen: () => !isOver }
}

const holdMany = (at: Port, host: (index: number) => string, count: number): Promise<Held[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => hold(at, host(index))))

function clientOf({ transport, port }: Port, sourceAddress: string): RequestClient {
  const client = transport.connect({ host: HOST, port }, { sourceAddress })
  ends.push(() => client.close())
  return client
}

/** Whether a request from a host is answered, which must not take many tries. */
const ask = (client: RequestClient): Promise<Value> =>
  client.request(new Map([['enc', 'clear']]), { timeout: 15, tries: 1 })

const countOpen = (held: readonly Held[]): number => held.filter((each) => each.isOpen()).length

describe.each(TRANSPORTS)('the request port on %s', (name) => {
  it('serves other hosts while one host keeps as many connections as there may be', async () => {
    const at = await listen(name)
    const held = await holdMany(at, () => '127.0.0.2', 3 * MOST)
    await until('the port is full', () => countOpen(held) <= MOST)
    expect(await ask(clientOf(at, '127.0.0.3'))).toBe('heard')
    await until('one connection was closed for it', () => countOpen(held) < MOST)
  })

  it('serves programs of its own machine while many hosts keep all connections', async () => {
    const at = await listen(name)
    const held = await holdMany(at, (index) => `127.0.1.${index + 1}`, 3 * MOST)
    await until('the port is full', () => countOpen(held) <= MOST)
    const local = clientOf(at, HOST)
    expect(await ask(local)).toBe('heard')
    await holdMany(at, (index) => `127.0.2.${index + 1}`, 3 * MOST)
    expect(await ask(local)).toBe('heard')
  })

  it('keeps the connection of a minion, however many strangers come', async () => {
    let accepted = 0
    const at = await listen(name, { idleTimeout: 200 }, (_message, peer) => {
      peer.prove?.('web1')
      accepted++
      return peer.address
    })
    const minion = clientOf(at, '127.0.0.3')
    const first = await ask(minion)
    const held = await holdMany(at, (index) => `127.0.1.${index + 1}`, 3 * MOST)
    await until('all strangers are gone', () => countOpen(held) === 0)
    expect(await ask(minion)).toBe(first)
    expect(accepted).toBe(2)
  })

  it('closes connections that introduced themselves and say nothing', async () => {
    const at = await listen(name, { idleTimeout: 100 })
    const held = await holdMany(at, () => '127.0.0.2', 3)
    await until('they are closed', () => countOpen(held) === 0)
  })

  it('does not close a connection whose request it still answers', async () => {
    let finish = (): void => {}
    const answer = new Promise<string>((done) => (finish = () => done('late')))
    let isAsked = false
    const at = await listen(name, { idleTimeout: 100 }, () => {
      isAsked = true
      return answer
    })
    const asked = ask(clientOf(at, '127.0.0.3'))
    await until('it was asked', () => isAsked)
    const other = await hold(at, '127.0.0.2')
    await until('a silent connection was closed', () => !other.isOpen())
    finish()
    expect(await asked).toBe('late')
  })

  it('cuts off strangers that do not read long answers', async () => {
    let answers = 0
    const at = await listen(name, {}, (message) => {
      answers++
      return message
    })
    const request = CARRIERS[name]!.request(pack({ enc: 'clear', load: { cmd: 'ping', x: 'x'.repeat(30 << 20) } }))
    const held: Held[] = []
    for (let index = 0; index < 8; index++) {
      const one = await hold(at, '127.0.0.2')
      one.socket.pause()
      one.socket.write(request)
      held.push(one)
      await until('it was answered', () => answers > index)
    }
    // strangers share 128 MiB
    await until('some are closed', () => at.connections() <= 5)
    expect(await ask(clientOf(at, '127.0.0.3'))).toBeInstanceOf(Map)
  })

  it('closes connections of the minion that has most when all are of minions', async () => {
    const at = await listen(name, {}, (message, peer) => {
      peer.prove?.((message as Map<string, string>).get('id')!)
      return peer.address
    })
    const request = async (client: RequestClient, id: string): Promise<Value> =>
      client.request(new Map([['id', id]]), { timeout: 15, tries: 1 })
    const honest = clientOf(at, '127.0.0.3')
    const first = await request(honest, 'web1')
    for (let index = 0; index < 2 * MOST; index++) await request(clientOf(at, '127.0.0.2'), 'rogue')
    expect(at.connections()).toBeLessThanOrEqual(MOST)
    expect(await request(honest, 'web1')).toBe(first)
    expect(await request(clientOf(at, '127.0.0.4'), 'web2')).toContain('127.0.0.4')
  })
})

describe.each(TRANSPORTS)('the publish port on %s', (name) => {
  it('keeps subscribers and takes new ones while one host keeps as many connections as there may be', async () => {
    const transport = await openTransport(name)
    const publisher = await transport.publisher({ host: HOST, port: 0 }, { maxConnections: MOST })
    ends.push(() => publisher.close())
    const { port } = publisher.endpoint as { port: number }
    const subscribe = (sourceAddress: string): { heard: string[]; lost(): number } => {
      const heard: string[] = []
      let lost = 0
      const subscriber = transport.subscribe(
        { host: HOST, port },
        {
          id: 'web1',
          sourceAddress,
          onMessage: (packet) => heard.push(Buffer.from(packet).toString()),
          onDisconnect: () => lost++,
          introduce: () => new Map([['enc', 'aes']]),
        },
      )
      ends.push(() => subscriber.close())
      return { heard, lost: () => lost }
    }
    const early = subscribe('127.0.0.3')
    const published = (who: { heard: string[] }, text: string): (() => boolean) => {
      return () => {
        publisher.publish(Buffer.from(text))
        return who.heard.includes(text)
      }
    }
    await until('a subscriber hears', published(early, 'one'))
    const held = await Promise.all(Array.from({ length: 3 * MOST }, () => hold({ port, name }, '127.0.0.2', 'SUB')))
    await until('the port is full', () => countOpen(held) < MOST)
    const late = subscribe('127.0.0.4')
    await until('a later subscriber hears', published(late, 'two'))
    await until('the early one hears, too', published(early, 'three'))
    expect(early.lost()).toBe(0)
  })
})
