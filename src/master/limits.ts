// The effect of the limit of open files on a master, logged at its start.
import type { Log } from '../base/mod.ts'
import { minionsCarried, openFiles, RAISE_LIMIT } from '../wire/mod.ts'

/** A limit for fewer minions than this is a warning, however many there are now. */
const FEW = 1000

/** Say how many minions the limit carries; a warning when that is few, or hardly more than are accepted. */
export function tellLimit(accepted: number, isRelieved: boolean, log: Log, files: number = openFiles()): void {
  if (!Number.isFinite(files)) return
  const carried = minionsCarried(isRelieved, files)
  const isLow = carried < Math.max(FEW, accepted * 1.25)
  const text = `The limit of ${files} open files carries about ${carried} minions, ${accepted} are accepted`
  log(isLow ? 'warning' : 'info', isLow ? `${text}. ${RAISE_LIMIT}` : text)
}
