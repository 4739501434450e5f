import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import ip from './rh_ip.module.ts'

const GRAINS = fromPlain({ os: 'CentOS', os_family: 'RedHat', osmajorrelease: 7, num_cpus: 2 }) as never

async function machine() {
  const files = {
    '/etc/sysconfig/network-scripts/': '',
    '/etc/sysconfig/network': "NETWORKING='yes'\nHOSTNAME='old'\n",
  }
  const host = await MemoryHost.with({ files })
  const others = { 'network.interfaces': () => fromPlain({ eth0: { hwaddr: '00:11:22:33:44:55' } }) }
  const run = async (name: string, kwargs: Record<string, Value>) =>
    toPlain(await tryFunction(ip, name, { kwargs, host, others, grains: GRAINS }))
  return { run, host }
}

const ETH = { iface: 'eth0', iface_type: 'eth', enabled: true }
const BOND = { iface: 'bond0', iface_type: 'bond', enabled: false }

describe('ip of Red Hat', () => {
  test.each<[Record<string, Value>, string[]]>([
    [
      {
        ...ETH,
        proto: 'dhcp',
        mtu: '9000',
        dns: ['192.0.2.1'],
        enable_ipv6: true,
        ipv6addr: '2001:db8::1/64',
        autoneg: true,
      },
      [
        'DEVICE="eth0"',
        'HWADDR="00:11:22:33:44:55"',
        'USERCTL="no"',
        'TYPE="Ethernet"',
        'BOOTPROTO="dhcp"',
        'ONBOOT="yes"',
        'IPV6INIT="yes"',
        'IPV6ADDR="2001:db8::1/64"',
        'PEERDNS="yes"',
        'MTU="9000"',
        'ETHTOOL_OPTS="autoneg on"',
        'NM_CONTROLLED="no"',
        'DNS1="192.0.2.1"',
      ],
    ],
    [
      { ...BOND, mode: 4, miimon: 100, lacp_rate: 'fast' },
      [
        'DEVICE="bond0"',
        'USERCTL="no"',
        'TYPE="Bond"',
        'ONBOOT="no"',
        'BONDING_OPTS="mode=4 miimon=100 downdelay=200 use_carrier=0 lacp_rate=1 ad_select=0"',
        'NM_CONTROLLED="no"',
      ],
    ],
  ])('writes %o', async (kwargs, lines) => {
    const { run } = await machine()
    expect(await run('build_interface', kwargs)).toEqual(lines)
    expect(await run('get_interface', { iface: kwargs['iface']! })).toEqual(lines)
  })

  test.each<[Record<string, Value>, string]>([
    [{ ...ETH, proto: 'static' }, 'Interface: eth0, Option: static, Expected: [none|bootp|dhcp]'],
    [{ ...BOND, mode: '1' }, 'Interface: bond0, Option: miimon, Expected: [integer]'],
    [{ ...BOND, mode: '1', miimon: 100, updelay: 50 }, 'Option: updelay, Expected: [0 or a multiple of miimon (100)]'],
    [{ ...ETH, prefix: 24, netmask: '255.0.0.0' }, 'Cannot use prefix and netmask together'],
  ])('refuses %o', async (kwargs, problem) => {
    await expect((await machine()).run('build_interface', kwargs)).rejects.toThrow(problem)
  })

  test('keeps IPv6 routes in a file of their own', async () => {
    const { run } = await machine()
    const routes = fromPlain([
      { name: 'far', ipaddr: '10.2.0.0', netmask: 16, gateway: '10.1.0.1' },
      { ipaddr: 'fd00::1', metric: 5 },
    ])
    expect(await run('build_routes', { iface: 'eth0', routes })).toEqual([
      '# far',
      '10.2.0.0/16 via 10.1.0.1',
      'fd00::1 dev eth0 metric 5',
    ])
  })

  test('quotes settings of the machine as they were quoted', async () => {
    const { run } = await machine()
    expect(await run('build_network_settings', { hostname: 'web' })).toEqual(["NETWORKING='yes'", "HOSTNAME='web'"])
  })
})
