// The log of functions that run for a target. Salt runs these functions on the target without a log; here the log keeps their lines at
// level info at most. Salt compiles states and pillar on the master's side too, so lines of the compilers keep their level. So do lines of
// the module whose function the job is, if Salt runs this function on the master's side.
import { LOG_LEVELS, type Log, type LogLevel, type LogOrigin, wrapLog } from '../base/mod.ts'
import { isWrapped } from './wrapped.ts'

/** The beginning of the names of functions' loggers. */
const OF_FUNCTIONS = 'salt.loaded.'

const atMostInfo = (level: LogLevel): LogLevel => (LOG_LEVELS[level] > LOG_LEVELS.info ? 'info' : level)

export function targetLog(log: Log, id: string, fun = ''): Log {
  const own = isWrapped(fun) && !fun.startsWith('state.') ? `${OF_FUNCTIONS}int.module.${fun.split('.')[0]}` : undefined
  const { from } = log
  if (!from) return log
  return Object.assign(
    wrapLog(log, (write) => (level, text) => write(level, text)),
    {
      from: (origin: LogOrigin): Log => {
        const named = from(origin)
        if (!origin.name?.startsWith(OF_FUNCTIONS)) return targetLog(named, id, fun)
        if (origin.name === own) return named
        return wrapLog(named, (write) => (level, text) => write(atMostInfo(level), `${id}: ${text}`))
      },
    },
  )
}
