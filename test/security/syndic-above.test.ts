// A syndic with events and returns that the master above refuses: one minion of the master below cannot block the
// returns of others, and no return is lost because the master above has a problem.
import { writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { BusTap, EventBus, minionOrigin } from '../../src/bus/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { HandOver } from '../../src/syndic/hand-over.ts'
import type { LowerMaster } from '../../src/syndic/lower-master.ts'
import { type MasterChannel, WireError } from '../../src/wire/mod.ts'
import { until } from '../until.ts'
import { Besieged, dict } from './besieged.ts'

const JID = '20300101000000000001'
const OTHER = '20300101000000000002'
let site: Besieged
let syndic: MasterChannel
let opened: HandOver | undefined

beforeAll(async () => {
  site = await Besieged.start({ order_masters: true, syndics: ['synd*'] })
  syndic = await site.minion('syndic')
})
afterAll(() => site.stop())
afterEach(() => opened?.close())

/** Hand events of a bus over to the master, as a syndic does. */
async function handsOver(send = async (load: Dict): Promise<unknown> => syndic.send(load)): Promise<EventBus> {
  const bus = new EventBus()
  const tap = Object.assign(new BusTap(bus, () => true), { last: 0 })
  const lower = { hasJournal: false, events: async () => tap } as unknown as LowerMaster
  opened = new HandOver({
    log: silentLog,
    lower,
    id: 'syndic',
    file: site.path('handed'),
    gather: 0,
    isMeant: () => true,
    describe: () => dict({ fun: 'test.ping', tgt: '*', user: 'joe' }),
    send: async (loads) => {
      for (const load of loads) await send(load)
    },
  })
  opened.start()
  return bus
}

const returns = (bus: EventBus, jid: string, id: string, value: Value): unknown =>
  bus.fire(`salt/job/${jid}/ret/${id}`, dict({ jid, id, fun: 'test.ping', return: value, retcode: 0, success: true }))

it.each(['', 'x\n', '12\0'])('returns are not lost because the note of what was handed over is %j', async (text) => {
  let from: number | undefined
  const lower = {
    hasJournal: true,
    events: async (number: number | undefined) => {
      from = number
      return Object.assign(new BusTap(new EventBus(), () => true), { last: 100 })
    },
  } as unknown as LowerMaster
  const file = site.path('handed-note')
  writeFileSync(file, text)
  const unused = { isMeant: () => true, describe: () => undefined, send: async () => undefined }
  opened = new HandOver({ log: silentLog, lower, id: 'syndic', file, gather: 0, ...unused })
  opened.start()
  await until('the events', () => from !== undefined)
  expect(from).toBe(1)
})

/** A list in a list, so often as a master takes it from a minion. */
const nested = (levels: number): Value => Array.from({ length: levels }).reduce<Value>((inner) => [inner], [])

const returned = (jid: string, id: string): Value | undefined => site.parts.jobs.returnOf(jid, id)?.get('return')

it('a minion whose event or return the master above refuses does not hold up others', async () => {
  const bus = await handsOver()
  bus.fireFrom(minionOrigin('evil'), 'my/event', dict({ data: nested(446) }))
  returns(bus, JID, 'evil', nested(446))
  returns(bus, JID, 'low1', 'fine')
  await until('the return of the other', () => returned(JID, 'low1') === 'fine')
  expect(returned(JID, 'evil')).toContain('The return cannot be handed upwards')
  expect(site.parts.jobs.job(JID)?.load.get('user')).toBe('joe')
})

it('a return is not changed because the master above cannot keep it for a while', async () => {
  let failures = 4
  const bus = await handsOver(async (load) => {
    if (failures-- > 0) throw new WireError('SaltClientError', 'The master could not carry out the request: disk full')
    return syndic.send(load)
  })
  const long = 'x'.repeat(2 << 20)
  returns(bus, OTHER, 'low1', long)
  await until('the return', () => returned(OTHER, 'low1') !== undefined)
  expect(returned(OTHER, 'low1') === long).toBe(true)
})
