// A host that can be looked at and not changed: what `test=True` gives to states. A change throws, so a dry run cannot
// lie. Temporary files are allowed, since they leave the machine as it was.
import { HostError } from './errors.ts'
import type { Host } from './host.ts'

const CHANGES = [
  'write',
  'writeStream',
  'append',
  'writeAt',
  'truncate',
  'copy',
  'makeDirectory',
  'chmod',
  'chown',
  'lchown',
  'link',
  'symlink',
  'rename',
  'remove',
  'removeDirectory',
  'setTimes',
  'setEnv',
  'start',
] as const satisfies ReadonlyArray<keyof Host>

/**
 * The same host without its changes. Commands still run, because conditions such as `unless` are commands; whoever
 * runs one in a dry run answers for its harmlessness. Paths for which `allows` says so may be changed: caches.
 */
export function readOnlyHost(host: Host, allows: (path: string) => boolean = () => false): Host {
  const temporary = new Set<string>()
  const mayChange = (path: string): boolean => {
    if (allows(path)) return true
    for (const made of temporary) if (path === made || path.startsWith(`${made}/`)) return true
    return false
  }
  const remember = (made: Promise<string>): Promise<string> =>
    made.then((path) => {
      temporary.add(path)
      return path
    })
  const refusals = Object.fromEntries(CHANGES.map((name) => [name, guarded(host, name, mayChange)]))
  return Object.assign(Object.create(host) as Host, refusals, {
    readOnly: true,
    tempFile: (options = {}) => remember(host.tempFile(options)),
    tempDirectory: (options = {}) => remember(host.tempDirectory(options)),
  } satisfies Partial<Host>)
}

type Change = (typeof CHANGES)[number]

/** What a change is about: the paths that would be different after it. */
const TOUCHED: Partial<Record<Change, (args: unknown[]) => unknown[]>> = {
  copy: (args) => [args[1]],
  link: (args) => [args[1]],
  symlink: (args) => [args[1]],
  rename: (args) => [args[0], args[1]],
  setEnv: () => [],
  start: () => [],
}

function guarded(host: Host, name: Change, mayChange: (path: string) => boolean) {
  return async (...args: unknown[]): Promise<unknown> => {
    const touched = (TOUCHED[name]?.(args) ?? [args[0]]).map(String)
    if (touched.length === 0 || !touched.every(mayChange)) {
      const about = touched.length > 0 ? ` '${touched.join("', '")}'` : ''
      throw new HostError('ReadOnlyHost', `A dry run tried to change the machine: ${name}${about}`)
    }
    return (host[name] as (...args: unknown[]) => Promise<unknown>)(...args)
  }
}
