// The names of the entries of a directory.
import { readdirSync } from 'node:fs'
import { hasCode, recover } from './recover.ts'

/** Return the names of the entries of a directory; an empty list if the directory does not exist. */
export function folderNames(folder: string): string[] {
  return recover(hasCode('ENOENT'), [], () => readdirSync(folder))
}
