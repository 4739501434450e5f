// Paths inside another root. A link in it means a place in it: followed by this machine it would lead to the machine's
// own files, so links are resolved here, one part of the path at a time.
import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

const MOST_LINKS = 40

/** Where `path` of the system below `root` is, with every link in it followed inside that system. */
export function inside(root: string, path: string): string {
  let waiting = partsOf(path)
  let resolved: string[] = []
  for (let links = 0; waiting.length > 0; ) {
    const part = waiting.shift()!
    if (part === '..') {
      resolved.pop()
      continue
    }
    const link = linkAt(join(root, ...resolved, part))
    if (link === undefined) {
      resolved.push(part)
      continue
    }
    if (++links > MOST_LINKS) throw new Error(`${path}: too many links`)
    if (link.startsWith('/')) resolved = []
    waiting = [...partsOf(link), ...waiting]
  }
  return join(root, ...resolved)
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.')

function linkAt(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined
}
