import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../../test/until.ts'
import { silentLog } from '../base/mod.ts'
import type { ClusterEntry } from '../cluster/mod.ts'
import type { Dict } from '../data/mod.ts'
import { LeasedRuns, type RunState } from './leased-runs.ts'

const masters: OneMaster[] = []
afterEach(() => {
  for (const { runs } of masters.splice(0)) runs.close()
})

/** The shared state: a change counts if it names the last one. */
class Shared implements RunState {
  holder = ''
  /** When the holder renewed the lease last; undefined when nobody holds it. */
  renewed: number | undefined = performance.now()
  /** Whether changes are made and their answers are lost. */
  isMute = false
  private readonly entries = new Map<string, ClusterEntry>()
  private revision = 0

  get(_kind: 'run', name: string): ClusterEntry | undefined {
    return this.entries.get(name)
  }

  all(): ReadonlyMap<string, ClusterEntry> {
    return this.entries
  }

  async put(_kind: 'run', name: string, value: Dict, after: number): Promise<number> {
    if ((this.entries.get(name)?.revision ?? 0) !== after) {
      throw Object.assign(new Error('changed'), { code: 'ClusterConflict' })
    }
    this.entries.set(name, { revision: ++this.revision, value, since: performance.now() })
    if (this.isMute) throw new Error('no answer')
    return this.revision
  }

  async fetch(_kind: 'run', name: string): Promise<ClusterEntry | undefined> {
    return this.entries.get(name)
  }
}

class OneMaster {
  readonly runs: LeasedRuns
  readonly started: Array<number | null> = []
  readonly names: string[] = []
  readonly elsewhere: string[] = []

  constructor(shared: Shared, writer: string) {
    this.runs = new LeasedRuns({
      cluster: {
        writer,
        holds: () => shared.holder === writer,
        membership: { renewedAt: () => shared.renewed },
        state: shared,
      },
      log: silentLog,
      start: ({ name, moment }) => {
        this.names.push(name)
        this.started.push(moment)
      },
      ranElsewhere: (name) => void this.elsewhere.push(name),
    })
    masters.push(this)
  }

  due(moment: number | null, name = 'nightly'): void {
    this.runs.due({ name, fun: 'test.ping', job: new Map(), moment })
  }
}

const trio = (): [Shared, OneMaster, OneMaster, OneMaster] => {
  const shared = new Shared()
  return [shared, ...(['a', 'b', 'c'].map((name) => new OneMaster(shared, name)) as [OneMaster, OneMaster, OneMaster])]
}

describe('Scheduled jobs of a cluster', () => {
  it('are started by the holder of the lease, and not again by the next one', async () => {
    const [shared, a, b, c] = trio()
    shared.holder = 'a'
    for (const each of [b, a, c]) each.due(1000)
    await until('it runs', () => a.started.length > 0)
    shared.holder = 'b'
    b.due(2000)
    // its clock is late
    b.due(1000)
    await until('the next one runs', () => b.started.length > 0)
    expect([a, b, c].map(({ started }) => started)).toEqual([[1000], [2000], []])
    await until('the others hear of it', () => c.elsewhere.length > 0)
  })

  it('that were due while there was no holder are started by the next one, late and once', async () => {
    const [shared, a, b, c] = trio()
    shared.renewed = undefined
    for (const each of [b, c]) each.due(1000)
    shared.holder = 'b'
    await until('it runs', () => b.started.length > 0)
    shared.holder = 'c'
    c.due(2000)
    await until('the next run starts', () => c.started.length > 0)
    expect([a, b, c].map(({ started }) => started)).toEqual([[], [1000], [2000]])
  })

  it('that the holder left out are left out by the next one', async () => {
    const [shared, a, b] = trio()
    shared.holder = 'a'
    b.due(1000, 'left out')
    b.due(null, 'at its start')
    shared.renewed = performance.now() + 60_000
    a.due(1000, 'wanted')
    await until('b has looked', () => b.elsewhere.includes('wanted'))
    shared.holder = 'b'
    b.due(2000, 'next')
    await until('the next run starts', () => b.names.includes('next'))
    expect([a.names, b.names]).toEqual([['wanted'], ['next']])
  })

  it('start when the answer to their claim was lost', async () => {
    const [shared, a] = trio()
    shared.holder = 'a'
    shared.isMute = true
    a.due(1000)
    await until('the claim is made', () => shared.get('run', 'nightly') !== undefined)
    shared.isMute = false
    await until('it runs', () => a.started.length > 0)
    expect(a.started).toEqual([1000])
  })

  it('of a holder that hung before its claim are not started when the next one has started them', async () => {
    const [shared, a, b] = trio()
    for (const each of [a, b]) each.due(1000)
    shared.holder = 'b'
    await until('it runs', () => b.started.length > 0)
    shared.holder = 'a'
    a.due(2000)
    await until('the next run starts', () => a.started.length > 0)
    expect([a.started, b.started]).toEqual([[2000], [1000]])
  })
})
