import { describe, expect, it } from 'vitest'
import { until } from '../../test/until.ts'
import { silentLog } from '../base/mod.ts'
import { type Dict, fromPlain } from '../data/mod.ts'
import { Connections } from './connections.ts'
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

  it('are published again, once and for this minion only, when a minion of Salt listens from its address', async () => {
    const published: Dict[] = []
    const connections = new Connections()
    const from = (port: number) => ({ address: `10.0.0.1:${port}`, host: '10.0.0.1' })
    const publications = {
      keyId: 'new',
      seal: undefined as never,
      publish: async (load: unknown) => void published.push(load as Dict),
    }
    const deliveries = deliveriesOf(10, { connections, publications: publications as never })
    deliveries.start()
    const [before, after] = [from(1), from(2)]
    connections.noteHome('real', before)
    connections.onSubscribe('', before)
    deliveries.keep('1', load, ['real'], sealed)
    connections.onDisconnect(before)
    const missed = fromPlain({ fun: 'test.ping', jid: '2', tgt: '*' }) as Dict
    deliveries.keep('2', missed, ['real', 'unheard'], sealed)
    connections.onSubscribe('', after)
    await until('the job is published again', () => published.length > 0)
    connections.onDisconnect(after)
    deliveries.keep('3', new Map(missed).set('jid', '3'), ['real'], sealed)
    connections.onSubscribe('', from(3))
    await until('the next job is published again', () => published.length > 1)
    const ids = published.map((sent) => [sent.get('jid'), sent.get('tgt')])
    expect(ids).toEqual(['2', '3'].map((jid) => [jid, ['real']]))
    deliveries.close()
  })
})
