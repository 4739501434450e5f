import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Comparable, Comparison, type Restoration } from './comparison.ts'
import type { Nats } from './nats.ts'
import { Seal } from './seal.ts'

const ROUND_MS = 5000

type Hears = Parameters<Nats['listen']>[1]

/** A master with returns of jobs, whose window ends at a job id. */
class Master implements Comparable {
  readonly jobs = new Map<string, Set<string>>()
  readonly gaps: string[] = []
  readonly logged: string[] = []
  readonly restorations: Restoration[] = []
  youngest = '9'
  /** Whether the log takes what this master restores. */
  isRestoring = true

  stretch({ first, last, jobs: most }: Parameters<Comparable['stretch']>[0]) {
    const end = last !== undefined && last < this.youngest ? last : this.youngest
    const found = [...this.jobs].filter(([jid]) => jid >= first && jid <= end).sort(([a], [b]) => (a < b ? -1 : 1))
    const jobs = found.slice(0, most).map(([jid, ids]) => ({ jid, count: ids.size, digest: [...ids].sort().join() }))
    const hasMore = found.length > most
    return { first, last: hasMore ? jobs.at(-1)!.jid : end, jobs, hasMore }
  }

  idsOf(jid: string): string[] | undefined {
    const ids = this.jobs.get(jid)
    return ids && [...ids].sort()
  }

  restore(restoration: Restoration): { count: number; bytes: number } {
    this.restorations.push(restoration)
    if (!this.isRestoring) return { count: 0, bytes: 0 }
    const { jid, ids } = restoration
    for (const { jobs } of masters) jobs.set(jid, new Set([...(jobs.get(jid) ?? []), ...ids]))
    return { count: ids.length, bytes: ids.length }
  }
}

let masters: Master[]
let messages: string[]
let comparisons: Comparison[]

beforeEach(() => {
  vi.useFakeTimers()
  masters = [new Master(), new Master()]
  messages = []
  const listeners = new Set<Hears>()
  const seal = new Seal(Buffer.alloc(32))
  const nats: Pick<Nats, 'listen' | 'send' | 'server'> = {
    server: { name: 'nats', version: '2.11.0', maxPayload: 1 << 20 },
    listen: (_, hear) => {
      listeners.add(hear)
      return { unsubscribe: () => void listeners.delete(hear) } as ReturnType<Nats['listen']>
    },
    send: (subject, data) => {
      messages.push(Buffer.from(seal.open(data, subject)).toString('latin1'))
      for (const hear of listeners) hear({ data } as Parameters<Hears>[0])
    },
  }
  comparisons = masters.map((master, index) => {
    const log = (_: string, text: string): void => void master.logged.push(text)
    const parts = { nats, seal, member: `master-${index}`, subject: 'compare', comparable: master, log }
    return new Comparison({ ...parts, isWell: () => true, onGap: ({ text }) => void master.gaps.push(text) })
  })
})

afterEach(() => {
  for (const comparison of comparisons) comparison.close()
  vi.useRealTimers()
})

const rounds = (count: number): void => void vi.advanceTimersByTime(count * ROUND_MS)

test('A return that one master lacks is appended once, and reported once', () => {
  masters[0]!.jobs.set('1', new Set(['web', 'db']))
  masters[1]!.jobs.set('1', new Set(['web']))
  rounds(6)
  expect(masters[1]!.idsOf('1')).toEqual(['db', 'web'])
  expect(masters[0]!.restorations.map(({ ids }) => ids)).toEqual([['db']])
  expect(masters[1]!.gaps).toEqual([expect.stringContaining('lacked 1 returns of job 1')])
})

test('A job that is too new for the clock of one master is not compared', () => {
  masters[0]!.jobs.set('5', new Set(['web']))
  masters[1]!.jobs.set('5', new Set())
  masters[1]!.youngest = '4'
  rounds(6)
  expect(messages.filter((text) => text.includes('have'))).toEqual([])
})

test('A difference that repairs do not remove is tried ever more seldom, and reported once', () => {
  masters[0]!.jobs.set('1', new Set(['web', 'db']))
  masters[1]!.jobs.set('1', new Set(['web']))
  masters[0]!.isRestoring = false
  rounds(200)
  expect(masters[0]!.restorations.length).toBeLessThan(20)
  expect(masters[1]!.gaps).toHaveLength(1)
  expect(masters[1]!.logged.filter((text) => text.includes('still differ'))).toHaveLength(1)
})
