// Options of minions and masters that show only with both: returns that stay away, data for external pillars, large events,
// and schedules and beacons that begin before the master is there.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { minionConfig } from '../../src/config/mod.ts'
import { toPlain } from '../../src/data/mod.ts'
import { Minion } from '../../src/minion/mod.ts'
import { PATIENCE_SECONDS, until } from '../until.ts'
import { TestSite } from './site.ts'

let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

test('A minion without `pub_ret` runs jobs and returns nothing', async () => {
  const master = await site.master()
  await site.minion('web1', { pub_ret: false, cache_jobs: true })
  await master.event(/^salt\/minion\/web1\/start$/)
  const jid = await master.publish('web1', 'test.echo', ['hello'])
  const kept = join(site.root, 'web1/var/cache/salt/minion/minion_jobs', jid, 'return.p')
  await until('the return on the minion', () => existsSync(kept))
  // an event of a later job comes after the return of the first would have come
  await master.publish('web1', 'event.send', ['after/the/job'])
  await master.event(/^after\/the\/job$/)
  expect(master.seen.filter(({ tag }) => tag.includes('/ret/'))).toEqual([])
  expect(readdirSync(join(site.root, 'web1/var/cache/salt/minion/outbox'))).toEqual([])
})

test('`pass_to_ext_pillars` hands options of a minion to external pillars', async () => {
  await site.master('master', '127.0.0.1', {
    ext_pillar: [{ extra_minion_data_in_pillar: { include: '*' } }],
  })
  const minion = await site.minion('web1', {
    pass_to_ext_pillars: ['site:rack', 'site:row', 'none'],
    site: { rack: 'r7', row: [1, 2], secret: 'x' },
  })
  expect(toPlain(minion.opts.get('pillar')!)).toEqual({ site: { rack: 'r7', row: [1, 2] } })
})

test('`max_event_size` replaces the large values of events of minions, and leaves returns whole', async () => {
  const master = await site.master('master', '127.0.0.1', { max_event_size: 10_000 })
  await site.minion('web1')
  const large = 'x'.repeat(20_000)
  await master.publish('web1', 'event.send', ['of/web1', new Map([['large', large]]).set('small', 'y')])
  const { data } = await master.event(/^of\/web1$/)
  expect(toPlain(data.get('data')!)).toMatchObject({ large: 'VALUE_TRIMMED', small: 'y' })
  expect(await master.ask('web1', 'test.echo', [large])).toBe(large)
})

test('The schedule and the beacons of a minion begin before a master is reached', async () => {
  const path = site.minionConfig('web1', {
    scheduler_before_connect: true,
    beacons_before_connect: true,
    mine_enabled: false,
    schedule: { early: { function: 'test.echo', args: ['early'], seconds: 3600, run_on_start: true } },
    beacons: { status: [{ time: ['all'] }] },
  })
  const minion = new Minion(await minionConfig({ path }), silentLog)
  site.atEnd(() => minion.close())
  const beacon = minion.bus.next((tag) => tag === '__beacons_return', PATIENCE_SECONDS)
  const scheduled = minion.bus.next((tag) => tag === '__schedule_return', PATIENCE_SECONDS)
  const opening = minion.open()
  expect(await beacon).toBeDefined()
  expect((await scheduled)?.data.get('return')).toBe('early')
  const master = await site.master()
  await opening
  const { data } = await master.event(/^salt\/job\/\d+\/ret\/web1$/)
  expect(toPlain(data)).toMatchObject({ schedule: 'early', return: 'early' })
})
