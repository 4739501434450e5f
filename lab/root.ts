// The Debian that every host is a copy of: made once by debootstrap, with systemd as its init, and prepared to find
// Node, our programs and the package repository where hosts have them mounted.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cached } from './cache.ts'
import { run } from './command.ts'
import type { Debian } from './debian.ts'

/** Where a host sees what is lent to it. */
export const MOUNTS = {
  node: '/opt/brine/node',
  program: '/opt/brine/program',
  packages: '/opt/brine/packages',
}

const PACKAGES = [
  'ca-certificates',
  'dbus',
  'gnupg',
  'iproute2',
  'libstdc++6',
  'openssh-server',
  'procps',
  'systemd',
  'systemd-sysv',
]

const COMMANDS = ['brine', 'salt-call']

const TEN_MINUTES = 600_000

export function debianRoot(from: Debian): Promise<string> {
  // the recipe's own text counts, so that a change of it makes another root
  const recipe = readFileSync(import.meta.filename, 'utf8')
  return cached('root', { from, recipe }, async (folder) => {
    const options = ['--variant=minbase', `--arch=${from.architecture}`, `--include=${PACKAGES.join(',')}`]
    await run(['debootstrap', ...options, from.suite, folder, from.mirror], { timeout: TEN_MINUTES })
    prepare(folder)
  })
}

/** A root with further packages, which apt installs: debootstrap knows no alternatives among dependencies. */
export function rootWith(root: string, names: string[], packages: string): Promise<string> {
  return cached('root', { root, names, packages }, async (folder) => {
    await run(['cp', '-a', '--reflink=auto', `${root}/.`, folder])
    const lent = join(folder, MOUNTS.packages)
    mkdirSync(lent, { recursive: true })
    const install = `apt-get -q update && apt-get -q -y install --no-install-recommends ${names.join(' ')}`
    // in a namespace of its own, what is mounted goes with the process
    const script = `mount --bind '${packages}' '${lent}' && mount -t proc proc '${folder}/proc' && chroot '${folder}' sh -c '${install}'`
    const env = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' }
    await run(['unshare', '--mount', 'sh', '-c', script], { env, timeout: TEN_MINUTES })
  })
}

function prepare(folder: string): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write('etc/apt/sources.list', `deb [trusted=yes] file:${MOUNTS.packages} ./\n`)
  write('etc/apt/apt.conf.d/90lab', 'APT::Sandbox::User "root";\nAcquire::Languages "none";\n')
  // hosts are thrown away, so nothing needs to reach a disk
  write('etc/dpkg/dpkg.cfg.d/lab', 'force-unsafe-io\n')
  write('etc/resolv.conf', '')
  // an empty one makes each host take an identity of its own at its first boot
  write('etc/machine-id', '')
  symlinkSync(MOUNTS.node, join(folder, 'usr/local/bin/node'))
  for (const command of COMMANDS) {
    symlinkSync(`${MOUNTS.program}/dist/${command}.js`, join(folder, 'usr/local/bin', command))
  }
  for (const stale of ['var/cache/apt/archives', 'var/lib/apt/lists', 'var/log/bootstrap.log']) {
    rmSync(join(folder, stale), { recursive: true, force: true })
  }
  for (const needed of ['var/cache/apt/archives/partial', 'var/lib/apt/lists/partial']) {
    mkdirSync(join(folder, needed), { recursive: true })
  }
  if (!existsSync(join(folder, 'sbin/init'))) throw new Error(`${folder}: debootstrap left no init`)
}
