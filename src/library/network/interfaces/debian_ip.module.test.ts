import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import ip from './debian_ip.module.ts'

const INTERFACES = `auto lo
iface lo inet loopback
source /etc/network/interfaces.d/*

allow-hotplug eth7
iface eth7 inet static
  address 10.0.0.1/24
  address 10.0.0.2/24
  dns-nameservers 192.0.2.1 192.0.2.2
  link-speed 100
  post-up echo hi
`

async function machine() {
  const host = await MemoryHost.with({
    files: { '/etc/network/interfaces': INTERFACES, '/etc/network/if-up.d/': '', '/etc/network/if-down.d/': '' },
  })
  const run = async (name: string, kwargs: Record<string, Value>) =>
    toPlain(await tryFunction(ip, name, { kwargs, host, grains: new Map([['os', 'Debian']]) }))
  const text = async (path = '/etc/network/interfaces') => Buffer.from(await host.read(path)).toString()
  return { run, text }
}

const STATIC = {
  iface: 'eth0',
  iface_type: 'eth',
  enabled: true,
  proto: 'static',
  ipaddr: '10.1.0.7',
  netmask: '255.255.255.0',
}

describe('ip of Debian', () => {
  test('shows an interface as it would write it', async () => {
    const { run } = await machine()
    expect(((await run('get_interface', { iface: 'eth7' })) as string[]).join('')).toBe(`allow-hotplug eth7
iface eth7 inet static
    address 10.0.0.1/24
    address 10.0.0.2/24
    dns-nameservers 192.0.2.1 192.0.2.2
    post-up echo hi
    link-speed 100

`)
  })

  test('adds an interface and keeps the others', async () => {
    const { run, text } = await machine()
    await run('build_interface', { ...STATIC, ipv6proto: 'auto', dns: ['192.0.2.9'] })
    const written = await text()
    expect(written).toContain(`auto eth0
iface eth0 inet static
    address 10.1.0.7
    netmask 255.255.255.0
    dns-nameservers 192.0.2.9
iface eth0 inet6 auto
    dns-nameservers 192.0.2.9
`)
    expect(written).toContain('source /etc/network/interfaces.d/*\n')
    expect(written).toContain('iface eth7 inet static\n')
  })

  test('writes nothing when only the content is requested', async () => {
    const { run, text } = await machine()
    await run('build_interface', { ...STATIC, test: true })
    expect(await text()).toBe(INTERFACES)
  })

  test.each<[Record<string, Value>, string]>([
    [{ ...STATIC, iface_type: 'foo' }, 'Invalid option -- Interface: eth0, Option: foo, Expected: [eth|bond|alias'],
    [{ ...STATIC, duplex: 'both' }, 'Invalid option -- Interface: eth0, Option: duplex, Expected: [full|half]'],
    [{ ...STATIC, iface_type: 'slave' }, 'master is a required setting for slave interfaces'],
    [{ ...STATIC, iface_type: 'bond', slaves: 'a', mode: '9' }, 'Option: mode, Expected: [0|1|2|3|4|5|6|balance-rr'],
  ])('refuses %o', async (kwargs, problem) => {
    const { run } = await machine()
    await expect(run('build_interface', kwargs)).rejects.toThrow(problem)
  })

  test('writes routes as scripts for up and down', async () => {
    const { run, text } = await machine()
    const routes = fromPlain([{ name: 'far', ipaddr: '10.2.0.0', netmask: 16, gateway: '10.1.0.1' }])
    await run('build_routes', { iface: 'eth0.3', routes })
    expect(await text('/etc/network/if-up.d/route-eth0_3')).toBe(`#!/bin/sh
# add
test "\${IFACE}" = "eth0.3" || exit 0
# far
ip route add 10.2.0.0/16 via 10.1.0.1 dev eth0.3
`)
  })
})
