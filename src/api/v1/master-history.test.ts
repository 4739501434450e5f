import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../../base/mod.ts'
import { EventBus, externalOrigin } from '../../bus/mod.ts'
import { dictFrom } from '../../data/mod.ts'
import { MasterHistory } from './master-history.ts'

let bus: EventBus
let history: MasterHistory

beforeEach(() => {
  vi.useFakeTimers()
  let up = 0
  bus = new EventBus()
  history = new MasterHistory({ feed: bus, log: silentLog, countUp: async () => ++up })
})
afterEach(() => {
  history.close()
  vi.useRealTimers()
})

describe('the history of a master', () => {
  it('has a record for each minute of the last hour', async () => {
    for (let i = 0; i < 120; i++) bus.fire('salt/job/20261116165432123456/new', new Map())
    await vi.advanceTimersByTimeAsync(60_000)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(history.minutes).toEqual([
      { at: expect.any(String), events: 2, jobs: 120, up: 1 },
      { at: expect.any(String), events: 0, jobs: 0, up: 2 },
    ])
    expect(Date.parse(history.minutes[1]!.at) - Date.parse(history.minutes[0]!.at)).toBe(60_000)
    await vi.advanceTimersByTimeAsync(60 * 60_000)
    expect(history.minutes).toHaveLength(60)
    expect(history.minutes[0]).toMatchObject({ up: 3 })
    history.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(history.minutes.at(-1)).toMatchObject({ up: 62 })
  })

  it('reports unwritable paths, only from events of the master', async () => {
    const failed = dictFrom({ path: '/var/cache', message: 'The disk is full' })
    bus.fireFrom(externalOrigin('api'), 'salt/master/m/storage/failed', failed)
    expect(await history.health()).toMatchObject({ storage: 'ok' })
    bus.fire('salt/master/m/storage/failed', failed)
    expect(await history.health()).toMatchObject({ storage: 'The disk is full' })
    bus.fire('salt/master/m/storage/recovered', failed)
    expect(await history.health()).toMatchObject({ storage: 'ok', uptimeSeconds: expect.any(Number) })
  })
})
