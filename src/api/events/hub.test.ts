import { describe, expect, it, vi } from 'vitest'
import { silentLog } from '../../base/mod.ts'
import { type BusEvent, EventBus } from '../../bus/mod.ts'
import type { ApiMaster } from '../master.ts'
import { EventHub, type HubBounds } from './hub.ts'
import type { EventReader, ReaderSettings } from './reader.ts'

interface Stand {
  bus: EventBus
  hub: EventHub
  /** The events in the journal. */
  journal: BusEvent[]
  /** How often the journal was opened. */
  opened(): number
}

/** A hub of a bus with a journal, or without one. */
function stand(bounds: Partial<HubBounds> = {}, hasJournal = true): Stand {
  const bus = new EventBus()
  const journal: BusEvent[] = []
  bus.listen((event) => journal.push(event))
  let opened = 0
  const from = function* ({ number }: { number: number }): Generator<BusEvent> {
    opened++
    for (let at = 0; at < journal.length; at++) if (journal[at]!.number >= number) yield journal[at]!
  }
  const feed = {
    get last() {
      return bus.last
    },
    isOpen: true,
    listen: (hear: (event: BusEvent) => void) => bus.listen(hear),
  }
  const access = { opts: new Map([['event_journal', hasJournal]]), stores: { journal: () => ({ from }) } }
  const master = { events: feed, access } as unknown as ApiMaster
  return { bus, journal, hub: new EventHub(master, silentLog, bounds), opened: () => opened }
}

const reading = (more: Partial<ReaderSettings> = {}): ReaderSettings => ({
  user: 'ops',
  wants: () => true,
  mayGoOn: () => true,
  ...more,
})

const fire = ({ bus }: Stand, count: number, text = ''): void => {
  for (let at = 0; at < count; at++) bus.fire('test/hub', new Map([['text', text]]))
}

/** Take until the reader has an event. */
async function takeUntil(reader: EventReader, last: number): Promise<{ numbers: number[]; missed: unknown[] }> {
  const numbers: number[] = []
  const missed: unknown[] = []
  while (numbers.at(-1) !== last) {
    const batch = await reader.take()
    if (!batch) throw new Error('The reader is closed')
    if (batch.missed) missed.push(batch.missed)
    numbers.push(...batch.events.map(({ number }) => number))
  }
  return { numbers, missed }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

describe('an event hub', () => {
  it('keeps no more than its bounds, however many readers take nothing', () => {
    const stood = stand({ events: 100, bytes: 1 << 20 })
    const readers = range(1, 2000).map(() => stood.hub.open(reading()))
    fire(stood, 5000)
    expect(stood.hub.state).toMatchObject({ readers: 2000, lag: 5000, events: 100 })
    fire(stood, 50, 'x'.repeat(100_000))
    expect(stood.hub.state.bytes).toBeLessThan(1 << 20)
    for (const reader of readers) reader.close()
    expect(stood.hub.state).toEqual({ readers: 0, lag: 0, events: 0, bytes: 0 })
    stood.hub.close()
  })

  it('keeps nothing without readers', () => {
    const stood = stand()
    fire(stood, 100)
    expect(stood.hub.state.events).toBe(0)
    stood.hub.close()
  })

  it('reads the journal once for all readers that fell behind', async () => {
    const stood = stand({ events: 10 })
    const readers = range(1, 50).map(() => stood.hub.open(reading()))
    fire(stood, 1000)
    for (const read of await Promise.all(readers.map((reader) => takeUntil(reader, 1000))))
      expect(read).toEqual({ numbers: range(1, 1000), missed: [] })
    expect(stood.opened()).toBe(1)
    stood.hub.close()
  })

  it.each([
    ['that it keeps', 1000],
    ['of the journal', 1],
  ])('gives events %s in batches of few bytes, so that a reader that takes nothing holds little', async (_, events) => {
    const stood = stand({ events })
    const reader = stood.hub.open(reading())
    fire(stood, 60, 'x'.repeat(10_000))
    const sizes: number[] = []
    for (let read = 0; read < 59; read += sizes.at(-1)!) sizes.push((await reader.take())!.events.length)
    expect(Math.max(...sizes)).toBeLessThan(4)
    expect(stood.opened()).toBeLessThanOrEqual(1)
    stood.hub.close()
  })

  it('reports the numbers of dropped events to readers', async () => {
    const stood = stand({ events: 10 })
    const reader = stood.hub.open(reading())
    fire(stood, 100)
    stood.journal.splice(0, 40)
    stood.journal.splice(20, 5)
    const missed = [
      { first: 1, last: 40 },
      { first: 61, last: 65 },
    ]
    expect(await takeUntil(reader, 100)).toEqual({ numbers: [...range(41, 60), ...range(66, 100)], missed })
    expect(stood.hub.missed).toBe(45)
    stood.hub.close()
  })

  it('waits for a journal that is written a moment later', async () => {
    const stood = stand({ events: 10 })
    const reader = stood.hub.open(reading())
    fire(stood, 100)
    const late = stood.journal.splice(0)
    const taking = takeUntil(reader, 100)
    setImmediate(() => stood.journal.push(...late))
    expect(await taking).toEqual({ numbers: range(1, 100), missed: [] })
    stood.hub.close()
  })

  it('continues after missing events if there is no journal', async () => {
    const stood = stand({ events: 10 }, false)
    const reader = stood.hub.open(reading())
    fire(stood, 100)
    const first = { first: 1, last: 90 }
    expect(await takeUntil(reader, 100)).toEqual({ numbers: range(91, 100), missed: [first] })
    stood.hub.close()
  })

  it('resumes after a number, and begins with new events where the number is of another journal', async () => {
    const stood = stand()
    fire(stood, 20)
    const [resumed, foreign] = [stood.hub.open(reading({ after: 15 })), stood.hub.open(reading({ after: 9_999_999 }))]
    fire(stood, 1)
    expect((await takeUntil(resumed, 21)).numbers).toEqual(range(16, 21))
    expect((await takeUntil(foreign, 21)).numbers).toEqual([21])
    stood.hub.close()
  })

  it('goes on where the numbers of events begin anew', async () => {
    const stood = stand()
    fire(stood, 20)
    const reader = stood.hub.open(reading())
    fire(stood, 1)
    expect((await takeUntil(reader, 21)).numbers).toEqual([21])
    stood.bus.last = 0
    stood.journal.splice(0)
    fire(stood, 3)
    expect((await takeUntil(reader, 3)).numbers).toEqual([1, 2, 3])
    stood.hub.close()
  })

  it('closes only readers that take nothing while events wait', async () => {
    const stood = stand({ stuckMs: 60 })
    const stuck = await new Promise((done) => {
      stood.hub.open(reading({ closed: done }))
      stood.hub.open(reading({ wants: () => false })).take()
      fire(stood, 1)
    })
    expect(stuck).toBe(true)
    expect(stood.hub.state.readers).toBe(1)
    stood.hub.close()
  })

  it('refuses readers beyond its bounds', () => {
    const stood = stand({ readers: 3, readersOfUser: 2 })
    for (const user of ['a', 'a', 'b']) stood.hub.open(reading({ user }))
    for (const user of ['a', 'c']) expect(() => stood.hub.open(reading({ user }))).toThrow('Too many streams')
    stood.hub.close()
  })

  it('ends a reader that may not go on', async () => {
    const stood = stand()
    let isValid = true
    const reader = stood.hub.open(reading({ mayGoOn: () => isValid }))
    fire(stood, 1)
    expect((await takeUntil(reader, 1)).numbers).toEqual([1])
    isValid = false
    fire(stood, 1)
    expect(await reader.take()).toBeUndefined()
    expect(stood.hub.state.readers).toBe(0)
    stood.hub.close()
  })

  it('ends a reader that waits for events when it is woken and may not go on', async () => {
    const stood = stand()
    let isValid = true
    const reader = stood.hub.open(reading({ mayGoOn: () => isValid }))
    const taken = reader.take()
    isValid = false
    stood.hub.wake()
    expect(await taken).toBeUndefined()
    stood.hub.close()
  })
})

it('returns an empty batch to a reader without matching events, while others get events', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const site = stand()
    fire(site, 1)
    const reader = site.hub.open(reading({ wants: () => false }))
    const taken = reader.take()
    for (let second = 0; second < 20; second++) {
      fire(site, 1)
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(await taken).toEqual({ events: [] })
    site.hub.close()
  } finally {
    vi.useRealTimers()
  }
})
