import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import ps from './module.ts'

const stat = (pid: number, name: string, ticks: string): string =>
  `${pid} (${name}) S 1 ${pid} ${pid} 0 -1 4194560 1 0 0 0 ${ticks} 0 0 20 0 3 0 250 1000 10 0`

const FILES = {
  '/proc/7/stat': stat(7, 'nginx: (worker)', '150 50'),
  '/proc/7/cmdline': 'nginx: (worker) process\0-g\0',
  '/proc/7/status': 'Name:\tnginx\nUid:\t33\t33\t33\t33\n',
  '/proc/7/statm': '10 5 2 1 0 3 0',
  '/proc/21/stat': stat(21, 'kthreadd', '0 0'),
  '/proc/21/cmdline': '',
  '/proc/21/status': 'Uid:\t0\t0\t0\t0\n',
  '/proc/stat':
    'cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 60 0 20 400 20 0 0 0 0 0\ncpu1 40 0 30 400 30 0 0 0 0 0\nbtime 1700000000\n',
  '/proc/meminfo':
    'MemTotal: 1000 kB\nMemFree: 200 kB\nMemAvailable: 500 kB\nBuffers: 100 kB\nCached: 250 kB\nSReclaimable: 50 kB\n',
  '/proc/net/dev': 'Inter-|\n face |\n  lo: 10 1 0 0 0 0 0 0 10 1 0 0 0 0 0 0\neth0: 5 2 1 4 0 0 0 0 7 3 2 6 0 0 0 0\n',
}

const www = { name: 'www-data', uid: 33, gid: 33, gecos: '', home: '/', shell: '/bin/sh' }

async function call(fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}) {
  const signals: string[][] = []
  const host = await MemoryHost.with({
    files: FILES,
    users: [www],
    commands: [
      ({ argv }) => {
        signals.push([...argv.slice(3)])
        return ''
      },
    ],
  })
  return { answer: toPlain(await tryFunction(ps, fun, { args, kwargs, host })), signals }
}

describe('processes', () => {
  test.each<[string, Value[], Record<string, Value>, unknown]>([
    ['get_pid_list', [], {}, [7, 21]],
    ['pgrep', ['nginx'], {}, [7]],
    ['pgrep', ['-g'], { full: true }, [7]],
    ['pgrep', ['nginx'], { user: 'root' }, null],
    ['pgrep', ['^k.*d$'], { pattern_is_regex: true }, [21]],
    [
      'status',
      ['sleeping'],
      {},
      [
        { pid: 7, name: 'nginx: (worker) process' },
        { pid: 21, name: 'kthreadd' },
      ],
    ],
    ['num_cpus', [], {}, 2],
    ['boot_time', [], {}, 1700000000],
    ['total_physical_memory', [], {}, 1024000],
    ['pkill', ['nosuch'], {}, null],
  ])('%s %j %j', async (fun, args, kwargs, answer) => {
    expect((await call(fun, args, kwargs)).answer).toEqual(answer)
  })

  test('are described by the requested attributes', async () => {
    const attrs = ['username', 'create_time', 'num_threads', 'ppid', 'memory_info']
    const { answer } = await call('proc_info', [7], { attrs })
    expect(answer).toEqual({
      username: 'www-data',
      create_time: 1700000002.5,
      num_threads: 3,
      ppid: 1,
      memory_info: [20480, 40960, 8192, 4096, 0, 12288, 0],
    })
    await expect(call('proc_info', [9])).rejects.toThrow('process PID not found (pid=9)')
  })

  test('get signals', async () => {
    const { answer, signals } = await call('pkill', ['nginx'], { signal: 9 })
    expect([answer, signals]).toEqual([{ killed: [7] }, [['9', '7']]])
  })

  test('that use most of the processors come first', async () => {
    const { answer } = await call('top', [1, 0])
    expect(answer).toMatchObject([{ cmd: ['nginx: (worker) process', '-g'], cpu: { user: 1.5, system: 0.5 } }])
  })
})

test('memory and networks are summed up as psutil does', async () => {
  expect((await call('virtual_memory')).answer).toMatchObject({
    total: 1024000,
    available: 512000,
    percent: 50,
    used: 409600,
    cached: 307200,
  })
  expect((await call('network_io_counters', ['eth0'])).answer).toMatchObject({
    bytes_recv: 5,
    bytes_sent: 7,
    dropout: 6,
  })
  expect((await call('network_io_counters')).answer).toMatchObject({ bytes_recv: 15, bytes_sent: 17 })
})
