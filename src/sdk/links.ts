// Symbolic links on the way to a file of a user. A user may put a link in place of `~/.ssh` or of a file below it, and
// root would write where the link leads. Such a link is followed only to a place that belongs to the owner of the link.
import { dirname, join } from 'node:path/posix'
import { shownText } from '../base/mod.ts'
import { SaltError } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'

/** A link that root does not follow. */
export class LinkRefused extends SaltError {
  constructor(message: string) {
    super('CommandExecutionError', message)
  }
}

/** As many links as the kernel follows. */
const LINK_LIMIT = 40

interface Link {
  path: string
  uid: number
}

/** Return the path itself. As root, throw if a link of another user leads to a place that is not that user's. */
export async function checkLinks(host: Host, path: string): Promise<string> {
  if ((await host.identity()).uid !== 0) return path
  // a link in the list marks the end of the path that it leads to
  const parts: Array<string | Link> = path.split('/')
  let current = '/'
  let count = 0
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (typeof part !== 'string') {
      await checkTarget(host, part, current)
      continue
    }
    const next = join(current, part)
    const stat = await host.lstat(next)
    if (stat?.type !== 'link') {
      current = next
      continue
    }
    if (++count > LINK_LIMIT) throw new LinkRefused(`Too many links in the path ${shownText(path)}`)
    const target = await host.readLink(next)
    parts.unshift(...target.split('/'), ...(stat.uid === 0 ? [] : [{ path: next, uid: stat.uid }]))
    if (target.startsWith('/')) current = '/'
  }
  return path
}

async function checkTarget(host: Host, link: Link, target: string): Promise<void> {
  let place = target
  let stat = await host.lstat(place)
  while (stat === undefined && place !== '/') {
    place = dirname(place)
    stat = await host.lstat(place)
  }
  if (stat?.uid === link.uid) return
  const [from, to] = [shownText(link.path), shownText(target)]
  throw new LinkRefused(
    `Root does not write through the link ${from} of uid ${link.uid}: it leads to ${to} of another owner`,
  )
}
