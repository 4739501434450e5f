// The first queries of Linux grains. On a remote machine they are sent in one round trip.
import { dirname } from 'node:path/posix'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { FIRMWARE_FILES } from './hardware.ts'
import type { Machine } from './machine.ts'

const TEXTS = `
  /etc/lsb-release /etc/machine-id /etc/os-release /etc/resolv.conf /proc/1/cgroup /proc/1/cmdline /proc/1/environ /proc/cmdline
  /proc/cpuinfo /proc/mdstat /proc/meminfo /proc/self/status /proc/sys/kernel/arch /proc/sys/kernel/hostname /proc/sys/kernel/osrelease
  /proc/sys/kernel/ostype /proc/sys/kernel/version /run/systemd/resolve/resolv.conf /sys/devices/virtual/dmi/id/product_name`

const PLACES = `
  / /proc/1/root/. /proc/bus/pci /proc/device-tree /proc/sys/xen /proc/vz /proc/xen /run/systemd/system /sys/bus/xen /sys/class/dmi/id
  /sys/class/fc_host /sys/firmware/efi/efivars /sys/firmware/efi/vars`

const words = (text: string): string[] => text.trim().split(/\s+/)

/** Query what nearly every machine needs. The machine keeps each result for the grain that uses it. */
export function lookFirst(machine: Machine, opts: Dict): void {
  const configuration = option(opts, 'conf_file')
  const asked: Promise<unknown>[] = [
    ...[...words(TEXTS), ...FIRMWARE_FILES].map((path) => machine.bytes(path)),
    ...words(PLACES).map((path) => machine.stat(path)),
    askForUser(machine),
  ]
  if (configuration !== '') {
    asked.push(machine.stat(configuration), machine.bytes(`${dirname(configuration)}/grains`))
  }
  // the grain that needs the result gets the failure
  for (const answer of asked) answer.catch(() => {})
}

async function askForUser({ host }: Machine): Promise<void> {
  const { uid, gid } = await host.identity()
  await Promise.all([host.user(uid), host.group(gid)])
}
