import { describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, type Value } from '../data/mod.ts'
import { type MemoryFile, MemoryHost } from '../host/mod.ts'
import { collectGrains } from './collect.ts'

const FILES: Record<string, MemoryFile> = {
  '/proc/sys/kernel/ostype': 'Linux\n',
  '/proc/sys/kernel/osrelease': '6.1\n',
  '/proc/sys/kernel/arch': 'x86_64\n',
  '/etc/os-release': 'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n',
}

async function host(files: Record<string, MemoryFile> = {}): Promise<MemoryHost> {
  return MemoryHost.with({ files: { ...FILES, ...files }, hostname: 'web1' })
}

const options = (opts: { [name: string]: Plain } = {}): Dict =>
  fromPlain({ id: 'web1', conf_file: '/etc/salt/minion', cachedir: '/var/cache/salt/minion', ...opts }) as Dict

describe('grains', () => {
  test('come from files of a machine that answers no command', async () => {
    const grains = await collectGrains({ opts: options(), host: await host() })
    const some = ['os', 'osfinger', 'kernel', 'cpuarch', 'host', 'id', 'server_id'].map((name) => grains.get(name))
    expect(some).toEqual(['Debian', 'Debian-12', 'Linux', 'x86_64', 'web1', 'web1', 1826842219])
  })

  test('of the owner win: the file over the machine, the configuration over the file', async () => {
    const machine = await host({ '/etc/salt/grains': 'os: Mine\nrole: file\n' })
    const grains = await collectGrains({ opts: options({ grains: { role: 'conf' } }), host: machine })
    expect([grains.get('os'), grains.get('role')]).toEqual(['Mine', 'conf'])
  })

  test('a broken grains file is skipped', async () => {
    const machine = await host({ '/etc/salt/grains': 'a: [\n' })
    const warnings: string[] = []
    const log = (level: string, text: string): void => void (level === 'warning' && warnings.push(text))
    expect((await collectGrains({ opts: options(), host: machine, log })).get('os')).toBe('Debian')
    expect(warnings.join()).toMatch(/Bad syntax in grains file/)
  })

  test('that grains_blacklist names are left out', async () => {
    const opts = options({ grains_blacklist: ['os*', 'kernel.+'] })
    const grains = await collectGrains({ opts, host: await host() })
    expect(['os', 'osrelease', 'kernelrelease', 'kernel'].map((name) => grains.has(name))).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  test('are cached on request, tuples included', async () => {
    const machine = await host({ '/var/cache/salt/minion/': '' })
    const opts = options({ grains_cache: true })
    const first = await collectGrains({ opts, host: machine })
    await machine.write('/etc/os-release', 'NAME=Other\n')
    const second = await collectGrains({ opts, host: machine })
    expect(second.get('os')).toBe('Debian')
    expect(second.get('osrelease_info')).toEqual(first.get('osrelease_info') as Value)
    expect((await collectGrains({ opts, host: machine, refresh: true })).get('os')).toBe('Other')
  })
})
