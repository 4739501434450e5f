import { expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain } from '../../data/mod.ts'
import { sshTargetOf } from './ssh.ts'

const target = (more: Record<string, Plain> = {}) => sshTargetOf(fromPlain({ host: 'box.example', ...more }) as Dict)

const usual = {
  host: 'box.example',
  port: 22,
  user: 'root',
  identitiesOnly: false,
  connectTimeout: 30,
  keepalive: { interval: 60, countMax: 3 },
  hostKeys: 'check',
  options: [],
}

test.each<[Record<string, Plain>, object]>([
  [{}, {}],
  [
    { user: 'ops', port: 2222, priv: '/k', identities_only: true, keepalive: false, ssh_options: ['Compression=yes'] },
    { user: 'ops', port: 2222, identity: '/k', identitiesOnly: true, keepalive: false, options: ['Compression=yes'] },
  ],
  [
    { ignore_host_keys: true, known_hosts_file: '/h', keepalive_interval: 5, keepalive_count_max: 1 },
    { hostKeys: 'accept', knownHostsFile: '/h', keepalive: { interval: 5, countMax: 1 } },
  ],
  [
    { no_host_keys: true, ignore_host_keys: true, timeout: 7 },
    { hostKeys: 'ignore', connectTimeout: 7 },
  ],
  [
    { passwd: 'a', priv_passwd: 'b', sudo: true },
    { password: 'a', passphrase: 'b', become: { program: 'sudo', user: 'root', password: 'a' } },
  ],
])('pillar says how a machine is reached: %j', (more, differences) => {
  expect(target(more)).toEqual({ ...usual, ...differences })
})

test('a machine without a host is refused', () => {
  expect(() => sshTargetOf(new Map())).toThrow('The resource has no host in pillar')
})
