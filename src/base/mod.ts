export { BrineError, type ErrorDetails, type Position, toError } from './errors.ts'
export { consoleLog, isLogLevel, LOG_LEVELS, type Log, type LogLevel, silentLog } from './log.ts'
export { didYouMean, nearestNames } from './nearest.ts'
export { SALT_VERSION } from './version.ts'
