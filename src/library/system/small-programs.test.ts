// Modules that parse the output of one program: udev, locate, rsync; and `out`, which itself prints.
import { describe, expect, test } from 'vitest'
import { type Plain, toPlain, type Value } from '../../data/mod.ts'
import { MemoryHost } from '../../host/mod.ts'
import { type Trial, tryFunction } from '../../sdk/mod.ts'
import locate from '../files/locate/module.ts'
import rsync from '../files/rsync/module.ts'
import out from '../salt/out/module.ts'
import udev from './udev/module.ts'

/** The commands that were run, and their output. */
function commands(stdout: string, retcode = 0, stderr = '') {
  const ran: Plain[] = []
  const all = (args: readonly Value[]): Value => {
    ran.push(toPlain(args[0]!))
    return new Map<Value, Value>([
      ['pid', 1],
      ['retcode', retcode],
      ['stdout', stdout],
      ['stderr', stderr],
    ])
  }
  const text = (args: readonly Value[]): Value => {
    ran.push(toPlain(args[0]!))
    return stdout
  }
  return {
    ran,
    others: { 'cmd.run_all': all, 'cmd.run': text, 'cmd.run_stdout': text } as NonNullable<Trial['others']>,
  }
}

describe('udev', () => {
  const printed = `P: /devices/virtual/net/lo
E: IFINDEX=1
E: SUBSYSTEM=net
E: RATE=1.5

P: /devices/pci/block/sda
N: sda
S: disk/by-id/a
S: disk/by-id/b
E: SUBSYSTEM=block
E: ID_MODEL=A=B
`
  test('has a block of lines for each device', async () => {
    const { ran, others } = commands(printed)
    expect(toPlain(await tryFunction(udev, 'exportdb', { others }))).toEqual([
      { P: '/devices/virtual/net/lo', E: { IFINDEX: 1, SUBSYSTEM: 'net', RATE: 1.5 } },
      {
        P: '/devices/pci/block/sda',
        N: 'sda',
        S: ['disk/by-id/a', 'disk/by-id/b'],
        E: { SUBSYSTEM: 'block', ID_MODEL: 'A=B' },
      },
    ])
    const only = await tryFunction(udev, 'exportdb', { others, kwargs: { subsystems: ['block'] } })
    expect(toPlain(only)).toMatchObject([{ N: 'sda' }])
    expect(await tryFunction(udev, 'path', { args: ['/sys/class/net/lo'], others })).toBe('/devices/virtual/net/lo')
    expect(ran.at(-1)).toEqual(['udevadm', 'info', '--export', '--query=all', '--path=/sys/class/net/lo'])
  })

  test("reports udevadm's error", async () => {
    const { others } = commands('', 1, 'Unknown device')
    await expect(tryFunction(udev, 'env', { args: ['/dev/none'], others })).rejects.toThrow('Unknown device')
  })
})

test('locate gets its letters, and counts by name', async () => {
  const { ran, others } = commands('/etc/a\n/etc/b')
  const kwargs = { existing: true, ignore: true, count: false, regex: true, limit: 5, database: '/var/db' }
  expect(toPlain(await tryFunction(locate, 'locate', { args: ['a'], kwargs, others }))).toEqual(['/etc/a', '/etc/b'])
  expect(ran).toEqual(['locate -ei -d /var/db -l 5 --regex a'])
  const stats = commands('Database /var/lib/mlocate/mlocate.db:\n\t1,234 directories\n\t56 files')
  expect(toPlain(await tryFunction(locate, 'stats', { others: stats.others }))).toEqual({
    database: '/var/lib/mlocate/mlocate.db',
    directories: '1,234',
    files: '56',
  })
})

describe('rsync', () => {
  const configured = { 'config.option': ([name]: readonly Value[]) => (name === 'rsync.dst' ? '/backup' : '') }

  test('gets its options from the call and the configuration', async () => {
    const { ran, others } = commands('')
    const kwargs = { delete: true, exclude: ['a', 'b'], rsh: 'ssh -p 2', additional_opts: ['--partial'] }
    await tryFunction(rsync, 'rsync', { args: ['/srv/', null], kwargs, others: { ...others, ...configured } })
    const words = '-avz|--delete|--rsh=ssh -p 2|--exclude|a|--exclude|b|--partial|/srv/|/backup'
    expect(ran).toEqual([['rsync', ...words.split('|')]])
    const nothing = tryFunction(rsync, 'rsync', { args: ['', '/x'], others: { ...others, ...configured } })
    await expect(nothing).rejects.toThrow('src and dst cannot be empty')
  })

  test('copies from the master by a temporary copy', async () => {
    const { ran, others } = commands('')
    const removed: Value[] = []
    const host = await MemoryHost.with({ files: { '/tmp/': '' } })
    const master = {
      'cp.list_master_dirs': () => ['web'],
      'cp.get_dir': () => ['x'],
      'file.remove': ([path]: readonly Value[]) => {
        removed.push(path!)
        return true
      },
    }
    await tryFunction(rsync, 'rsync', {
      args: ['salt://web', '/x'],
      host,
      others: { ...others, ...configured, ...master },
    })
    expect(ran).toEqual([['rsync', '-avz', `${String(removed[0])}/`, '/x']])
  })

  test('reports unreadable input', async () => {
    expect(await tryFunction(rsync, 'version', commands('rsync  version 3.2.7  protocol version 31\n'))).toBe('3.2.7')
    await expect(tryFunction(rsync, 'config')).rejects.toThrow('/etc/rsyncd.conf does not exist')
  })
})

test.each<[string, Record<string, Value>, string]>([
  ['out_format', {}, 'a:\n    - 1'],
  ['string_format', { out: 'yaml', opts: new Map([['color', true]]) }, 'a:\n- 1'],
  ['html_format', {}, 'a:<br />&nbsp;&nbsp;&nbsp;&nbsp;-&nbsp;1'],
])('out.%s shows data', async (name, kwargs, expected) => {
  expect(await tryFunction(out, name, { args: [new Map([['a', [1]]])], kwargs })).toBe(expected)
})
