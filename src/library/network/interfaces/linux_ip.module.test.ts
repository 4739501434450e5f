// Interfaces and routes from ip and the kernel.
import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import linuxIp from './linux_ip.module.ts'

const ADDRESSES = `1: lo: <LOOPBACK,UP> mtu 65536 qdisc noqueue state UNKNOWN qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,UP> mtu 1500 state UP
    link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff
    altname enp0s3
    inet 10.0.0.5/24 brd 10.0.0.255 scope global dynamic eth0
       valid_lft 86313sec preferred_lft 86313sec
`
const ROUTES = `Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0
`

const call = async (fun: string, args: Value[]) => {
  const host = await MemoryHost.with({ files: { '/proc/net/route': ROUTES } })
  const others = { 'cmd.run': ([line]: readonly Value[]) => (line === 'ip a' ? ADDRESSES : line!) }
  return toPlain(await tryFunction(linuxIp, fun, { args, host, others }))
}

test('an interface has its flags, options and addresses', async () => {
  expect(await call('get_interface', ['eth0'])).toEqual({
    flags: ['BROADCAST', 'UP'],
    options: { mtu: '1500', state: 'UP' },
    link_layer: { 'link/ether': '52:54:00:12:34:56', brd: 'ff:ff:ff:ff:ff:ff' },
    inet: {
      inet: '10.0.0.5/24',
      brd: '10.0.0.255',
      scope: 'global',
      dynamic: 'eth0',
      valid_lft: '86313sec',
      preferred_lft: '86313sec',
    },
  })
  expect(await call('get_interface', ['eth1'])).toBeNull()
})

test('routes are listed by interface', async () => {
  const [route] = (await call('get_routes', ['eth0'])) as [Record<string, string>]
  expect(route).toMatchObject({ gateway: '10:0:0:1', destination: '0:0:0:0', flags: 'UG' })
  expect(await call('get_routes', ['eth1'])).toBeNull()
})

test.each([
  ['up', ['eth0'], 'ip link set eth0 up'],
  ['down', ['eth0'], 'ip link set eth0 down'],
  ['up', ['eth0', 'slave'], null],
])('ip.%s %j runs %s', async (fun, args, command) => {
  expect(await call(fun, args)).toBe(command)
})
