import { describe, expect, test } from 'vitest'
import { dumpJson, fromPlain, type Value } from '../../../data/mod.ts'
import { type Recorded, scripted, tryFunction } from '../../../sdk/mod.ts'
import devinfo from './module.ts'

const UDEV: Record<string, unknown> = {
  sda: { E: { ID_BUS: 'ata', ID_MODEL: 'QEMU_HARDDISK' }, S: ['disk/by-id/a', 'disk/by-path/a'] },
  sdb: { E: { ID_BUS: 'usb' } },
}
const GRAINS = {
  disks: ['sdb', 'sda'],
  efi: true,
  'efi-secure-boot': false,
  mem_total: 2000,
  fqdn: 'web',
  ip_interfaces: {},
}

async function call(fun: string, kwargs: Record<string, unknown>, recorded: Record<string, Recorded> = {}) {
  const { others, ran } = scripted(recorded)
  const all = { ...others, 'udev.info': ([name]: readonly Value[]) => fromPlain(UDEV[String(name)] as never) }
  const grains = fromPlain(GRAINS) as Map<Value, Value>
  const given = fromPlain(kwargs as never) as never
  return { answer: JSON.parse(dumpJson(await tryFunction(devinfo, fun, { kwargs: given, others: all, grains }))), ran }
}

// output of hwinfo 21.82
const SHORT = `disk:
  /dev/sda             QEMU HARDDISK
cpu:
                       Common KVM processor, 2000 MHz
                       Common KVM processor, 2000 MHz
`
const FULL = `17: IDE 00.0: 10600 Disk
  [Created at block.245]
  Unique ID: 3OOL.W8iGvCekDp8
  Parent ID: 3p2J.hZwcJrNDrU8
  Model: "QEMU HARDDISK"
  Driver: "ata_piix", "sd"
  Device Files: /dev/sda, /dev/disk/by-id/a
  I/O Port: 0x1f0-0x1f7 (rw)
  I/O Port: 0x3f6 (rw)
  Config Status: cfg=new, avail=yes
  Attached to: #13 (IDE interface)
  El Torito info: platform x86, not bootable
`

describe('devinfo', () => {
  test.each<[Record<string, unknown>, string[]]>([
    [{}, ['sda', 'sdb']],
    [{ udev_in: { 'e.id_bus': 'ata' } }, ['sda']],
    [{ udev_in: { 'e.id_bus': ['ata', 'usb'] }, udev_ex: { 'e.id_model': 'QEMU_HARDDISK' } }, ['sdb']],
    [{ udev_in: { s: 'disk/by-path/a' } }, ['sda']],
    [{ udev_in: { e: 'x' } }, ['sda', 'sdb']],
  ])('filter with %j finds %j', async (kwargs, disks) => {
    expect((await call('filter', kwargs)).answer).toEqual(disks)
  })

  test('hwinfo gives a summary and grains', async () => {
    const line = 'hwinfo --bios --cpu --disk --memory --network --partition --short'
    expect((await call('hwinfo', {}, { [line]: SHORT })).answer).toEqual({
      hwinfo: {
        disk: { '/dev/sda': 'QEMU HARDDISK' },
        cpu: { 0: 'Common KVM processor, 2000 MHz', 1: 'Common KVM processor, 2000 MHz' },
      },
      'bios grains': { efi: true, 'efi-secure-boot': false },
      'memory grains': { mem_total: 2000 },
      'network grains': { fqdn: 'web', ip_interfaces: {} },
    })
  })

  test('hwinfo gives a full report', async () => {
    const wish = { items: ['disk'], short: false, listmd: true, devices: '/dev/sda' }
    const { answer } = await call('hwinfo', wish, { 'hwinfo --disk --listmd --only /dev/sda': FULL })
    expect(answer).toEqual({
      hwinfo: {
        17: {
          'IDE 00.0': '10600 Disk',
          Note: 'Created at block.245',
          'Unique ID': '3OOL.W8iGvCekDp8',
          'Parent ID': '3p2J.hZwcJrNDrU8',
          Model: 'QEMU HARDDISK',
          Driver: ['ata_piix', 'sd'],
          'Device Files': ['/dev/sda', '/dev/disk/by-id/a'],
          'I/O Ports': ['0x1f0-0x1f7 (rw)', '0x3f6 (rw)'],
          'Config Status': { cfg: 'new', avail: 'yes' },
          'Attached to': { Handle: '#13 (IDE interface)' },
          'El Torito info': { platform: 'x86', bootable: 'no' },
        },
      },
    })
    await expect(call('hwinfo', { devices: '--help' })).rejects.toThrow('hyphen')
    await expect(call('hwinfo', { items: 'disk --log=/etc/x' })).rejects.toThrow('not a kind of hardware')
  })
})
