import { describe, expect, test } from 'vitest'
import { dictFrom, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Recorded, scripted, tryFunction } from '../../../sdk/mod.ts'
import raid from './module.ts'

// output of mdadm 4.2
const DETAIL = `/dev/md0:
        Raid Level : raid1
       0     202       65        0      active sync   /dev/sdb
       1     202       66        1      active sync   /dev/sdc
`
const SCAN = 'ARRAY /dev/md0 metadata=1.2 name=host:0 UUID=a:b\n'

async function call(
  fun: string,
  kwargs: Record<string, Value>,
  recorded: Record<string, Recorded | readonly Recorded[]>,
  grains: Record<string, string> = { os_family: 'Arch' },
) {
  const { others, ran } = scripted(recorded)
  const host = await MemoryHost.with({ files: { '/dev/md0': '', '/etc/mdadm.conf': '', '/etc/mdadm/mdadm.conf': '' } })
  const edits: Value[][] = []
  const noted = {
    ...others,
    'file.replace': (args: readonly Value[]): Value => {
      edits.push(args.slice(1))
      return ''
    },
  }
  const known = dictFrom(grains)
  return { answer: toPlain(await tryFunction(raid, fun, { kwargs, others: noted, host, grains: known })), ran, edits }
}

describe('raid', () => {
  test('destroy stops an array, erases its members and forgets it', async () => {
    const recorded = {
      'mdadm --detail /dev/md0': DETAIL,
      'mdadm --stop*': '',
      'mdadm --zero*': '',
      'mdadm --detail --scan': '',
    }
    const { answer, ran, edits } = await call('destroy', { device: '/dev/md0' }, recorded)
    expect(answer).toBe(true)
    expect(ran).toContain('mdadm --zero-superblock /dev/sdb /dev/sdc')
    expect(edits).toHaveLength(1)
    expect((await call('destroy', { device: '/dev/none' }, {})).answer).toBe(false)
  })

  test('destroy leaves an array alone that cannot be stopped', async () => {
    const busy = { retcode: 1, stderr: 'mdadm: Cannot get exclusive access to /dev/md0' }
    const recorded = { 'mdadm --detail /dev/md0': DETAIL, 'mdadm --stop /dev/md0': busy }
    const { answer, ran, edits } = await call('destroy', { device: '/dev/md0' }, recorded)
    expect([answer, ran.length, edits]).toEqual([false, 2, []])
  })

  test('stop, add and assemble', async () => {
    expect((await call('stop', {}, { 'mdadm --stop --scan': '' })).answer).toBe(true)
    expect((await call('stop', {}, { 'mdadm --stop --scan': { retcode: 1 } })).answer).toBe(false)
    const line = 'mdadm --manage /dev/md0 --add /dev/sdd'
    expect((await call('add', { name: '/dev/md0', device: '/dev/sdd' }, { [line]: '' })).answer).toBe(true)
    expect((await call('add', { name: '/dev/md0', device: '/dev/sdd' }, { [line]: { retcode: 1 } })).answer).toBe(false)
    await expect(call('add', { name: '/dev/md0', device: '--fail' }, {})).rejects.toThrow('cannot begin with a hyphen')
    const wish = { name: '/dev/md0', devices: ['/dev/sdb', '/dev/sdc'], test_mode: true }
    expect((await call('assemble', wish, {})).answer).toEqual(['mdadm', '-A', '/dev/md0', '-v', '/dev/sdb', '/dev/sdc'])
  })

  test('save_config writes each array, and renews the initial RAM disk', async () => {
    const recorded = { 'mdadm --detail --scan': SCAN, 'update-initramfs -u': 'update-initramfs: Generating' }
    const { answer, edits } = await call('save_config', {}, recorded, { os_family: 'Debian', os: 'Ubuntu' })
    expect(answer).toBe('update-initramfs: Generating')
    expect(edits.map(([, line]) => line)).toEqual(['ARRAY /dev/md0 UUID=a:b'])
  })
})
