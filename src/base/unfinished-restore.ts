// The mark of a restore that was interrupted while it exchanged files: directories of a master have files from before and after it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError } from './errors.ts'

/** The directory inside each restored directory that holds new and old files during the exchange. */
export const RESTORE_FOLDER = '.brine-restore'

/** The plan of the exchange. It exists from before the first file is moved until after the last one. */
export const RESTORE_PLAN = 'plan.json'

/** Refuse to work with directories in the middle of a restore. */
export function refuseUnfinishedRestore(folders: readonly string[]): void {
  const folder = folders.find((path) => existsSync(join(path, RESTORE_FOLDER, RESTORE_PLAN)))
  if (folder === undefined) return
  throw new BrineError('RestoreUnfinished', `A restore of ${folder} was interrupted while it exchanged files`, {
    hint: `Run 'brine restore --continue' to finish it, or 'brine restore --abandon' to get the files from before it back`,
  })
}
