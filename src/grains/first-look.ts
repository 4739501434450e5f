// What grains of Linux look at, one thing after the other. A machine that is far away is asked for all of it at once.
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

/** Ask for what nearly every machine is asked. The machine keeps each answer for the grain that needs it. */
export function lookFirst(machine: Machine, opts: Dict): void {
  const configuration = option(opts, 'conf_file')
  const asked: Promise<unknown>[] = [
    ...[...words(TEXTS), ...FIRMWARE_FILES].map((path) => machine.bytes(path)),
    ...words(PLACES).map((path) => machine.stat(path)),
    machine.list('/sys/block'),
    askForUser(machine),
  ]
  if (configuration !== '') {
    asked.push(machine.stat(configuration), machine.bytes(`${dirname(configuration)}/grains`))
  }
  // the grain that needs an answer hears of its failure
  for (const answer of asked) answer.catch(() => {})
}

async function askForUser({ host }: Machine): Promise<void> {
  const { uid, gid } = await host.identity()
  await Promise.all([host.user(uid), host.group(gid)])
}
