import { describe, expect, it } from 'vitest'
import { type BusEvent, EventBus, minionOrigin } from '../../bus/mod.ts'
import type { EventSource } from '../../client/mod.ts'
import { type Dict, dictFrom, type Value } from '../../data/mod.ts'
import { BatchWatch } from './batch-watch.ts'
import type { SaltWork } from './work.ts'

const JID = '20300101000000000001'
const bus = new EventBus()
const returned = (id: string, retcode = 0): Dict => dictFrom({ id, jid: JID, return: `from ${id}`, retcode })
const began = (...minions: string[]): BusEvent => bus.fire(`salt/job/${JID}/new`, dictFrom({ minions }))
const came = (id: string): BusEvent => bus.fire(`salt/job/${JID}/ret/${id}`, returned(id))
const ended = (how: string, state?: Dict): BusEvent =>
  bus.fire(`salt/batch/${JID}/${how}`, state ? dictFrom({ state }) : new Map())

interface Site {
  /** Events in order; undefined for a period without events, `lost` for the end of the connection. */
  events: Array<BusEvent | 'lost' | undefined>
  stored?: Record<string, Dict>
  states?: Array<Dict | undefined>
}

/** Follow a batch of web1 and web2; return the output. */
async function followed({ events, stored = {}, states = [] }: Site): Promise<{ watch: BatchWatch; printed: string[] }> {
  let printed = ''
  let isOpen = true
  const source: EventSource = {
    want: () => {},
    get isOpen() {
      return isOpen
    },
    next: async () => {
      if (events.length === 0) throw new Error('The watch waits for an event that does not come')
      const event = events.shift()
      if (event === 'lost') isOpen = false
      return event === 'lost' ? undefined : event
    },
    recover: async () => {
      isOpen = true
      return true
    },
    stored: (_jid, ids) => new Map([...ids].flatMap((id) => (stored[id] ? [[id, stored[id]]] : []))),
  }
  const work = {
    client: { batchState: () => states.shift() },
    opts: dictFrom({ output: 'txt' }),
    log: () => {},
    streams: { out: (text: string) => void (printed += text), err: () => {}, terminal: false },
  } as unknown as SaltWork
  const watch = new BatchWatch(work, { jid: JID, minions: ['web1', 'web2'], isQuiet: false }, source)
  await watch.follow()
  return {
    watch,
    printed: printed
      .replaceAll(/^(retcode|jid): .*\n/gm, '')
      .trim()
      .split(/\n+/),
  }
}

const OVER = dictFrom({ pending: [], active: new Map(), halted: false })

describe('the watch of a batch', () => {
  it('prints a return whose event was missed', async () => {
    const { printed } = await followed({
      events: [began('web1'), came('web1'), began('web2'), ended('complete')],
      stored: { web2: returned('web2') },
    })
    expect(printed).toEqual([
      "Executing run on ['web1']",
      'web1: from web1',
      "Executing run on ['web2']",
      'web2: from web2',
    ])
  })

  it('prints all returns when it receives only the last event', async () => {
    const { watch, printed } = await followed({
      events: [ended('complete')],
      stored: { web1: returned('web1'), web2: returned('web2', 3) },
    })
    expect(printed).toEqual(["Executing run on ['web1', 'web2']", 'web1: from web1', 'web2: from web2'])
    expect(watch.retcode).toBe(3)
  })

  it('ends when the stored state says so and the event of the end was missed', async () => {
    const { printed } = await followed({
      events: [began('web1', 'web2'), came('web1'), undefined, undefined],
      stored: { web2: returned('web2') },
      states: [undefined, OVER],
    })
    expect(printed).toEqual(["Executing run on ['web1', 'web2']", 'web1: from web1', 'web2: from web2'])
  })

  it('goes on after the master was away', async () => {
    const { printed } = await followed({
      events: [began('web1'), 'lost', began('web2'), came('web2'), ended('complete')],
      stored: { web1: returned('web1') },
    })
    expect(printed).toEqual([
      "Executing run on ['web1']",
      'web1: from web1',
      "Executing run on ['web2']",
      'web2: from web2',
    ])
  })

  it('prints of a stopped batch the returns that counted', async () => {
    const state = dictFrom({ halted: true, halted_reason: 'failhard', done: dictFrom({ web1: returned('web1', 2) }) })
    const { watch, printed } = await followed({
      events: [ended('halted', state)],
      stored: { web1: returned('web1', 2), web2: returned('web2') },
    })
    expect(printed).toEqual(["Executing run on ['web1']", 'web1: from web1'])
    expect([watch.isHalted, watch.retcode]).toEqual([true, 2])
  })

  it('counts a minion that did not return as an empty return', async () => {
    const { watch } = await followed({ events: [began('web1', 'web2'), came('web1'), ended('complete')] })
    expect(watch.results).toEqual(new Map<Value, Value>([['web1', 'from web1']]).set('web2', new Map()))
  })

  it('believes no minion about the course of the batch', async () => {
    const forged = bus.fireFrom(minionOrigin('web2'), `salt/batch/${JID}/complete`, new Map())
    const { printed } = await followed({ events: [forged, began('web1'), came('web1'), ended('complete')] })
    expect(printed.at(-1)).toBe('web1: from web1')
  })
})
