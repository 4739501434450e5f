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

  it('are not told of by others than their syndic', async () => {
    const forged = [
      list('syndic/east', { minions: ['x'] }, minionOrigin('east')),
      list('syndic/east', { minions: ['x'] }, syndicOrigin('west')),
      list('syndic/east', { minions: ['../x', 7, 'x\n'] }),
    ]
    expect(await gathered({ events: [...forged, returned('x')] })).toEqual([])
  })
})
