import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import iptables from './state.ts'

/** States on a packet filter that is a set of rules. */
function filter(...rules: string[]) {
  const known = new Set(rules)
  const others = {
    'iptables.build_rule': (_: readonly Value[], kwargs: unknown) => {
      const given = kwargs as Map<string, Value>
      return `${given.has('full') ? ` ipt -${given.get('command')} ` : ''}${given.get('jump')}`
    },
    'iptables.check': ([, , rule]: readonly Value[]) => known.has(rule as string),
    'iptables.append': ([, , rule]: readonly Value[]) => Boolean(known.add(rule as string)),
    'iptables.save': () => 'Wrote 1 lines',
  }
  return async (name: string, kwargs: Record<string, Value>, dry = false) =>
    toPlain(await tryState(iptables, name, { kwargs, others, test: dry }))
}

describe('iptables.append', () => {
  test('sets a rule once, and predicts it in a dry run', async () => {
    const apply = filter()
    const wish = { name: 'web', chain: 'INPUT', jump: 'ACCEPT' }
    expect(await apply('append', wish, true)).toMatchObject({
      result: null,
      comment: 'iptables rule for web needs to be set (ipt -A ACCEPT) for ipv4',
    })
    expect(await apply('append', { ...wish, save: true })).toMatchObject({
      changes: { locale: 'web' },
      comment: 'Set and saved iptables rule web for ipv4\nipt -A ACCEPT\nWrote 1 lines',
    })
    expect(await apply('append', wish)).toMatchObject({ changes: {}, result: true })
  })

  test('sets all rules of an aggregated chunk', async () => {
    const low = fromPlain({ state: 'iptables', fun: 'append', __id__: 'a', name: 'a', chain: 'IN', jump: 'A' }) as never
    const chunk = fromPlain({
      state: 'iptables',
      fun: 'append',
      __id__: 'b',
      name: 'b',
      chain: 'IN',
      jump: 'B',
    }) as never
    const joined = await iptables.modAggregate!({} as never, low, [low, chunk], new Map())
    const rules = joined.get('rules')!
    expect(await filter()('append', { name: 'a', rules })).toMatchObject({ changes: { locale: ['a', 'b'] } })
  })
})
