// Tokens of Salt's own Python in `token_dir`: in 3007 one file per token, named by it; in 3008 a record of its cache.
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { recover } from '../../base/mod.ts'
import { type Dict, decodeMsgpack, isDict, type Value } from '../../data/mod.ts'

/** A token of Salt's is the hash of random bytes by `hash_type`. */
const TOKEN = /^[0-9a-f]{32,128}$/

/** Longest file that is read, in bytes: of facts about one user. */
const MOST_BYTES = 1 << 20

export const isSaltToken = (text: string): boolean => TOKEN.test(text)

/** The facts in a record: Salt's cache keeps data that expires together with the time. */
export function saltRecord(value: Value | undefined): Dict | undefined {
  if (value === undefined || !isDict(value)) return undefined
  const inner = value.get('data')
  return inner !== undefined && isDict(inner) && value.has('_expires') ? inner : value
}

export class TokenFiles {
  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  list(): string[] {
    return recover(isMissing, [], () => readdirSync(this.folder).filter(isSaltToken))
  }

  read(token: string): Dict | undefined {
    const file = join(this.folder, token)
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (!found?.isFile() || found.size > MOST_BYTES) return undefined
    // only files of the daemon's own user and of root are trusted
    if (![0, process.geteuid?.()].includes(found.uid) || (found.mode & 0o022) !== 0) return undefined
    return saltRecord(decodeMsgpack(readFileSync(file), { dialect: 'bus' }))
  }

  remove(token: string): void {
    rmSync(join(this.folder, token), { force: true })
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
