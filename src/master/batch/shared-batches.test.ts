import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ClusterRecord } from '../../cluster/mod.ts'
import { type Dict, isDict, type Value } from '../../data/mod.ts'
import { isBatchOver } from '../../sdk/mod.ts'
import { Batch, type BatchPlan } from './batch.ts'
import { SharedBatches } from './shared-batches.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const JID = '20300101000000000001'
const PLAN = { jid: JID, fun: 'test.ping', size: 1, kwargs: new Map() } as unknown as BatchPlan

/** Members of a cluster with one log. */
class Site {
  readonly log: Dict[] = []
  readonly gone = new Set<string>()
  readonly members = new Map<string, Member>()
  /** The outcome of the next appends. */
  answer: 'kept' | 'lost' | 'unconfirmed' = 'kept'

  join(writer: string): Member {
    const member = new Member(this, writer)
    this.members.set(writer, member)
    return member
  }

  enter(fields: Dict): void {
    this.log.push(fields)
    for (const { shared } of this.members.values()) shared.apply({ fields } as ClusterRecord)
  }
}

class Member {
  readonly states = new Map<string, Value>()
  readonly did: string[] = []
  readonly shared: SharedBatches

  constructor(site: Site, writer: string) {
    const { states } = this
    const cluster = {
      writer,
      hasQuorum: true,
      isCaughtUp: true,
      isGone: (other: string) => site.gone.has(other),
      append: async (fields: Dict) => {
        if (site.answer !== 'lost') site.enter(fields)
        if (site.answer !== 'kept') throw new Error('no majority')
      },
      share: (fields: Dict) => void site.enter(fields),
    }
    const bank = {
      fetch: (key: string) => states.get(key),
      store: (key: string, value: Value) => void states.set(key, value),
      flush: () => {},
      list: () => [...states.keys()],
      updated: () => 0,
    }
    const parts = { cluster, states: bank, jobs: { progress: () => [] }, log: () => {} }
    this.shared = new SharedBatches(parts as unknown as ConstructorParameters<typeof SharedBatches>[0], {
      takeUp: (jid) => void this.did.push(`takes ${jid}`),
      drop: (jid) => void this.did.push(`drops ${jid}`),
    })
    this.shared.start()
  }

  get isOver(): boolean | undefined {
    const state = this.states.get(JID)
    return state !== undefined && isDict(state) ? isBatchOver(state) : undefined
  }
}

const batch = (): Batch => new Batch(PLAN, ['web1', 'web2'], 0)

test('One of two members takes the batch of a process that is gone', async () => {
  const site = new Site()
  const [first, second, third] = [site.join('a.1'), site.join('b.1'), site.join('c.1')]
  await first.shared.begin(batch())
  site.gone.add('a.1')
  site.members.delete('a.1')
  await vi.advanceTimersByTimeAsync(10_000)
  expect([second.did, third.did].flat().filter((each) => each === `takes ${JID}`)).toHaveLength(1)
  // the first member starts again and reads the log from its beginning: the batch is not its own any more
  const again = site.join('a.2')
  for (const fields of site.log) again.shared.apply({ fields } as ClusterRecord)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(again.did).not.toContain(`takes ${JID}`)
  const driver = second.did.includes(`takes ${JID}`) ? second : third
  driver.shared.over(batch())
  expect([second.isOver, third.isOver, again.isOver]).toEqual([true, true, true])
})

test('A batch that was refused runs on no member, also when its record reached the log', async () => {
  for (const answer of ['lost', 'unconfirmed'] as const) {
    const site = new Site()
    const [first, second] = [site.join('a.1'), site.join('b.1')]
    site.answer = answer
    await expect(first.shared.begin(batch())).rejects.toThrow('no majority')
    site.answer = 'kept'
    site.gone.add('a.1')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(second.did).not.toContain(`takes ${JID}`)
    expect(second.isOver).toBe(answer === 'lost' ? undefined : true)
  }
})
