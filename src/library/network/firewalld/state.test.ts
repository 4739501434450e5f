import { describe, expect, test } from 'vitest'
import { SaltError, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import firewalld from './state.ts'

/** A firewalld with one zone; the calls that change something are noted. */
function machine(refused?: string) {
  const calls: string[] = []
  const answers: Record<string, Value> = {
    get_zones: ['public'],
    get_masquerade: false,
    list_ports: ['22/tcp'],
    list_port_fwd: [],
    get_rich_rules: ['rule family="ipv4" accept'],
    get_services: ['ssh'],
    get_service_ports: ['22/tcp'],
    get_service_protocols: [],
  }
  const changing = [
    'new_zone',
    'add_port',
    'remove_port',
    'add_port_fwd',
    'add_rich_rule',
    'reload_rules',
    'add_masquerade',
  ]
  const note = (name: string) => (args: readonly Value[]) => {
    if (name === refused) throw new SaltError('CommandExecutionError', 'firewall-cmd failed: no')
    calls.push([name, ...args].join(' '))
    return 'success'
  }
  const others = Object.fromEntries([
    ...Object.entries(answers).map(([name, value]) => [`firewalld.${name}`, () => value] as const),
    ...changing.map((name) => [`firewalld.${name}`, note(name)] as const),
  ])
  const apply = async (name: string, kwargs: Record<string, Value>, dry = false) =>
    toPlain(await tryState(firewalld, name, { kwargs, others, test: dry }))
  return { apply, calls }
}

describe('firewalld.present', () => {
  test('adds missing entries, removes unlisted ones, and reloads once', async () => {
    const { apply, calls } = machine()
    const wish = { name: 'public', ports: ['443/tcp'], prune_ports: true, port_fwd: ['80:8080:tcp'], masquerade: true }
    expect(await apply('present', wish)).toMatchObject({
      result: true,
      comment: "'public' was configured.",
      changes: { ports: { old: ['22/tcp'], new: ['443/tcp'] } },
    })
    expect(calls).toEqual([
      'add_masquerade public',
      'add_port public 443/tcp',
      'remove_port public 22/tcp',
      'add_port_fwd public 80 8080 tcp ',
      'reload_rules',
    ])
  })

  test('treats rich rules with different quoting as equal', async () => {
    const { apply } = machine()
    const wish = { name: 'public', rich_rules: ["rule family='ipv4' accept"], prune_rich_rules: true }
    expect(await apply('present', wish)).toMatchObject({
      changes: {},
      comment: "'public' is already in the desired state.",
    })
  })

  test('shows the changes of a dry run in its comment', async () => {
    const { apply, calls } = machine()
    expect(await apply('present', { name: 'dmz', ports: ['1/tcp'] }, true)).toEqual({
      name: 'dmz',
      changes: {},
      result: null,
      comment: `Configuration for 'dmz' will change:
dmz:
    ----------
    new:
        dmz
    old:
        - public
ports:
    ----------
    new:
        - 1/tcp
    old:`,
    })
    expect(calls).toEqual([])
  })

  test('reports the changes before firewall-cmd refused', async () => {
    const { apply } = machine('add_port')
    expect(await apply('present', { name: 'dmz', ports: ['1/tcp'] })).toMatchObject({
      result: false,
      changes: { dmz: { new: 'dmz' } },
      comment: 'Error: firewall-cmd failed: no',
    })
  })
})

test('firewalld.service leaves a service alone that is as described', async () => {
  const { apply } = machine()
  expect(await apply('service', { name: 'ssh', ports: ['22/tcp'] })).toMatchObject({ result: true, changes: {} })
})
