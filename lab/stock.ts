// What hosts of the lab's tests can install: the servers that states are tried on, and nginx in a version that Debian has
// not beside one it has, for states that ask for a version by a pattern.
import type { Stock } from './packages.ts'

export const STOCK: Stock = {
  names: [
    'bind9',
    'bind9-dnsutils',
    'cron',
    'dbus',
    'git',
    'haproxy',
    'logrotate',
    'nginx',
    'postgresql',
    'rsync',
    'sudo',
    'tuned',
  ],
  relabelled: [
    { name: 'nginx', versions: ['1.20.2-1', '1.22.1-9'] },
    { name: 'nginx-common', versions: ['1.22.1-9'] },
  ],
}
