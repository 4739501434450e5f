import { describe, expect, test } from 'vitest'
import { type Dict, dumpJson } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { cleanValue } from './clean-value.ts'
import { freebsdFlags, linuxCpuGrains, netbsdFlags } from './cpu.ts'
import { parseResolv } from './dns.ts'
import { parseDisplays, parseLspci } from './gpu.ts'
import { parseAhosts } from './host-names.ts'
import { localeOf } from './identity.ts'
import { Machine } from './machine.ts'
import { swapOf } from './memory.ts'
import { gatewayIn, interfaceGrains, parseIfconfig, parseIpAddr } from './network.ts'
import { darwinHardware, opkgArchitectures } from './os-data.ts'
import { parseCpe } from './release-files.ts'
import { fromDetectVirt, fromDmidecode, fromLspci, fromVirtWhat } from './virtual-programs.ts'
import { windowsRelease } from './windows.ts'

describe('output of commands', () => {
  test('ip lists interfaces, secondary addresses last', () => {
    const output = `1: lo: <UP> mtu
    link/loopback 00:00:00:00:00:00 brd 00
    inet 127.0.0.1/8 scope host lo
2: eth0@if5: <UP> mtu
    link/ether 02:42:ac:11:00:02 brd ff
    inet 10.0.0.9/8 scope global secondary eth0
    inet 10.0.0.2/8 scope global eth0
    inet6 fe80::1/64 scope link`
    const secondary = ['10.0.0.9']
    expect(parseIpAddr(output)).toEqual([
      { name: 'lo', hwaddr: '00:00:00:00:00:00', inet: ['127.0.0.1'], inet6: [] },
      { name: 'eth0', hwaddr: '02:42:ac:11:00:02', inet: ['10.0.0.2', '10.0.0.9'], inet6: ['fe80::1'], secondary },
    ])
    const both = interfaceGrains(parseIpAddr(output)).get('ip_interfaces') as Dict
    expect(both.get('eth0')).toEqual(['10.0.0.2', 'fe80::1', '10.0.0.9'])
  })

  test('cpuinfo has processors without flags', async () => {
    const host = await MemoryHost.with({ files: { '/proc/cpuinfo': 'processor\t: 0\nmodel name\t: A\nflags\t\t:\n' } })
    expect([...(await linuxCpuGrains(new Machine(host)))]).toEqual([
      ['num_cpus', 1],
      ['cpu_model', 'A'],
      ['cpu_flags', []],
    ])
  })

  test('ifconfig lists them too', () => {
    const output =
      'em0: flags=8843<UP> metric 0\n\tether 08:00:27:aa:bb:cc\n\tinet 10.0.2.15 netmask 0xffffff00\n\tinet6 fe80::1%em0 prefixlen 64\nlo0: flags\n\tinet 127.0.0.1 netmask'
    expect(parseIfconfig(output)).toEqual([
      { name: 'em0', hwaddr: '08:00:27:aa:bb:cc', inet: ['10.0.2.15'], inet6: ['fe80::1'] },
      { name: 'lo0', inet: ['127.0.0.1'], inet6: [] },
    ])
  })

  test.each([
    ['default via 10.0.0.1 dev eth0\n10.0.0.0/8 dev eth0', '10.0.0.1'],
    ['default dev ppp0 scope link', true],
    ['10.0.0.0/8 dev eth0', false],
  ])('the gateway of %j is %s', (routes, gateway) => {
    expect(gatewayIn(routes)).toBe(gateway)
  })

  test('getent names the machine and its addresses', () => {
    expect(parseAhosts('10.0.0.1  STREAM box.example.org\n10.0.0.1  DGRAM\nfd00::1 STREAM')).toEqual({
      name: 'box.example.org',
      addresses: ['10.0.0.1', 'fd00::1'],
    })
  })

  test('lspci and system_profiler list graphics adapters', () => {
    const listing =
      'Slot:\t00:02.0\nClass:\tVGA compatible controller\nVendor:\tIntel Corporation\nDevice:\tIris\n\nClass:\tAudio device\nVendor:\tX\nDevice:\tY'
    expect(parseLspci(listing)).toEqual([{ vendor: 'intel', model: 'Iris' }])
    expect(parseDisplays('  Chipset Model: AMD Radeon Pro 5300M')).toEqual([
      { vendor: 'amd', model: 'Radeon Pro 5300M' },
    ])
  })

  test('boot messages and cpuctl list processor flags', () => {
    expect(freebsdFlags(['CPU: X', '  Features=0x1<FPU,VME>', '  other', 'real memory', ' Features=<NO>'])).toEqual([
      'FPU',
      'VME',
    ])
    expect(netbsdFlags('cpu0: features 0x1<A,B>\ncpu0: features1 0x2<C>')).toEqual(['A', 'B', 'C'])
  })

  test('detection programs name the hypervisor', () => {
    expect(fromDetectVirt('kvm')).toEqual({ virtual: 'kvm' })
    expect(fromDetectVirt('docker')).toEqual({ virtual: 'container', subtype: 'Docker' })
    expect(fromDetectVirt('none')).toBeUndefined()
    expect(fromVirtWhat('xen\nxen-domU')).toEqual({ virtual: 'xen' })
    expect(fromVirtWhat('ibm_power-lpar_shared')).toEqual({ virtual: 'LPAR', subtype: 'shared' })
    expect(fromDmidecode('Manufacturer: QEMU')).toEqual({ virtual: 'kvm' })
    expect(fromLspci('Red Hat, Inc. Virtio network')).toEqual({ virtual: 'kvm' })
  })

  test('macOS, opkg and swap', () => {
    expect(dumpJson(darwinHardware('Hardware:\n  Model Name: Mac mini'))).toBe('{"model_name": "Mac mini"}')
    expect(opkgArchitectures('arch all 1\narch noarch 1\narch x64 20')).toEqual(['x64', 'all', 'noarch'])
    expect(swapOf('total = 2048,00M  used = 0')).toBe(2048)
  })
})

describe('content of files', () => {
  test('resolv.conf', () => {
    const text =
      'nameserver 10.0.0.1 # x\nnameserver fd00::1\nnameserver bad\nsearch a b ; c\nsortlist 130.155.160.0/255.255.240.0 10.1.2.3\noptions ndots:2 rotate\n'
    expect(dumpJson(parseResolv(text))).toBe(
      '{"nameservers": ["10.0.0.1", "fd00::1"], "ip4_nameservers": ["10.0.0.1"], "ip6_nameservers": ["fd00::1"], ' +
        '"sortlist": ["130.155.160.0/255.255.240.0", "10.0.0.0/255.0.0.0"], "domain": "", "search": ["a", "b"], "options": ["ndots:2"]}',
    )
  })

  test('platform names', () => {
    expect(parseCpe('cpe:/o:opensuse:leap:15.5')).toEqual({ vendor: 'opensuse', version: '15.5' })
    expect(parseCpe('cpe:2.3:o:amazon:amazon_linux:2')).toEqual({ vendor: 'amazon', version: '2' })
    expect(parseCpe('broken')).toEqual({ vendor: '', version: '' })
  })

  test('placeholders in firmware fields count as absent', () => {
    expect(cleanValue('serialnumber', 'To be filled by O.E.M.')).toBeNull()
    expect(cleanValue('serialnumber', '0000')).toBeNull()
    expect(cleanValue('serialnumber', 'C02XYZ')).toBe('C02XYZ')
    expect(cleanValue('uuid', '4c4c4544-0000-1010-8020-b1c04f4e3132')).toMatch(/^4c/)
    expect(cleanValue('uuid', 'no')).toBeNull()
    expect(cleanValue('manufacturer', 'System manufacturer')).toBeNull()
    expect(cleanValue('productname', 'Not Specified')).toBeNull()
  })
})

describe('names', () => {
  test.each([
    ['Microsoft Windows Server 2012 R2 Standard', '2012ServerR2'],
    ['Microsoft Windows Server 2022 Datacenter', '2022Server'],
    ['Microsoft Windows 11 Pro', '11'],
    ['Microsoft Windows Server Standard', '2019Server'],
  ])('of %s is %s', (caption, release) => {
    expect(windowsRelease(caption)).toBe(release)
  })

  test.each([
    ['C', null, null],
    ['C.UTF-8', 'en_US', 'UTF-8'],
    ['de_DE.utf8', 'de_DE', 'UTF-8'],
  ])('of the locale %s', (name, language, encoding) => {
    expect(localeOf(name)).toEqual([language, encoding])
  })
})
