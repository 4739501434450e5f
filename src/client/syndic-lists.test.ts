import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type BusEvent, EventBus, minionOrigin, type Origin, syndicOrigin } from '../bus/mod.ts'
import { type Dict, fromPlain } from '../data/mod.ts'
import type { MinionReturn } from '../sdk/mod.ts'
import { collectReturns, type EventSource } from './collect.ts'

const JID = '20300101000000000001'
const bus = new EventBus()

const list = (path: string, data: object, origin: Origin = syndicOrigin(path.split('/')[1]!)): BusEvent =>
  bus.fireFrom(origin, `${path}/salt/job/${JID}/new`, fromPlain({ jid: JID, missing: [], ...data }) as Dict)
const returned = (id: string, value: unknown = true): BusEvent =>
  bus.fire(`salt/job/${JID}/ret/${id}`, fromPlain({ id, return: value }) as Dict)

interface Case {
  minions?: string[]
  missing?: string[]
  syndics?: string[]
  events: BusEvent[]
  /** How long to wait for lists. */
  seconds?: number
}

/** Collect until no event is left: each id, and the reason for ids without a return. */
async function gathered({
  minions = [],
  missing = [],
  syndics = ['east'],
  events,
  seconds = 0.05,
}: Case): Promise<string[]> {
  const left = [...events]
  const source: EventSource = { want: () => {}, isOpen: true, next: async () => left.shift() }
  const published = { jid: JID, minions, missing, syndics: { ids: syndics, seconds } }
  const all: MinionReturn[] = []
  const options = { timeout: 0.05, gatherJobTimeout: 0 }
  for await (const one of collectReturns(source, async () => undefined, published, options)) all.push(one)
  expect(left).toHaveLength(0)
  return all.map(({ id, reason }) => (reason ? `${id} ${reason}` : id))
}

describe('The minions below syndics', () => {
  it('are waited for when their syndic has named them, and the syndic is not', async () => {
    const events = [list('syndic/east', { minions: ['a', 'b'] }), returned('a'), returned('b')]
    expect(await gathered({ minions: ['east'], events })).toEqual(['a', 'b'])
  })

  it('count also when their returns come before the list, and once', async () => {
    const events = [returned('a'), returned('a'), list('syndic/east', { minions: ['a', 'b'] }), returned('b')]
    expect(await gathered({ events })).toEqual(['a', 'b'])
  })

  it('do not fill the memory with large returns before the list', async () => {
    const large = 'x'.repeat(12 << 20)
    const early = [returned('a', large), returned('b', large), returned('c', large), returned('d')]
    const events = [...early, list('syndic/east', { minions: ['a', 'b', 'c', 'd'] })]
    expect(await gathered({ events, seconds: 60 })).toEqual(['a', 'b', 'd', 'c silent'])
  })

  it('are waited for below a syndic of a syndic, also where the middle tier has none', async () => {
    const events = [
      list('syndic/east', { minions: [], syndics: ['deep'] }),
      list('syndic/east/syndic/deep', { minions: ['a'] }),
      returned('a'),
    ]
    expect(await gathered({ events })).toEqual(['a'])
  })

  it('are reported without a return, and known ids of a list are not missing', async () => {
    const events = [list('syndic/east', { minions: ['a', 'b'] }), returned('a')]
    expect(await gathered({ missing: ['a', 'b', 'c'], events })).toEqual(['a', 'b silent', 'c missing'])
  })

  it('are not taken out of the waiting by another syndic, nor are the minions of the master itself', async () => {
    const events = [
      list('syndic/west', { minions: ['w1'] }),
      list('syndic/east', { minions: ['web1', 'w1'] }),
      ...['web1', 'w1'].map((id) => list(`syndic/east/syndic/${id}`, { minions: [] })),
    ]
    expect(await gathered({ minions: ['web1'], syndics: ['west', 'east'], events })).toEqual([
      'web1 silent',
      'w1 silent',
    ])
  })

  it('cannot extend the wait by sending list after list', async () => {
    let told = 0
    const next = async (): Promise<BusEvent> => {
      await sleep(1)
      const tiers = told++ % 2 === 0 ? 'syndic/east' : `syndic/east/syndic/s${told}`
      return list(tiers, { minions: [`m${told}`], syndics: [`s${told + 2}`] })
    }
    const source: EventSource = { want: () => {}, isOpen: true, next: async (s) => (s > 0 ? next() : undefined) }
    const published = { jid: JID, minions: [], missing: [], syndics: { ids: ['east'], seconds: 0.02 } }
    const options = { timeout: 0.02, gatherJobTimeout: 0 }
    const all: MinionReturn[] = []
    for await (const one of collectReturns(source, async () => undefined, published, options)) all.push(one)
    expect(all.every(({ reason }) => reason === 'silent')).toBe(true)
  })

  it('are no more than all minions can be asked about', async () => {
    const minions = Array.from({ length: 50_000 }, (_, at) => `m${at}`.padEnd(200, 'x'))
    const all = await gathered({
      events: [list('syndic/east', { minions: minions.slice(1) }), list('syndic/east', { minions })],
    })
    expect(all.length).toBeGreaterThan(40_000)
    expect(all.length).toBeLessThan(42_000)
  })

  it('count only from their own syndic', async () => {
    const forged = [
      list('syndic/east', { minions: ['x'] }, minionOrigin('east')),
      list('syndic/east', { minions: ['x'] }, syndicOrigin('west')),
      list('syndic/east', { minions: ['../x', 7, 'x\n'] }),
    ]
    expect(await gathered({ events: [...forged, returned('x')] })).toEqual([])
  })
})
