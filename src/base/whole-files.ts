// Small files that are replaced as a whole, so that no reader sees half of one.
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { PRIVATE_FILE } from './own-folders.ts'
import { recover } from './recover.ts'

/** Replace a file as a whole. */
export function writeWhole(path: string, text: string): void {
  const made = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(made, text, { mode: PRIVATE_FILE })
  renameSync(made, path)
}

const isUnreadable = (error: unknown): boolean =>
  error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Return the content of a JSON file; undefined if the file is missing or damaged. */
export function readJson<T>(path: string): T | undefined {
  return recover(isUnreadable, undefined, () => JSON.parse(readFileSync(path, 'utf8')) as T)
}
