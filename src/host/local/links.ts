// Symbolic links, followed here instead of by the kernel: by its rule (`fs.protected_symlinks`), whether it is switched on or not. A
// link in a sticky directory that everybody may write to, such as /tmp, is followed only if it belongs to this process' user or to
// the owner of the directory. Otherwise a local user could have root write to any file through a link with a known name.
import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path/posix'
import { systemError } from '../errors.ts'

const MOST_LINKS = 40
const STICKY_AND_WRITABLE = 0o1002

/** Return where writing to a path ends up: links are followed, also one that points to nothing yet. */
export function followed(path: string): string {
  let at = path
  for (let hops = 0; hops < MOST_LINKS; hops++) {
    const stat = lstatSync(at, { throwIfNoEntry: false })
    if (!stat?.isSymbolicLink()) return at
    if (!mayFollow(stat, dirname(at))) throw systemError('EACCES', path)
    at = resolve(dirname(at), readlinkSync(at))
  }
  throw systemError('ELOOP', path)
}

/** Return a path without any links in it. */
export function resolvedPath(path: string): string {
  const real = realpathSync.native(path)
  if (real !== resolve(path)) checkLinks(path)
  return real
}

/** Refuse a path with a link in it that may not be followed. */
function checkLinks(path: string): void {
  const left = resolve(path).split('/').filter(Boolean)
  let at = '/'
  for (let hops = 0; left.length > 0; ) {
    const next = join(at, left.shift()!)
    const stat = lstatSync(next)
    if (!stat.isSymbolicLink()) {
      at = next
      continue
    }
    if (!mayFollow(stat, at)) throw systemError('EACCES', path)
    if (++hops > MOST_LINKS) throw systemError('ELOOP', path)
    const target = resolve(at, readlinkSync(next))
    left.unshift(...target.split('/').filter(Boolean))
    at = '/'
  }
}

function mayFollow(link: Stats, folder: string): boolean {
  if (link.uid === process.geteuid?.()) return true
  const { mode, uid } = statSync(folder)
  return (mode & STICKY_AND_WRITABLE) !== STICKY_AND_WRITABLE || uid === link.uid
}
