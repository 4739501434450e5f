// The reads of the last call on a target. The next call of the same kind requests all of them at once. A target without
// a plan gets that of another one: machines of a fleet are alike.
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, makeOwnFolder, PRIVATE_FILE, recover } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, repr, type Value } from '../data/mod.ts'
import { keptReads, type SshRead } from '../host/mod.ts'
import { sessionFolder } from './session-options.ts'

/** Longer plans are useless, and a larger file was not written by this code. */
const MOST_BYTES = 1 << 20

export interface PlanKey {
  opts: Dict
  id: string
  fun: string
  words: readonly Value[]
}

const nameOf = ({ fun, words }: PlanKey): string =>
  createHash('sha256')
    .update(`${fun} ${repr([...words])}`)
    .digest('hex')
    .slice(0, 32)

/** Return the folders to search for a plan: the target's own first. */
const foldersOf = ({ opts, id }: PlanKey): string[] => [
  join(sessionFolder(opts, id), 'reads'),
  join(option(opts, 'cachedir'), 'ssh', '.reads'),
]

/** Return the reads of the last call of this kind; empty for the first call. */
export function readSshPlan(key: PlanKey): SshRead[] {
  for (const folder of foldersOf(key)) {
    const text = contentOf(join(folder, nameOf(key)))
    if (text === undefined || text.length > MOST_BYTES) continue
    try {
      return keptReads(JSON.parse(text))
    } catch {}
  }
  return []
}

export function keepPlan(key: PlanKey, reads: readonly SshRead[]): void {
  const text = JSON.stringify(reads)
  if (text.length > MOST_BYTES) return
  for (const folder of foldersOf(key)) {
    makeOwnFolder(folder)
    const path = join(folder, nameOf(key))
    const known = contentOf(path)
    if (known === text || (known === undefined && reads.length === 0)) continue
    writeFileSync(`${path}.${process.pid}`, text, { mode: PRIVATE_FILE })
    renameSync(`${path}.${process.pid}`, path)
  }
}

function contentOf(path: string): string | undefined {
  return recover(hasCode('ENOENT'), undefined, () => readFileSync(path, 'utf8'))
}
