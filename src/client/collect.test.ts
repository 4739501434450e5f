import { describe, expect, it } from 'vitest'
import { type BusEvent, EventBus, minionOrigin, type Origin } from '../bus/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { MinionReturn } from '../sdk/mod.ts'
import { collectReturns, type EventSource } from './collect.ts'

const answer = (id: string): Dict =>
  new Map<Value, Value>([
    ['id', id],
    ['return', true],
  ])
const answered = (id: string): BusEvent => new EventBus().fire(`salt/job/1/ret/${id}`, answer(id))
const published = { jid: '1', minions: ['a', 'b', 'c'], missing: [] }

async function all(source: EventSource): Promise<string[]> {
  const gathered: MinionReturn[] = []
  const options = { timeout: 5, gatherJobTimeout: 1 }
  for await (const one of collectReturns(source, async () => undefined, published, options)) gathered.push(one)
  return gathered.map(({ id, reason }) => (reason ? `${id} ${reason}` : id))
}

/** Two lives of a bus: after the first the events are lost, and b returns before the second is listened to. */
function breaking(recover: EventSource['recover']): EventSource {
  const bus = new EventBus()
  const first = [bus.fire('salt/job/1/ret/a', answer('a'))]
  const second = [bus.fire('salt/job/1/ret/c', answer('c'))]
  let isOpen = true
  return {
    want: () => {},
    get isOpen() {
      return isOpen
    },
    next: async () => {
      const event = first.shift() ?? (isOpen && first.length === 0 ? undefined : second.shift())
      if (!event && isOpen) isOpen = false
      return event
    },
    ...(recover && {
      recover: async () => {
        isOpen = await recover()
        first.push(...second.splice(0))
        return isOpen
      },
    }),
    stored: () => new Map([['b', answer('b')]]),
  }
}

describe('gathering returns', () => {
  it('continues after the master was away, and reads missed returns', async () => {
    expect(await all(breaking(async () => true))).toEqual(['a', 'b', 'c'])
  })

  it('reads the store for minions whose events are missing, and queries only the others', async () => {
    const asked: string[][] = []
    const ask = async (_jid: string, ids: string[]): Promise<undefined> => void asked.push(ids)
    const source: EventSource = {
      want: () => {},
      isOpen: true,
      next: async () => undefined,
      stored: (jid, ids) => new Map([...ids].filter((id) => id !== 'b').map((id) => [id, answer(`${id} of ${jid}`)])),
    }
    const gathered: MinionReturn[] = []
    for await (const one of collectReturns(source, ask, published, { timeout: 5, gatherJobTimeout: 1 }))
      gathered.push(one)
    expect(gathered.map(({ id, data, reason }) => [id, data?.get('id') ?? reason])).toEqual([
      ['a', 'a of 1'],
      ['c', 'c of 1'],
      ['b', 'silent'],
    ])
    expect(asked).toEqual([['b']])
  })

  it("counts returns by the master's tag, and ignores claims of a minion", async () => {
    const bus = new EventBus()
    const unsaid: Origin = { kind: 'unknown', name: '', proof: 'none' }
    const told = (origin: Origin, tag: string, id: string) => bus.fireFrom(origin, `salt/job/1/${tag}`, answer(id))
    const script: BusEvent[] = [
      told(minionOrigin('c'), 'ret/c', 'a'),
      told(minionOrigin('c'), 'ret/a', 'a'),
      told(bus.own, 'ret/c', 'a'),
      told(bus.own, 'ret/a/ret/b', 'b'),
      // an event of Salt's own bus, which has no origin
      told(unsaid, 'ret/c', 'b'),
      told(bus.own, 'ret/a', 'a'),
      told(unsaid, 'ret/b', 'b'),
    ]
    const source = { want: () => {}, isOpen: true, next: async () => script.shift() }
    expect(await all(source)).toEqual(['a', 'b', 'c silent'])
  })

  it('repeats the query about running minions after the master was away', async () => {
    const bus = new EventBus()
    const working = new Map<Value, Value>([
      ['id', 'a'],
      ['return', new Map([['jid', '1']])],
    ])
    const silence = undefined
    const script: Array<BusEvent | 'lost' | undefined> = [
      silence,
      'lost',
      silence,
      'lost',
      silence,
      bus.fire('salt/job/q3/ret/a', working),
      silence,
      answered('a'),
    ]
    let isOpen = true
    const source: EventSource = {
      want: () => {},
      get isOpen() {
        return isOpen
      },
      next: async () => {
        const next = script.shift()
        if (next === 'lost') isOpen = false
        return next === 'lost' ? undefined : next
      },
      recover: async () => {
        isOpen = true
        return true
      },
    }
    let questions = 0
    const ask = async (): Promise<string> => {
      // the master goes away once more
      if (++questions === 2) {
        isOpen = false
        throw new Error('No answer')
      }
      return `q${questions}`
    }
    const gathered: MinionReturn[] = []
    const job = { jid: '1', minions: ['a'], missing: [] }
    for await (const one of collectReturns(source, ask, job, { timeout: 5, gatherJobTimeout: 1 })) gathered.push(one)
    expect(gathered.map(({ id, reason }) => reason ?? id)).toEqual(['a'])
    expect(questions).toBe(4)
  })

  it('repeats the query while minions return late, and gives up silent ones', async () => {
    const silence = undefined
    // one return after each of the first two questions, none after the third
    const script = [silence, answered('b'), silence, answered('c'), silence, silence]
    const source: EventSource = { want: () => {}, isOpen: true, next: async () => script.shift() }
    const asked: string[][] = []
    const ask = async (_jid: string, ids: string[]): Promise<string> => `q${asked.push(ids)}`
    const gathered: MinionReturn[] = []
    for await (const one of collectReturns(source, ask, published, { timeout: 5, gatherJobTimeout: 1 }))
      gathered.push(one)
    expect(gathered.map(({ id, reason }) => reason ?? id)).toEqual(['b', 'c', 'silent'])
    expect(asked).toEqual([['a', 'b', 'c'], ['a', 'c'], ['a']])
  })

  it.each([
    ['nothing can be done', undefined],
    ['the master does not come back', async () => false],
  ])('ends with an error when %s', async (_case, recover) => {
    await expect(all(breaking(recover))).rejects.toThrow('The connection to the master was lost')
  })
})
