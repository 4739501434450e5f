// Whether this machine was booted with systemd, and its version, as Salt finds out.
import { splitLines, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { FunctionContext } from './context.ts'

const VERSION = 'salt.utils.systemd.version'

export async function isBootedWithSystemd(host: Host): Promise<boolean> {
  return (await host.stat('/run/systemd/system')) !== undefined
}

/** Return whether systemd is installed and does not run this machine: a chroot or a container. */
export async function isSystemdOffline(host: Host): Promise<boolean> {
  return !(await isBootedWithSystemd(host)) && (await host.which('systemctl')) !== undefined
}

/** Return the version of systemd; null if systemctl does not report one. */
export async function systemdVersion(ctx: FunctionContext): Promise<Value> {
  const known = ctx.memory.get(VERSION)
  if (known !== undefined) return known
  const { stdout } = await ctx.host.run({ argv: ['systemctl', '--version'], mergeStderr: true })
  const shown = Buffer.from(stdout).toString()
  const [, version] = /\w+ ([0-9]+)/.exec(splitLines(shown)[0] ?? '') ?? []
  if (version === undefined) {
    ctx.log('error', `Unable to determine systemd version from systemctl --version, output follows:\n${shown}`)
    return null
  }
  ctx.memory.set(VERSION, Number(version))
  return Number(version)
}
