import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { scripted, tryFunction } from '../../../sdk/mod.ts'
import udev from './module.ts'

// output of udevadm 252 with --export
const SDA = `P: /devices/pci0/block/sda
N: sda
L: 10
S: disk/by-id/ata-x
S: disk/by-path/pci-0
E: DEVNAME=/dev/sda
E: MAJOR=8
E: OPTIONS=a=b

`

async function call(fun: string, ...args: Value[]) {
  const { others } = scripted({ 'udevadm info *': SDA })
  const words: Value[] = []
  const noted = {
    'cmd.run_all': (given: readonly Value[]) => {
      words.push(given[0]!)
      return others['cmd.run_all']!(given, {})
    },
  }
  return { answer: toPlain(await tryFunction(udev, fun, { args, others: noted })), words }
}

describe('udev', () => {
  const env = { DEVNAME: '/dev/sda', MAJOR: 8, OPTIONS: 'a=b' }
  const links = ['disk/by-id/ata-x', 'disk/by-path/pci-0']

  test.each<[string, unknown]>([
    ['info', { P: '/devices/pci0/block/sda', N: 'sda', L: '10', S: links, E: env }],
    ['env', env],
    ['name', 'sda'],
    ['path', '/devices/pci0/block/sda'],
    ['links', links],
  ])('%s of a device', async (fun, answer) => expect((await call(fun, '/dev/sda')).answer).toEqual(answer))

  test('a device is one argument', async () => {
    expect((await call('info', '/dev/sda --attribute-walk')).words).toEqual([
      ['udevadm', 'info', '--export', '--query=all', '--name=/dev/sda --attribute-walk'],
    ])
    expect((await call('name', '/sys/block/sda')).words).toEqual([
      ['udevadm', 'info', '--export', '--query=all', '--path=/sys/block/sda'],
    ])
  })

  test('exportdb keeps the devices of the wanted subsystems', async () => {
    expect((await call('exportdb', ['usb'])).answer).toEqual([])
    await expect(call('exportdb', 'usb')).rejects.toThrow('subsystems must be a list')
  })
})
