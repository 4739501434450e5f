// Packages with the names, files and maintainer scripts of Salt's, whose daemons only sleep: what a package of ours takes over, and what
// comes back after it. Units, places, relations and the handling of units are those of Salt 3008's packages for Debian.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from './command.ts'

const VERSION = '3008.2'

type Role = 'master' | 'minion' | 'syndic'

/** Where the private key of a daemon lies; a syndic has the one of the minion. */
const KEY_OF: Readonly<Record<Role, string>> = {
  master: 'master/master.pem',
  minion: 'minion/minion.pem',
  syndic: 'minion/minion.pem',
}

/** A daemon that notes which key it found. */
const daemon = (role: Role): string =>
  `#!/bin/sh\nsha256sum < /etc/salt/pki/${KEY_OF[role]} > /run/stand-in-${role}\nsystemd-notify --ready\nexec sleep infinity\n`

const unit = (role: Role): string => `[Unit]
Description=The Salt ${role}
After=network.target

[Service]
Type=notify
NotifyAccess=all
LimitNOFILE=8192
ExecStart=/usr/bin/salt-${role}

[Install]
WantedBy=multi-user.target
`

/** What debhelper puts into the scripts of a package with a unit, at the level that Salt's packages use. */
const scripts = (role: Role): Record<string, string> => ({
  postinst: `#!/bin/sh
set -e
deb-systemd-helper unmask salt-${role}.service >/dev/null || true
if deb-systemd-helper --quiet was-enabled salt-${role}.service; then
  deb-systemd-helper enable salt-${role}.service >/dev/null || true
else
  deb-systemd-helper update-state salt-${role}.service >/dev/null || true
fi
systemctl --system daemon-reload >/dev/null || true
deb-systemd-invoke start salt-${role}.service >/dev/null || true
`,
  prerm: `#!/bin/sh
set -e
deb-systemd-invoke stop salt-${role}.service >/dev/null
`,
  postrm: `#!/bin/sh
set -e
systemctl --system daemon-reload >/dev/null || true
if [ "$1" = remove ]; then deb-systemd-helper mask salt-${role}.service >/dev/null; fi
if [ "$1" = purge ]; then
  deb-systemd-helper purge salt-${role}.service >/dev/null
  deb-systemd-helper unmask salt-${role}.service >/dev/null
fi
`,
})

const COMMON_PREINST = `#!/bin/sh
set -e
getent group salt >/dev/null || groupadd --system salt
getent passwd salt >/dev/null || useradd --system --no-create-home -s /usr/sbin/nologin -g salt -d /opt/saltstack/salt salt
`

interface Package {
  name: string
  depends: string
  files: Record<string, [content: string, mode: number]>
  links?: Record<string, string>
  folders?: string[]
  conffiles: string[]
  scripts: Record<string, string>
}

const roleFiles = (role: Role): Package['files'] => ({
  [`/opt/saltstack/salt/salt-${role}`]: [daemon(role), 0o755],
  [`/lib/systemd/system/salt-${role}.service`]: [unit(role), 0o644],
})

const CONFIGURATION: Readonly<Record<string, string>> = {
  '/etc/salt/master': '#interface: 0.0.0.0\nuser: salt\n',
  '/etc/salt/minion': '#master: salt\n',
}

const ofRole = (role: Role, folders: string[], configuration: string[]): Package => ({
  name: `salt-${role}`,
  depends: [...(role === 'syndic' ? ['salt-master'] : []), 'salt-common']
    .map((name) => `${name} (= ${VERSION})`)
    .join(', '),
  files: {
    ...roleFiles(role),
    ...Object.fromEntries(configuration.map((path) => [path, [CONFIGURATION[path]!, 0o644] as [string, number]])),
  },
  links: { [`/usr/bin/salt-${role}`]: `/opt/saltstack/salt/salt-${role}` },
  folders,
  conffiles: configuration,
  scripts: scripts(role),
})

const KEYS = ['minions', 'minions_autosign', 'minions_denied', 'minions_pre', 'minions_rejected']

const PACKAGES: Package[] = [
  {
    name: 'salt-common',
    depends: '',
    files: {
      '/opt/saltstack/salt/salt-call': ['#!/bin/sh\necho salt-call 3008.2 of the stand-in\n', 0o755],
      '/etc/logrotate.d/salt-common': ['/var/log/salt/minion {\n\tweekly\n\tmissingok\n\tcreate 0640\n}\n', 0o644],
    },
    links: { '/usr/bin/salt-call': '/opt/saltstack/salt/salt-call' },
    folders: ['/var/cache/salt', '/var/log/salt'],
    conffiles: ['/etc/logrotate.d/salt-common'],
    scripts: { preinst: COMMON_PREINST },
  },
  ofRole(
    'master',
    ['/etc/salt/master.d', '/var/cache/salt/master', ...KEYS.map((each) => `/etc/salt/pki/master/${each}`)],
    ['/etc/salt/master'],
  ),
  ofRole('minion', ['/etc/salt/minion.d'], ['/etc/salt/minion']),
  ofRole('syndic', [], []),
]

/** Make the packages in a folder. */
export async function standInSalt(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const package_ of PACKAGES) {
    const scratch = mkdtempSync(join(tmpdir(), 'brine-lab-salt-'))
    chmodSync(scratch, 0o755)
    try {
      await pack(package_, scratch, folder)
    } finally {
      rmSync(scratch, { recursive: true })
    }
  }
}

async function pack(
  { name, depends, files, links = {}, folders = [], conffiles, scripts }: Package,
  scratch: string,
  folder: string,
) {
  const write = (path: string, content: string, mode: number): void => {
    mkdirSync(dirname(join(scratch, path)), { recursive: true })
    writeFileSync(join(scratch, path), content)
    chmodSync(join(scratch, path), mode)
  }
  for (const [path, [content, mode]] of Object.entries(files)) write(path, content, mode)
  for (const each of folders) mkdirSync(join(scratch, each), { recursive: true })
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(scratch, path)), { recursive: true })
    symlinkSync(target, join(scratch, path))
  }
  const control = [
    `Package: ${name}`,
    `Version: ${VERSION}`,
    'Architecture: all',
    'Maintainer: Nobody <nobody@example.com>',
    ...(depends === '' ? [] : [`Depends: ${depends}`]),
    'Description: stand-in for a package of Salt',
  ]
  write('DEBIAN/control', `${control.join('\n')}\n`, 0o644)
  write('DEBIAN/conffiles', conffiles.map((path) => `${path}\n`).join(''), 0o644)
  for (const [moment, text] of Object.entries(scripts)) write(`DEBIAN/${moment}`, text, 0o755)
  await run(['dpkg-deb', '--root-owner-group', '-Zgzip', '--build', scratch, join(folder, `${name}.deb`)])
}
