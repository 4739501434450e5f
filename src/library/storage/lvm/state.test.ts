import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import raid from '../mdadm/state.ts'
import lvm from './state.ts'

/** A group with a volume of 10 MB in two extents. */
function machine() {
  const calls: string[] = []
  let sectors = '20480'
  const others = {
    'lvm.lvdisplay': ([path]: readonly Value[]) =>
      path === '/dev/vg/root'
        ? fromPlain({ [path]: { 'Logical Volume Size': sectors, 'Current Logical Extents Associated': '2' } })
        : new Map(),
    'lvm.lvresize': (_: readonly Value[], kwargs: unknown) => {
      sectors = '81920'
      calls.push(`lvresize ${(kwargs as Record<string, Value>)['size']}`)
      return fromPlain({ 'Output from lvresize': 'done' })
    },
    'lvm.lvcreate': () => fromPlain({ 'Output from lvcreate': 'no space' }),
  }
  const apply = async (kwargs: Record<string, Value>, dry = false) =>
    toPlain(await tryState(lvm, 'lv_present', { kwargs: { name: 'root', vgname: 'vg', ...kwargs }, others, test: dry }))
  return { apply, calls }
}

describe('lvm.lv_present', () => {
  test.each<[Record<string, Value>, boolean | null, string]>([
    [{ size: '10M' }, true, 'Logical Volume root already present'],
    [{ size: '9mb' }, false, "To reduce a Logical Volume option 'force' must be True."],
    [{ extents: '100%FREE' }, true, "Logical Volume root already present, 100%FREE won't be resized."],
    [{ size: '40M' }, true, 'Resized Logical Volume root'],
    [{ size: '1G', extents: 3 }, false, 'Only one of extents or size can be specified.'],
    [{ name: 'var', size: '1G' }, false, 'Failed to create Logical Volume var. Error: no space'],
  ])('with %o: %s, %s', async (kwargs, result, comment) => {
    expect(await machine().apply(kwargs)).toMatchObject({ result, comment })
  })

  test('foresees another size', async () => {
    const { apply, calls } = machine()
    expect(await apply({ size: '40M' }, true)).toMatchObject({
      result: null,
      comment: 'Logical Volume root is set to be resized',
    })
    expect(calls).toEqual([])
  })
})

test.each<[string[], boolean | null, string]>([
  [['/a', 'missing'], true, "Raid /dev/md0 already present. Missing devices: ['missing']"],
  [['/a', '/new'], null, "Raid /dev/md0 already present. New devices will be added: ['/new']"],
  [['/a', '/b'], false, "Devices are a mix of RAID constituents with multiple MD_UUIDs: ['1', '2']."],
  [['/b'], false, 'Devices MD_UUIDs: 2 differs from present RAID uuid 1.'],
])('raid.present of %o in a dry run: %s, %s', async (devices, result, comment) => {
  const ids: Record<string, string> = { '/a': '1', '/b': '2' }
  const others = {
    'raid.list': () => fromPlain({ '/dev/md0': { uuid: '1' } }),
    'file.access': () => true,
    'raid.examine': ([device]: readonly Value[]) => {
      const id = ids[String(device)]
      return id === undefined ? new Map() : fromPlain({ MD_UUID: id })
    },
  }
  const kwargs = { name: '/dev/md0', level: 1, devices }
  expect(toPlain(await tryState(raid, 'present', { kwargs, others, test: true }))).toMatchObject({ result, comment })
})

describe('volumes and groups', () => {
  /** A machine with volumes that the functions change; a device named `broken` cannot be changed. */
  function volumes() {
    const [pvs, vgs, lvs] = [new Map([['/dev/sdb', 'data']]), new Set(['data']), new Set(['/dev/data/root'])]
    const shown = (isThere: boolean, name: Value, facts = {}): Value =>
      fromPlain(isThere ? { [String(name)]: facts } : {})
    const works = (name: Value, change: () => void): Value => {
      if (String(name).includes('broken')) return 'refused'
      change()
      return true
    }
    const others = {
      'lvm.pvdisplay': ([name]: readonly Value[]) =>
        shown(pvs.has(name as string), name!, { 'Volume Group Name': pvs.get(name as string) ?? '' }),
      'lvm.vgdisplay': ([name]: readonly Value[]) => shown(vgs.has(name as string), name!),
      'lvm.lvdisplay': ([name]: readonly Value[]) => shown(lvs.has(name as string), name!),
      'lvm.pvcreate': ([name]: readonly Value[]) => works(name!, () => pvs.set(name as string, '')),
      'lvm.pvremove': ([name]: readonly Value[]) => works(name!, () => pvs.delete(name as string)),
      'lvm.vgcreate': ([name]: readonly Value[]) =>
        works(name!, () => {
          vgs.add(name as string)
          pvs.set('/dev/sdb', name as string)
        }),
      'lvm.vgremove': ([name]: readonly Value[]) => works(name!, () => vgs.delete(name as string)),
      'lvm.vgextend': ([group, device]: readonly Value[]) =>
        works(device!, () => pvs.set(device as string, group as string)),
      'lvm.lvremove': ([name, group]: readonly Value[]) =>
        works(name!, () => lvs.delete(`/dev/${String(group)}/${String(name)}`)),
    }
    return async (fun: string, kwargs: Record<string, Value>, dry = false) => {
      const { result, comment } = toPlain(await tryState(lvm, fun, { kwargs, others, test: dry })) as Record<
        string,
        unknown
      >
      return [result, comment]
    }
  }

  test.each<[string, Record<string, Value>, string, string]>([
    [
      'pv_present',
      { name: '/dev/sdc' },
      'Physical Volume /dev/sdc is set to be created',
      'Created Physical Volume /dev/sdc',
    ],
    [
      'pv_absent',
      { name: '/dev/sdb' },
      'Physical Volume /dev/sdb is set to be removed',
      'Removed Physical Volume /dev/sdb',
    ],
    [
      'vg_present',
      { name: 'new', devices: '/dev/sdb' },
      'Volume Group new is set to be created',
      'Created Volume Group new',
    ],
    ['vg_absent', { name: 'data' }, 'Volume Group data is set to be removed', 'Removed Volume Group data'],
    [
      'lv_absent',
      { name: 'root', vgname: 'data' },
      'Logical Volume root is set to be removed',
      'Removed Logical Volume root',
    ],
  ])('%s of %j', async (fun, kwargs, would, done) => {
    const apply = volumes()
    expect(await apply(fun, kwargs, true)).toEqual([null, would])
    expect(await apply(fun, kwargs)).toEqual([true, done])
    expect((await apply(fun, kwargs))[0]).toBe(true)
  })

  test('a change that LVM refuses fails the state', async () => {
    const apply = volumes()
    expect(await apply('pv_present', { name: '/dev/broken' })).toEqual([
      false,
      'Failed to create Physical Volume /dev/broken',
    ])
    expect(await apply('vg_present', { name: 'broken', devices: '/dev/sdb' })).toEqual([
      false,
      'Failed to create Volume Group broken',
    ])
  })
})
