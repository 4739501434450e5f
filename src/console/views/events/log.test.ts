import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { LiveEvent } from '../../live/stream.ts'
import type { EventLog, LogBounds, LogPage, LogRow } from './log.ts'

// the client of the API reads the address of the page
let Log: typeof EventLog
beforeAll(async () => {
  vi.stubGlobal('location', new URL('http://master/console/'))
  Log = (await import('./log.ts')).EventLog
})

const event = (number: number, tag = 'test'): LiveEvent => ({ number, tag, data: { number }, origin: null, stamp: '' })

const numbers = (rows: readonly LogRow[]): unknown[] =>
  rows.map((row) => ('first' in row ? `${row.first}-${row.last}` : row.number))

const upTo = (last: number, from = 1): number[] => Array.from({ length: last - from + 1 }, (_, at) => from + at)

/** A log over a journal that has events with these numbers, in pages of ten. */
function stand(journal: number[], bounds: Partial<LogBounds> = {}, fits: (event: LiveEvent) => boolean = () => true) {
  const load = async ({ before, since }: { before?: number; since?: number }): Promise<LogPage> => {
    if (since !== undefined) {
      const items = journal.filter((number) => number > since).slice(0, 10)
      return { items: items.map((number) => event(number)), previous: null, last: items.at(-1) ?? since }
    }
    const earlier = journal.filter((number) => before === undefined || number < before)
    const items = earlier.slice(-10)
    const previous = earlier.length > 10 ? items[0]! : null
    return { items: items.map((number) => event(number)), previous, last: items.at(-1) ?? 0 }
  }
  return new Log({ fits, load }, bounds)
}

describe('the log of events', () => {
  it('joins the journal and the stream without a gap or a doubled event', async () => {
    const journal = upTo(20)
    const log = stand(journal)
    const begun = log.begin(22)
    log.add([event(23)])
    // the journal is written a moment later
    journal.push(21, 22, 23)
    await begun
    log.add([event(24)])
    expect(numbers(log.state.value.rows)).toEqual(upTo(24, 11).reverse())
  })

  it('shows an event once that a page had before the stream passed it on', async () => {
    const log = stand(upTo(5))
    await log.begin(4)
    log.add([event(5), event(6)])
    expect(numbers(log.state.value.rows)).toEqual(upTo(6).reverse())
  })

  it('goes back to the beginning of the journal', async () => {
    const log = stand(upTo(25))
    await log.begin(25)
    while (log.state.value.previous !== null) await log.earlier()
    expect(numbers(log.state.value.rows)).toEqual(upTo(25).reverse())
  })

  it('keeps the displayed events while it is paused, and continues without a gap', async () => {
    const log = stand(upTo(5))
    await log.begin(5)
    log.hold()
    log.add([event(6), event(7)])
    expect(numbers(log.state.value.rows)).toEqual(upTo(5).reverse())
    expect(log.state.value.waiting).toBe(2)
    log.release()
    expect(numbers(log.state.value.rows)).toEqual(upTo(7).reverse())
  })

  it('is bounded, and knows from where on the journal has the rest', async () => {
    const log = stand(upTo(5), { most: 8 })
    await log.begin(5)
    log.add(upTo(10, 6).map((number) => event(number)))
    expect(numbers(log.state.value.rows)).toEqual(upTo(10, 3).reverse())
    expect(log.state.value.previous).toBe(3)
  })

  it('drops older rows when more events arrived during a pause than it keeps', async () => {
    const log = stand(upTo(5), { most: 8 })
    await log.begin(5)
    log.hold()
    log.add(upTo(20, 6).map((number) => event(number)))
    log.release()
    expect(numbers(log.state.value.rows)).toEqual(upTo(20, 13).reverse())
    expect(log.state.value.previous).toBe(13)
  })

  it('is bounded by the size of the data', async () => {
    const log = stand([], { size: 3000 })
    await log.begin(0)
    const large = (number: number): LiveEvent => ({ ...event(number), data: { text: 'x'.repeat(1000) } })
    log.add(upTo(10).map(large))
    expect(log.state.value.rows.length).toBeLessThan(5)
    expect(numbers(log.state.value.rows)[0]).toBe(10)
  })

  it('names events that the journal does not have', async () => {
    const log = stand(upTo(3))
    await log.begin(3)
    log.miss({ first: 4, last: 6, count: 3 })
    log.add([event(7)])
    expect(numbers(log.state.value.rows)).toEqual([7, '4-6', 3, 2, 1])
  })

  it('looks further back until something matches', async () => {
    const log = stand(upTo(45), {}, ({ number }) => number <= 12)
    await log.begin(45)
    expect(numbers(log.state.value.rows)).toEqual([12, 11, 10, 9, 8, 7, 6].slice(0, log.state.value.rows.length))
    expect(log.state.value.rows.length).toBeGreaterThan(0)
  })
})
