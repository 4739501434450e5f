import { connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as libzmq from 'zeromq'
import { eventually } from '../../../../test/eventually.ts'
import { decodeMsgpack, encodeMsgpack } from '../../../data/mod.ts'
import type { Endpoint, Publisher } from '../transport.ts'
import { zeromq } from '../zeromq.ts'
import { encodeCommand, encodeMessage, FrameReader } from './frames.ts'
import { GREETING, readyCommand } from './handshake.ts'
import { topicOf } from './publisher.ts'
import { TopicIndex } from './topics.ts'

const LOCAL: Endpoint = { host: '127.0.0.1', port: 0 }
const portOf = (endpoint: Endpoint): number => ('port' in endpoint ? endpoint.port : 0)
const url = (endpoint: Endpoint): string => `tcp://127.0.0.1:${portOf(endpoint)}`

const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
function closing<T extends { close(): unknown }>(thing: T): T {
  ends.push(() => thing.close())
  return thing
}

describe('FrameReader', () => {
  const messages = [
    [Buffer.alloc(0), Buffer.from('x')],
    [Buffer.alloc(255, 1)],
    [Buffer.alloc(256, 2), Buffer.alloc(70_000, 3)],
  ]
  const stream = Buffer.concat([
    ...messages.map(encodeMessage),
    encodeCommand('PING', Buffer.from([0, 1])),
    encodeMessage([Buffer.from('end')]),
  ])

  it('reads messages and commands wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
        const got: unknown[] = []
        const reader = new FrameReader(
          {
            message: (frames) => void got.push(frames.map((frame) => frame.toString('latin1'))),
            command: (name, data) => void got.push([name, [...data]]),
          },
          () => 1 << 20,
        )
        let from = 0
        for (const end of [...cuts.sort((a, b) => a - b), stream.length]) {
          reader.push(Buffer.from(stream.subarray(from, end)))
          from = end
        }
        const texts = messages.map((frames) => frames.map((frame) => frame.toString('latin1')))
        expect(got).toEqual([...texts, ['PING', [0, 1]], ['end']])
      }),
    )
  })

  it('says how much it keeps of messages that are not whole', () => {
    let held = 0
    const reader = new FrameReader(
      { message: () => {}, command: () => {} },
      () => 1 << 20,
      (change) => {
        held += change
      },
    )
    const bytes = encodeMessage([Buffer.alloc(70_000)])
    reader.push(bytes.subarray(0, 60_000))
    expect(held).toBeGreaterThanOrEqual(60_000)
    reader.push(bytes.subarray(60_000))
    expect(held).toBe(0)
  })

  it('keeps no more memory than a large message has, and copies little of it on the way', () => {
    let held = 0
    let [most, grown] = [0, 0]
    const reader = new FrameReader(
      { message: () => {}, command: () => {} },
      () => 1 << 24,
      (change) => {
        held += change
        most = Math.max(most, held)
        if (change > 0) grown++
      },
    )
    const bytes = encodeMessage([Buffer.alloc(10_000_000)])
    for (let at = 0; at < bytes.length; at += 65_536) reader.push(bytes.subarray(at, at + 65_536))
    expect(most).toBe(bytes.length)
    expect(grown).toBeLessThan(10)
    expect(held).toBe(0)
  })

  it.each([
    ['a length beyond the limit', Buffer.from('02000000ffffffffff', 'hex'), 'Refused a message of'],
    ['unknown flags', Buffer.from('0800', 'hex'), 'Cannot read a frame with flags 8'],
    ['frames without end', Buffer.concat(Array(65).fill(Buffer.from('0100', 'hex'))), 'more than 64 frames'],
  ])('refuses %s', (_name, bytes, message) => {
    const sink = { message: () => {}, command: () => {} }
    expect(() => new FrameReader(sink, () => 1000).push(bytes)).toThrow(message)
  })

  it('throws nothing but its own errors at random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          new FrameReader({ message: () => {}, command: () => {} }, () => 1000).push(Buffer.from(bytes))
        } catch (error) {
          expect(error).toMatchObject({ name: 'WireError' })
        }
      }),
    )
  })
})

describe('TopicIndex', () => {
  it('finds those whose prefix a message begins with, each once', () => {
    const index = new TopicIndex<string>()
    for (const [prefix, who] of [
      ['', 'all'],
      ['ab', 'one'],
      ['a', 'one'],
      ['b', 'other'],
    ] as const)
      index.add(prefix, who)
    expect([...index.matching('abc')].sort()).toEqual(['all', 'one'])
    index.delete('a', 'one')
    index.delete('ab', 'one')
    index.delete('', 'all')
    expect([...index.matching('abc')]).toEqual([])
    expect([...index.matching('b')]).toEqual(['other'])
  })
})

/** Return a raw connection after its handshake. */
async function introduced(endpoint: Endpoint, type: 'REQ' | 'SUB'): Promise<Socket> {
  const socket = connect(portOf(endpoint), '127.0.0.1')
  ends.push(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(GREETING)
  await eventually(() => expect(socket.bytesRead).toBeGreaterThanOrEqual(GREETING.length))
  socket.resume()
  socket.write(readyCommand(type))
  await eventually(() => expect(socket.bytesRead).toBeGreaterThan(GREETING.length))
  return socket
}

describe('a listener', () => {
  it.each([
    ['another protocol', Buffer.from('GET / HTTP/1.0\r\n\r\n')],
    ['an old version', Buffer.from(GREETING).fill(1, 10, 11)],
    ['encryption', Buffer.from(GREETING).fill('CURVE', 12, 17)],
    ['a socket that does not fit', Buffer.concat([GREETING, readyCommand('SUB')])],
    ['a message before READY', Buffer.concat([GREETING, encodeMessage([Buffer.from('x')])])],
    ['a broken READY', Buffer.concat([GREETING, encodeCommand('READY', Buffer.from('ff41', 'hex'))])],
  ])('closes the connection on %s', async (_name, bytes) => {
    const handler = vi.fn()
    const listener = closing(await zeromq.listen(LOCAL, handler))
    const socket = connect(portOf(listener.endpoint), '127.0.0.1')
    socket.resume()
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(bytes)
    await closed
    expect(handler).not.toHaveBeenCalled()
    expect(listener.connections).toBe(0)
  })

  it('closes connections that do not introduce themselves', async () => {
    const listener = closing(await zeromq.listen(LOCAL, () => null, { handshakeTimeout: 30 }))
    const socket = connect(portOf(listener.endpoint), '127.0.0.1')
    socket.resume()
    await new Promise((resolve) => socket.once('close', resolve))
  })

  it('keeps the order of answers, and reads no further than it may', async () => {
    const open: Array<() => void> = []
    const handler = (message: unknown) => new Promise((resolve) => open.push(() => resolve(message)))
    const listener = closing(await zeromq.listen(LOCAL, handler, { maxInFlight: 3 }))
    const dealer = closing(new libzmq.Dealer())
    dealer.connect(url(listener.endpoint))
    for (let n = 0; n < 5; n++) {
      await dealer.send([Buffer.alloc(0), encodeMsgpack(n, 'wire')])
      await eventually(() => expect(open.length).toBe(Math.min(n + 1, 3)))
    }
    open[1]!()
    open[2]!()
    open[0]!()
    await eventually(() => expect(open.length).toBe(5))
    open[4]!()
    open[3]!()
    for (let n = 0; n < 5; n++) expect(decodeMsgpack((await dealer.receive()).at(-1)!, { dialect: 'wire' })).toBe(n)
  })

  it('reports a request that it cannot read', async () => {
    const listener = closing(await zeromq.listen(LOCAL, () => 'never'))
    const peer = closing(new libzmq.Request())
    peer.connect(url(listener.endpoint))
    await peer.send(Buffer.from([0xc1]))
    expect(decodeMsgpack((await peer.receive())[0]!, { dialect: 'wire' })).toEqual(
      new Map([['error', 'Routing error']]),
    )
  })
})

describe('libzmq', () => {
  it('sends requests to our server and serves requests of our client', async () => {
    const listener = closing(await zeromq.listen(LOCAL, (message) => [message]))
    const peer = closing(new libzmq.Request())
    peer.connect(url(listener.endpoint))
    for (const size of [1, 300, 100_000]) {
      await peer.send(encodeMsgpack('x'.repeat(size), 'wire'))
      expect(decodeMsgpack((await peer.receive())[0]!, { dialect: 'wire' })).toEqual(['x'.repeat(size)])
    }
    const router = closing(new libzmq.Router())
    await router.bind('tcp://127.0.0.1:*')
    void (async () => {
      for await (const frames of router) await router.send(frames)
    })().catch(() => {})
    const port = Number(router.lastEndpoint!.split(':').at(-1))
    expect(await closing(zeromq.connect({ host: '127.0.0.1', port })).request('echo')).toBe('echo')
  })

  it('receives our publications and sends publications to us', async () => {
    const publisher = closing(await zeromq.publisher(LOCAL, { filtering: true, heartbeatInterval: 20 }))
    const sub = closing(new libzmq.Subscriber())
    sub.connect(url(publisher.endpoint))
    sub.subscribe('broadcast', topicOf('m1'))
    await eventually(() => expect(publisher.subscribers).toBe(1))
    const timer = setInterval(() => publisher.publish(Buffer.from('all')), 10)
    expect((await sub.receive()).map(String)).toEqual(['broadcast', 'all'])
    clearInterval(timer)
    publisher.publish(Buffer.from('not you'), ['m2'])
    publisher.publish(Buffer.from('you'), ['m1'])
    for (;;) {
      const [topic, packet] = (await sub.receive()).map(String)
      if (topic === 'broadcast') continue
      expect([topic, packet]).toEqual([topicOf('m1'), 'you'])
      break
    }
    const pub = closing(new libzmq.Publisher())
    await pub.bind('tcp://127.0.0.1:*')
    const got: string[] = []
    const endpoint = { host: '127.0.0.1', port: Number(pub.lastEndpoint!.split(':').at(-1)) }
    closing(
      zeromq.subscribe(endpoint, { id: 'm1', filtering: true, onMessage: (packet) => void got.push(String(packet)) }),
    )
    await eventually(async () => {
      await pub.send(['broadcast', 'hello'])
      await pub.send([topicOf('m2'), 'not you'])
      expect(got).toContain('hello')
    })
    expect(got).not.toContain('not you')
  })
})

describe('a request client', () => {
  it('reports for how long a heartbeat is unanswered', async () => {
    const listener = closing(await zeromq.listen(LOCAL, (message) => message))
    let hangs = false
    const sockets: Socket[] = []
    const relay = createServer((socket) => {
      const behind = connect(portOf(listener.endpoint), '127.0.0.1')
      sockets.push(socket, behind)
      socket.on('data', (bytes) => behind.write(bytes))
      behind.on('data', (bytes) => !hangs && socket.write(bytes))
    })
    ends.push(() => {
      for (const socket of sockets) socket.destroy()
      relay.close()
    })
    const port = await new Promise<number>((done) => {
      relay.listen(0, '127.0.0.1', () => done((relay.address() as { port: number }).port))
    })
    const client = closing(zeromq.connect({ host: '127.0.0.1', port }))
    expect(client.beat!()).toBe(0)
    expect(await client.request('echo')).toBe('echo')
    expect(client.beat!()).toBe(0)
    await eventually(() => expect(client.beat!()).toBe(0))
    hangs = true
    await eventually(() => expect(client.beat!()).toBeGreaterThan(50))
    hangs = false
    expect(await client.request('echo')).toBe('echo')
    expect(client.beat!()).toBe(0)
  })
})

describe('a subscriber', () => {
  it('gives up a master that promised to be heard and is not, and connects again', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      const ping = encodeCommand('PING', Buffer.from([0, 1]))
      socket.on('error', () => {})
      socket.write(Buffer.concat([GREETING, readyCommand('PUB'), ping]))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    ends.push(() => server.close())
    const { port } = server.address() as { port: number }
    const endpoint = { host: '127.0.0.1', port }
    closing(zeromq.subscribe(endpoint, { id: 'm', onMessage: () => {}, reconnectDelay: () => 1 }))
    await eventually(() => expect(connections).toBeGreaterThan(2))
  })
})

describe('a publisher', () => {
  const stalled = async (publisher: Publisher): Promise<Socket> => {
    const socket = await introduced(publisher.endpoint, 'SUB')
    socket.pause()
    socket.write(encodeCommand('SUBSCRIBE'))
    return socket
  }

  it('drops messages only for subscribers that do not read', async () => {
    const publisher = closing(await zeromq.publisher(LOCAL, { highWaterMark: 10, heartbeatInterval: 0 }))
    const got: number[] = []
    closing(zeromq.subscribe(publisher.endpoint, { id: 'm1', onMessage: (packet) => void got.push(packet.length) }))
    await stalled(publisher)
    await eventually(() => expect(publisher.subscribers).toBe(2))
    const packet = Buffer.alloc(100_000)
    await eventually(async () => {
      publisher.publish(packet)
      await new Promise((resolve) => setImmediate(resolve))
      expect(publisher.dropped).toBeGreaterThan(20)
    }, 1)
    const sent = got.length
    await eventually(() => {
      publisher.publish(packet)
      expect(got.length).toBeGreaterThan(sent)
    })
  })

  it('gives up a subscriber that does not answer heartbeats', async () => {
    const publisher = closing(await zeromq.publisher(LOCAL, { heartbeatInterval: 20, heartbeatTimeout: 40 }))
    const socket = await stalled(publisher)
    await eventually(() => expect(publisher.subscribers).toBe(0))
    socket.destroy()
  })

  it('refuses a subscriber with too many subscriptions', async () => {
    const publisher = closing(await zeromq.publisher(LOCAL))
    const socket = await introduced(publisher.endpoint, 'SUB')
    for (let n = 0; n < 100; n++) socket.write(encodeCommand('SUBSCRIBE', Buffer.from(`topic ${n}`)))
    await eventually(() => expect(publisher.subscribers).toBe(0))
  })
})
