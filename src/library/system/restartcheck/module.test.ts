import { expect, test } from 'vitest'
import type { Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import restartcheck from './module.ts'

const map = (path: string): string => `7f0a-7f0b r-xp 00000000 08:01 1234                    ${path}\n`

const PROCESSES: Record<string, [comm: string, exe: string, maps: string]> = {
  70: ['nginx', '/usr/sbin/nginx', map('/usr/lib/libssl.so.3 (deleted)') + map('/usr/lib/libz.so')],
  8: ['cron', '/usr/sbin/cron', map('/usr/lib/libc.so.6 (deleted)') + map('/tmp/x (deleted)')],
  9: ['tool', '/usr/local/bin/tool', map('/usr/lib/libc.so.6 (deleted)')],
  10: ['screen', '/usr/bin/screen', map('/usr/lib/libc.so.6 (deleted)')],
  11: ['bash', '/bin/bash', map('/usr/lib/locale/x (deleted)') + map('[heap]')],
}

const OWNERS: Record<string, string> = {
  '/usr/sbin/nginx': 'nginx-core',
  '/usr/sbin/cron': 'cron',
  '/usr/bin/screen': 'screen',
}
const FILES: Record<string, string> = {
  'nginx-core': '/usr/sbin/nginx\n/lib/systemd/system/nginx.service\n/lib/systemd/system/gone.service\n',
  cron: '/etc/init.d/cron\n/etc/init.d/boot.sh\n',
}

interface Machine {
  family?: string
  kernel?: string
  processes?: typeof PROCESSES
}

async function call(
  kwargs: Record<string, Value>,
  { family = 'Debian', kernel = '6.1.55-1', processes = PROCESSES }: Machine = {},
) {
  const files: Record<string, string | { mode: number }> = {
    '/proc/': '',
    '/bin/systemd': { mode: 0o755 },
    '/lib/systemd/system/nginx.service': '[Service]\n',
    ...Object.fromEntries(
      ['dpkg', 'dpkg-query', 'apt-cache', 'uname'].map((name) => [`/usr/bin/${name}`, { mode: 0o755 }]),
    ),
  }
  for (const [pid, [comm, , maps]] of Object.entries(processes)) {
    files[`/proc/${pid}/comm`] = `${comm}\n`
    files[`/proc/${pid}/maps`] = maps
  }
  const answers: Record<string, string> = {
    dpkg: 'linux-image-6.1.0-13-amd64\t\t\tinstall\nlinux-image-amd64\t\t\tinstall\n',
    'apt-cache': 'linux-image-6.1.0-13-amd64:\n  Installed: 6.1.55-1\n',
    uname: `Linux web 6.1.0-13-amd64 #1 SMP Debian ${kernel} x86_64\n`,
  }
  const host = await MemoryHost.with({
    files,
    commands: [({ argv }) => ({ stdout: argv[0] === 'dpkg-query' ? (FILES[argv[2]!] ?? '') : answers[argv[0]!]! })],
  })
  for (const [pid, [, exe]] of Object.entries(processes)) await host.symlink(exe, `/proc/${pid}/exe`)
  const grains = new Map<Value, Value>([['os_family', family]]).set('kernel', 'Linux')
  const others = {
    'service.get_running': () => ['nginx', 'cron', 'other'],
    'service.show': ([name]: readonly Value[]) =>
      new Map([['ExecMainPID', { nginx: '70', other: '1' }[String(name)] ?? '0']]),
    'service.available': () => false,
    'pkg.owner': ([path]: readonly Value[]) => OWNERS[String(path)] ?? '',
  }
  return tryFunction(restartcheck, 'restartcheck', { kwargs, grains, host, others })
}

test('restartcheck returns which packages use replaced files, and how they are restarted', async () => {
  expect(await call({})).toBe(`Found 3 processes using old versions of upgraded files.
These are the packages:
Of these, 2 seem to contain systemd service definitions or init scripts which can be used to restart them:
cron:
\t8 /usr/sbin/cron (file: /usr/lib/libc.so.6)
nginx-core:
\t70 /usr/sbin/nginx (file: /usr/lib/libssl.so.3)


These are the systemd services:
systemctl restart nginx.service

These are the initd scripts:
service cron restart

These processes 1 do not seem to have an associated init script to restart them:
tool:
\t9 /usr/local/bin/tool (file: /usr/lib/libc.so.6)
`)
})

test.each<[Record<string, Value>, Machine, Value]>([
  [{ verbose: false }, {}, ['cron', 'nginx-core', 'tool']],
  [{ verbose: false }, { kernel: '6.1.50-1' }, ['cron', 'nginx-core', 'tool', 'System restart required.']],
  [{ verbose: false, ignorelist: ['cron', 'screen'], excludepid: [9] }, {}, ['nginx-core']],
  [{ verbose: false, ignorelist: 'tool', blacklist: '/usr/lib/libssl.so.3' }, {}, ['cron', 'screen']],
  [{}, { processes: {} }, 'No packages seem to need to be restarted.'],
  [{}, { processes: {}, kernel: '6.1.50-1' }, 'System restart required.\n\n'],
])('restartcheck with %j on %j', async (kwargs, machine, answer) => {
  expect(await call(kwargs, machine)).toEqual(answer)
})

test('restartcheck supports systems whose packages it can query', async () => {
  expect(await call({}, { family: 'Suse' })).toEqual(
    new Map<Value, Value>([
      ['result', false],
      ['comment', 'Only available on Debian, Red Hat and NI Linux Real-Time based systems.'],
    ]),
  )
})
