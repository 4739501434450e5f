// Modules that parse programs and files about hardware and related services: smbios, scsi, devmap, bridge, nfs3, pam.
import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../data/mod.ts'
import { MemoryHost } from '../../host/mod.ts'
import { type Trial, tryFunction } from '../../sdk/mod.ts'
import bridge from '../network/bridge/module.ts'
import nfs3 from '../network/nfs3/module.ts'
import devmap from '../storage/devmap/module.ts'
import scsi from '../storage/scsi/module.ts'
import pam from '../users/pam/module.ts'
import smbios from './smbios/module.ts'

function printing(stdout: string, retcode = 0, stderr = ''): NonNullable<Trial['others']> {
  const all = new Map<Value, Value>([
    ['pid', 1],
    ['retcode', retcode],
    ['stdout', stdout],
    ['stderr', stderr],
  ])
  return { 'cmd.run_all': () => all, 'cmd.run': () => stdout }
}

const program = { text: '', mode: 0o755 }
const machine = (files: Record<string, string>, ...programs: string[]): Promise<MemoryHost> =>
  MemoryHost.with({ files: { ...files, ...Object.fromEntries(programs.map((name) => [`/usr/bin/${name}`, program])) } })

const FIRMWARE = `# dmidecode 3.4
Handle 0x0000, DMI type 0, 24 bytes
BIOS Information
\tVendor: SeaBIOS
\tROM Size: 64 kB
\tCharacteristics:
\t\tPCI is supported
\tBIOS Revision: 0.0

Handle 0x0100, DMI type 1, 27 bytes
System Information
\tManufacturer: To be filled by O.E.M.
\tProduct Name: 42
\tSerial Number: 0000000
\tSKU Number: a, b
\tFamily: Red Hat

Handle 0x7F00, DMI type 127, 4 bytes
End Of Table
`

test('smbios returns records without placeholders', async () => {
  const others = printing(FIRMWARE)
  const bios = { vendor: 'SeaBIOS', rom_size: '64 kB', characteristics: ['PCI is supported'] }
  expect(toPlain(await tryFunction(smbios, 'records', { others }))).toEqual([
    { handle: '0x0000', description: 'BIOS Information', type: 0, data: bios },
    {
      handle: '0x0100',
      description: 'System Information',
      type: 1,
      data: { product_name: '42', sku_number: ['a', 'b'] },
    },
  ])
  const all = toPlain(await tryFunction(smbios, 'records', { kwargs: { clean: false, fields: ['vendor'] }, others }))
  expect(all).toMatchObject([{ data: { vendor: 'SeaBIOS' } }, { type: 1 }, { description: 'End Of Table' }])
})

test.each<[string, string, string | null]>([
  ['system-uuid', '4C4C4544-0000-1010-8020-B1C04F4E3132', '4C4C4544-0000-1010-8020-B1C04F4E3132'],
  ['system-uuid', 'x', null],
  ['system-serial-number', '01234567890', null],
  ['chassis-asset-tag', 'No Asset Tag', null],
  ['system-version', '# a comment\n1.0', '1.0'],
  ['bios-vendor', '/dev/mem: Permission denied', null],
])('smbios.get %s of %j', async (key, printed, wanted) => {
  expect(await tryFunction(smbios, 'get', { args: [key], others: printing(printed) })).toBe(wanted)
})

test('scsi reads lines of lsscsi, with or without sizes', async () => {
  const host = await machine({}, 'lsscsi')
  const printed = `[0:0:0:0]    disk    ATA      SAMSUNG SSD 860  1B6Q  /dev/sda [8:0]   500GB
  dir: /sys/bus/scsi/devices/0:0:0:0  [/sys/devices/x]
  device_blocked=0
`
  expect(toPlain(await tryFunction(scsi, 'ls', { host, others: printing(printed) }))).toEqual({
    '[0:0:0:0]': {
      lun: '0:0:0:0',
      size: '500GB',
      major: '8',
      minor: '0',
      device: '/dev/sda',
      model: 'SAMSUNG SSD 860 1B6Q',
      dir: ['/sys/bus/scsi/devices/0:0:0:0', '/sys/devices/x'],
      device_blocked: '0',
    },
  })
  const old = printing('', 1, "lsscsi: invalid option -- 's'\nUsage")
  expect(await tryFunction(scsi, 'ls', { host, others: old })).toContain('try get_size=False')
  expect(await tryFunction(scsi, 'ls', {})).toBe('scsi.ls not available - lsscsi command not found')
  expect(await tryFunction(scsi, 'rescan_all', { args: [7], host })).toBe('Host 7 does not exist')
})

const BRIDGES = `bridge name\tbridge id\t\tSTP enabled\tinterfaces
br0\t\t8000.e4115bac8ddc\tno\t\teth0
\t\t\t\t\t\t\tfoo0
br1\t\t8000.000000000000\tyes
`

test.each<[string, Value[], unknown]>([
  [
    'show',
    [],
    {
      br0: { id: '8000.e4115bac8ddc', stp: 'no', interfaces: ['eth0', 'foo0'] },
      br1: { id: '8000.000000000000', stp: 'yes' },
    },
  ],
  ['show', ['br9'], null],
  ['list', [], ['br0', 'br1']],
  ['interfaces', ['br0'], ['eth0', 'foo0']],
  ['interfaces', [], null],
  ['find_interfaces', ['foo0', 'eth7'], { foo0: 'br0' }],
])('bridge.%s %j', async (name, args, wanted) => {
  expect(toPlain(await tryFunction(bridge, name, { args, others: printing(BRIDGES) }))).toEqual(wanted)
})

test('bridge asks brctl for changes', async () => {
  const ran: Value[] = []
  const others = { 'cmd.run': ([line]: readonly Value[]) => String(ran.push(line!)) }
  await tryFunction(bridge, 'add', { args: ['br0'], others })
  await tryFunction(bridge, 'addif', { args: ['br0', 'eth0'], others })
  await tryFunction(bridge, 'stp', { args: ['br0', 'enable'], others })
  expect(ran).toEqual(['brctl addbr br0', 'brctl addif br0 eth0', 'brctl stp br0 on'])
})

test('devmap finds only existing devices', async () => {
  expect(await tryFunction(devmap, 'multipath_flush', { args: ['/dev/no'] })).toBe('/dev/no does not exist')
  expect(await tryFunction(devmap, 'multipath_list', { others: printing('a\nb') })).toEqual(['a', 'b'])
})

test('nfs3 writes a line for each path', async () => {
  const host = await machine({ '/etc/exports': '# c\n/a /b *(ro,sync) web(rw)\n' })
  const share = { hosts: '*', options: ['ro', 'sync'] }
  const web = { hosts: 'web', options: ['rw'] }
  expect(toPlain(await tryFunction(nfs3, 'list_exports', { host }))).toEqual({ '/a': [share, web], '/b': [share, web] })
  await tryFunction(nfs3, 'add_export', { host, kwargs: { path: '/c', hosts: '10.0.0.1', options: ['rw'] } })
  await tryFunction(nfs3, 'del_export', { host, kwargs: { path: '/b' } })
  expect(Buffer.from(await host.read('/etc/exports')).toString()).toBe('/a *(ro,sync) web(rw)\n/c 10.0.0.1(rw)\n')
  await expect(tryFunction(nfs3, 'add_export', { host, kwargs: { path: '/c', hosts: ['x'] } })).rejects.toThrow(
    'hosts argument must be a string',
  )
})

test('pam reads control flags of several words', async () => {
  const host = await machine({ '/etc/pam.d/x': '# c\nauth [success=1 default=ignore] pam_unix.so nullok\n@x y z\n' })
  expect(toPlain(await tryFunction(pam, 'read_file', { args: ['/etc/pam.d/x'], host }))).toEqual([
    { interface: 'auth', control_flag: 'success=1 default=ignore', module: 'pam_unix.so', arguments: ['nullok'] },
    { interface: '@x', control_flag: 'y', module: 'z', arguments: [] },
  ])
  expect(await tryFunction(pam, 'read_file', { args: ['/no'] })).toBe(false)
})
