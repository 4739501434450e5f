// Follows symbolic links in this process by the kernel's rule `fs.protected_symlinks`, whether the kernel applies it or
// not. A link in a sticky, world-writable directory such as /tmp is followed only if it belongs to the user of this
// process or to the owner of the directory. Otherwise a local user could make root write to any file through a link
// with a predictable name.
import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path/posix'
import { systemError } from '../errors.ts'

const MOST_LINKS = 40
const STICKY_AND_WRITABLE = 0o1002

/** Return the path that a write would reach: links are followed, also dangling ones. */
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
