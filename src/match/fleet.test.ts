import { describe, expect, it } from 'vitest'
import { type Dict, fromPlain } from '../data/mod.ts'
import { matchFleet } from './fleet.ts'
import type { Fleet } from './fleet-query.ts'

const GRAINS = new Map([
  ['web1', { os: 'Debian', ipv4: ['10.0.0.1'] }],
  ['web2', { os: 'Rocky', ipv4: ['10.0.1.1'] }],
])

const fleet: Fleet = {
  opts: fromPlain({ nodegroups: { fronts: 'web*' } }) as Dict,
  accepted: ['web1', 'web2', 'db1'],
  seen: () => GRAINS.keys(),
  grains: (id) => (GRAINS.has(id) ? fromPlain(GRAINS.get(id)) : undefined),
  pillar: () => undefined,
}

describe('a target on the master', () => {
  it.each<[string, string, string[]]>([
    ['glob', 'web?', ['web1', 'web2']],
    ['grain', 'os:Debian', ['web1']],
    ['ipcidr', '10.0.0.0/24', ['web1', 'db1']],
    ['compound', 'web* and not G@os:Rocky', ['web1']],
    ['compound', 'web* not web1', ['web2']],
    ['compound', 'web* and ( web1', ['web1']],
    ['compound', 'web* and web1 )', []],
    ['compound', 'not not web1', []],
    ['compound', 'web1 db1', []],
    ['compound', 'N@fronts or db*', ['web1', 'web2', 'db1']],
    ['compound', 'R@x or db1', []],
    ['pcre', '(', []],
    ['nodegroup', 'nosuch', []],
    ['nonsense', '*', []],
  ])('%s %s', (kind, target, wanted) => {
    expect(matchFleet(fleet, target, kind).minions).toEqual(wanted)
  })

  it('names missing ids of a list, unless they are excluded', () => {
    expect(matchFleet(fleet, 'web1,x', 'list')).toEqual({ minions: ['web1'], missing: ['x'] })
    expect(matchFleet(fleet, 'L@web1,x', 'compound').missing).toEqual(['x'])
    expect(matchFleet(fleet, 'web1 and not L@x', 'compound').missing).toEqual([])
  })

  it('finds a resource that is named twice once, and misses it the second time', () => {
    const managing = { ...fleet, resources: new Map([['db1', fromPlain({ switch: ['sw1'] }) as Dict]]) }
    expect(matchFleet(managing, 'sw1,web1,sw1', 'list')).toEqual({ minions: ['sw1', 'web1'], missing: ['sw1'] })
  })

  it('is not judged where nothing is known about minions', () => {
    const blind = { ...fleet, opts: new Map([...fleet.opts, ['minion_data_cache', false]]) as Dict }
    for (const [kind, target] of [
      ['grain', 'os:none'],
      ['ipcidr', '10.0.0.0/24'],
      ['ipcidr', 'no address'],
    ] as const) {
      expect(matchFleet(blind, target, kind).minions).toEqual(['web1', 'web2', 'db1'])
    }
  })

  it('is a pattern even where a minion has its very name', () => {
    const odd = { ...fleet, accepted: ['n[1]', 'n1'] }
    expect(matchFleet(odd, 'n[1]', 'glob').minions).toEqual(['n1'])
    expect(matchFleet(odd, 'n[1],n1', 'list').minions).toEqual(['n[1]', 'n1'])
  })

  it('for all minions reads no data of minions', () => {
    const fail = (): never => {
      throw new Error('read')
    }
    const many = Array.from({ length: 10_000 }, (_, index) => `m${index}`)
    const blind = { ...fleet, accepted: many, seen: fail, grains: fail, pillar: fail }
    expect(matchFleet(blind, '*', 'glob').minions).toHaveLength(10_000)
  })
})
