// Whether this machine was booted with systemd, as Salt finds out. All providers of `service` ask it.
import type { Host } from '../../sdk/mod.ts'

export async function isBootedWithSystemd(host: Host): Promise<boolean> {
  return (await host.stat('/run/systemd/system')) !== undefined
}

/** systemd is installed, and does not run this machine: a chroot or a container. */
export async function isSystemdOffline(host: Host): Promise<boolean> {
  return !(await isBootedWithSystemd(host)) && (await host.which('systemctl')) !== undefined
}
