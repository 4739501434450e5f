// State runs of other programs of this controller on a target: one file for each run, in the target's cache folder.
// State functions refuse to run while an earlier run is not over, as on minions.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, isAnyError, isRunning, PRIVATE_FILE, PRIVATE_FOLDER, processMark, recover } from '../base/mod.ts'
import { type Dict, dictFrom } from '../data/mod.ts'

/** Functions that apply states. */
const APPLYING: ReadonlySet<string> = new Set(
  ['apply', 'high', 'highstate', 'low', 'request', 'run_request', 'single', 'sls', 'sls_id', 'top'].map(
    (name) => `state.${name}`,
  ),
)

/** Salt's name of such a run on a target. */
const NAME = 'state.pkg'

const folderOf = (cache: string): string => join(cache, 'proc')

/** Record a call that applies states. Return a function that removes the record. */
export function noteStateRun(cache: string, { fun, jid }: { fun: string; jid: string }): () => void {
  if (!APPLYING.has(fun) || !/^\d+$/.test(jid)) return () => {}
  const folder = folderOf(cache)
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
  const path = join(folder, jid)
  writeFileSync(path, JSON.stringify({ process: processMark(process.pid), jid }), { mode: PRIVATE_FILE })
  return () => rmSync(path, { force: true })
}

/** Return the runs of other programs that began before a job; without a job, all runs. */
export function stateRuns(cache: string, jid = '~'): Dict[] {
  const folder = folderOf(cache)
  const own = processMark(process.pid)
  const names = recover(hasCode('ENOENT'), [], () => readdirSync(folder))
  return names.flatMap((name) => {
    const path = join(folder, name)
    const note = recover(isAnyError, undefined, () => JSON.parse(readFileSync(path, 'utf8')) as Partial<StateRunNote>)
    if (typeof note?.process !== 'string' || note.jid !== name || name >= jid || note.process === own) return []
    const pid = Number.parseInt(note.process, 10)
    if (isRunning(note.process)) return [dictFrom({ fun: NAME, pid, jid: name })]
    // its program was killed
    rmSync(path, { force: true })
    return []
  })
}

interface StateRunNote {
  /** The mark of the program's process. */
  process: string
  jid: string
}
