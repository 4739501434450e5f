// The programs as packages have them: built with the Node that the package brings, so that their compiled forms fit it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileAhead } from '../build/compile-ahead.ts'
import { runCommand } from '../command.ts'
import { nodeFor, unpack } from './registry.ts'
import { ARCHITECTURES, type Architecture, NAMES } from './target.ts'

/** Where a package has its Node. */
const NODE = '/usr/lib/brine/bin/node'

export interface Built {
  /** Node for the package, unpacked, and the built programs. */
  node: string
  dist: string
  /** Notes for the packager. */
  notes: string[]
}

export async function buildPrograms(root: string, architecture: Architecture, work: string): Promise<Built> {
  const own = ARCHITECTURES.find((each) => NAMES[each].node === process.arch)
  if (own === undefined)
    throw new Error(`Packages are not built on ${process.arch}; use one of ${ARCHITECTURES.join(', ')}`)
  const [node, dist] = [join(work, 'node'), join(work, 'dist')]
  await unpack(root, nodeFor(architecture), node)
  const builder = own === architecture ? node : join(work, 'builder')
  if (builder !== node) await unpack(root, nodeFor(own), builder)
  const words = ['--import', 'tsx', join('tools', 'build.ts'), dist]
  const { code, output } = await runCommand(root, join(builder, 'bin', 'node'), words)
  if (code !== 0) throw new Error(`The programs could not be built: ${output}`)
  const notes = own === architecture ? [] : compileElsewhere(root, architecture, node, dist)
  fitToPackage(dist)
  return { node, dist, notes }
}

/** Adapt built programs to the Node of the package, and drop files compiled for the Python of this machine. */
export function fitToPackage(dist: string): void {
  addressNode(dist)
  for (const folder of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (folder.endsWith('__pycache__')) rmSync(join(dist, folder), { recursive: true })
  }
}

/** Replace the compiled forms of this machine's processor by those of another, where an emulator can run its Node. */
function compileElsewhere(root: string, architecture: Architecture, node: string, dist: string): string[] {
  const parts = join(dist, 'parts')
  for (const file of readdirSync(parts)) if (file.endsWith('.code')) rmSync(join(parts, file))
  const emulator = `/usr/bin/${NAMES[architecture].emulator}`
  // the libraries of the other system, as cross compilers have them
  const libraries = `/usr/${NAMES[architecture].rpm}-linux-gnu`
  if (!existsSync(emulator) || !existsSync(libraries)) {
    return [`no compiled forms for ${architecture}, because ${existsSync(emulator) ? libraries : emulator} is missing`]
  }
  compileAhead(root, dist, [emulator, '-L', libraries, join(node, 'bin', 'node')])
  return []
}

/** Programs name the Node of the package in their first line: no shell and no search path is between. */
function addressNode(dist: string): void {
  for (const name of readdirSync(dist)) {
    const file = join(dist, name)
    if (!name.endsWith('.js')) continue
    const text = readFileSync(file, 'utf8')
    if (text.startsWith('#!')) writeFileSync(file, text.replace(/^#!.*/, `#!${NODE}`))
  }
}

/** Names of the programs, which become commands. */
export function programNames(dist: string): string[] {
  const isProgram = (name: string): boolean =>
    name.endsWith('.js') && readFileSync(join(dist, name), 'utf8').startsWith('#!')
  return readdirSync(dist)
    .filter(isProgram)
    .map((name) => name.slice(0, -'.js'.length))
    .sort()
}

/** Create a private folder for work. */
export function freshFolder(path: string): string {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}
