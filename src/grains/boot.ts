// The boot and the disks of a machine: kernel parameters, firmware, block devices.
import { type Dict, dictFrom, PyError, shlexSplit, tuple, type Value } from '../data/mod.ts'
import type { Machine } from './machine.ts'

export async function kernelParamsGrain(machine: Machine): Promise<Dict> {
  const line = await machine.text('/proc/cmdline')
  if (line === undefined) return new Map()
  const params = wordsOf(line).map((word) => {
    const [name, value, ...more] = word.split('=')
    const isPair = value !== undefined && more.length === 0
    return tuple([name!, isPair ? value.replaceAll(/^"+|"+$/g, '') : null])
  })
  return new Map([['kernelparams', params]])
}

/** A line that no shell would take is split at its blanks. */
function wordsOf(line: string): string[] {
  try {
    return shlexSplit(line)
  } catch (error) {
    if (error instanceof PyError) return line.trim().split(/\s+/)
    throw error
  }
}

export async function efiGrains(machine: Machine, kernel: string): Promise<Dict> {
  if (kernel === 'FreeBSD') return efi(await machine.exists('/dev/efi'), false)
  if (await machine.exists('/sys/firmware/efi/efivars')) {
    return efi(true, await isSecure(machine, '/sys/firmware/efi/efivars', ''))
  }
  const isOld = await machine.exists('/sys/firmware/efi/vars')
  return efi(isOld, isOld && (await isSecure(machine, '/sys/firmware/efi/vars', '/data')))
}

const efi = (present: boolean, secure: boolean): Dict =>
  new Map<Value, Value>([
    ['efi', present],
    ['efi-secure-boot', secure],
  ])

/** The variable's last byte is 1. */
async function isSecure(machine: Machine, directory: string, suffix: string): Promise<boolean> {
  const names = (await machine.list(directory)).filter((name) => name.startsWith('SecureBoot-'))
  if (names.length !== 1) return false
  const value = await machine.bytes(`${directory}/${names[0]}${suffix}`)
  return value?.at(-1) === 1
}

/** The command that prints the devices with a driver, each with its rotational flag. */
export const BLOCK_DEVICES: readonly string[] = [
  'sh',
  '-c',
  'cd /sys/block && for d in *; do [ -e "../devices/virtual/block/$d" ] || { read -r f < "$d/queue/rotational" && echo "$f $d"; }; done',
]

type Device = readonly [name: string, rotational: string | undefined]

/** The same as `devices`, in one command: a round trip costs more than a process. */
async function farDevices(machine: Machine): Promise<Device[]> {
  const lines = (await machine.output(...BLOCK_DEVICES)).split('\n')
  return lines.map((line): Device => [line.slice(2), line.charAt(0)]).sort(([one], [other]) => (one < other ? -1 : 1))
}

async function devices(machine: Machine): Promise<Device[]> {
  const names = await machine.list('/sys/block')
  return Promise.all(
    names.map(async (name): Promise<Device> => {
      const isVirtual = (await machine.readLink(`/sys/block/${name}`))?.startsWith('../devices/virtual/') ?? false
      return [name, isVirtual ? undefined : (await machine.text(`/sys/block/${name}/queue/rotational`))?.charAt(0)]
    }),
  )
}

/** Disks with and without rotation, without devices that exist only in memory. */
export async function linuxDiskGrains(machine: Machine): Promise<Dict> {
  const disks: string[] = []
  const ssds: string[] = []
  for (const [name, flag] of await (machine.isFar ? farDevices(machine) : devices(machine))) {
    if (flag === '0') ssds.push(name)
    else if (flag === '1') disks.push(name)
  }
  return dictFrom({ disks, ssds })
}

/** Software RAID devices. */
export async function mdadmGrain(machine: Machine): Promise<Dict> {
  const text = await machine.text('/proc/mdstat')
  if (text === undefined) return new Map()
  const lines = text.split('\n').filter((line) => !/^(?:Personalities : |unused devices:)/.test(line))
  const names = lines.filter((line) => line.includes(' : ')).map((line) => line.split(' : ')[0]!)
  return new Map([['mdadm', [...new Set(names)].sort()]])
}

export const VOLUME_GROUPS = ['vgs', '-o', 'vg_name', '--noheadings']

/** Logical volumes by volume group. */
export async function lvmGrain(machine: Machine): Promise<Dict> {
  const lvm = await machine.which('lvm')
  if (lvm === undefined) return new Map()
  const listed = async (...args: string[]): Promise<string[]> => {
    const output = await machine.output(lvm, ...args)
    return output === '' ? [] : output.split('\n').map((line) => line.trim())
  }
  const groups: Dict = new Map()
  for (const group of await listed(...VOLUME_GROUPS)) {
    groups.set(group, await listed('lvs', '-o', 'lv_name', '--noheadings', group))
  }
  return new Map([['lvm', groups]])
}
