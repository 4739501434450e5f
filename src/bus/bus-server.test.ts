import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PATIENCE_SECONDS, until } from '../../test/until.ts'
import { encodeMsgpack, Packed, type Value } from '../data/mod.ts'
import { decodeEvent, type Event, EventFrames, encodeEvent, frameFiredEvent } from '../wire/mod.ts'
import { FollowedEvents } from './journal/followed.ts'
import { EventJournal } from './journal/journal.ts'
import {
  BusClient,
  type BusEvent,
  BusServer,
  type BusServerOptions,
  EventBus,
  fireOnce,
  JournalReader,
  minionOrigin,
} from './mod.ts'

const MOST = 256 << 10
let folder: string
let paths: { pub: string; pull: string }
let bus: EventBus
let journal: EventJournal
let server: BusServer

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brine-bus-'))
  paths = { pub: join(folder, 'pub.ipc'), pull: join(folder, 'pull.ipc') }
  journal = new EventJournal({ folder: join(folder, 'events') })
  bus = new EventBus(undefined, journal.last)
  bus.listen((event) => journal.take(event))
  await serve()
})

async function serve(more: Partial<BusServerOptions> = {}): Promise<void> {
  server = new BusServer({ bus, paths, mostWaiting: MOST, kept: () => journal.flush(), ...more })
  await server.open()
}

afterEach(async () => {
  await server.close()
  await journal.close()
  rmSync(folder, { recursive: true, force: true })
})

const fire = (from: number, to: number, text = ''): void => {
  for (let n = from; n <= to; n++) bus.fire(`n/${n % 2 ? 'odd' : 'even'}/${n}`, new Map([['text', text]]))
}

const past = (): JournalReader => new JournalReader(join(folder, 'events'), () => ({ returnOf: () => undefined }))

async function take(tap: { next(seconds: number): Promise<BusEvent | undefined> }, count: number): Promise<BusEvent[]> {
  const events: BusEvent[] = []
  while (events.length < count) {
    const event = await tap.next(PATIENCE_SECONDS)
    if (!event) throw new Error(`Only ${events.length} of ${count} events came`)
    events.push(event)
  }
  return events
}

const numbers = (events: BusEvent[]): number[] => events.map(({ number }) => number)
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** A listener as Salt's are: it says nothing, and here it may stop to read. */
class PlainListener {
  readonly events: Event[] = []
  readonly socket: Socket

  constructor() {
    const frames = new EventFrames()
    this.socket = createConnection(paths.pub)
    this.socket.on('data', (chunk) => this.events.push(...frames.push(chunk).map((body) => decodeEvent(body))))
  }

  async until(test: () => boolean): Promise<void> {
    for (const end = Date.now() + PATIENCE_SECONDS * 1000; !test(); await sleep(5))
      if (Date.now() > end) throw new Error('In vain')
  }
}

/** A message with a list of this many numbers. */
const numbersOf = (count: number): number[] => Array.from({ length: count }, () => 1)

describe('an event that a local program fires', () => {
  it('reaches listeners even if the returned value is long', async () => {
    const listener = await BusClient.open({ paths, tags: ['salt/run/*'] })
    await fireOnce(paths, 'salt/run/1/ret', new Map<Value, Value>([['return', numbersOf(1_200_000)]]))
    const [event] = await take(listener, 1)
    expect(event!.data.get('return')).toHaveLength(1_200_000)
    listener.close()
  })

  it('keeps the returned value packed for listeners that request it', async () => {
    const listener = await BusClient.open({ paths, tags: ['salt/run/*'], leavesPacked: true })
    const data = new Map<Value, Value>([
      ['return', numbersOf(1000)],
      ['other', numbersOf(1000)],
    ])
    await fireOnce(paths, 'salt/run/1/ret', data)
    const [event] = await take(listener, 1)
    expect(event!.fields.get('return')).toBeInstanceOf(Packed)
    expect(event!.fields.get('other')).toEqual(numbersOf(1000))
    expect(event!.data.get('return')).toEqual(numbersOf(1000))
    listener.close()
  })

  it('is refused when the rest of it would take long to read', async () => {
    const listener = await BusClient.open({ paths, tags: ['n/*'] })
    await fireOnce(paths, 'n/large', new Map<Value, Value>([['data', numbersOf(1_200_000)]])).catch(() => {})
    await fireOnce(paths, 'n/small', new Map<Value, Value>([['data', numbersOf(12)]]))
    const [event] = await take(listener, 1)
    expect(event!.tag).toBe('n/small')
    listener.close()
  })
})

it('a listener that requests very many tags is refused', async () => {
  const socket = createConnection(paths.pub)
  const tags = Array.from({ length: 2000 }, (_, index) => `tag/${index}`)
  socket.on('error', () => {})
  socket.write(frameFiredEvent(encodeEvent('salt/event/subscribe', { tags })))
  await until('the connection is closed', () => socket.destroyed)
})

describe('a listener that does not read', () => {
  it('misses events, gets their number, and neither slows others nor fills the memory', async () => {
    const [idle, busy] = [new PlainListener(), new PlainListener()]
    for (const listener of [idle, busy]) {
      await listener.until(() => {
        bus.fire('hello', new Map())
        return listener.events.length > 0
      })
    }
    idle.socket.pause()
    await sleep(10)
    const text = 'x'.repeat(10_000)
    for (let n = 1; n <= 500; n += 10) {
      fire(n, n + 9, text)
      await busy.until(() => busy.events.some(({ tag }) => tag.endsWith(`/${n + 9}`)))
    }
    const held = [...(server as unknown as { subscribers: Map<Socket, unknown> }).subscribers.keys()]
    expect(Math.max(...held.map((socket) => socket.writableLength))).toBeLessThan(MOST + 200_000)
    idle.socket.resume()
    await idle.until(() => idle.events.some(({ tag }) => tag === 'salt/event/missed'))
    const missed = Number(idle.events.find(({ tag }) => tag === 'salt/event/missed')!.data.get('missed'))
    const got = idle.events.filter(({ tag }) => tag.startsWith('n/')).length
    expect(missed).toBeGreaterThan(0)
    expect(got + missed).toBe(500)
    fire(501, 501)
    await idle.until(() => idle.events.at(-1)!.tag === 'n/odd/501')
    for (const { socket } of [idle, busy]) socket.destroy()
  })

  it('gets the rest out of the journal when it reads again, each event once and in order', async () => {
    await server.close()
    await serve({ past: (from, upTo) => past().framed(from, upTo) })
    const slow = new PlainListener()
    const tagged = await BusClient.open({ paths, tags: ['n/odd/*'] })
    await slow.until(() => {
      bus.fire('hello', new Map())
      return slow.events.length > 0
    })
    slow.socket.pause()
    for (let n = 1; n <= 500; n += 10) {
      fire(n, n + 9, 'x'.repeat(10_000))
      await sleep(1)
    }
    slow.socket.resume()
    // events that arrive while the listener catches up
    for (let n = 501; n <= 600; n++) {
      fire(n, n)
      if (n % 10 === 0) await sleep(1)
    }
    await slow.until(() => slow.events.some(({ tag }) => tag.endsWith('/600')))
    const got = slow.events.flatMap(({ tag }) => (tag.startsWith('n/') ? [Number(tag.split('/')[2])] : []))
    expect(got).toEqual(range(1, 600))
    expect((await take(tagged, 300)).map(({ tag }) => tag.split('/')[1])).toEqual(Array(300).fill('odd'))
    slow.socket.destroy()
    tagged.close()
  })

  it('gets missed events from the journal if it follows the journal', async () => {
    await server.close()
    await serve({ past: (from, upTo) => past().framed(from, upTo) })
    const filter = (tag: string): boolean => tag.startsWith('n/')
    const live = await BusClient.open({ paths, filter, tags: ['n/*'] })
    const events = new FollowedEvents(live, { journal: past(), from: { number: 1 }, filter })
    const socket = (live as unknown as { socket: Socket }).socket
    socket.pause()
    for (let n = 1; n <= 500; n += 10) {
      fire(n, n + 9, 'x'.repeat(10_000))
      await sleep(1)
    }
    await journal.flush()
    const taken = take(events, 500)
    socket.resume()
    expect(numbers(await taken)).toEqual(range(1, 500))
    events.close()
  })
})

describe('the origin of an event', () => {
  const WEB1 = minionOrigin('web1')

  it('reaches listeners beside the data, from the bus and from the journal, whichever way they listen', async () => {
    const plain = await BusClient.open({ paths })
    const tagged = await BusClient.open({ paths, tags: ['*'] })
    bus.fireFrom(WEB1, 'deploy/done', new Map([['origin', 'master']]))
    bus.fire('salt/key', new Map())
    await journal.flush()
    for (const events of [await take(plain, 2), await take(tagged, 2), [...past().from({ number: 1 })]]) {
      expect(events.map(({ tag, origin }) => [tag, origin])).toEqual([
        ['deploy/done', WEB1],
        ['salt/key', bus.own],
      ])
    }
    for (const client of [plain, tagged]) client.close()
  })

  it('is that of the master for nothing that comes through the socket of programs', async () => {
    const client = await BusClient.open({ paths, tags: ['*'] })
    const told = new Map<Value, Value>([['head', new Map([['o', ['master', 'm', 'process']]])]])
    const claimed = encodeMsgpack(told.set('body', encodeEvent('deploy/done', new Map())), 'bus')
    const socket = createConnection(paths.pull)
    socket.end(Buffer.from(claimed))
    await fireOnce(paths, 'deploy/again', new Map())
    const events = await take(client, 2)
    expect(events.map(({ origin }) => origin)).toEqual(
      Array(2).fill({ kind: 'user', name: userInfo().username, proof: 'socket' }),
    )
    client.close()
  })

  it('distinguishes messages of the bus from events with the same tag', async () => {
    const client = await BusClient.open({ paths, tags: ['*'] })
    for (const tag of ['salt/event/subscribed', 'salt/event/missed']) bus.fireFrom(WEB1, tag, new Map([['last', 9]]))
    expect((await take(client, 2)).map(({ tag, number }) => [tag, number])).toEqual([
      ['salt/event/subscribed', 1],
      ['salt/event/missed', 2],
    ])
    client.close()
  })
})

it('An event that cannot be packed costs listeners no other', async () => {
  const client = await BusClient.open({ paths, tags: ['*'] })
  let deep: Value = null
  for (let level = 0; level < 600; level++) deep = [deep]
  bus.fire('too/deep', new Map([['data', deep]]))
  bus.fire('n/odd/1', new Map())
  expect((await take(client, 1))[0]!.tag).toBe('n/odd/1')
  client.close()
})

describe('a listener that says which tags it wants', () => {
  it('is sent no others, with their numbers', async () => {
    const client = await BusClient.open({ paths, tags: ['n/odd/*'] })
    fire(1, 6)
    expect(numbers(await take(client, 3))).toEqual([1, 3, 5])
    client.close()
  })

  it('gets events that arrived while its process was not scheduled', async () => {
    const client = await BusClient.open({ paths, tags: ['n/odd/*'] })
    fire(1, 1)
    const next = client.next(0.02)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    expect((await next)?.number).toBe(1)
    client.close()
  })

  it('goes on from the journal without a gap and without doubles, whenever it comes', async () => {
    fire(1, 50)
    const opening = Array.from({ length: 20 }, async (_, index) => {
      await sleep(index)
      const live = await BusClient.open({ paths, tags: ['*'] })
      return new FollowedEvents(live, { journal: past(), from: { number: 40 }, filter: () => true })
    })
    for (let n = 51; n <= 100; n++) {
      fire(n, n)
      if (n % 2) await sleep(1)
    }
    for (const events of await Promise.all(opening)) {
      expect(numbers(await take(events, 61))).toEqual(range(40, 100))
      events.close()
    }
  })
})

describe('an event that cannot be written', () => {
  it('reaches no listener, and keeps no other event from them', async () => {
    const lines: string[] = []
    await server.close()
    await serve({ log: (level, text) => void lines.push(`${level}: ${text}`) })
    const tap = await BusClient.open({ paths })
    await until('the listener', async () => {
      fire(1, 1)
      return (await tap.next(0.1)) !== undefined
    })
    let deep: Value = 1
    for (let i = 0; i < 600; i++) deep = [deep]
    bus.fire('n/deep', new Map([['deep', deep]]))
    fire(2, 2)
    const tags: string[] = []
    await until('the event behind it', async () => {
      const event = await tap.next(0.1)
      if (event) tags.push(event.tag)
      return tags.includes('n/even/2')
    })
    expect(tags).not.toContain('n/deep')
    expect(lines).toContain('error: Event n/deep reaches no listener: Cannot write data nested deeper than 511 levels')
    tap.close()
  })
})
