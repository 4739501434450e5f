// Made by tools/plugin-table.ts; run it after a beacon was added or removed.
import type { BeaconDeclaration } from '../sdk/mod.ts'

export const beaconTable: Readonly<Record<string, () => Promise<{ default: BeaconDeclaration }>>> = {
  btmp: () => import('../library/users/logins/btmp.beacon.ts'),
  cert_info: () => import('../library/security/certificates/beacon.ts'),
  diskusage: () => import('../library/storage/disk/beacon.ts'),
  http_status: () => import('../library/network/http/beacon.ts'),
  inotify: () => import('../library/files/inotify/inotify.beacon.ts'),
  journald: () => import('../library/system/journald/beacon.ts'),
  kubernetes: () => import('../library/containers/kubernetes/beacon.ts'),
  load: () => import('../library/system/load/beacon.ts'),
  log: () => import('../library/system/log/beacon.ts'),
  memusage: () => import('../library/system/memory/beacon.ts'),
  network_info: () => import('../library/network/network/network_info.beacon.ts'),
  network_settings: () => import('../library/network/network/network_settings.beacon.ts'),
  pkg: () => import('../library/packages/pkg/beacon.ts'),
  proxy_example: () => import('../library/salt/beacons/proxy_example.beacon.ts'),
  ps: () => import('../library/system/process/beacon.ts'),
  salt_monitor: () => import('../library/salt/beacons/salt_monitor.beacon.ts'),
  service: () => import('../library/services/service/beacon.ts'),
  sh: () => import('../library/system/cmd/beacon.ts'),
  status: () => import('../library/system/status/beacon.ts'),
  swapusage: () => import('../library/storage/swap/beacon.ts'),
  watchdog: () => import('../library/files/inotify/watchdog.beacon.ts'),
  wtmp: () => import('../library/users/logins/wtmp.beacon.ts'),
}
