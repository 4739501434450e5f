import { describe, expect, test } from 'vitest'
import { SaltError, toPlain, type Value } from '../../data/mod.ts'
import { type StateDeclaration, type Trial, tryState } from '../../sdk/mod.ts'
import alternatives from './alternatives/state.ts'
import kmod from './kmod/state.ts'
import sysctl from './sysctl/state.ts'
import timezone from './timezone/state.ts'

type Others = NonNullable<Trial['others']>

const apply = async (
  states: StateDeclaration,
  fun: string,
  kwargs: Record<string, Value>,
  others: Others,
  test = false,
): Promise<unknown> => toPlain(await tryState(states, fun, { kwargs, others, test }))

/** A group of alternatives, some of whose programs are registered and one is chosen. */
function group(registered: string[], chosen: string | false): Others {
  let now: string | false = chosen
  const paths = new Set(registered)
  return {
    'alternatives.check_exists': ([, path]) => paths.has(path as string),
    'alternatives.check_installed': ([, path]) => now === path,
    'alternatives.show_current': () => now,
    'alternatives.display': () => ['editor - manual mode', ...paths].join('\n'),
    'alternatives.install': ([, , path]) => {
      paths.add(path as string)
      if (now === false) now = path as string
      return ''
    },
    'alternatives.remove': ([, path]) => {
      paths.delete(path as string)
      if (now === path) now = [...paths][0] ?? false
      return ''
    },
    'alternatives.set': ([, path]) => {
      now = path as string
      return ''
    },
    'alternatives.auto': () => 'done',
  }
}

describe('alternatives', () => {
  const install = { name: 'editor', link: '/usr/bin/editor', path: '/bin/vi', priority: 50 }
  const { name, path } = install

  test.each<[string, Record<string, Value>, Others, unknown]>([
    [
      'install',
      install,
      group([], false),
      {
        ...install,
        result: true,
        changes: install,
        comment: 'Alternative for editor set to path /bin/vi with priority 50',
      },
    ],
    [
      'install',
      install,
      group(['/bin/ed'], '/bin/ed'),
      {
        ...install,
        result: true,
        changes: install,
        comment: 'Alternative /bin/vi for editor registered with priority 50 and not set to default',
      },
    ],
    [
      'install',
      install,
      group(['/bin/vi'], '/bin/vi'),
      { ...install, result: true, changes: {}, comment: 'Alternative /bin/vi for editor is already registered' },
    ],
    [
      'remove',
      { name, path },
      group(['/bin/vi', '/bin/ed'], '/bin/vi'),
      {
        name,
        path,
        result: true,
        changes: { path: '/bin/ed' },
        comment: 'Alternative for editor removed. Falling back to path /bin/ed',
      },
    ],
    [
      'remove',
      { name, path },
      group([], false),
      { name, path, result: false, changes: {}, comment: "Alternative for editor doesn't exist" },
    ],
    ['auto', { name }, group([], false), { name, result: true, changes: { result: 'done' }, comment: '' }],
    [
      'set',
      { name, path },
      group(['/bin/vi'], '/bin/ed'),
      { name, path, result: true, changes: { path }, comment: 'Alternative for editor set to path /bin/vi' },
    ],
    [
      'set',
      { name, path },
      group([], '/bin/ed'),
      { name, path, result: false, changes: {}, comment: "Alternative /bin/vi for editor doesn't exist" },
    ],
  ])('%s %j', async (fun, kwargs, others, report) => {
    expect(await apply(alternatives, fun, kwargs, others)).toEqual(report)
  })

  test('predict what a run would do', async () => {
    expect(await apply(alternatives, 'install', install, group([], false), true)).toMatchObject({
      result: null,
      comment: 'Alternative will be set for editor to /bin/vi with priority 50',
    })
  })
})

test('modules that came along with another are reported as loaded, and missing ones by name', async () => {
  const others: Others = {
    'kmod.mod_list': () => ['kvm'],
    'kmod.available': () => ['kvm', 'kvm_intel', 'irqbypass'],
    'kmod.load': ([mod]) => (mod === 'kvm_intel' ? ['irqbypass', 'kvm_intel'] : []),
  }
  const mods = ['kvm', 'kvm_intel', 'irqbypass', 'nosuch']
  expect(await apply(kmod, 'present', { name: 'virt', mods }, others)).toEqual({
    name: 'virt',
    result: false,
    changes: { irqbypass: 'loaded', kvm_intel: 'loaded' },
    comment: [
      'Kernel module kvm is already present',
      'Kernel module nosuch is unavailable',
      'Loaded kernel modules kvm_intel, irqbypass',
    ].join('\n'),
  })
  expect(await apply(kmod, 'absent', { name: 'loop' }, others)).toMatchObject({
    result: true,
    comment: 'Kernel module loop is already removed',
  })
})

describe('sysctl.present', () => {
  const wish = { name: 'vm.swappiness', value: 10 }
  const others = (configured: Value, current: string): Others => ({
    'sysctl.default_config': () => '/etc/sysctl.conf',
    'sysctl.show': () => configured,
    'sysctl.get': () => current,
    'sysctl.persist': () => {
      throw new SaltError('CommandExecutionError', 'sysctl vm.swappiness does not exist')
    },
  })

  test.each<[Value, string, boolean | null, string]>([
    [new Map([['vm.swappiness', '10']]), '10', true, 'Sysctl value vm.swappiness = 10 is already set'],
    [new Map([['vm.swappiness', '60']]), '60', null, 'Sysctl option vm.swappiness would be changed to 10'],
    [new Map(), '60', null, 'Sysctl option vm.swappiness set to be changed to 10'],
  ])('foretells from %j and %j', async (configured, current, result, comment) => {
    expect(await apply(sysctl, 'present', wish, others(configured, current), true)).toMatchObject({ result, comment })
  })

  test('reports why it failed', async () => {
    expect(await apply(sysctl, 'present', wish, others(new Map(), ''))).toMatchObject({
      result: false,
      comment: 'Failed to set vm.swappiness to 10: sysctl vm.swappiness does not exist',
    })
  })
})

test('timezone.system sets the zone and the clock, and says so', async () => {
  const others: Others = {
    'timezone.zone_compare': () => false,
    'timezone.get_hwclock': () => 'localtime',
    'timezone.set_zone': () => true,
    'timezone.set_hwclock': () => true,
  }
  const name = 'Asia/Tokyo'
  expect(await apply(timezone, 'system', { name }, others)).toEqual({
    name,
    result: true,
    changes: { timezone: name, utc: true },
    comment: 'Set timezone Asia/Tokyo, Set UTC to True',
  })
  expect(await apply(timezone, 'system', { name }, others, true)).toMatchObject({
    result: null,
    comment: 'Timezone Asia/Tokyo needs to be set, UTC needs to be set to True',
  })
})
