import { describe, expect, test } from 'vitest'
import { toPlain } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import { parseIp } from './module/interfaces.ts'
import network from './module.ts'

const SHOWN = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: eth0@if5: <BROADCAST,MULTICAST> mtu 1500 qdisc noqueue state DOWN group default
    link/ether 02:42:ac:11:00:02 brd ff:ff:ff:ff:ff:ff
    inet 172.17.0.2/16 brd 172.17.255.255 scope global eth0
    inet 172.17.0.3/16 scope global secondary eth0:1
    inet6 fe80::42/64 scope link`

describe('interfaces', () => {
  test('have the form that Salt gives them', () => {
    expect(toPlain(parseIp(SHOWN))).toEqual({
      lo: {
        up: true,
        hwaddr: '00:00:00:00:00:00',
        inet: [{ address: '127.0.0.1', netmask: '255.0.0.0', broadcast: null, label: 'lo' }],
      },
      eth0: {
        up: false,
        parent: 'if5',
        hwaddr: '02:42:ac:11:00:02',
        inet: [{ address: '172.17.0.2', netmask: '255.255.0.0', broadcast: '172.17.255.255', label: 'eth0' }],
        secondary: [{ type: 'inet', address: '172.17.0.3', netmask: '255.255.0.0', broadcast: null, label: 'eth0:1' }],
        inet6: [{ address: 'fe80::42', prefixlen: '64', scope: 'link' }],
      },
    })
  })
})

describe('addresses', () => {
  test.each<[string, string[], unknown]>([
    ['calc_net', ['172.17.0.5', '255.255.255.240'], '172.17.0.0/28'],
    ['calc_net', ['2a02:f6e:a000:80:84d8:8332:7866:4e07/64'], '2a02:f6e:a000:80::/64'],
    ['reverse_ip', ['2001:db8::5'], '5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
    ['ip_in_subnet', ['10.0.0.5', '10.0.0.5/24'], false],
    ['iphexval', ['10.0.255.1'], '0A00FF01'],
  ])('%s(%j) is %j', async (name, args, wanted) => {
    expect(await tryFunction(network, name, { args })).toEqual(wanted)
  })
})
