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

describe('states of policies and modules', () => {
  /** A machine that has the given policies; `code` is the return code of each change. */
  function machine(code = 0) {
    const files = new Map<Value, Value>()
    const ports = new Map<Value, Value>()
    const field = (given: unknown, key: string): Value => {
      const all = given as Map<string, Value> | Record<string, Value>
      return (all instanceof Map ? all.get(key) : all[key]) ?? null
    }
    const outcome = (change: () => void): Value => {
      if (code === 0) change()
      return fromPlain({ retcode: code, stderr: code === 0 ? '' : 'refused' })
    }
    const changed = (into: Map<Value, Value>, key: string) => (_: unknown, given: unknown) =>
      outcome(() => into.set(field(given, 'name'), fromPlain({ sel_type: field(given, key) as string })))
    const removed = (from: Map<Value, Value>) => (_: unknown, given: unknown) =>
      outcome(() => void from.delete(field(given, 'name')))
    const port = (_: unknown, given: unknown): Value => {
      const found = ports.get(field(given, 'name')) as Map<string, Value> | undefined
      const wanted = field(given, 'sel_type')
      return found && (wanted === null || found.get('sel_type') === wanted) ? found : null
    }
    const others = {
      'selinux.filetype_id_to_string': () => 'all files',
      'selinux.fcontext_get_policy': (_: unknown, given: unknown) => files.get(field(given, 'name')) ?? null,
      'selinux.fcontext_add_policy': changed(files, 'sel_type'),
      'selinux.fcontext_delete_policy': removed(files),
      'selinux.fcontext_policy_is_applied': ([name]: readonly Value[]) => (name === '/done' ? '' : 'Would relabel'),
      'selinux.fcontext_apply_policy': () => fromPlain({ retcode: code, changes: { '/srv': { old: {}, new: {} } } }),
      'selinux.port_get_policy': port,
      'selinux.port_add_policy': changed(ports, 'sel_type'),
      'selinux.port_modify_policy': changed(ports, 'sel_type'),
      'selinux.port_delete_policy': removed(ports),
      'selinux.install_semod': () => code === 0,
      'selinux.remove_semod': () => code === 0,
      'selinux.list_semod': () => fromPlain({ mine: { Enabled: true } }),
    }
    return async (fun: string, kwargs: Record<string, Value>, test = false) => {
      const report = toPlain(await tryState(selinux, fun, { kwargs, others, test })) as Record<string, unknown>
      return [report['result'], report['changes']]
    }
  }

  test('policies of files', async () => {
    const apply = machine()
    const wish = { name: '/srv', sel_type: 'web_t' }
    expect(await apply('fcontext_policy_present', wish, true)).toEqual([null, {}])
    const added = { old: {}, new: { '/srv': { filetype: 'all files', sel_type: 'web_t' } } }
    expect(await apply('fcontext_policy_present', wish)).toEqual([true, added])
    expect(await apply('fcontext_policy_present', wish)).toEqual([true, {}])
    expect(await apply('fcontext_policy_present', { ...wish, sel_type: 'etc_t' })).toEqual([
      true,
      { old: { '/srv': { sel_type: 'web_t' } }, new: { '/srv': { sel_type: 'etc_t' } } },
    ])
    expect(await apply('fcontext_policy_absent', { name: '/srv' })).toEqual([
      true,
      { old: { '/srv': { sel_type: 'etc_t' } }, new: {} },
    ])
    expect(await apply('fcontext_policy_absent', { name: '/srv' })).toEqual([true, {}])
    expect(await apply('fcontext_policy_applied', { name: '/done' })).toEqual([true, {}])
    expect(await apply('fcontext_policy_applied', { name: '/srv' })).toEqual([true, { '/srv': { old: {}, new: {} } }])
  })

  test('policies of ports', async () => {
    const apply = machine()
    const wish = { name: 'tcp/8080', sel_type: 'web_t' }
    expect(await apply('port_policy_present', wish, true)).toEqual([null, {}])
    expect(await apply('port_policy_present', wish)).toEqual([true, { old: null, new: { sel_type: 'web_t' } }])
    expect(await apply('port_policy_present', wish)).toEqual([true, {}])
    expect(await apply('port_policy_absent', { name: 'tcp/8080' })).toEqual([
      true,
      { old: { sel_type: 'web_t' }, new: null },
    ])
    expect(await apply('port_policy_absent', { name: 'tcp/8080' })).toEqual([true, {}])
  })

  test('modules, and refusals of the programs', async () => {
    const apply = machine()
    expect(await apply('module_install', { name: '/srv/mine.pp' }, true)).toEqual([null, {}])
    expect(await apply('module_install', { name: '/srv/mine.pp' })).toEqual([true, {}])
    expect(await apply('module_remove', { name: 'mine' })).toEqual([true, {}])
    expect(await apply('module_remove', { name: 'none' })).toEqual([false, {}])
    const refused = machine(1)
    for (const [fun, kwargs] of [
      ['module_install', { name: '/srv/mine.pp' }],
      ['module_remove', { name: 'mine' }],
      ['fcontext_policy_present', { name: '/srv', sel_type: 'x_t' }],
      ['fcontext_policy_applied', { name: '/srv' }],
      ['port_policy_present', { name: 'tcp/1', sel_type: 'x_t' }],
    ] as const) {
      expect((await refused(fun, kwargs))[0]).toBe(false)
    }
  })
})
