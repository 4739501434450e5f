// The sources of salt-cp: the named files, or with directories also everything below them.
import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ProgramExit } from '../optparse/exit.ts'

export interface CopySources {
  /** Modes by path. */
  files: Map<string, number>
  emptyDirectories: string[]
}

export function findSources(paths: readonly string[]): CopySources {
  const found: CopySources = { files: new Map(), emptyDirectories: [] }
  for (const path of paths) add(path, found)
  found.emptyDirectories.sort()
  return found
}

function add(path: string, found: CopySources): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new ProgramExit(42, { stderr: `${path} does not exist\n` })
  if (!stat.isDirectory()) {
    found.files.set(path, stat.mode & 0o7777)
    return
  }
  const names = readdirSync(path)
  if (names.length === 0) found.emptyDirectories.push(path)
  for (const name of names) add(join(path, name), found)
}

/** The last part of a path as Python cuts it: nothing when it ends with a slash. */
const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const isBelow = (path: string): boolean => path !== '..' && !path.startsWith('../')

/**
 * Return the destination of a source: below the name of the given directory, or the destination itself. A directory
 * that was given with a trailing slash is copied without its name.
 */
export function placeOf(path: string, given: readonly string[], dest: string, isDirectory: boolean): string {
  if (given.includes(path)) return isDirectory ? join(dest, lastPart(path)) : dest
  const root = given.find((each) => isBelow(relative(each, path)))!
  return join(dest, lastPart(root), relative(root, path))
}
