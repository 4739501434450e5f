// A read-only view of a host, which states get with `test=True`. A change throws, so a dry run cannot change the
// machine. Temporary files are allowed.
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
 * Return the same host without changes. Commands still run, because conditions such as `unless` are commands; code that
 * runs one in a dry run must make sure that it is harmless. Paths that `allows` accepts, such as caches, may be
 * changed.
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

/** The paths that a change affects, from its arguments. */
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
