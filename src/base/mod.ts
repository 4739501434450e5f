export { type Asker, askedBy, asker, isAskedByTarget, WITHHELD_OPTIONS } from './asked-by-target.ts'
export { BrineError, certificateProblem, type ErrorDetails, type Position, toError, withHint } from './errors.ts'
export { guarded } from './guarded.ts'
export { installedFolder, isOneFile, ownWords } from './installation.ts'
export { isJid, jidOf, newJid } from './jid.ts'
export { after, type Later } from './later.ts'
export {
  calmLog,
  consoleLog,
  isLogged,
  isLogLevel,
  jobLog,
  LOG_LEVELS,
  type Log,
  type LogLevel,
  type LogOrigin,
  logText,
  namedLog,
  shownText,
  silentLog,
  wrapLog,
} from './log.ts'
export { lookup } from './lookup.ts'
export { folderNames } from './names-in.ts'
export { didYouMean, nearestNames, slipOf } from './nearest.ts'
export {
  claimFolder,
  LISTABLE_FOLDER,
  makeOwnFolder,
  PASSABLE_FOLDER,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
} from './own-folders.ts'
export { ownMemory } from './own-memory.ts'
export { localKeyFile, ownUser } from './own-user.ts'
export { isGone, isRunning, PURPOSE_VARIABLE, processMark } from './processes.ts'
export { type RateSettings, Rates } from './rates.ts'
export { hasCode, isA, isAnyError, recover } from './recover.ts'
export { type RepeatSettings, Repeats } from './repeats.ts'
export { namingErrors, StorageError, type StorageErrorCode, type Storing, storageError } from './storage-error.ts'
export { TurnQueue, type TurnSettings, Turns } from './turns.ts'
export { RESTORE_FOLDER, RESTORE_PLAN, refuseUnfinishedRestore } from './unfinished-restore.ts'
export { brineVersion, SALT_VERSION } from './version.ts'
export { readJson, writeWhole } from './whole-files.ts'
export { withoutLogin } from './without-login.ts'
export { WorkSlice } from './work-slice.ts'
