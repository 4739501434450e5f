// The beginning of a backup in the journal of a running master: an event, which is in the journal after all events before it.
import { setTimeout as sleep } from 'node:timers/promises'
import { toError } from '../base/mod.ts'
import { fireOnce, hasJournal, isServed, JournalReader, journalFolder, masterBusPaths } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'

/** How long the event may take to reach the journal, in milliseconds. */
const PATIENCE_MS = 15_000

/** Whether a master with these options runs on this machine. */
export const isMasterRunning = (opts: Dict): Promise<boolean> => isServed(masterBusPaths(opts).pub)

/** Mark the beginning of a backup, and wait until the journal has everything before it. A master that does not run has nothing to write. */
export async function markBeginning(opts: Dict, time: string, warn: (text: string) => void): Promise<void> {
  if (!hasJournal(opts) || !(await isMasterRunning(opts))) return
  const tag = `salt/master/${option(opts, 'id') || 'master'}/backup/${time}`
  const reader = new JournalReader(journalFolder(opts), () => ({ returnOf: () => undefined }))
  const number = (reader.extent().last ?? 0) + 1
  try {
    await fireOnce(masterBusPaths(opts), tag, new Map())
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(20)) {
      for (const event of reader.from({ number }, { containing: tag })) if (event.tag === tag) return
    }
    warn('The master did not write the mark of this backup to its event journal; the newest events may be missing')
  } catch (error) {
    warn(`The newest events may be missing in the journal: ${toError(error).message}`)
  }
}
