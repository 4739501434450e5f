// The installation of a built program: files beside it, or inside it where the program is one file, and how to start it again.
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The interface of the loader of a one-file program (tools/one-file/main.cjs). */
interface OneFile {
  /** Write a folder of the installation to disk, unless it exists, and return its path. */
  extract(folder: string): string
}

const oneFile = (globalThis as { brineOneFile?: OneFile }).brineOneFile

/** Whether the program and all its parts are one file. */
export const isOneFile: boolean = oneFile !== undefined

/** Return the path of a folder of the installation. For built programs only. */
export function installedFolder(name: string): string {
  return oneFile?.extract(name) ?? join(dirname(realpathSync(process.argv[1]!)), name)
}

/** Return the words that start this program again with the same arguments. */
export function ownWords(): string[] {
  // a one-file program has no script before its arguments
  return [process.execPath, ...process.execArgv, ...process.argv.slice(isOneFile ? 2 : 1)]
}
