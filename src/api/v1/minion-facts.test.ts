import { describe, expect, it } from 'vitest'
import type { BusEvent } from '../../bus/mod.ts'
import type { Dict } from '../../data/mod.ts'
import type { MasterAccess } from '../../runner/mod.ts'
import { eventKind } from './event-kinds.ts'
import { MinionFacts } from './minion-facts.ts'

/** A master with keys in folders, and no jobs. */
function master(folders: Record<string, string[]>, grains?: Dict): MasterAccess {
  const access = {
    opts: new Map([['publish_port', 4505]]),
    log: () => {},
    stores: {
      keys: { list: (folder: string) => folders[folder] ?? [] },
      cache: { bank: () => ({ fetch: () => grains }) },
      jobs: { ledger: { lastReturn: 0, newest: () => [] } },
    },
  }
  return access as unknown as MasterAccess
}

describe('MinionFacts', () => {
  it('has the keys of events before the request', async () => {
    const folders: Record<string, string[]> = { minions: ['web1'], minions_pre: ['new1'] }
    let hear: (event: BusEvent) => void = () => {}
    const facts = new MinionFacts(master(folders), {
      last: 0,
      listen: (listener) => {
        hear = listener
        return () => {}
      },
    })
    expect([...(await facts.all()).values()].map(({ id, key }) => [id, key])).toEqual([
      ['web1', 'accepted'],
      ['new1', 'pending'],
    ])
    folders['minions'] = ['web1', 'new1']
    folders['minions_pre'] = []
    hear({ tag: 'salt/key', fields: new Map(), origin: { kind: 'master' } } as unknown as BusEvent)
    expect((await facts.all()).get('new1')?.key).toBe('accepted')
  })
})

describe('grains of a minion', () => {
  it('are short in the list of all minions', async () => {
    const grains: Dict = new Map([
      ['os', 'x'.repeat(1_000_000)],
      ['saltversion', '3008.2'],
    ])
    const facts = new MinionFacts(master({ minions: ['web1'] }, grains), { last: 0, listen: () => () => {} })
    expect((await facts.all()).get('web1')).toMatchObject({ os: 'x'.repeat(100), version: '3008.2' })
  })
})

describe('eventKind', () => {
  it('replaces the ids of minions', () => {
    expect(eventKind('minion/refresh/web1')).toBe('minion/refresh/*')
    expect(eventKind('salt/minion/web1/start')).toBe('salt/minion/*/start')
    expect(eventKind('deploy/web1/done')).toBe('deploy/web1/done')
  })
})
