// A host for work that may be ended from outside: then what it started is ended too, and it can do nothing more.
import type { Command, Host } from './host.ts'

/** What a job may still do when it was told to end: tidy up. */
const ALWAYS = new Set<PropertyKey>(['remove', 'removeDirectory', 'settle', 'now', 'readOnly'])

export function endingHost(host: Host, signal: AbortSignal): Host {
  return new Proxy(host, {
    get(target, name) {
      if (name === 'ending') return signal
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      if (name === 'run') {
        return (command: Command) => {
          signal.throwIfAborted()
          return target.run({ ...command, signal })
        }
      }
      return (...args: unknown[]) => {
        if (!ALWAYS.has(name)) signal.throwIfAborted()
        return (member as (...args: unknown[]) => unknown).apply(target, args)
      }
    },
  })
}
