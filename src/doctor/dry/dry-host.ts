// A host without any access except to the files of the trees: no command runs, no socket opens, no file outside the
// trees is read. Each refused operation is counted, so that a result that depends on one is marked as unsure.
import { resolve, sep } from 'node:path'
import { BrineError } from '../../base/mod.ts'
import { type Host, LocalHost } from '../../host/mod.ts'
import { MOST_BYTES } from '../site/read-bounded.ts'

/** A query to the machine was refused. */
export class NotEvaluated extends BrineError<'NotEvaluated'> {
  constructor(what: string) {
    super('NotEvaluated', `not evaluated: ${what}`)
  }
}

export interface DryHost {
  host: Host
  /** Return how many queries were refused. */
  refused(): number
}

/** Permitted operations on files of the trees. */
const LOOKS = new Set(['read', 'stream', 'stat', 'lstat', 'access', 'list', 'realPath', 'readLink', 'hash'])
/** Operations whose result does not depend on the machine. */
const HARMLESS = new Set(['now', 'settle', 'umask'])

/** A host that shows files below the given folders. An SLS file that may not be entered is empty. */
export function dryHost(folders: readonly string[], entering: (file: string) => boolean = () => true): DryHost {
  const local = new LocalHost()
  let count = 0
  // a path with parts that lead up only begins like one of the trees; a link in a tree is followed, as the master does
  const isOpen = (path: unknown): boolean =>
    typeof path === 'string' &&
    folders.some((folder) => path === folder || resolve(path).startsWith(resolve(folder) + sep))
  const refuse = (name: string) => () => {
    count++
    throw new NotEvaluated(`asks the machine (${name})`)
  }
  const look =
    (name: string) =>
    async (path: string, ...rest: unknown[]) => {
      if (!isOpen(path)) return refuse(name)()
      if (name === 'read' && path.endsWith('.sls') && !entering(path)) return new Uint8Array()
      if (name === 'read' || name === 'hash') await assertSmall(local, path)
      return (local as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(path, ...rest)
    }
  const host = new Proxy(local, {
    get: (target, name) => {
      const member = Reflect.get(target, name)
      if (name === 'readOnly') return true
      if (typeof name !== 'string' || typeof member !== 'function') return member
      if (LOOKS.has(name) && name !== 'stream') return look(name)
      return HARMLESS.has(name) ? member.bind(target) : refuse(name)
    },
  })
  return { host, refused: () => count }
}

async function assertSmall(host: Host, path: string): Promise<void> {
  const facts = await host.stat(path)
  if (facts && (facts.type !== 'file' || facts.size > MOST_BYTES)) throw new NotEvaluated(`reads ${path}`)
}
