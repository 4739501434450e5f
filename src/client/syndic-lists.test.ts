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
const returned = (id: string): BusEvent =>
  bus.fire(`salt/job/${JID}/ret/${id}`, fromPlain({ id, return: true }) as Dict)

interface Case {
  minions?: string[]
  missing?: string[]
  syndics?: string[]
  events: BusEvent[]
}

/** What is gathered, until no event is left: each id, and why it is there without a return. */
async function gathered({ minions = [], missing = [], syndics = ['east'], events }: Case): Promise<string[]> {
  const left = [...events]
  const source: EventSource = { want: () => {}, isOpen: true, next: async () => left.shift() }
  const published = { jid: JID, minions, missing, syndics: { ids: syndics, seconds: 0.05 } }
  const all: MinionReturn[] = []
  const options = { timeout: 0.05, gatherJobTimeout: 0 }
  for await (const one of collectReturns(source, async () => undefined, published, options)) all.push(one)
  expect(left).toEqual([])
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

  it('are waited for below a syndic of a syndic, also where the middle tier has none', async () => {
    const events = [
      list('syndic/east', { minions: [], syndics: ['deep'] }),
      list('syndic/east/syndic/deep', { minions: ['a'] }),
      returned('a'),
    ]
    expect(await gathered({ events })).toEqual(['a'])
  })

  it('do not return: they are named, and ids of a list that a tier has are not missing', async () => {
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

  it('are not waited for without end where a syndic tells list after list', async () => {
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

  it('are not told of by others than their syndic', async () => {
    const forged = [
      list('syndic/east', { minions: ['x'] }, minionOrigin('east')),
      list('syndic/east', { minions: ['x'] }, syndicOrigin('west')),
      list('syndic/east', { minions: ['../x', 7, 'x\n'] }),
    ]
    expect(await gathered({ events: [...forged, returned('x')] })).toEqual([])
  })
})
