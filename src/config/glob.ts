// Files that match a pattern, like Python's glob.glob: `*`, `?` and `[…]` within one part of a path; names with a
// leading dot only if the pattern has one; unordered.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isAnyError, recover } from '../base/mod.ts'
import { compileGlob } from '../data/mod.ts'

const MAGIC = /[*?[]/

export const hasMagic = (pattern: string): boolean => MAGIC.test(pattern)

export function globFiles(pattern: string): string[] {
  if (!hasMagic(pattern)) return existsSync(pattern) ? [pattern] : []
  const parts = pattern.split('/')
  let found = [parts[0] === '' ? '/' : '']
  const rest = parts[0] === '' ? parts.slice(1) : parts
  for (const [index, part] of rest.entries()) {
    const last = index === rest.length - 1
    found = found.flatMap((folder) => step(folder, part, last))
  }
  return found
}

function step(folder: string, part: string, last: boolean): string[] {
  if (!hasMagic(part)) {
    const path = part === '' ? folder : join(folder, part)
    return (last ? existsSync(path) : isFolder(path)) ? [path] : []
  }
  const glob = compileGlob(part)
  return namesIn(folder || '.')
    .filter((name) => (part.startsWith('.') || !name.startsWith('.')) && glob(name))
    .map((name) => join(folder, name))
    .filter((path) => last || isFolder(path))
}

/** A folder that cannot be listed has nothing that matches. */
function namesIn(folder: string): string[] {
  return recover(isAnyError, [], () => readdirSync(folder))
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
