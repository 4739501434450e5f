// The paths that match a shell pattern, as in Python's `glob.glob`. Wildcards do not match a leading dot; a path
// without wildcards matches itself if it exists.
import { fnmatch } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'

const MAGIC = /[*?[]/

/** Unsorted. `pattern` is absolute. */
export async function globbedPaths(host: Host, pattern: string): Promise<string[]> {
  const parts = pattern.split('/').filter((part) => part !== '')
  let paths = ['/']
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1
    const found = await Promise.all(paths.map((path) => step(host, path, part, isLast)))
    paths = found.flat()
  }
  return paths
}

async function step(host: Host, directory: string, part: string, isLast: boolean): Promise<string[]> {
  if (!MAGIC.test(part)) {
    const path = below(directory, part)
    return !isLast || (await host.lstat(path)) !== undefined ? [path] : []
  }
  if ((await host.stat(directory))?.type !== 'directory') return []
  const names = await host.list(directory)
  return names
    .filter((name) => fnmatch(name, part) && (!name.startsWith('.') || part.startsWith('.')))
    .map((name) => below(directory, name))
}

/** Join paths without normalizing dots. */
const below = (directory: string, name: string): string => `${directory === '/' ? '' : directory}/${name}`
