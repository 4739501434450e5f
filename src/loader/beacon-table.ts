// Made by tools/plugin-table.ts; run it after a beacon was added or removed.
import type { BeaconDeclaration } from '../sdk/mod.ts'

export const beaconTable: Readonly<Record<string, () => Promise<{ default: BeaconDeclaration }>>> = {
  btmp: () => import('../beacons/btmp.ts'),
  cert_info: () => import('../beacons/cert_info.ts'),
  diskusage: () => import('../beacons/diskusage.ts'),
  http_status: () => import('../beacons/http_status.ts'),
  inotify: () => import('../beacons/inotify.ts'),
  journald: () => import('../beacons/journald.ts'),
  load: () => import('../beacons/load.ts'),
  log: () => import('../beacons/log.ts'),
  memusage: () => import('../beacons/memusage.ts'),
  network_info: () => import('../beacons/network_info.ts'),
  network_settings: () => import('../beacons/network_settings.ts'),
  pkg: () => import('../beacons/pkg.ts'),
  proxy_example: () => import('../beacons/proxy_example.ts'),
  ps: () => import('../beacons/ps.ts'),
  salt_monitor: () => import('../beacons/salt_monitor.ts'),
  service: () => import('../beacons/service.ts'),
  sh: () => import('../beacons/sh.ts'),
  status: () => import('../beacons/status.ts'),
  swapusage: () => import('../beacons/swapusage.ts'),
  watchdog: () => import('../beacons/watchdog.ts'),
  wtmp: () => import('../beacons/wtmp.ts'),
}
