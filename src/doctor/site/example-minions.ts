// Example minions for a site without known minions: one for each target of the top file, with the grains of Debian 12.
import { type Dict, fromPlain, type Value } from '../../data/mod.ts'
import type { KnownMinion } from './site.ts'

const MOST_EXAMPLES = 50

const GRAINS = {
  os: 'Debian',
  os_family: 'Debian',
  osarch: 'amd64',
  oscodename: 'bookworm',
  osfinger: 'Debian-12',
  osfullname: 'Debian GNU/Linux',
  osmajorrelease: 12,
  osrelease: '12',
  osrelease_info: [12],
  oscodename_lsb: 'bookworm',
  lsb_distrib_id: 'Debian',
  lsb_distrib_codename: 'bookworm',
  lsb_distrib_release: '12',
  kernel: 'Linux',
  kernelrelease: '6.1.0-18-amd64',
  kernelversion: '#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)',
  kernelparams: [['quiet', null]],
  cpuarch: 'x86_64',
  cpu_model: 'Example CPU',
  cpu_flags: ['sse2'],
  num_cpus: 4,
  mem_total: 8000,
  swap_total: 0,
  systemd: { version: '252', features: '+PAM' },
  init: 'systemd',
  virtual: 'kvm',
  manufacturer: 'QEMU',
  productname: 'Standard PC',
  biosversion: '1',
  serialnumber: '0',
  shell: '/bin/sh',
  path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ps: 'ps -efHww',
  locale_info: { defaultlanguage: 'en_US', defaultencoding: 'UTF-8', detectedencoding: 'utf-8', timezone: 'UTC' },
  machine_id: '0123456789abcdef0123456789abcdef',
  ipv4: ['127.0.0.1', '192.0.2.10'],
  ipv6: ['::1'],
  fqdn_ip4: ['192.0.2.10'],
  fqdn_ip6: [],
  ip_interfaces: { lo: ['127.0.0.1', '::1'], eth0: ['192.0.2.10'] },
  ip4_interfaces: { lo: ['127.0.0.1'], eth0: ['192.0.2.10'] },
  ip6_interfaces: { lo: ['::1'], eth0: [] },
  hwaddr_interfaces: { lo: '00:00:00:00:00:00', eth0: '52:54:00:00:00:01' },
  dns: { nameservers: ['192.0.2.1'], ip4_nameservers: ['192.0.2.1'], ip6_nameservers: [], search: [], domain: '' },
  disks: ['vda'],
  ssds: [],
  num_gpus: 0,
  gpus: [],
  selinux: { enabled: false, enforced: 'Disabled' },
  pythonversion: [3, 11, 2, 'final', 0],
  pythonpath: ['/usr/lib/python3/dist-packages'],
  pythonexecutable: '/usr/bin/python3',
  saltversion: '3008.2',
  saltversioninfo: [3008, 2],
  saltpath: '/usr/lib/python3/dist-packages/salt',
  zmqversion: '4.3.4',
  username: 'root',
  groupname: 'root',
  uid: 0,
  gid: 0,
  pid: 1,
  cwd: '/',
  master: 'salt',
  transactional: false,
  uuid: '00000000-0000-0000-0000-000000000000',
}

/** Return an id for a target: `web1` for `web1`, `web-example` for `web*`, and none for a target that is no glob of ids. */
function idOf(target: string): string | undefined {
  if (!/^[\w.*?-]+$/.test(target)) return undefined
  return target === '*' ? undefined : target.replace(/[*?]+/g, 'example')
}

export function exampleMinions(targets: Iterable<string>): KnownMinion[] {
  const ids = new Set(['example', ...[...targets].flatMap((target) => idOf(target) ?? [])])
  return [...ids]
    .slice(0, MOST_EXAMPLES)
    .map((id) => ({ id, grains: grainsOf(id), pillar: undefined, from: 'example' }))
}

function grainsOf(id: string): Dict {
  const [host, ...domain] = id.split('.')
  const grains = fromPlain(GRAINS) as Dict
  const names: Array<[Value, Value]> = [
    ['id', id],
    ['host', host!],
    ['nodename', host!],
    ['localhost', host!],
    ['fqdn', id],
    ['domain', domain.join('.')],
    ['fqdns', [id]],
    ['server_id', 1],
  ]
  for (const [name, value] of names) grains.set(name, value)
  return grains
}
