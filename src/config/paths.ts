// Options that are paths: relative paths and paths below the default root move below `root_dir`.
import { join, resolve } from 'node:path'
import type { Log } from '../base/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { globFiles, hasMagic } from './glob.ts'
import { option } from './view.ts'

/** Move the given options below the root, unless they are there already or are set to a path outside. */
export function moveBelowRoot(opts: Dict, names: Iterable<string>): void {
  const root = resolve(option(opts, 'root_dir'))
  for (const name of names) {
    const path = opts.get(name)
    if (typeof path !== 'string') continue
    opts.set(name, belowRoot(root, path))
  }
}

/** Move a path below the root. The default root is `/`, so every absolute path is below it. */
function belowRoot(root: string, path: string): string {
  if (root !== '/' && (path === root || path.startsWith(`${root}/`))) return join(root, path.slice(root.length))
  return join(root, path)
}

/** Whether a value is a file path; logs may also go to an address such as `udp://host:port` or `file:///dev/log`. */
export function isPlainPath(value: Value | undefined): boolean {
  return typeof value === 'string' && !/^[a-z][a-z0-9+.-]*:/i.test(value)
}

/** Return directories by environment: keys as text, invalid lists as empty ones, globs expanded. */
export function normalRoots(value: Value, name: string, fallback: string, log: Log): Dict {
  if (!isDict(value)) {
    log('warning', `The ${name} parameter is not properly formatted, using defaults`)
    return new Map([['base', [fallback]]])
  }
  const roots: Dict = new Map()
  for (const [saltenv, dirs] of value) roots.set(str(saltenv), isList(dirs) ? expandRoots(dirs) : [])
  return roots
}

/** Directories with their globs expanded. */
export function expandRoots(dirs: readonly Value[]): Value[] {
  return dirs.flatMap((dir) => (typeof dir === 'string' && hasMagic(dir) ? globFiles(dir) : [dir]))
}
