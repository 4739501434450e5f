import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Membership } from './membership.ts'
import type { ClusterEntry, ClusterState } from './state.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** The shared state of members; `hasLeader` says whether it takes changes. */
class State {
  hasLeader = true
  readonly isCaughtUp = true
  private readonly entries = new Map<string, Map<string, ClusterEntry>>()

  all(kind: string): Map<string, ClusterEntry> {
    return this.entries.get(kind) ?? new Map()
  }

  get(kind: string, name: string): ClusterEntry | undefined {
    return this.all(kind).get(name)
  }

  async put(kind: string, name: string, value: ClusterEntry['value']): Promise<number> {
    if (!this.hasLeader) throw new Error('timeout')
    this.entries.set(kind, this.all(kind).set(name, { revision: 1, value, since: performance.now() }))
    return 1
  }
}

it('has a majority while the log takes records, and holds no lease while the state takes none', async () => {
  const state = new State()
  const parts = { state: state as unknown as ClusterState, facts: () => new Map(), log: () => {} }
  const [here, there] = ['a', 'b'].map((member) => new Membership({ ...parts, member, writer: `${member}.1` }))
  here!.want('schedule')
  for (const each of [here!, there!]) each.start()
  await vi.advanceTimersByTimeAsync(5000)
  expect([here!.hasQuorum, here!.holds('schedule'), here!.isGone('b.1')]).toEqual([true, true, false])
  state.hasLeader = false
  for (let second = 0; second < 20; second++) {
    here!.proveQuorum()
    await vi.advanceTimersByTimeAsync(1000)
  }
  // no member's entry was renewed, so the entries do not show which members live
  expect([here!.hasQuorum, here!.holds('schedule'), here!.isGone('b.1')]).toEqual([true, false, false])
  expect(there!.hasQuorum).toBe(false)
  state.hasLeader = true
  await vi.advanceTimersByTimeAsync(5000)
  expect([here!.holds('schedule'), there!.hasQuorum]).toEqual([true, true])
  for (const each of [here!, there!]) await each.close()
})
