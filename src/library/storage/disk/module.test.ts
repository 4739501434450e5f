import { describe, expect, test } from 'vitest'
import { toPlain } from '../../../data/mod.ts'
import { inodesByMount, mountRows, usageByMount } from './module/df.ts'

const SHOWN = `Filesystem     1024-blocks     Used Available Capacity Mounted on
/dev/sda1         41152736 12345678  26700000      32% /
//nas/my share     1000 10 990 1% /mnt
/dev/mapper/a-very-long-name
                   500 100 400 20% /long`.split('\n')

const unexpected = (): void => expect.unreachable()

describe('the usage of volumes', () => {
  test('is given by mount point, over names with spaces and broken lines', () => {
    const rows = mountRows(SHOWN, { joined: true })
    expect(toPlain(usageByMount(rows, 'Linux', unexpected))).toEqual({
      '/': {
        filesystem: '/dev/sda1',
        '1K-blocks': '41152736',
        used: '12345678',
        available: '26700000',
        capacity: '32%',
      },
      '/mnt': { filesystem: '//nas/my share', '1K-blocks': '1000', used: '10', available: '990', capacity: '1%' },
      '/long': {
        filesystem: '/dev/mapper/a-very-long-name',
        '1K-blocks': '500',
        used: '100',
        available: '400',
        capacity: '20%',
      },
    })
  })

  test('is dropped when a line has too few columns', () => {
    let complaints = 0
    const found = usageByMount(
      [
        ['/dev/a', '1', '2', '3', '4%', '/'],
        ['/dev/b', '1'],
      ],
      'Linux',
      () => complaints++,
    )
    expect([found.size, complaints]).toEqual([0, 1])
  })

  test('of inodes is given by mount point', () => {
    const shown = ['Filesystem Inodes IUsed IFree IUse% Mounted on', 'tmpfs 100 40 60 40% /run', '']
    expect(toPlain(inodesByMount(shown, 'Linux', unexpected))).toEqual({
      '/run': { inodes: '100', used: '40', free: '60', use: '40%', filesystem: 'tmpfs' },
    })
  })
})
