// Log lines about calls of functions: name and duration. Arguments are not logged, because they may be secrets.
import { isLogged, type Log, namedLog, toError } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'

const LOADER = 'salt.loader'

/** Salt's file names that differ from the module name. */
const FILES: ReadonlyMap<string, string> = new Map([['cmd', 'cmdmod']])

/** Return the name that a plugin's logger has in Salt. */
export const loggerName = (family: string, module: string, isOwn = false): string =>
  `salt.loaded.${isOwn ? 'ext' : 'int'}.${family}.${FILES.get(module) ?? module}`

/** Call a function and log its duration if that level is on. */
export function loggedCall(log: Log, name: string, call: () => Value | Promise<Value>): Value | Promise<Value> {
  if (!isLogged(log, 'debug')) return call()
  const began = performance.now()
  const told = namedLog(log, LOADER)
  const after = (): string => `after ${(performance.now() - began).toFixed(1)} ms`
  const failed = (error: unknown): never => {
    told('debug', `Function ${name} failed ${after()}: ${toError(error).message}`)
    throw error
  }
  const ended = (value: Value): Value => {
    told('debug', `Function ${name} ended ${after()}`)
    return value
  }
  told('trace', `Function ${name} begins`)
  try {
    const result = call()
    return result instanceof Promise ? result.then(ended, failed) : ended(result)
  } catch (error) {
    return failed(error)
  }
}
