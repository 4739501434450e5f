// Jobs that an earlier process of this minion began and did not finish, because it was killed or the machine went down.
// Their effect is unknown, so the minion returns that to the master, and no caller waits in vain.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, isJid, type Log, recover, toError } from '../base/mod.ts'
import { type Dict, decodeMsgpack, isDict, str, textOf, type Value } from '../data/mod.ts'

const REASON = 'The minion was stopped while it was running the job; outcome unknown'

/** The field of a note with the master that published the job. A master cannot set it: its own is replaced. */
const PUBLISHER = 'published_by'

/** Return the note of a job that begins. */
export function noteOf(load: Dict, master: string | undefined): Dict {
  const note: Dict = new Map<Value, Value>([['pid', process.pid], ...load])
  note.delete(PUBLISHER)
  if (master !== undefined) note.set(PUBLISHER, master)
  return note
}

export const publisherOf = (note: Dict): string | undefined => textOf(note.get(PUBLISHER) ?? null)

/** The notes of jobs that are still in the folder. */
export function leftJobs(folder: string, log: Log): Dict[] {
  const left: Dict[] = []
  for (const name of names(folder)) {
    try {
      const note = decodeMsgpack(readFileSync(join(folder, name)), { dialect: 'bus' })
      if (isDict(note) && note.has('jid') && note.has('fun') && str(note.get('jid')!) === name) left.push(note)
    } catch (error) {
      log('warning', `The note of job ${name} cannot be read: ${toError(error).message}`)
      // its name says enough for a return; a note is empty when the disk was full
      if (isJid(name)) left.push(new Map([['jid', name]]).set('fun', ''))
    }
  }
  return left
}

function names(folder: string): string[] {
  return recover(hasCode('ENOENT'), [], () => readdirSync(folder))
}

/** The return of an unfinished job. */
export function leftReturn(note: Dict): Dict {
  const ret: Dict = new Map<Value, Value>([
    ['success', false],
    ['return', REASON],
    ['retcode', 1],
    ['out', 'nested'],
    // the master assigns the id of a scheduled job
    ['jid', note.has('schedule') ? 'req' : str(note.get('jid')!)],
    ['fun', note.get('fun')!],
    ['fun_args', note.get('arg') ?? note.get('fun_args') ?? []],
  ])
  for (const name of ['user', 'master_id', 'metadata', 'schedule']) if (note.has(name)) ret.set(name, note.get(name)!)
  return ret
}
