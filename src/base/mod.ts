export { BrineError, certificateProblem, type ErrorDetails, type Position, toError } from './errors.ts'
export { guarded } from './guarded.ts'
export { isJid, newJid } from './jid.ts'
export { after, type Later } from './later.ts'
export {
  calmLog,
  consoleLog,
  isLogLevel,
  LOG_LEVELS,
  type Log,
  type LogLevel,
  logText,
  shownText,
  silentLog,
} from './log.ts'
export { lookup } from './lookup.ts'
export { didYouMean, nearestNames, slipOf } from './nearest.ts'
export { claimFolder, makeOwnFolder, PASSABLE_FOLDER, PRIVATE_FILE, PRIVATE_FOLDER } from './own-folders.ts'
export { localKeyFile, ownUser } from './own-user.ts'
export { isGone, PURPOSE_VARIABLE } from './processes.ts'
export { type RateSettings, Rates } from './rates.ts'
export { TurnQueue, type TurnSettings, Turns } from './turns.ts'
export { brineVersion, SALT_VERSION } from './version.ts'
