// Whether a repository on this machine has news, without starting a program: how the files that hold its refs look. Programs that
// write refs replace these files, so each change shows in a time, a size or an inode.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path/posix'

/** More files than this are not looked at one by one. */
const MOST_FILES = 5000

/** A file that changed within this time may change again and look the same, in nanoseconds. */
const YOUNG_NS = 2_000_000_000n

/** Return a text that changes when a ref does; undefined when the refs cannot be judged by looks, or changed only just now. */
export function looksOfRefs(path: string): string | undefined {
  try {
    const folder = statSync(join(path, 'HEAD'), { throwIfNoEntry: false }) ? path : join(path, '.git')
    const names = ['HEAD', 'packed-refs', ...below(folder, 'refs'), ...below(folder, 'reftable')]
    if (names.length > MOST_FILES) return undefined
    const now = BigInt(Date.now()) * 1_000_000n
    const looks: string[] = []
    for (const name of names) {
      const stat = statSync(join(folder, name), { throwIfNoEntry: false, bigint: true })
      if (stat === undefined) continue
      if (now - stat.mtimeNs < YOUNG_NS) return undefined
      looks.push(`${name} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`)
    }
    return looks.length > 0 && !looks[0]!.startsWith('packed') ? looks.join('\n') : undefined
  } catch (error) {
    // whatever cannot be looked at is for git to explain
    if ((error as NodeJS.ErrnoException).code !== undefined) return undefined
    throw error
  }
}

function* below(folder: string, name: string): Generator<string> {
  if (statSync(join(folder, name), { throwIfNoEntry: false }) === undefined) return
  yield name
  for (const entry of readdirSync(join(folder, name), { withFileTypes: true })) {
    const path = `${name}/${entry.name}`
    if (entry.isDirectory()) yield* below(folder, path)
    else yield path
  }
}
