// The states of mount besides `mounted`: entries of the table, swap devices, and unmounting.
import { describe, expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import mount from './state.ts'

interface Machine {
  active?: Plain
  table?: Plain
  /** The result of writing an entry: `new`, `change` or `present`. */
  fstab?: string
}

function machine({ active = {}, table = {}, fstab = 'new' }: Machine = {}) {
  const calls: string[] = []
  const mounts = fromPlain(active) as Map<Value, Value>
  const note =
    (name: string, answer: Value = true) =>
    (args: readonly Value[]): Value => {
      calls.push([name, ...args.slice(0, 2)].join(' '))
      return answer
    }
  const others = {
    'mount.active': () => mounts,
    'mount.fstab': () => fromPlain(table),
    'mount.set_fstab': () => fstab,
    'mount.rm_fstab': note('rm_fstab'),
    'mount.umount': note('umount'),
    'mount.mount': note('mount'),
    'mount.remount': note('remount'),
    'mount.delete_mount_cache': note('forget'),
    'mount.swaps': () => mounts,
    'mount.swapon': (args: readonly Value[]) => {
      mounts.set(args[0]!, new Map([['type', 'partition']]))
      return note('swapon')(args)
    },
  }
  const apply = async (fun: string, kwargs: Record<string, Value>, dry = false) =>
    toPlain(await tryState(mount, fun, { kwargs, others, test: dry }))
  return { apply, calls }
}

const DATA = { '/data': { device: '/dev/sdb1', opts: ['rw'] } }

describe('mount.unmounted', () => {
  test('unmounts, and removes the entry on request', async () => {
    const { apply, calls } = machine({ active: DATA, table: DATA })
    expect(await apply('unmounted', { name: '/data', persist: true })).toEqual({
      name: '/data',
      changes: { umount: true, persist: 'purged' },
      result: true,
      comment: 'Target was successfully unmounted. Removed target from fstab',
    })
    expect(calls).toEqual(['umount /data', 'forget /data', 'rm_fstab /data '])
  })

  test('changes nothing in a dry run, and nothing where nothing is mounted', async () => {
    const { apply, calls } = machine({ active: DATA })
    expect(await apply('unmounted', { name: '/data' }, true)).toMatchObject({ result: null, changes: {} })
    expect(await apply('unmounted', { name: '/other' })).toMatchObject({
      result: true,
      comment: 'Target was already unmounted',
    })
    expect(calls).toEqual([])
  })
})

describe('mount.fstab_present', () => {
  const wanted = { name: '/dev/sdb1', fs_file: '/data/', fs_vfstype: 'ext4' }

  test('adds an entry and mounts it', async () => {
    const { apply, calls } = machine()
    expect(await apply('fstab_present', wanted)).toMatchObject({
      result: true,
      changes: { persist: 'new' },
      comment: ['/data entry added in /etc/fstab.', 'Mounted /dev/sdb1 on /data'],
    })
    expect(calls).toEqual(['mount /data'])
  })

  test.each([
    ['new', null, ['/data entry will be written in /etc/fstab.', 'Will mount /dev/sdb1 on /data']],
    ['change', null, ['/data entry will be updated in /etc/fstab.']],
    ['present', true, ['/data entry is already in /etc/fstab.']],
  ])('foresees an entry that is %s', async (fstab, result, comment) => {
    const { apply, calls } = machine({ fstab })
    expect(await apply('fstab_present', wanted, true)).toMatchObject({ result, comment, changes: {} })
    expect(calls).toEqual([])
  })
})

test('mount.fstab_absent removes an entry, once', async () => {
  const wanted = { name: '/dev/sdb1', fs_file: '/data' }
  const { apply, calls } = machine({ table: DATA })
  expect(await apply('fstab_absent', wanted, true)).toMatchObject({ result: null })
  expect(await apply('fstab_absent', wanted)).toMatchObject({ result: true, changes: { persist: 'removed' } })
  expect(calls).toEqual(['rm_fstab /data /dev/sdb1'])
  expect(await machine().apply('fstab_absent', wanted)).toMatchObject({
    result: true,
    comment: ['/data entry is already missing in /etc/fstab.'],
  })
})

test('mount.swap activates a device and notes it', async () => {
  const { apply, calls } = machine()
  expect(await apply('swap', { name: '/dev/sdc' }, true)).toMatchObject({ result: null })
  expect(calls).toEqual([])
  expect(await apply('swap', { name: '/dev/sdc' })).toMatchObject({
    result: true,
    changes: { type: 'partition', persist: 'new' },
  })
  expect(calls).toEqual(['swapon /dev/sdc'])
})

test('mount.mod_watch remounts the device of `mounted`', async () => {
  const { apply, calls } = machine({ active: DATA })
  const given = { name: '/data', device: '/dev/sdb1', fstype: 'ext4', opts: 'rw' }
  expect(await apply('mod_watch', { ...given, sfun: 'mounted' })).toMatchObject({ comment: '/data remounted' })
  expect(calls).toEqual(['remount /data /dev/sdb1'])
  expect(await apply('mod_watch', { ...given, sfun: 'swap' })).toMatchObject({
    comment: 'Watch not supported in swap at this time',
  })
})
