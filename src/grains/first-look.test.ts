import { expect, test } from 'vitest'
import { MemoryHost } from '../host/mod.ts'
import { collectGrains } from './collect.ts'

test('a remote machine gets most queries in one round trip before its first answer', async () => {
  const files = {
    '/etc/os-release': 'ID=debian\n',
    '/proc/sys/kernel/ostype': 'Linux\n',
    '/etc/salt/grains': 'role: web\n',
  }
  const machine = await MemoryHost.with({ files })
  const asked: string[] = []
  let isAnswered = false
  const far = Object.assign(Object.create(machine) as MemoryHost, {
    expect: () => {},
    read: async (path: string) => {
      if (!isAnswered) asked.push(path)
      await new Promise((done) => setImmediate(done))
      isAnswered = true
      return machine.read(path)
    },
  })
  const opts = new Map([['conf_file', '/etc/salt/minion']])
  const grains = await collectGrains({ opts, host: far })
  expect(grains.get('role')).toBe('web')
  expect(asked).toEqual(
    expect.arrayContaining(['/etc/os-release', '/proc/1/cgroup', '/proc/cpuinfo', '/etc/salt/grains']),
  )
  expect(new Set(asked).size).toBe(asked.length)
})
