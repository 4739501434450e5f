import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { refuseUnfinishedRestore } from '../base/mod.ts'
import { finishExchange, newFolder, prepareFolder, readExchangePlan, takeBack, writePlan } from './exchange.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-exchange-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const folders = (): string[] => ['etc', 'cache'].map((name) => join(root, name))

const OLD = { etc: { master: 'old', minion: 'old' }, cache: { 'jobs.db': 'old', tokens: 'old' } }
const NEW = { etc: { master: 'new', 'master.d': 'new' }, cache: { 'jobs.db': 'new', events: 'new' } }

/** Number of moved files, old and new ones. */
const MOVES = 8

function write(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

/** Return the files of all directories, without those that begin with a dot. */
const files = (): object =>
  Object.fromEntries(
    ['etc', 'cache'].map((name) => {
      const names = readdirSync(join(root, name)).filter((file) => !file.startsWith('.'))
      return [name, Object.fromEntries(names.map((file) => [file, readFileSync(join(root, name, file), 'utf8')]))]
    }),
  )

/** Begin an exchange that stops after so many moves; return whether it stopped. */
function exchangeStoppedAfter(moves: number): boolean {
  for (const name of ['etc', 'cache'] as const) write(join(root, name), OLD[name])
  const prepared = folders().map((path) => prepareFolder(path))
  for (const name of ['etc', 'cache'] as const) write(newFolder(join(root, name)), NEW[name])
  const after = { uid: process.getuid!(), gid: process.getgid!(), mode: 0o711 }
  const plan = writePlan(
    '20260101000000',
    prepared.map((folder) => ({ ...folder, after })),
  )
  const { renameSync } = fs
  let left = moves
  fs.renameSync = (...args) => {
    if (left-- === 0) throw new Error('killed')
    renameSync(...args)
  }
  syncBuiltinESMExports()
  try {
    finishExchange(plan)
    return false
  } catch (error) {
    if (!(error instanceof Error && error.message === 'killed')) throw error
    return true
  } finally {
    fs.renameSync = renameSync
    syncBuiltinESMExports()
  }
}

it.each(['continue', 'abandon'])(
  'an exchange that is interrupted anywhere is noticed, and ends with all files old or all new (%s)',
  (how) => {
    let moves = 0
    for (; exchangeStoppedAfter(moves); moves++) {
      expect(() => refuseUnfinishedRestore(folders())).toThrow('was interrupted')
      const plan = folders()
        .map(readExchangePlan)
        .find((found) => found !== undefined)!
      // the last moves only put the old files away
      const isExchanged = moves >= MOVES
      if (how === 'abandon' && isExchanged) expect(() => takeBack(plan)).toThrow('exchanged already')
      if (how === 'abandon' && !isExchanged) takeBack(plan)
      else finishExchange(plan)
      expect(files()).toEqual(how === 'abandon' && !isExchanged ? OLD : NEW)
      expect(() => refuseUnfinishedRestore(folders())).not.toThrow()
      rmSync(root, { recursive: true })
    }
    expect(moves).toBe(MOVES + 2)
  },
)

it('an exchange keeps the files from before, and gives directories their new rights', () => {
  expect(exchangeStoppedAfter(100)).toBe(false)
  expect(files()).toEqual(NEW)
  expect(readFileSync(join(root, 'etc', '.before-restore-20260101000000', 'minion'), 'utf8')).toBe('old')
  expect(statSync(join(root, 'cache')).mode & 0o777).toBe(0o711)
})
