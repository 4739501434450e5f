// The names of the entries of a directory.
import { readdirSync } from 'node:fs'
import { hasCode, recover } from './recover.ts'

/** Return the names of the entries of a directory; none where there is no such directory. */
export function folderNames(folder: string): string[] {
  return recover(hasCode('ENOENT'), [], () => readdirSync(folder))
}
