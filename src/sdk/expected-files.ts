// Work that fetches many files of the file server, in an order that is known before.
import type { ExpectedFile, FileClient } from '../fileserver/mod.ts'

/** Do the work while these files are expected, which lets a minion fetch many in one request. */
export async function whileExpecting<T>(
  files: FileClient,
  expected: readonly ExpectedFile[],
  work: () => Promise<T>,
): Promise<T> {
  const end = files.expect?.(expected)
  try {
    return await work()
  } finally {
    end?.()
  }
}
