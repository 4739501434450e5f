import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { PATIENCE_SECONDS } from '../../../test/until.ts'
import { PyRandom } from '../../data/mod.ts'
import { openTransport } from './open.ts'
import { reconnectDelays } from './redial.ts'
import type { Endpoint, TlsSettings, Transport } from './transport.ts'

const LOCAL: Endpoint = { host: '127.0.0.1', port: 0 }
const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))
const scratch = mkdtempSync(join(tmpdir(), 'brine-transport-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Closes it after the test. */
function closing<T extends { close(): unknown }>(thing: T): T {
  ends.push(() => thing.close())
  return thing
}

describe.each(['zeromq', 'tcp', 'ws'])('transport %s', (name) => {
  let transport: Transport
  beforeAll(async () => {
    transport = await openTransport(name)
  })

  it('answers many requests at once, each with its own answer', async () => {
    const listener = closing(await transport.listen(LOCAL, async (message) => [message]))
    const client = closing(transport.connect(listener.endpoint))
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => client.request(n)))
    expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => [n]))
  })

  it('carries large messages both ways', async () => {
    const listener = closing(await transport.listen(LOCAL, (message) => message))
    const client = closing(transport.connect(listener.endpoint))
    const data = Buffer.alloc(5_000_000, 0xfe)
    expect(Buffer.compare((await client.request(data)) as Uint8Array, data)).toBe(0)
  })

  it('answers with Salt’s text when the handler fails', async () => {
    const log = vi.fn()
    const handler = (): never => {
      throw new Error('broken')
    }
    const listener = closing(await transport.listen(LOCAL, handler, { log }))
    expect(await closing(transport.connect(listener.endpoint)).request(1)).toBe(
      'Some exception handling minion payload',
    )
    expect(log.mock.calls.join()).toContain('broken')
  })

  it('gives up after the time and the tries', async () => {
    const received = vi.fn(() => new Promise(() => {}))
    const listener = closing(await transport.listen(LOCAL, (message) => (message === 'hello' ? message : received())))
    const client = closing(transport.connect(listener.endpoint))
    // if the time limit passes before there is a connection, nothing is sent
    await client.request('hello')
    await expect(client.request(1, { timeout: 1, tries: 2 })).rejects.toThrow('Message timed out')
    await expect.poll(() => received.mock.calls.length).toBe(2)
  })

  it('takes an answer that came in time, although it had no time to read it', async () => {
    const handler = (message: unknown): unknown => {
      if (message === 'late') setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700))
      return message
    }
    const listener = closing(await transport.listen(LOCAL, handler))
    const client = closing(transport.connect(listener.endpoint))
    await client.request('hello')
    expect(await client.request('late', { timeout: 0.5, tries: 1 })).toBe('late')
  })

  it('waits for a master that is not there yet, and finds one that was restarted', async () => {
    const first = await transport.listen(LOCAL, () => 'first')
    const { endpoint } = first
    const client = closing(transport.connect(endpoint))
    expect(await client.request(1)).toBe('first')
    await first.close()
    const answer = client.request(1, { timeout: PATIENCE_SECONDS })
    closing(await transport.listen(endpoint, () => 'second'))
    expect(await answer).toBe('second')
  })

  it('sends a request once if it must not be repeated', async () => {
    let received = 0
    const listener = await transport.listen(LOCAL, () => {
      received++
      void listener.close()
      return new Promise(() => {})
    })
    const client = closing(transport.connect(listener.endpoint))
    await expect(client.request(1, { tries: 1, timeout: PATIENCE_SECONDS })).rejects.toMatchObject({ code: 'Closed' })
    expect(received).toBe(1)
  })

  it('closes connections that announce too much', async () => {
    const handler = vi.fn()
    const listener = closing(await transport.listen(LOCAL, handler, { maxMessageBytes: 1000 }))
    const client = closing(transport.connect(listener.endpoint))
    await expect(client.request(Buffer.alloc(2000), { tries: 1, timeout: 2 })).rejects.toThrow()
    expect(handler).not.toHaveBeenCalled()
  })

  it('uses Unix sockets, and makes room for itself', async () => {
    const path = join(scratch, `${name}.ipc`)
    const stale = await transport.listen({ path }, () => 'stale')
    closing(await transport.listen({ path, mode: 0o660 }, () => 'fresh'))
    expect(await closing(transport.connect({ path })).request(1)).toBe('fresh')
    await stale.close()
  })

  it.runIf(hasIpv6)('uses IPv6', async () => {
    const listener = closing(await transport.listen({ host: '::1', port: 0 }, (_message, peer) => peer.address))
    expect(await closing(transport.connect(listener.endpoint)).request(1)).toMatch(/^\[::1\]:\d+$/)
  })

  it('says where it cannot listen', async () => {
    const listener = closing(await transport.listen(LOCAL, () => null))
    await expect(transport.listen(listener.endpoint, () => null)).rejects.toThrow(
      /^Cannot listen on tcp:\/\/127.0.0.1:\d+: /,
    )
  })

  it('publishes to all in order, and again to reconnected subscribers', async () => {
    let publisher = await transport.publisher(LOCAL)
    const { endpoint } = publisher
    const got: string[] = []
    const events: string[] = []
    closing(
      transport.subscribe(endpoint, {
        id: 'm1',
        onMessage: (packet) => void got.push(Buffer.from(packet).toString()),
        onConnect: () => void events.push('connect'),
        onDisconnect: () => void events.push('disconnect'),
        reconnectDelay: () => 20,
      }),
    )
    const untilHeard = (text: string) =>
      eventually(() => {
        publisher.publish(Buffer.from(text))
        expect(got).toContain(text)
      })
    await untilHeard('start')
    const numbers = Array.from({ length: 500 }, (_, n) => String(n))
    for (const n of numbers) publisher.publish(Buffer.from(n))
    await eventually(() => expect(got.filter((text) => /\d/.test(text))).toEqual(numbers))
    await publisher.close()
    await eventually(() => expect(events).toEqual(['connect', 'disconnect']))
    publisher = closing(await transport.publisher(endpoint))
    await untilHeard('back')
    expect(publisher.subscribers).toBe(1)
  })
})

describe.each(['zeromq', 'tcp', 'ws'])('a publisher of %s', (name) => {
  it('turns subscribers away, and takes them again', async () => {
    const transport = await openTransport(name)
    const publisher = closing(await transport.publisher(LOCAL))
    const heard: string[] = []
    const subscriber = closing(
      transport.subscribe(publisher.endpoint, {
        id: 'web',
        onMessage: (packet) => void heard.push(Buffer.from(packet).toString()),
        reconnectDelay: () => 20,
      }),
    )
    const hears = (text: string): Promise<void> =>
      eventually(() => {
        publisher.publish(Buffer.from(text))
        expect(heard).toContain(text)
      }, 50)
    await hears('before')
    publisher.turnAway(true)
    await eventually(() => expect([subscriber.connected, publisher.subscribers]).toEqual([false, 0]))
    await sleep(200)
    expect(publisher.subscribers).toBe(0)
    publisher.turnAway(false)
    await hears('after')
  })
})

describe.each(['zeromq', 'tcp', 'ws'])('a listener of %s', (name) => {
  it('outlives peers that send anything', async () => {
    const transport = await openTransport(name)
    const listener = closing(await transport.listen(LOCAL, (message) => message))
    const publisher = closing(await transport.publisher(LOCAL, { identify: () => undefined }))
    const random = new PyRandom(1)
    for (const { endpoint } of [listener, publisher]) {
      for (let n = 0; n < 60; n++) {
        const socket = connect('port' in endpoint ? endpoint.port : 0, '127.0.0.1')
        ends.push(() => socket.destroy())
        socket.on('error', () => {})
        // from the second byte on at random, so that some come further than others
        const start = [0xff, 0x82, 0x47][n % 3]!
        socket.write(Buffer.from([start, ...Array.from({ length: 200 }, () => random.below(256))]))
        if (n % 2) socket.end()
      }
    }
    const client = closing(transport.connect(listener.endpoint))
    expect(await client.request('still there')).toBe('still there')
  })
})

describe('TLS', () => {
  let ssl: TlsSettings
  beforeAll(() => {
    const [keyfile, certfile] = [join(scratch, 'key.pem'), join(scratch, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', keyfile, '-out', certfile, ...subject],
      { stdio: 'ignore' },
    )
    ssl = { keyfile, certfile, ca_certs: certfile }
  })

  it.each(['tcp', 'ws'])('protects %s, and admits only peers with a certificate', async (name) => {
    const transport = await openTransport(name)
    const listener = closing(await transport.listen(LOCAL, (message) => message, { ssl }))
    expect(await closing(transport.connect(listener.endpoint, { ssl })).request('x')).toBe('x')
    for (const other of [undefined, { ca_certs: ssl.ca_certs! }]) {
      const client = closing(transport.connect(listener.endpoint, { ssl: other }))
      await expect(client.request('x', { timeout: 0.4, tries: 1 })).rejects.toThrow()
    }
  })

  it('names the file that it cannot read', async () => {
    const tcp = await openTransport('tcp')
    await expect(tcp.listen(LOCAL, () => null, { ssl: { certfile: '/nowhere' } })).rejects.toThrow(
      'Cannot read /nowhere, named by certfile of ssl',
    )
  })
})

describe('openTransport', () => {
  it('names the transports there are', () => {
    expect(() => openTransport('zeromk')).toThrow("Transport 'zeromk' is not known")
  })
})

describe('reconnectDelays', () => {
  it('are random between first and both, or double up to the ceiling', () => {
    for (let i = 0; i < 20; i++) {
      const delay = reconnectDelays(1000, 10_000)
      expect(delay(1)).toBeGreaterThanOrEqual(1000)
      expect(delay(1)).toBeLessThanOrEqual(11_000)
      expect(delay(5)).toBe(delay(1))
    }
    expect([1, 2, 3, 4, 5].map(reconnectDelays(1000, 5000, false))).toEqual([1000, 2000, 4000, 5000, 5000])
  })
})
