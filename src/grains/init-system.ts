// The init grain: the program that manages services.
import type { Machine } from './machine.ts'

const BY_COMMAND = ['supervisord', 'dumb-init', 'tini']
const IN_BINARY = ['upstart', 'sysvinit', 'systemd']

export async function initSystem(machine: Machine): Promise<string> {
  if (await machine.exists('/run/systemd/system')) return 'systemd'
  const text = await machine.text('/proc/1/cmdline')
  const command = (text ?? '')
    .replaceAll('\0', ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
  const [program] = command
  if (program === undefined) return 'unknown'
  const path = await machine.which(program)
  if (path?.endsWith('bin/init')) return (await namedIn(machine, path)) ?? 'unknown'
  for (const name of BY_COMMAND) {
    const found = await machine.which(name)
    if (found !== undefined && command.includes(found)) return name
  }
  const isRunit = (command.length === 1 && program === 'runit') || command.includes('/sbin/my_init')
  return isRunit ? 'runit' : 'unknown'
}

/** Return the init system that the program itself names. */
async function namedIn(machine: Machine, path: string): Promise<string | undefined> {
  const bytes = await machine.bytes(path)
  if (bytes === undefined) return undefined
  const content = Buffer.from(bytes).toString('latin1').toLowerCase()
  return IN_BINARY.find((name) => content.includes(name))
}
