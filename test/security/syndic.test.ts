// What an accepted minion can do at a master with syndics (`order_masters`): only minions in `syndics` act as one, a
// syndic acts only for minions whose keys this master does not have, and only for the job that it names.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Dict, Value } from '../../src/data/mod.ts'
import type { MasterChannel } from '../../src/wire/mod.ts'
import { Besieged, dict } from './besieged.ts'

const CANARY = 'canary-31f00d'
const JID = '20300101000000000001'
let site: Besieged
let syndic: MasterChannel

beforeAll(async () => {
  site = await Besieged.start({ order_masters: true, syndics: ['synd*'] })
  syndic = await site.minion('syndic')
  await site.minion('web1')
})
afterAll(() => site.stop())
beforeEach(() => {
  site.events.length = 0
})

interface PassedOn {
  jid?: string
  load?: Record<string, unknown>
  returns: Record<string, unknown>
}

const passOn = ({ jid = JID, load, returns }: PassedOn, sender: MasterChannel = syndic): Promise<unknown> => {
  const items = Object.entries(returns).map(([id, item]) => [id, dict(item as Record<string, unknown>)])
  const one = { jid, id: 'syndic', fun: 'test.ping', return: new Map(items as Array<[string, Dict]>) }
  return sender.send(dict({ cmd: '_syndic_return', load: [dict(load ? { ...one, load: dict(load) } : one)] }))
}

const tags = (): string[] => site.events.map(({ tag }) => tag)

it('a minion that the option syndics does not name passes nothing on', async () => {
  const jid = '20300101000000000009'
  const db1 = await site.minion('db1')
  site.events.length = 0
  await passOn({ jid, returns: { below: { return: CANARY } } }, db1)
  const event = dict({ tag: `salt/job/${jid}/ret/below`, data: dict({ return: CANARY, id: 'below' }) })
  await db1.send(dict({ cmd: '_minion_event', pretag: 'syndic/db1', events: [event] }))
  expect(site.parts.jobs.returnOf(jid, 'below')).toBeUndefined()
  expect(tags()).toEqual([])
  expect(site.logs.join()).toContain('Dropped returns that db1 passed on: syndics does not name it')
})

describe('a syndic', () => {
  it('passes on returns of minions below it', async () => {
    await passOn({ returns: { below: { return: true, retcode: 0 } } })
    expect(site.parts.jobs.returnOf(JID, 'below')?.get('return')).toBe(true)
    expect(tags()).toContain(`salt/job/${JID}/ret/below`)
  })

  it.each([
    { id: 'web1', item: { return: CANARY } },
    { id: 'below', item: { return: CANARY, id: 'web1' } },
    { id: 'below', item: { return: CANARY, resource_id: 'web1' } },
    { id: '../web1', item: { return: CANARY } },
    { id: 'web1\n', item: { return: CANARY } },
  ])('cannot return for a minion of this master: $id with $item', async ({ id, item }) => {
    const jid = '20300101000000000002'
    await passOn({ jid, returns: { [id]: item } })
    expect(site.parts.jobs.returnOf(jid, 'web1')).toBeUndefined()
    expect(tags().filter((tag) => tag.includes('web1'))).toEqual([])
    expect(site.events.filter(({ data }) => data.get('id') === 'web1')).toEqual([])
  })

  it.each(['20300101000000000004', 'req', 'nocache', '1/new\n\n\u0081\u00a1', '../../x'])(
    'cannot put a return under another job than the one it names: %j',
    async (other) => {
      const jid = '20300101000000000003'
      await passOn({ jid, returns: { below: { return: CANARY, jid: other } } })
      expect(site.parts.jobs.returnOf(other, 'below')).toBeUndefined()
      expect(tags().filter((tag) => tag !== `salt/job/${jid}/ret/below`)).toEqual([])
    },
  )

  it('cannot change what this master knows of its own job, not even before it is published', async () => {
    const forged = { fun: 'cmd.run', arg: [CANARY], tgt: '*', user: 'root' }
    const own = dict({ fun: 'test.ping', tgt: '*', user: 'joe' })
    const [before, after] = ['20300101000000000005', '20300101000000000006']
    site.parts.jobs.saveJob({ jid: before, load: own, minions: ['web1'] })
    await passOn({ jid: before, load: forged, returns: { below: { return: 1 } } })
    await passOn({ jid: after, load: forged, returns: { below: { return: CANARY } } })
    site.parts.jobs.saveJob({ jid: after, load: own, minions: ['web1'] })
    for (const jid of [before, after]) expect(site.parts.jobs.job(jid)?.load).toEqual(own)
    expect(site.parts.jobs.returns(after).size).toBe(0)
  })

  it('cannot bring about a job', async () => {
    const forged = { fun: 'cmd.run', arg: [CANARY], tgt: 'web1', tgt_type: 'glob', user: 'root' }
    await passOn({
      jid: '20300101000000000007',
      load: forged,
      returns: { below: { return: 1 } as Record<string, Value> },
    })
    expect(site.deeds).toEqual([])
    expect(tags().filter((tag) => /\/(?:new|publish)$/.test(tag))).toEqual([])
  })
})
