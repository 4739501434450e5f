// Everything below a case's root as one text per path, so that two moments can be compared: kind, mode, owner, time and
// content. The minion's cache is left out, which a dry run may fill.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

const CACHE = 'minion/cache'

type Snapshot = Map<string, string>

export function snapshot(root: string): Snapshot {
  const found: Snapshot = new Map()
  walk(root, '', found)
  return found
}

/** The paths that differ, each with both sides. */
export function touched(before: Snapshot, after: Snapshot): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path) ?? 'nothing'} became ${after.get(path) ?? 'nothing'}`)
}

function walk(root: string, below: string, found: Snapshot): void {
  for (const name of readdirSync(join(root, below)).sort()) {
    const relative = join(below, name)
    if (relative === CACHE) continue
    found.set(relative, look(join(root, relative)))
    if (lstatSync(join(root, relative)).isDirectory()) walk(root, relative, found)
  }
}

function look(path: string): string {
  const stat = lstatSync(path)
  const facts = `${stat.mode.toString(8)} ${stat.uid}:${stat.gid}`
  if (stat.isSymbolicLink()) return `${facts} -> ${readlinkSync(path)}`
  if (!stat.isFile()) return facts
  // git rewrites its index whenever it reads a working copy
  const time = path.includes('/.git/') ? '' : stat.mtimeMs
  return `${facts} ${time} ${createHash('sha1').update(readFileSync(path)).digest('hex')}`
}
