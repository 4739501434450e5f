import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import selinux from './state.ts'

const BOOLEANS = { ftp: { State: 'off', Default: 'on' }, web: { State: 'on', Default: 'on' } }

async function apply(name: string, kwargs: Record<string, Value>, dry = false) {
  const set: string[] = []
  const others = {
    'selinux.getenforce': () => 'Enforcing',
    'selinux.getconfig': () => 'Permissive',
    'selinux.setenforce': ([mode]: readonly Value[]) => mode!,
    'selinux.list_sebool': () => fromPlain(BOOLEANS),
    'selinux.setsebools': ([pairs, persist]: readonly Value[]) => {
      set.push(`${[...(pairs as Map<Value, Value>)].join(' ')} ${persist}`)
      return true
    },
    'selinux.list_semod': () => fromPlain({ mine: { Enabled: false, Version: null } }),
    'selinux.setsemod': () => true,
  }
  return { report: toPlain(await tryState(selinux, name, { kwargs, others, test: dry })), set }
}

describe('selinux', () => {
  test.each<[string, Record<string, Value>, boolean | null, string]>([
    ['mode', { name: 'enforcing' }, true, 'SELinux has been set to Enforcing mode'],
    ['mode', { name: 'off' }, true, 'SELinux has been set to Permissive mode'],
    ['mode', { name: 'loud' }, false, 'loud is not an accepted mode'],
    ['boolean', { name: 'web', value: true }, true, 'The following booleans were in the correct state: web'],
    ['boolean', { name: 'ftp', value: 'maybe' }, false, 'maybe is not a valid value for the boolean ftp'],
    ['boolean', { name: 'ssh', value: 'on' }, false, 'Boolean ssh is not available'],
    ['module', { name: 'mine' }, true, 'Module mine has been set to Enabled'],
    ['module', { name: 'mine', module_state: 'off' }, true, 'Module mine is in the desired state'],
    ['module', { name: 'yours' }, false, 'Module yours is not available'],
  ])('%s %o: %s, %s', async (name, kwargs, result, comment) => {
    expect((await apply(name, kwargs)).report).toMatchObject({ result, comment })
  })

  test('sets several booleans in one call', async () => {
    const booleans = ['web', fromPlain({ ftp: 'on' })]
    const { report, set } = await apply('boolean', { name: 'all', value: 'off', booleans })
    expect(set).toEqual(['web,off ftp,on false'])
    expect(report).toMatchObject({ changes: { web: { old: 'on', new: 'off' }, ftp: { old: 'off', new: 'on' } } })
  })

  test('sets nothing in a dry run', async () => {
    const { report, set } = await apply('boolean', { name: 'ftp', value: 'on', persist: true }, true)
    expect(report).toMatchObject({ result: null, comment: 'The following booleans would be changed: ftp' })
    expect(set).toEqual([])
  })

  test('joins booleans of later states with the same persistence', async () => {
    const chunk = (name: string, persist = false) =>
      new Map<Value, Value>(
        Object.entries({
          state: 'selinux',
          fun: 'boolean',
          __id__: name,
          name,
          value: 'on',
          ...(persist ? { persist } : {}),
        }),
      )
    const joined = await selinux.modAggregate!({} as never, chunk('a'), [chunk('b'), chunk('c', true)], new Map())
    expect(toPlain(joined.get('booleans')!)).toEqual({ a: 'on', b: 'on' })
  })
})
