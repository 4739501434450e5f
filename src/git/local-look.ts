// Whether a repository on this machine has news, without starting a program: how the files that hold its refs look. Programs that
// write refs replace these files, so each change shows in a time, a size or an inode.
import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path/posix'

/** More files than this are not looked at one by one. */
const MOST_FILES = 5000

/** A file that changed within this time may change again and look the same, in milliseconds. */
const YOUNG_MS = 2000

/** Return a text that changes when a ref does; undefined when the refs cannot be judged by looks, or changed only just now. */
export function looksOfRefs(path: string): string | undefined {
  try {
    return looksIn(statSync(join(path, 'HEAD'), { throwIfNoEntry: false }) ? path : join(path, '.git'))
  } catch (error) {
    // git reports the error for paths that cannot be read
    if ((error as NodeJS.ErrnoException).code !== undefined) return undefined
    throw error
  }
}

function looksIn(folder: string): string | undefined {
  const now = Date.now()
  const looks: string[] = []
  let isYoung = false
  const look = (name: string): Stats | undefined => {
    // the times of files have fractions of a millisecond
    const stat = statSync(`${folder}/${name}`, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    if (now - stat.mtimeMs < YOUNG_MS) isYoung = true
    looks.push(`${name} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`)
    return stat
  }
  const walk = (name: string): void => {
    if (!look(name)?.isDirectory()) return
    for (const entry of readdirSync(`${folder}/${name}`)) {
      if (isYoung || looks.length > MOST_FILES) return
      walk(`${name}/${entry}`)
    }
  }
  if (!look('HEAD')) return undefined
  look('packed-refs')
  walk('refs')
  walk('reftable')
  return isYoung || looks.length > MOST_FILES ? undefined : looks.join('\n')
}
