import { describe, expect, test } from 'vitest'
import { fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import mount from './state.ts'

interface Machine {
  active?: Plain
  cache?: Plain
  fstab?: string
}

/** A machine with one mount at /data by default. */
async function machine({ active, cache = {}, fstab = 'present' }: Machine = {}) {
  const host = await MemoryHost.with({ files: { '/data/': '', '/new/': '' } })
  const calls: string[] = []
  const table = active ?? { '/data': { device: '/dev/sdb1', opts: ['rw', 'relatime'], superopts: ['rw'] } }
  const mounts = new Map(fromPlain(table) as Map<Value, Value>)
  const note = (name: string, args: readonly Value[]): true => {
    calls.push([name, ...args.slice(0, 2)].join(' '))
    return true
  }
  const others = {
    'mount.active': () => mounts,
    'mount.read_mount_cache': () => fromPlain(cache),
    'mount.write_mount_cache': (args: readonly Value[]) => note('cache', args),
    'mount.remount': (args: readonly Value[]) => note('remount', args),
    'mount.umount': (args: readonly Value[]) => {
      mounts.delete(args[0]!)
      return note('umount', args)
    },
    'mount.mount': (args: readonly Value[]) => {
      mounts.set(args[0]!, new Map())
      return note('mount', args)
    },
    'mount.set_fstab': () => fstab,
  }
  const apply = async (kwargs: Record<string, Value>, dry = false) =>
    toPlain(await tryState(mount, 'mounted', { kwargs: { fstype: 'ext4', ...kwargs }, host, others, test: dry }))
  return { apply, calls }
}

describe('mount.mounted', () => {
  test('does not change an equal mount', async () => {
    const { apply, calls } = await machine({ cache: { opts: ['defaults'] } })
    expect(await apply({ name: '/data/', device: '/dev/sdb1' })).toEqual({
      name: '/data/',
      changes: {},
      result: true,
      comment: 'Target was already mounted. Entry already exists in the fstab.',
    })
    expect(calls).toEqual([])
  })

  test('mounts and notes it', async () => {
    const { apply, calls } = await machine({ fstab: 'new' })
    expect(await apply({ name: '/new', device: '/dev/sdc1' })).toMatchObject({
      changes: { mount: true, persist: 'new' },
      comment: 'Target was successfully mounted. Added new entry to the fstab.',
    })
    expect(calls).toEqual(['mount /new /dev/sdc1', 'cache /new /dev/sdc1'])
  })

  test.each<[string, Record<string, Value>, string]>([
    ['remounts for another option', { opts: 'noatime' }, 'Forced remount because options (noatime) changed'],
    ['says nothing of options that are never shown', { opts: 'nofail,_netdev' }, ''],
    [
      'unmounts where it must',
      { opts: 'noatime', fstype: 'nfs' },
      'Forced unmount and mount because options (noatime) changed',
    ],
    [
      'unmounts another device',
      { device: '/dev/sdd1' },
      "Forced unmount because devices don't match. Wanted: /dev/sdd1, current: /dev/sdb1, /dev/sdb1",
    ],
  ])('%s', async (_, kwargs, change) => {
    const { apply } = await machine()
    const { changes } = (await apply({ name: '/data', device: '/dev/sdb1', ...kwargs })) as {
      changes: { umount?: string }
    }
    expect(changes.umount ?? '').toBe(change)
  })

  test.each<[Record<string, Value>, string]>([
    [{ name: '/new', device: '/dev/x' }, '/new would be mounted'],
    [{ name: '/none', device: '/dev/x' }, '/none does not exist and would not be created'],
    [{ name: '/data', device: '/dev/sdb1', opts: 'ro' }, 'Remount would be forced because options (ro) changed'],
    [
      { name: '/data', device: '/dev/sdb1', opts: 'rw' },
      'Target was already mounted. /data is mounted, but its fstab entry must be updated.',
    ],
  ])('foresees for %o: %s', async (kwargs, comment) => {
    const { apply, calls } = await machine({ cache: { opts: [] }, fstab: 'change' })
    expect(await apply(kwargs, true)).toMatchObject({ result: null, comment })
    expect(calls).toEqual([])
  })
})
