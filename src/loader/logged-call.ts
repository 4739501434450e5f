// What the log says about calls of functions: the name and how long it took. Arguments are not shown, because they may be
// secrets.
import { isLogged, type Log, namedLog, toError } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'

const LOADER = 'salt.loader'

/** Files of Salt that have another name than the module they serve. */
const FILES: ReadonlyMap<string, string> = new Map([['cmd', 'cmdmod']])

/** Return the name that a plugin's logger has in Salt. */
export const loggerName = (family: string, module: string, isOwn = false): string =>
  `salt.loaded.${isOwn ? 'ext' : 'int'}.${family}.${FILES.get(module) ?? module}`

/** Call a function, and tell the log how long it took where the log keeps such lines. */
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
