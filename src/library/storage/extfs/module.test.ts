import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import extfs from './module.ts'

const DUMP = `dumpe2fs 1.47.0
Filesystem volume name:   data
Filesystem features:      has_journal extent
Group descriptor size:    64

Group 0: (Blocks 1-8192) csum 0x1 [ITABLE_ZEROED]
  Primary superblock at 1
  Free blocks: 5-6, 9
  Free inodes: 12-16
`

test('extfs.dump returns attributes and groups of blocks', async () => {
  const others = { 'cmd.run': () => DUMP }
  expect(toPlain(await tryFunction(extfs, 'dump', { args: ['/dev/sda1'], others }))).toEqual({
    attributes: {
      'Filesystem volume name': 'data',
      'Filesystem features': ['has_journal', 'extent'],
      'Group descriptor size': '64',
    },
    blocks: {
      'Group 0': {
        group: '0',
        range: '1-8192',
        extra: ['Primary superblock at 1'],
        'free blocks': ['5-6', '9'],
        'free inodes': ['12-16'],
      },
    },
  })
})

test('extfs.mkfs names options by their letters and drops what mke2fs says about its progress', async () => {
  let line = ''
  const others = {
    'cmd.run_all': ([cmd]: readonly Value[]) => {
      line = String(cmd)
      return fromPlain({
        retcode: 0,
        stdout: 'Filesystem UUID: 1\nWriting inode tables: done',
        stderr: 'mke2fs 1.47.0',
      })
    },
  }
  const kwargs = { device: '/dev/sda1', fs_type: 'ext4', label: 'data', check: true }
  expect(await tryFunction(extfs, 'mkfs', { kwargs, others })).toEqual(['Filesystem UUID: 1'])
  expect(line).toBe('mke2fs -F -t ext4 -L data -c /dev/sda1')
})
