// The package of the minion: which kind it is, by its first bytes, and how a host installs it.
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { BrineError } from '../../base/mod.ts'
import { quote } from '../../data/mod.ts'
import type { SshHost } from '../../host/mod.ts'
import { checkSignature, hashOf, signaturePath } from '../../upkeep/mod.ts'
import { mustRun } from './commands.ts'

type Kind = 'deb' | 'rpm' | 'tgz' | 'program'

const BEGINNINGS: readonly (readonly [hex: string, kind: Kind])[] = [
  ['213c617263683e0a', 'deb'],
  ['edabeedb', 'rpm'],
  ['1f8b', 'tgz'],
  ['7f454c46', 'program'],
]

export interface MinionPackage {
  /** Several only of package managers. */
  files: readonly string[]
  kind: Kind
  /** Hash of the content of all files. */
  hash: string
  /** The CPU architecture in Node's name; unknown for packages that users name. */
  machine?: string
}

/** Path of the program, for packages without a service. */
const PROGRAM = '/usr/local/bin/salt-minion'
const CALL = '/usr/local/bin/salt-call'
const TREE = '/opt/brine'

/** Keeps the hash of the package that was installed last. */
const NOTE = '/var/lib/brine/bootstrap-package'

const UNIT_DIR = '/etc/systemd/system'

const unitOf = (daemon: 'minion' | 'master', files: number): string => `# Written by brine bootstrap.
[Unit]
Description=Salt ${daemon} (Brine)
Wants=network-online.target
After=network-online.target

[Service]
Type=simple
ExecStart=/usr/local/bin/salt-${daemon}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=42 64 67
KillMode=process
LimitNOFILE=${files}

[Install]
WantedBy=multi-user.target
`

/** Read which kind of package files are. With trusted keys, each file needs a signature beside it. */
export async function readPackage(files: readonly string[], keyring: string | undefined): Promise<MinionPackage> {
  const kinds = new Set(files.map(kindOf))
  const [kind] = kinds
  if (kind === undefined || kinds.size > 1)
    throw new BrineError('BadPackage', `Packages of one kind are needed, and these are ${[...kinds].join(' and ')}`)
  if (files.length > 1 && kind !== 'deb' && kind !== 'rpm')
    throw new BrineError(
      'BadPackage',
      `A minion is installed from one .tgz or one program, and ${files.length} are named`,
    )
  const hashes: string[] = []
  for (const file of files) {
    if (keyring !== undefined) await checkSignature(file, signaturePath(file), keyring)
    hashes.push(await hashOf(file))
  }
  return { files, kind, hash: hashes.sort().join('-') }
}

function kindOf(file: string): Kind {
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
  if (kind) return kind
  throw new BrineError('BadPackage', `${quote(file)} is neither a .deb, a .rpm, a .tgz nor a program of Linux`)
}

/** Whether an earlier run installed this same package, and its program exists. */
async function isInstalled(machine: SshHost, hash: string): Promise<boolean> {
  if ((await machine.stat(NOTE)) === undefined || (await machine.which('salt-minion')) === undefined) return false
  return new TextDecoder().decode(await machine.read(NOTE)).trim() === hash
}

/** Return whether something was installed. */
export async function installPackage(machine: SshHost, wanted: MinionPackage, signal: AbortSignal): Promise<boolean> {
  if (await isInstalled(machine, wanted.hash)) return false
  if (wanted.machine !== undefined) await assertMachine(machine, wanted.machine)
  const folder = await machine.sessionFolder()
  const sent: string[] = []
  for (const [index, file] of wanted.files.entries()) {
    const name = /^[\w.+~-]+$/.test(basename(file)) ? basename(file) : 'package'
    const place = `${folder}/${index}-${name}`
    await machine.writeStream(place, createReadStream(file), { mode: 0o600 })
    sent.push(place)
  }
  await INSTALLERS[wanted.kind](machine, sent, signal)
  await machine.makeDirectory('/var/lib/brine', { parents: true, mode: 0o755 })
  await machine.write(NOTE, `${wanted.hash}\n`, { mode: 0o644 })
  return true
}

/** The output of `uname -m` by Node's names of CPU architectures. */
const MACHINES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }

async function assertMachine(machine: SshHost, wanted: string): Promise<void> {
  const { stdout } = await machine.run({ argv: ['uname', '-m'], timeout: 30, maxOutput: 1024 })
  const found = new TextDecoder().decode(stdout).trim()
  if (found === (MACHINES[wanted] ?? wanted)) return
  throw new BrineError('BadPackage', `The host has ${found} processors, and the programs here are for ${wanted}`, {
    hint: 'Name a package of the minion for it by the setting package',
  })
}

type Installer = (machine: SshHost, files: readonly string[], signal: AbortSignal) => Promise<void>

const INSTALLERS: Readonly<Record<Kind, Installer>> = {
  deb: (machine, files, signal) =>
    mustRun(machine, ['dpkg', '--install', '--force-confold', ...files], {
      signal,
      env: new Map([['DEBIAN_FRONTEND', 'noninteractive']]),
    }),
  rpm: (machine, files, signal) =>
    mustRun(machine, ['rpm', '--upgrade', '--replacepkgs', '--oldpackage', ...files], { signal }),
  tgz: (machine, [file], signal) => installTree(machine, file!, signal),
  async program(machine, [file], signal) {
    await mustRun(machine, ['install', '-D', '-m', '755', file!, PROGRAM], { signal })
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

async function writeUnit(machine: SshHost, daemon: 'minion' | 'master' = 'minion'): Promise<void> {
  const files = daemon === 'minion' ? 8192 : 100_000
  if ((await machine.stat(UNIT_DIR)) === undefined) return
  await machine.write(`${UNIT_DIR}/salt-${daemon}.service`, unitOf(daemon, files), { mode: 0o644 })
}

/** The further programs that a master needs. */
export const MASTER_PROGRAMS = ['salt-master', 'salt', 'salt-key', 'salt-run', 'salt-cp'] as const

/** Make the programs of a master out of the package that is installed, unless a package manager did. */
export async function linkMasterPrograms(machine: SshHost): Promise<void> {
  const isTree = (await machine.stat(`${TREE}/dist/salt-master.js`)) !== undefined
  const isProgram = !isTree && (await machine.lstat(PROGRAM))?.type === 'file'
  if (!isTree && !isProgram) {
    if ((await machine.which('salt-master')) !== undefined) return
    throw new BrineError('NoProgram', 'The package brought no program salt-master', {
      hint: 'Name a package that holds the master too by the setting package, or remove make_master',
    })
  }
  const hasNode = isTree && (await machine.stat(`${TREE}/dist/node`)) !== undefined
  for (const name of MASTER_PROGRAMS) {
    const [file, path] = [`${TREE}/dist/${name}.js`, `/usr/local/bin/${name}`]
    if (isTree && (await machine.stat(file)) === undefined) continue
    if (isTree) await machine.chmod(file, 0o755)
    if (hasNode) await writeStarter(machine, name, path)
    else await linkTo(machine, isTree ? file : PROGRAM, path)
  }
  await writeUnit(machine, 'master')
}
