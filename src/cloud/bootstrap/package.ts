// The package of the minion: which kind it is, by its first bytes, and how a host installs it.
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { BrineError } from '../../base/mod.ts'
import { quote } from '../../data/mod.ts'
import type { SshHost } from '../../host/mod.ts'
import { hashOf } from '../../upkeep/mod.ts'
import { mustRun } from './commands.ts'

type Kind = 'deb' | 'rpm' | 'tgz' | 'program'

const BEGINNINGS: readonly (readonly [hex: string, kind: Kind])[] = [
  ['213c617263683e0a', 'deb'],
  ['edabeedb', 'rpm'],
  ['1f8b', 'tgz'],
  ['7f454c46', 'program'],
]

export interface MinionPackage {
  file: string
  kind: Kind
  /** The processors that it is for, as Node names them; not known of packages that users name. */
  machine?: string
}

/** Where programs of a package are that brings no service of its own. */
const PROGRAM = '/usr/local/bin/salt-minion'
const CALL = '/usr/local/bin/salt-call'
const TREE = '/opt/brine'

/** Keeps the hash of the package that was installed last. */
const NOTE = '/var/lib/brine/bootstrap-package'

const UNIT_FILE = '/etc/systemd/system/salt-minion.service'

const UNIT = `# Written by brine bootstrap.
[Unit]
Description=Salt minion (Brine)
Wants=network-online.target
After=network-online.target

[Service]
Type=simple
ExecStart=${PROGRAM}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=42 64 67
KillMode=process
LimitNOFILE=8192

[Install]
WantedBy=multi-user.target
`

export function readPackage(file: string): MinionPackage {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw new BrineError('BadPackage', `The package ${quote(file)} is not a file`)
  const head = Buffer.alloc(8)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, head, 0, head.length, 0)
  } finally {
    closeSync(descriptor)
  }
  const hex = head.toString('hex')
  const kind = BEGINNINGS.find(([beginning]) => hex.startsWith(beginning))?.[1]
  if (kind) return { file, kind }
  throw new BrineError('BadPackage', `${quote(file)} is neither a .deb, a .rpm, a .tgz nor a program of Linux`)
}

/** Whether this very package was installed by an earlier run, and its program is there. */
async function isInstalled(machine: SshHost, hash: string): Promise<boolean> {
  if ((await machine.stat(NOTE)) === undefined || (await machine.which('salt-minion')) === undefined) return false
  return new TextDecoder().decode(await machine.read(NOTE)).trim() === hash
}

/** Return whether something was installed. */
export async function installPackage(machine: SshHost, wanted: MinionPackage, signal: AbortSignal): Promise<boolean> {
  const hash = await hashOf(wanted.file)
  if (await isInstalled(machine, hash)) return false
  if (wanted.machine !== undefined) await assertMachine(machine, wanted.machine)
  const sent = `${await machine.sessionFolder()}/${/^[\w.+~-]+$/.test(basename(wanted.file)) ? basename(wanted.file) : 'package'}`
  await machine.writeStream(sent, createReadStream(wanted.file), { mode: 0o600 })
  await INSTALLERS[wanted.kind](machine, sent, signal)
  await machine.makeDirectory('/var/lib/brine', { parents: true, mode: 0o755 })
  await machine.write(NOTE, `${hash}\n`, { mode: 0o644 })
  return true
}

/** What `uname -m` says for the processors that Node names. */
const MACHINES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }

async function assertMachine(machine: SshHost, wanted: string): Promise<void> {
  const { stdout } = await machine.run({ argv: ['uname', '-m'], timeout: 30, maxOutput: 1024 })
  const found = new TextDecoder().decode(stdout).trim()
  if (found === (MACHINES[wanted] ?? wanted)) return
  throw new BrineError('BadPackage', `The host has ${found} processors, and the programs here are for ${wanted}`, {
    hint: 'Name a package of the minion for it by the setting package',
  })
}

type Installer = (machine: SshHost, file: string, signal: AbortSignal) => Promise<void>

const INSTALLERS: Readonly<Record<Kind, Installer>> = {
  deb: (machine, file, signal) =>
    mustRun(machine, ['dpkg', '--install', '--force-confold', file], {
      signal,
      env: new Map([['DEBIAN_FRONTEND', 'noninteractive']]),
    }),
  rpm: (machine, file, signal) =>
    mustRun(machine, ['rpm', '--upgrade', '--replacepkgs', '--oldpackage', file], { signal }),
  tgz: installTree,
  async program(machine, file, signal) {
    await mustRun(machine, ['install', '-D', '-m', '755', file, PROGRAM], { signal })
    await linkTo(machine, PROGRAM, CALL)
    await writeUnit(machine)
  },
}

/** The archive of npm: a folder `package` with `dist` in it. */
async function installTree(machine: SshHost, file: string, signal: AbortSignal): Promise<void> {
  const fresh = `${TREE}.new`
  // remove leftovers of an interrupted run
  await mustRun(machine, ['rm', '-rf', fresh], { signal })
  await machine.makeDirectory(fresh, { parents: true, mode: 0o755 })
  await mustRun(machine, ['tar', '-xzf', file, '-C', fresh, '--strip-components=1', '--no-same-owner'], { signal })
  const program = `${fresh}/dist/salt-minion.js`
  if ((await machine.stat(program)) === undefined) {
    throw new BrineError('BadPackage', 'The archive has no package/dist/salt-minion.js: it is not one of npm pack')
  }
  // an archive of this installation brings its own Node
  const hasNode = (await machine.stat(`${fresh}/dist/node`)) !== undefined
  if (!hasNode) await assertNode(machine, signal)
  await mustRun(machine, ['rm', '-rf', TREE], { signal })
  await machine.rename(fresh, TREE)
  for (const [name, path] of [
    ['salt-minion', PROGRAM],
    ['salt-call', CALL],
  ] as const) {
    await machine.chmod(`${TREE}/dist/${name}.js`, 0o755)
    if (hasNode) await writeStarter(machine, name, path)
    else await linkTo(machine, `${TREE}/dist/${name}.js`, path)
  }
  await writeUnit(machine)
}

async function assertNode(machine: SshHost, signal: AbortSignal): Promise<void> {
  const hint = 'Install Node 20.19 or newer on it, or use a .deb, .rpm or one-file program, which bring their own'
  const node = await machine.which('node')
  if (node === undefined) throw new BrineError('NoNode', 'The host has no Node, which a .tgz needs', { hint })
  const { stdout } = await machine.run({ argv: [node, '--version'], timeout: 30, maxOutput: 1024, signal })
  const [major = 0, minor = 0] = new TextDecoder().decode(stdout).replace(/^v/, '').split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new BrineError('NoNode', `Node ${major}.${minor} of the host is too old`, { hint })
}

async function linkTo(machine: SshHost, target: string, path: string): Promise<void> {
  await machine.makeDirectory('/usr/local/bin', { parents: true, mode: 0o755 })
  if ((await machine.lstat(path)) !== undefined) await machine.remove(path)
  await machine.symlink(target, path)
}

/** Write a program that starts another one with the Node beside it. */
async function writeStarter(machine: SshHost, name: string, path: string): Promise<void> {
  await machine.makeDirectory('/usr/local/bin', { parents: true, mode: 0o755 })
  if ((await machine.lstat(path)) !== undefined) await machine.remove(path)
  await machine.write(path, `#!/bin/sh\nexec ${TREE}/dist/node ${TREE}/dist/${name}.js "$@"\n`, { mode: 0o755 })
}

async function writeUnit(machine: SshHost): Promise<void> {
  if ((await machine.stat('/etc/systemd/system')) !== undefined) await machine.write(UNIT_FILE, UNIT, { mode: 0o644 })
}
