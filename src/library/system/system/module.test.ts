import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import network from '../../network/network/module.ts'
import system from './module.ts'

async function machine(files: Record<string, string>, hostnamectl = false) {
  const tool = hostnamectl ? { '/usr/bin/hostnamectl': { text: '', mode: 0o755 } } : {}
  const host = await MemoryHost.with({ files: { ...files, ...tool }, hostname: 'old', now: () => 1763208000 })
  const lines: string[] = []
  const run = ([command]: readonly Value[]) => {
    lines.push(Array.isArray(command) ? command.join(' ') : String(command))
    return lines.at(-1)!.endsWith('status') ? ' Static hostname: old\n' : ''
  }
  const others = {
    'cmd.run': run,
    'cmd.run_all': (args: readonly Value[]) => new Map<Value, Value>([['retcode', 0]]).set('stdout', run(args)),
    'cmd.retcode': (args: readonly Value[]) => (run(args) === '' ? 0 : 1),
  }
  const grains = new Map<Value, Value>([
    ['os_family', 'Debian'],
    ['kernel', 'Linux'],
  ])
  const call = async (fun: string, ...args: Value[]) =>
    toPlain(await tryFunction(fun === 'mod_hostname' ? network : system, fun, { args, host, others, grains }))
  const textAt = async (path: string) => Buffer.from(await host.read(path)).toString()
  return { call, lines, textAt }
}

describe('the machine', () => {
  test('returns date and time at an offset', async () => {
    const { call } = await machine({})
    expect(await call('get_system_date_time', '+0000')).toBe('2025-11-15 12:00:00')
    expect(await call('get_system_time', '+0930')).toBe('09:30:00 PM')
    expect(await call('get_system_date', '-1300')).toBe('Fri 11/14/2025')
    await expect(call('get_system_time', 'soon')).rejects.toThrow('Invalid UTC offset')
  })

  test.each<[string, Value[], string]>([
    ['set_system_time', ['11:31 PM', '+0000'], 'date -u 111523312025.00'],
    ['set_system_date', ['03-28-26', '+0000'], 'date -u 032812002026.00'],
    ['set_system_date_time', [2026, 5, 12, 11, 37, 53, '+0200'], 'date -u 051209372026.53'],
    ['halt', [], 'halt'],
    ['init', ['3'], 'init 3'],
    ['poweroff', [], 'poweroff'],
    ['reboot', [5], 'shutdown -r 5'],
    ['shutdown', [], 'shutdown -h now'],
  ])('%s %j runs %s', async (fun, args, line) => {
    const { call, lines } = await machine({})
    await call(fun, ...args)
    expect(lines).toEqual([line])
  })

  test('stores its description in a file without hostnamectl', async () => {
    const { call, textAt } = await machine({ '/etc/machine-info': 'DEPLOYMENT=x\n' })
    expect(await call('get_computer_desc')).toBe(false)
    expect(await call('set_computer_desc', 'a "b"\nc')).toBe(true)
    expect(await textAt('/etc/machine-info')).toBe('DEPLOYMENT=x\nPRETTY_HOSTNAME="a \\"b\\"\\nc"')
    expect(await call('get_computer_desc')).toBe('a "b"\nc')
  })

  test('gets a name everywhere', async () => {
    const { call, lines, textAt } = await machine({ '/etc/hosts': '127.0.0.1 localhost\n127.0.1.1 old\n' }, true)
    expect(await call('mod_hostname', 'new')).toBe(true)
    expect(lines).toEqual(['/usr/bin/hostnamectl status', '/usr/bin/hostnamectl set-hostname new'])
    expect(await textAt('/etc/hosts')).toBe('127.0.0.1\tlocalhost\n127.0.1.1\tnew\n')
    expect(await textAt('/etc/hostname')).toBe('new\n')
  })
})

test('the name of the computer is the host name, and a machine without a clock has none to set', async () => {
  const others = {
    'network.mod_hostname': ([name]: readonly Value[]) => name === 'web1',
    'network.get_hostname': () => 'web1',
  }
  const call = async (fun: string, ...args: Value[]) => toPlain(await tryFunction(system, fun, { args, others }))
  expect(await call('set_computer_name', 'web1')).toBe(true)
  expect(await call('get_computer_name')).toBe('web1')
  expect(await call('has_settable_hwclock')).toBe(false)
})
