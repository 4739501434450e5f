import { describe, expect, it } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { type Dict, fromPlain } from '../data/mod.ts'
import { Deliveries, type DeliveryParts } from './delivery.ts'

const lines: string[] = []

/** Deliveries for minions that are not connected; packets have this many bytes. */
function deliveriesOf(bytes = 10, more: Partial<DeliveryParts> = {}): Deliveries {
  const packet = new Uint8Array(bytes)
  const parts: DeliveryParts = {
    opts: fromPlain({ job_delivery_window: 15 }) as Dict,
    log: (level, text) => void (level === 'warning' ? lines.push(text) : silentLog(level, text)),
    jobs: { ledger: { outcomeOf: () => undefined } } as never,
    publications: { keyId: 'new', seal: async () => ({ keyId: 'new', packet }), publish: undefined as never },
    syndics: { isKnown: () => false, listening: () => [], hasAny: false },
    connections: { lostFor: () => undefined, claim: () => false, mayListen: () => false, onArrival: () => {} },
    ...more,
  }
  return new Deliveries(parts)
}

const load = fromPlain({ fun: 'test.ping' }) as Dict
const sealed = { keyId: 'old', packet: new Uint8Array(10) }

describe('Jobs that are kept for minions', () => {
  it('are no more than fit, counting their minions', async () => {
    const deliveries = deliveriesOf()
    const ids = Array<string>(2_000_000).fill('minion7')
    for (const jid of ['1', '2', '3']) deliveries.keep(jid, load, ids, sealed)
    expect(lines.splice(0)).toEqual([expect.stringContaining('Job 1 is not kept')])
    expect((await deliveries.missed('minion7', null)).jobs).toHaveLength(2)
  })

  it('that no longer fit after they are sealed again are dropped, but reach the minion that requested them', async () => {
    const deliveries = deliveriesOf(40 << 20)
    for (const jid of ['1', '2']) deliveries.keep(jid, load, ['web1'], sealed)
    expect((await deliveries.missed('web1', null)).jobs).toHaveLength(2)
    expect(lines.splice(0)).toEqual([expect.stringContaining('Job 1 is not kept')])
    expect((await deliveries.missed('web1', null)).jobs).toHaveLength(1)
  })

  it('that are not stored (nocache) leave no note about minions that did not get them', async () => {
    let now = 0
    const noted: string[] = []
    const jobs = {
      ledger: { outcomeOf: () => undefined },
      job: (jid: string) => (jid === 'stored' ? {} : undefined),
      note: (jid: string) => void noted.push(jid),
    }
    const connections = { lostFor: () => 20_000, claim: () => false, mayListen: () => false, onArrival: () => {} }
    const deliveries = deliveriesOf(10, { now: () => now, jobs: jobs as never, connections })
    for (const jid of ['stored', 'fleeting']) deliveries.keep(jid, load, ['web1'], sealed)
    now = 16_000
    expect((await deliveries.missed('web1', null)).jobs).toEqual([])
    expect(noted).toEqual(['stored'])
  })

  it('of a limited user go to syndics by ids after a restart, and are sealed once', async () => {
    const sealed: Dict[] = []
    const recent = [[], [new Map([['web*', ['test.ping']]])]].map((auth_list, at) => {
      const job = fromPlain({ fun: 'test.ping', tgt: 'web* or G@a:b', tgt_type: 'compound' }) as Dict
      return { jid: String(at), load: job.set('auth_list', auth_list), minions: ['web1'], made: Date.now() / 1000 - 1 }
    })
    const deliveries = deliveriesOf(10, {
      jobs: { ledger: { outcomeOf: () => undefined }, recent: () => recent } as never,
      publications: {
        keyId: 'new',
        publish: undefined as never,
        seal: async (load) => {
          sealed.push(load as Dict)
          return { keyId: 'new', packet: new Uint8Array() }
        },
      },
      syndics: { isKnown: () => true, listening: () => [], hasAny: true },
    })
    deliveries.start()
    for (let time = 0; time < 2; time++) expect((await deliveries.missed('syndic', null)).jobs).toHaveLength(2)
    deliveries.close()
    expect(sealed.map((load) => load.get('tgt'))).toEqual(['web* or G@a:b', ['web1']])
  })
})
