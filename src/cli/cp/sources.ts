// What salt-cp copies: files as they were named, or with everything below the directories among them.
import { readdirSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { ProgramExit } from '../optparse/exit.ts'

export interface Sources {
  /** Modes by path. */
  files: Map<string, number>
  emptyDirectories: string[]
}

export function findSources(paths: readonly string[]): Sources {
  const found: Sources = { files: new Map(), emptyDirectories: [] }
  for (const path of paths) add(path, found)
  found.emptyDirectories.sort()
  return found
}

function add(path: string, found: Sources): void {
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

/** Where a source goes: below the name of the directory that was given, or to the destination itself. */
export function placeOf(path: string, given: readonly string[], dest: string, isDirectory: boolean): string {
  if (given.includes(path)) return isDirectory ? join(dest, basename(path)) : dest
  const root = given.find((each) => !relative(each, path).startsWith('..'))!
  return join(dest, basename(root), relative(root, path))
}
