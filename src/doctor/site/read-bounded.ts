// Reading of files that may be anything: large, no files at all, no text.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { toError } from '../../base/mod.ts'

/** Files that are read as text are not larger. */
export const MOST_BYTES = 2 << 20

/** Return the bytes of a regular file of bounded size, or the reason why it is not read. */
export function readBounded(file: string, most = MOST_BYTES): Buffer | string {
  let descriptor: number
  try {
    // opening a pipe without a writer would block
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    return toError(error).message.replace(/^E[A-Z]+: ([^,]+),.*$/, '$1')
  }
  try {
    const facts = fstatSync(descriptor)
    if (!facts.isFile()) return 'it is no regular file'
    if (facts.size > most) return `it has ${facts.size} bytes, more than ${most}`
    const bytes = Buffer.alloc(facts.size)
    let filled = 0
    for (let count = 1; count > 0 && filled < bytes.length; filled += count) {
      count = readSync(descriptor, bytes, filled, bytes.length - filled, null)
    }
    return bytes.subarray(0, filled)
  } catch (error) {
    return toError(error).message
  } finally {
    closeSync(descriptor)
  }
}

/** The text of a file, or undefined when it has none that can be read. */
export function textOfFile(file: string, most = MOST_BYTES): string | undefined {
  const bytes = readBounded(file, most)
  return typeof bytes === 'string' ? undefined : bytes.toString('utf8')
}
