// The package of the minion that this installation itself is: the one-file program, or an archive of the programs with this Node. So a new
// machine needs nothing from outside.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BrineError, isOneFile } from '../../base/mod.ts'
import type { Host } from '../../host/mod.ts'
import { hashOf } from '../../upkeep/mod.ts'
import { mustRun } from './commands.ts'
import type { MinionPackage } from './package.ts'

const PROGRAMS = ['salt-minion.js', 'salt-call.js']

/** Return the package, packed into a folder of the cache at its first use. */
export async function ownPackage(host: Host, cachedir: string): Promise<MinionPackage> {
  if (isOneFile) return packageOf(process.execPath, 'program')
  const dist = dirname(realpathSync(process.argv[1]!))
  if (!PROGRAMS.every((name) => existsSync(join(dist, name)))) {
    throw new BrineError('NoPackage', 'This installation has no programs that could be sent to a machine', {
      hint: 'Name a package of the minion by the setting package',
    })
  }
  const file = join(cachedir, `minion-${process.arch}-${versionOf(dist)}.tgz`)
  if (!existsSync(file)) await pack(host, dist, file)
  return packageOf(file, 'tgz')
}

const packageOf = async (file: string, kind: MinionPackage['kind']): Promise<MinionPackage> => ({
  files: [file],
  kind,
  hash: await hashOf(file),
  machine: process.arch,
})

/** Return a text that changes with the programs and with Node. */
function versionOf(dist: string): string {
  const hash = createHash('sha256').update(process.version)
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    const { size, mtimeMs } = statSync(path)
    hash.update(`${path}\0${size}\0${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

async function pack(host: Host, dist: string, file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${randomUUID()}`
  const node = realpathSync(process.execPath)
  const parts = ['parts', 'python', 'package.json', ...PROGRAMS].filter((name) => existsSync(join(dist, name)))
  const names = ['--transform=s,^,package/dist/,', `--transform=s,^package/dist/${basename(node)}$,package/dist/node,`]
  try {
    await mustRun(host, [
      ...['tar', '-I', 'gzip -1', '--owner=0', '--group=0', ...names, '-cf', fresh],
      ...['-C', dist, ...parts, '-C', dirname(node), basename(node)],
    ])
    renameSync(fresh, file)
  } finally {
    rmSync(fresh, { force: true })
  }
}
