// A host that logs each command: the program, its duration and its exit status. Arguments are not logged, because they
// may be passwords.
import { basename } from 'node:path/posix'
import { isLogged, type Log, toError } from '../base/mod.ts'
import type { Command, Host } from './host.ts'

/** Return the host itself if the log drops such lines. */
export function loggedHost(host: Host, log: Log): Host {
  if (!isLogged(log, 'debug')) return host
  const run = async (command: Command): ReturnType<Host['run']> => {
    const began = performance.now()
    const program = basename(command.argv[0] ?? '')
    const after = (): string => `after ${Math.round(performance.now() - began)} ms`
    try {
      const result = await host.run(command)
      const end = result.timedOut ? 'was ended because its time was over' : `ended with ${result.retcode}`
      log('debug', `Command '${program}' (pid ${result.pid}) ${end} ${after()}`)
      return result
    } catch (error) {
      log('debug', `Command '${program}' failed ${after()}: ${toError(error).message}`)
      throw error
    }
  }
  return new Proxy(host, {
    get(target, name) {
      if (name === 'run') return run
      const member = Reflect.get(target, name) as unknown
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
