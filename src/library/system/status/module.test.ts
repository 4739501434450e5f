import { describe, expect, test } from 'vitest'
import { Float, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import status from './module.ts'

const host = await MemoryHost.with({
  files: {
    '/proc/loadavg': '0.52 1.00 0.25 1/123 4567\n',
    '/proc/meminfo': 'MemTotal:       16384 kB\nHugePages_Total:       0\n',
    '/proc/cpuinfo': 'processor\t: 0\nflags\t\t: fpu vme\n\n',
    '/proc/vmstat': 'nr_free_pages 12\n',
    '/proc/stat': 'cpu 1 2 3 4 5 6 7 8\ncpu0 9 0\nintr 10 1 2\nbtime 11\n',
    '/proc/version': 'Linux version 6\n',
    '/proc/mounts': 'tmpfs /run tmpfs rw 0 0\n',
  },
})

const ask = (name: string, args: Value[] = [], kernel = 'Linux') =>
  tryFunction(status, name, { host, args, grains: new Map([['kernel', kernel]]) })

describe('status', () => {
  test('gives load averages as floats', async () => {
    const load = (await ask('loadavg')) as Map<Value, Value>
    expect([...load.keys()]).toEqual(['1-min', '5-min', '15-min'])
    expect(load.get('5-min')).toBeInstanceOf(Float)
  })

  test.each<[string, unknown]>([
    ['meminfo', { MemTotal: { value: '16384', unit: 'kB' }, HugePages_Total: { value: '0' } }],
    ['cpuinfo', { processor: '0', flags: ['fpu', 'vme'] }],
    ['vmstats', { nr_free_pages: 12 }],
    ['version', 'Linux version 6'],
    [
      'cpustats',
      {
        cpu: { idle: 4, iowait: 5, irq: 6, nice: 2, softirq: 7, steal: 8, system: 3, user: 1 },
        cpu0: 9,
        intr: { total: 10, irqs: [1, 2] },
        btime: 11,
      },
    ],
  ])('reads %s from the kernel', async (name, expected) => {
    expect(toPlain(await ask(name))).toEqual(expected)
  })

  test('says where it does not serve a kernel', async () => {
    expect(await ask('meminfo', [], 'Plan9')).toBe('This method is unsupported on the current operating system!')
  })
})
