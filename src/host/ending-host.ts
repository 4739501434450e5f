// A host for work that can be aborted: the abort ends its processes, and the host then refuses further use.
import type { Command, Host } from './host.ts'

/** Operations that an aborted job may still use, for its clean-up. */
const ALWAYS = new Set<PropertyKey>(['remove', 'removeDirectory', 'settle', 'now', 'readOnly'])

/** `processes` holds the ids of the processes that run for this work. */
export function endingHost(host: Host, signal: AbortSignal, processes: Set<number> = new Set()): Host {
  return new Proxy(host, {
    get(target, name) {
      if (name === 'ending') return signal
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      if (name === 'run') {
        return async (command: Command) => {
          signal.throwIfAborted()
          let own: number | undefined
          const started = (pid: number): void => {
            own = pid
            processes.add(pid)
          }
          try {
            return await target.run({ ...command, signal, started })
          } finally {
            if (own !== undefined) processes.delete(own)
          }
        }
      }
      return (...args: unknown[]) => {
        if (!ALWAYS.has(name)) signal.throwIfAborted()
        return (member as (...args: unknown[]) => unknown).apply(target, args)
      }
    },
  })
}
