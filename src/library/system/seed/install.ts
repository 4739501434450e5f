// This installation of the minion, copied into a root directory. Nothing is downloaded.
import { dirname, join } from 'node:path/posix'
import { isOneFile } from '../../../base/mod.ts'
import { failure } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import { inside, linkInside, writeInside } from './inside.ts'

/** A source of the minion's programs: one file, or the folder of programs with its Node. */
export type OwnMinion = { kind: 'program'; file: string } | { kind: 'tree'; folder: string; node: string }

const PROGRAMS = ['salt-minion', 'salt-call'] as const
const PARTS = [...PROGRAMS.map((name) => `${name}.js`), 'parts', 'python', 'package.json']
const TREE = '/opt/brine/dist'
const BIN = '/usr/local/bin'
const UNITS = '/etc/systemd/system'

/** Folders of programs of an image. */
const SEARCHED = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin', '/opt/saltstack/salt']

const UNIT = `# Written by seed.apply.
[Unit]
Description=Salt minion (Brine)
Wants=network-online.target
After=network-online.target

[Service]
Type=simple
ExecStart=${BIN}/salt-minion
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=42 64 67
KillMode=process
LimitNOFILE=8192

[Install]
WantedBy=multi-user.target
`

/** Return the installation that runs this process; an error where it cannot be copied. */
export async function ownMinion({ host }: FunctionContext): Promise<OwnMinion> {
  if (host.remote) throw failure('The minion can only be installed by a minion of the machine itself, not over SSH')
  if (isOneFile) return { kind: 'program', file: process.execPath }
  const folder = dirname(await host.realPath(process.argv[1]!))
  if (await host.stat(join(folder, 'salt-minion.js'))) return { kind: 'tree', folder, node: process.execPath }
  throw failure(
    'This minion does not run from an installation, so that it cannot be copied. Set install=False, or use an image with a minion',
  )
}

/** Whether an image has a minion, by its files. */
export async function hasMinion(ctx: FunctionContext, root: string): Promise<boolean> {
  for (const folder of SEARCHED) {
    const place = join(await inside(ctx, root, folder), 'salt-minion')
    const type = (await ctx.host.lstat(place))?.type
    if (type === 'file' || type === 'link') return true
  }
  return false
}

/** Copy the minion into a root, and have it start at boot where systemd is. */
export async function installInto(ctx: FunctionContext, root: string, own: OwnMinion): Promise<void> {
  await assertFits(ctx, root, own)
  if (own.kind === 'program') {
    await copyProgram(ctx, own.file, await inside(ctx, root, `${BIN}/salt-minion`))
    await linkInside(ctx, root, 'salt-minion', `${BIN}/salt-call`)
  } else {
    await copyTree(ctx, own, await inside(ctx, root, TREE))
    for (const name of PROGRAMS) {
      const content = `#!/bin/sh\nexec ${TREE}/node ${TREE}/${name}.js "$@"\n`
      await writeInside(ctx, root, { path: `${BIN}/${name}`, content, mode: 0o755 })
    }
  }
  if ((await ctx.host.stat(await inside(ctx, root, UNITS)))?.type !== 'directory') return
  await writeInside(ctx, root, { path: `${UNITS}/salt-minion.service`, content: UNIT, mode: 0o644 })
  const wanted = `${UNITS}/multi-user.target.wants/salt-minion.service`
  await linkInside(ctx, root, `${UNITS}/salt-minion.service`, wanted)
}

/** Copy the installation itself into a folder. */
export async function copyOwn(ctx: FunctionContext, own: OwnMinion, folder: string): Promise<void> {
  if (own.kind === 'program') return copyProgram(ctx, own.file, join(folder, 'salt-minion'))
  return copyTree(ctx, own, join(folder, 'dist'))
}

async function copyTree(ctx: FunctionContext, own: OwnMinion & { kind: 'tree' }, target: string): Promise<void> {
  if (await ctx.host.stat(target)) await ctx.host.removeDirectory(target, { recursive: true })
  for (const name of PARTS) await copyAll(ctx, join(own.folder, name), join(target, name))
  await copyProgram(ctx, own.node, join(target, 'node'))
}

async function copyProgram({ host }: FunctionContext, file: string, target: string): Promise<void> {
  await host.makeDirectory(dirname(target), { parents: true, mode: 0o755 })
  if (await host.lstat(target)) await host.remove(target)
  await host.writeStream(target, host.stream(file), { mode: 0o755 })
  await host.chmod(target, 0o755)
}

async function copyAll(ctx: FunctionContext, source: string, target: string): Promise<void> {
  const { host } = ctx
  const stat = await host.stat(source)
  if (!stat) return
  if (stat.type !== 'directory') {
    await host.makeDirectory(dirname(target), { parents: true, mode: 0o755 })
    await host.writeStream(target, host.stream(source), { mode: 0o644 })
    return
  }
  await host.makeDirectory(target, { parents: true, mode: 0o755 })
  for (const name of await host.list(source)) await copyAll(ctx, join(source, name), join(target, name))
}

/** Names of processors by the number in the head of their programs. */
const PROCESSORS: ReadonlyMap<number, string> = new Map([
  [0x03, 'x86'],
  [0x28, 'ARM'],
  [0x3e, 'x86_64'],
  [0xb7, 'aarch64'],
  [0xf3, 'RISC-V'],
])

/** The processor of a program, and whether it wants the C library of musl. */
async function programFacts(
  { host }: FunctionContext,
  path: string,
): Promise<{ machine: number; isMusl: boolean } | undefined> {
  if ((await host.stat(path))?.type !== 'file') return undefined
  const head = Buffer.from(await host.read(path, { offset: 0, length: 4096 }))
  if (head.length < 20 || head.toString('latin1', 0, 4) !== '\x7fELF') return undefined
  const isLittle = head[5] === 1
  return { machine: isLittle ? head.readUInt16LE(18) : head.readUInt16BE(18), isMusl: head.includes('/ld-musl-') }
}

/** Refuse an image for other processors, or with another C library, than this installation. */
async function assertFits(ctx: FunctionContext, root: string, own: OwnMinion): Promise<void> {
  const theirs = await programFacts(ctx, await inside(ctx, root, '/bin/sh'))
  const ours = await programFacts(ctx, own.kind === 'program' ? own.file : own.node)
  if (!theirs) throw failure(`${root} is no root directory of Linux: it has no program /bin/sh`)
  if (!ours) return
  const nameOf = (machine: number): string => PROCESSORS.get(machine) ?? `number ${machine}`
  if (theirs.machine !== ours.machine) {
    throw failure(
      `The image is for processors of ${nameOf(theirs.machine)}, and this minion is for ${nameOf(ours.machine)}`,
    )
  }
  if (theirs.isMusl !== ours.isMusl) {
    throw failure(`The image has ${theirs.isMusl ? 'musl' : 'the GNU C library'}, which this minion does not run with`)
  }
}
