// The log of functions that run for a target. Salt runs these functions on the target without a log; here the log keeps their lines at
// level info at most. Salt compiles states and pillar on the master's side too, so lines of the compilers keep their level.
import { LOG_LEVELS, type Log, type LogLevel, type LogOrigin, wrapLog } from '../base/mod.ts'

/** The beginning of the names of functions' loggers. */
const OF_FUNCTIONS = 'salt.loaded.'

const atMostInfo = (level: LogLevel): LogLevel => (LOG_LEVELS[level] > LOG_LEVELS.info ? 'info' : level)

export function targetLog(log: Log, id: string): Log {
  const { from } = log
  if (!from) return log
  return Object.assign(
    wrapLog(log, (own) => (level, text) => own(level, text)),
    {
      from: (origin: LogOrigin): Log => {
        const named = from(origin)
        if (!origin.name?.startsWith(OF_FUNCTIONS)) return targetLog(named, id)
        return wrapLog(named, (own) => (level, text) => own(atMostInfo(level), `${id}: ${text}`))
      },
    },
  )
}
