// Packages of npm that the built programs load at run time, because they have native files or are optional: the ones
// named here and their dependencies, by package-lock.json, with the native file for one processor.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Published, unpack } from './registry.ts'
import { type Architecture, NAMES } from './target.ts'

/** Packages that tools/build.ts leaves out of the bundles. */
const LOADED = ['libsql', 'ldapts']

interface Locked {
  version: string
  integrity: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

type Lock = Readonly<Record<string, Locked>>

/** Path below the project → the package that belongs there. */
function runtimeModules(root: string, architecture: Architecture): Map<string, Published> {
  const lock = (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages
  const found = new Map<string, Published>()
  const add = (name: string, from: string): void => {
    const path = placeOf(lock, name, from)
    if (found.has(path)) return
    const { version, integrity, dependencies = {}, optionalDependencies = {} } = lock[path]!
    found.set(path, { name, version, integrity })
    const native = Object.keys(optionalDependencies).filter((each) =>
      each.endsWith(`/linux-${NAMES[architecture].node}-gnu`),
    )
    for (const needed of [...Object.keys(dependencies), ...native]) add(needed, path)
  }
  for (const name of LOADED) add(name, '')
  return found
}

/** Return where Node finds a package: in the importing package's folder, or above it. */
function placeOf(lock: Lock, name: string, from: string): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (lock[path] !== undefined) return path
    if (at === '') throw new Error(`package-lock.json has no ${name}, which ${from || 'the project'} needs`)
  }
}

/** Not needed to run: documents, types and sources. */
const NEEDLESS = /(\.md|\.map|\.[cm]?ts|\/types|\/src)$/i

/** Put the packages into a folder, and their licences into another. */
export async function placeModules(
  root: string,
  architecture: Architecture,
  folder: string,
  licenses: string,
): Promise<void> {
  for (const [path, wanted] of runtimeModules(root, architecture)) {
    const fresh = join(folder, 'unpacked')
    await unpack(root, wanted, fresh)
    const license = join(fresh, 'LICENSE')
    cpSync(fresh, join(folder, path), { recursive: true, filter: (file) => file !== license && !NEEDLESS.test(file) })
    writeFileSync(join(licenses, wanted.name.replace('/', '+')), licenseOf(fresh, wanted))
    rmSync(fresh, { recursive: true })
  }
}

/** Return the licence text of a package, or its metadata about the licence. */
function licenseOf(folder: string, { name, version }: Published): string {
  const file = join(folder, 'LICENSE')
  if (existsSync(file)) return readFileSync(file, 'utf8')
  const { license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
  return `${name} ${version} by ${author}: ${license}\n`
}
