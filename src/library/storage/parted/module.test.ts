import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import raid from '../mdadm/module.ts'
import partition from './module.ts'

class Disk extends MemoryHost {
  override async stat(path: string) {
    const facts = { mode: 0o660, uid: 0, gid: 6, size: 0, atime: 0, mtime: 0, ctime: 0, inode: 1, device: 1, links: 1 }
    return path === '/dev/sda' ? ({ ...facts, type: 'block', major: 8, minor: 0 } as const) : undefined
  }
}

const PRINTED =
  'BYT;\n/dev/sda:67MB:scsi:512:512:gpt:Disk:;\n1:1049kB:21MB:20MB:ext4:data:boot;\n1:21MB:67MB:46MB:free;\n'

async function run(name: string, kwargs: Record<string, Value>, module = partition) {
  const lines: string[] = []
  const note = (cmd: Value): number => lines.push(Array.isArray(cmd) ? cmd.join(' ') : String(cmd))
  const others = {
    'cmd.run': ([cmd]: readonly Value[]) => {
      note(cmd!)
      return ''
    },
    'cmd.run_all': ([cmd]: readonly Value[]) => {
      note(cmd!)
      return fromPlain({ retcode: 0, stdout: module === partition ? PRINTED : DETAIL, stderr: '' })
    },
  }
  return { answer: toPlain(await tryFunction(module, name, { kwargs, others, host: new Disk() })), line: lines.at(-1) }
}

describe('partition', () => {
  test('lists the table of a device', async () => {
    const { answer } = await run('list', { device: '/dev/sda' })
    expect(answer).toMatchObject({
      info: { disk: '/dev/sda', 'partition table': 'gpt', model: 'Disk' },
      partitions: { '1': { start: '21MB', size: '46MB' } },
    })
  })

  test.each<[string, Record<string, Value>, string]>([
    [
      'mkpart',
      { part_type: 'primary', fs_type: 'ext4', start: '1MiB', end: '100%' },
      'parted -m -s -- /dev/sda mkpart primary ext4 1MiB 100%',
    ],
    ['rm', { minor: 2 }, 'parted -m -s /dev/sda rm 2'],
    // the real one searches for seconds
    ['rescue', { start: '1MiB', end: '2MiB' }, 'parted -m -s /dev/sda rescue 1MiB 2MiB'],
    ['set', { minor: '1', flag: 'boot', state: 'on' }, 'parted -m -s /dev/sda set 1 boot on'],
    ['disk_set', { flag: 'pmbr_boot', state: 'on' }, 'parted -m -s /dev/sda disk_set pmbr_boot on'],
  ])('%s %o runs %s', async (name, kwargs, line) => {
    expect((await run(name, { device: '/dev/sda', ...kwargs })).line).toBe(line)
  })

  test.each<[string, Record<string, Value>, string]>([
    ['rm', { device: '/dev/none', minor: 1 }, 'Invalid device passed to partition module.'],
    ['rm', { device: '/dev/sda', minor: 'x' }, 'Invalid minor number passed to partition.rm'],
    ['mkpart', { device: '/dev/sda', part_type: 'odd' }, 'Invalid part_type passed to partition.mkpart'],
    [
      'mkpart',
      { device: '/dev/sda', part_type: 'primary', start: '1Q', end: 2 },
      'Invalid partition boundary passed: "1Q"',
    ],
    ['name', { device: '/dev/sda', partition: 1, name: 'a;b' }, 'Invalid characters passed to partition.name'],
  ])('%s refuses %o', async (name, kwargs, problem) => {
    await expect(run(name, kwargs)).rejects.toThrow(problem)
  })
})

const DETAIL = `/dev/sda:
        Raid Level : raid1
       0     202       65        0      active sync   /dev/xvde1
`

test('raid.detail returns the members of an array', async () => {
  expect((await run('detail', { device: '/dev/sda' }, raid)).answer).toEqual({
    raid_level: 'raid1',
    members: {
      '0': { device: '/dev/xvde1', major: '202', minor: '65', number: '0', raiddevice: '0', state: 'active sync' },
    },
  })
})

test('raid.create counts spare devices apart', async () => {
  const kwargs = { name: '/dev/md0', level: 5, devices: ['a', 'b', 'c'], 'spare-devices': 1, test_mode: true }
  expect((await run('create', kwargs, raid)).answer).toBe(
    'mdadm -C /dev/md0 -R -v -l 5 --spare-devices 1 -e default -n 2 a b c',
  )
})
