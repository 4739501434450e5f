// Whether this machine can be a lab at all. Everything that needs one asks here first, and says the answer in one line.
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { attempt } from './command.ts'

/** Program → the Debian package it comes in. */
const PROGRAMS: Record<string, string> = {
  debootstrap: 'debootstrap',
  'systemd-nspawn': 'systemd-container',
  nsenter: 'util-linux',
  ip: 'iproute2',
}

export interface Machine {
  platform: string
  uid: number | undefined
  has(program: string): boolean
  /** Whether systemd in a host could make its control groups. */
  ownsCgroups(): boolean
  /** The complaint when a network namespace cannot be made. */
  networkTrouble(): Promise<string | undefined>
}

const here: Machine = {
  platform: process.platform,
  uid: process.getuid?.(),
  has: (program) => [...pathFolders()].some((folder) => existsSync(join(folder, program))),
  ownsCgroups() {
    const folder = existsSync('/sys/fs/cgroup/systemd') ? '/sys/fs/cgroup/systemd' : '/sys/fs/cgroup'
    try {
      accessSync(folder, constants.W_OK)
      return true
    } catch {
      return false
    }
  },
  async networkTrouble() {
    const name = `brine-probe-${process.pid}`
    const { code, stderr } = await attempt(['ip', 'netns', 'add', name])
    if (code !== 0) return stderr.trim()
    await attempt(['ip', 'netns', 'delete', name])
    return undefined
  },
}

function pathFolders(): string[] {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
}

/** Why no host can be booted here, or undefined when one can. */
export async function obstacle(machine: Machine = here): Promise<string | undefined> {
  if (machine.platform !== 'linux') return 'hosts need Linux'
  if (machine.uid !== 0) return 'only root can boot hosts'
  const missing = Object.keys(PROGRAMS).filter((program) => !machine.has(program))
  if (missing.length > 0) {
    return `${missing.join(', ')} not found (Debian: ${missing.map((program) => PROGRAMS[program]).join(' ')})`
  }
  if (!machine.ownsCgroups()) return 'control groups cannot be made here'
  const trouble = await machine.networkTrouble()
  return trouble === undefined ? undefined : `network namespaces cannot be made here: ${trouble}`
}
