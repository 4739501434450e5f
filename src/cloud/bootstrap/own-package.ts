// A minion package from this installation: the one-file program, or an archive of the programs with the running Node. A
// new machine then needs no download.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { BrineError, isOneFile } from '../../base/mod.ts'
import type { Host } from '../../host/mod.ts'
import { hashOf } from '../../upkeep/mod.ts'
import { mustRun } from './commands.ts'
import { MASTER_PROGRAMS, type MinionPackage } from './package.ts'

const PROGRAMS = ['salt-minion.js', 'salt-call.js']
const OF_MASTERS = MASTER_PROGRAMS.map((name) => `${name}.js`)
/** Packages of Node that a master loads: its databases. */
const MODULES = ['libsql', `@libsql/linux-${process.arch}-gnu`, '@neon-rs/load', 'detect-libc']

/** Return the package, packed into a folder of the cache at its first use; with a master, it has the programs of one too. */
export async function ownPackage(host: Host, cachedir: string, withMaster = false): Promise<MinionPackage> {
  if (isOneFile) return packageOf(process.execPath, 'program')
  const dist = dirname(realpathSync(process.argv[1]!))
  if (!PROGRAMS.every((name) => existsSync(join(dist, name)))) {
    throw new BrineError('NoPackage', 'This installation has no programs that could be sent to a machine', {
      hint: 'Name a package of the minion by the setting package',
    })
  }
  const file = join(cachedir, `${withMaster ? 'master' : 'minion'}-${process.arch}-${versionOf(dist)}.tgz`)
  if (!existsSync(file)) await pack(host, dist, file, withMaster)
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

/** Return the folder of the Node packages, and the existing ones. */
function modulesOf(dist: string): string[] {
  const found = createRequire(join(dist, 'salt-master.js')).resolve('libsql')
  const folder = found.slice(0, found.lastIndexOf('/node_modules/') + '/node_modules'.length)
  return ['-C', folder, ...MODULES.filter((name) => existsSync(join(folder, name)))]
}

async function pack(host: Host, dist: string, file: string, withMaster: boolean): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${randomUUID()}`
  const node = realpathSync(process.execPath)
  const programs = withMaster ? [...PROGRAMS, ...OF_MASTERS] : PROGRAMS
  const parts = ['parts', 'python', 'package.json', ...programs].filter((name) => existsSync(join(dist, name)))
  const modules =
    '--transform=s#^package/dist/\\(libsql\\|@libsql\\|@neon-rs\\|detect-libc\\)#package/dist/node_modules/\\1#'
  const names = [
    '--transform=s,^,package/dist/,',
    modules,
    `--transform=s,^package/dist/${basename(node)}$,package/dist/node,`,
  ]
  try {
    await mustRun(host, [
      ...['tar', '-I', 'gzip -1', '--owner=0', '--group=0', ...names, '-cf', fresh],
      ...['-C', dist, ...parts, '-C', dirname(node), basename(node)],
      ...(withMaster ? modulesOf(dist) : []),
    ])
    renameSync(fresh, file)
  } finally {
    rmSync(fresh, { force: true })
  }
}
