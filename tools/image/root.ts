// The files of the image: a small Debian by debootstrap, and Brine with its Node above it.
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../command.ts'
import { nodeOf } from '../nodes.ts'

const SUITE = 'bookworm'

/** The version of Node inside. */
export const NODE_MAJOR = 24

/** Packages that modules of a minion and of a master need beyond the smallest Debian. */
const PACKAGES = ['ca-certificates', 'openssh-client', 'python3-minimal', 'git']

/** Packages that no container needs. */
const NEEDLESS = [
  'var/cache/apt/archives',
  'var/lib/apt/lists',
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
  'var/log',
]

/** User and group of the master. */
const OWNER = 450

export const USER = 'salt'

async function assertDone(command: string, args: string[]): Promise<void> {
  const { code, output } = await runCommand('/', command, args, { DEBIAN_FRONTEND: 'noninteractive' })
  if (code !== 0) throw new Error(`${command} ${args[0]} failed:\n${output.split('\n').slice(-10).join('\n')}`)
}

/** Archive a folder so that the same files give the same bytes. */
async function archive(folder: string, file: string, date: string): Promise<void> {
  const options = [
    '--sort=name',
    '--numeric-owner',
    '--format=posix',
    '--pax-option=delete=atime,delete=ctime',
    `--mtime=${date}`,
  ]
  await assertDone('tar', [...options, '-C', folder, '-cf', file, '.'])
}

/** Return the archive of the Debian below; it is kept, because it takes minutes to make. */
export async function debianLayer(root: string, work: string, date: string): Promise<string> {
  const kept = join(root, '.brine', 'image', `${SUITE}.tar`)
  if (existsSync(kept)) return kept
  const folder = join(work, 'debian')
  await assertDone('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, SUITE, folder])
  for (const path of NEEDLESS) {
    for (const name of readdirSync(join(folder, path))) rmSync(join(folder, path, name), { recursive: true })
  }
  // debootstrap copies the names of this machine
  writeFileSync(join(folder, 'etc', 'hostname'), 'localhost\n')
  writeFileSync(join(folder, 'etc', 'resolv.conf'), '')
  await assertDone('chroot', [folder, 'groupadd', '--system', '--gid', String(OWNER), USER])
  await assertDone('chroot', [
    folder,
    ...[
      'useradd',
      '--system',
      '--uid',
      String(OWNER),
      '--gid',
      USER,
      '--home-dir',
      '/var/cache/salt',
      '--no-create-home',
      USER,
    ],
  ])
  mkdirSync(join(root, '.brine', 'image'), { recursive: true })
  await archive(folder, `${kept}.new`, date)
  renameSync(`${kept}.new`, kept)
  return kept
}

/** The master runs as a dedicated user, and writes only below its own folders. */
const MASTER_CONFIG = `# The master of this image runs as the user ${USER}.
user: ${USER}
pidfile: /run/salt/master.pid
sock_dir: /run/salt/master
`

const FOLDERS = ['etc/salt', 'etc/salt/pki', 'etc/salt/master.d', 'var/cache/salt', 'var/log/salt', 'run/salt']

/** Return the archive of Brine itself. */
export async function brineLayer(root: string, dist: string, work: string, date: string): Promise<string> {
  const folder = join(work, 'brine')
  const home = join(folder, 'usr', 'lib', 'brine')
  const node = await nodeOf(root, NODE_MAJOR)
  if (node === undefined) throw new Error(`npm cannot install Node ${NODE_MAJOR}`)
  cpSync(dist, join(home, 'dist'), { recursive: true })
  for (const name of ['types', 'man', 'completion', 'sdk.js'])
    rmSync(join(home, 'dist', name), { recursive: true, force: true })
  // the only native library, with its dependencies
  for (const name of ['libsql', '@libsql', '@neon-rs', 'detect-libc']) {
    cpSync(join(root, 'node_modules', name), join(home, 'node_modules', name), { recursive: true })
  }
  rmSync(join(home, 'node_modules', '@libsql', `linux-${process.arch}-musl`), { recursive: true, force: true })
  mkdirSync(join(folder, 'usr', 'bin'), { recursive: true })
  cpSync(node, join(folder, 'usr', 'bin', 'node'))
  for (const file of readdirSync(join(home, 'dist')).filter((name) => name.endsWith('.js'))) {
    symlinkSync(`../lib/brine/dist/${file}`, join(folder, 'usr', 'bin', file.slice(0, -'.js'.length)))
  }
  for (const path of FOLDERS) {
    mkdirSync(join(folder, path), { recursive: true })
    chownSync(join(folder, path), OWNER, OWNER)
  }
  chmodSync(join(folder, 'etc', 'salt', 'pki'), 0o700)
  writeFileSync(join(folder, 'etc', 'salt', 'master'), MASTER_CONFIG)
  const file = join(work, 'brine.tar')
  await archive(folder, file, date)
  return file
}
