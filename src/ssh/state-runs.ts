// State runs on a target that other programs on this controller are at: files beside the cache of the target, one for each run. Functions
// of states refuse to run while an earlier run is not over, as on minions.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, isAnyError, PRIVATE_FILE, PRIVATE_FOLDER, recover } from '../base/mod.ts'
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
  writeFileSync(path, JSON.stringify({ pid: process.pid, jid }), { mode: PRIVATE_FILE })
  return () => rmSync(path, { force: true })
}

/** Return the runs of other programs that began before a job; without a job, all runs. */
export function stateRuns(cache: string, jid = '~'): Dict[] {
  const folder = folderOf(cache)
  const names = recover(hasCode('ENOENT'), [], () => readdirSync(folder))
  return names.flatMap((name) => {
    const path = join(folder, name)
    const note = recover(isAnyError, undefined, () => JSON.parse(readFileSync(path, 'utf8')) as Partial<StateRunNote>)
    if (typeof note?.pid !== 'number' || note.jid !== name || name >= jid || note.pid === process.pid) return []
    if (isAlive(note.pid)) return [dictFrom({ fun: NAME, pid: note.pid, jid: name })]
    // its program was killed
    rmSync(path, { force: true })
    return []
  })
}

interface StateRunNote {
  pid: number
  jid: string
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !hasCode('ESRCH')(error)
  }
}
