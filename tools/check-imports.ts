// Keeps the rooms apart: imports point up the list of rooms and go through a room's mod.ts, no file depends on itself
// through others (imports of types count), pure rooms do no I/O, and plugins stay by themselves.
import { posix } from 'node:path'
import {
  isOwnPart,
  LIBRARY,
  LOADING_ROOM,
  PLUGIN_MAY_IMPORT,
  PLUGIN_TESTS_MAY_IMPORT,
  PURE_NODE_MODULES,
  PURE_ROOMS,
  ROOMS,
  roomOf,
} from './rooms.ts'
import { type Import, importsOf, isTest, type SourceFile, sourceFiles } from './source-files.ts'

/** One line per broken rule. */
export function checkImports(files: SourceFile[]): string[] {
  const problems: string[] = []
  const graph = new Map<string, string[]>()
  for (const file of files) {
    const room = roomOf(file.path)
    if (room === undefined || !ROOMS.includes(room)) {
      problems.push(`${file.path}: is in no declared room; tools/rooms.ts lists them`)
      continue
    }
    const edges: string[] = []
    for (const imported of importsOf(file.text)) {
      const target = resolveTarget(file.path, imported.specifier)
      if (target !== undefined && !imported.lazy) edges.push(target)
      const problem = checkImport(file.path, room, imported, target)
      if (problem !== undefined) problems.push(`${file.path}: imports '${imported.specifier}': ${problem}`)
    }
    graph.set(file.path, edges)
    if (PURE_ROOMS.has(room) && !isTest(file.path)) problems.push(...ambientInputs(file))
  }
  for (const cycle of findCycles(graph)) problems.push(`cycle: ${cycle.join(' → ')}`)
  return problems
}

function resolveTarget(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined
}

function checkImport(path: string, room: string, { specifier, lazy }: Import, target: string | undefined) {
  if (target === undefined) return checkPackage(path, room, specifier)
  if (!target.startsWith('src/')) return isTest(path) ? undefined : 'src/ imports nothing from outside src/'
  const other = roomOf(target)
  if (other === undefined || !ROOMS.includes(other)) return 'leads to no declared room'
  if (other === LIBRARY && room === LIBRARY) {
    return isTest(path) || isOwnPart(path, target) ? undefined : 'plugins import parts of their own subject only'
  }
  if (other === room) {
    return target === `src/${room}/mod.ts` && !isTest(path) ? 'inside a room, import the file itself' : undefined
  }
  if (room === LOADING_ROOM && lazy && other === LIBRARY) return undefined
  if (isTest(path) && room === LIBRARY && PLUGIN_TESTS_MAY_IMPORT.has(other)) return checkFace(target, other)
  return checkRooms(room, other) ?? checkFace(target, other)
}

function checkPackage(path: string, room: string, specifier: string): string | undefined {
  if (!PURE_ROOMS.has(room) || isTest(path) || !specifier.startsWith('node:')) return undefined
  return PURE_NODE_MODULES.has(specifier) ? undefined : `${room}/ is pure and does no I/O`
}

function checkRooms(room: string, other: string): string | undefined {
  if (other === LIBRARY) return 'plugins are reached through the loader only'
  if (room === LIBRARY && !PLUGIN_MAY_IMPORT.has(other)) {
    return `plugins import only ${[...PLUGIN_MAY_IMPORT].join(', ')} and their own subject`
  }
  return ROOMS.indexOf(other) < ROOMS.indexOf(room)
    ? undefined
    : `imports point up the list of rooms, and ${other}/ lies below ${room}/`
}

function checkFace(target: string, other: string): string | undefined {
  return target === `src/${other}/mod.ts` ? undefined : `other rooms see only ${other}/mod.ts`
}

const AMBIENT = /\b(?:process|console)\.\w+|\b(?:await|return) fetch\(/

/** Uses of globals through which a pure file would see or touch the machine. */
function ambientInputs(file: SourceFile): string[] {
  const problems: string[] = []
  for (const [index, line] of file.text.split('\n').entries()) {
    const code = line.replace(/\/\/.*$|^\s*\*.*$|\/\*\*.*$/, '').replace(/'(?:[^'\\]|\\.)*'/g, "''")
    const found = AMBIENT.exec(code)
    if (found) problems.push(`${file.path}:${index + 1}: uses ${found[0]}: ${roomOf(file.path)}/ is pure`)
  }
  return problems
}

/** Each cycle of the graph once, as a path that ends where it began. */
export function findCycles(graph: ReadonlyMap<string, string[]>): string[][] {
  const cycles: string[][] = []
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (node: string): void => {
    const at = trail.indexOf(node)
    if (at >= 0) {
      cycles.push([...trail.slice(at), node])
      return
    }
    if (done.has(node)) return
    trail.push(node)
    for (const next of graph.get(node) ?? []) visit(next)
    trail.pop()
    done.add(node)
  }
  for (const node of graph.keys()) visit(node)
  return cycles
}

export function run(root: string): string[] {
  return checkImports(sourceFiles(root, ['src']))
}
