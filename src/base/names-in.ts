// The names of what is in a directory.
import { readdirSync } from 'node:fs'

/** Return the names of the entries of a directory; none where there is no such directory. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
