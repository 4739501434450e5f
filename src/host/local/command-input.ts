// Input of commands. Node's pipes are sockets, and a shell whose input is a socket assumes a remote login and reads the
// user's profile; so the input is an unlinked temporary file.
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path/posix'
import { randomName } from '../random-name.ts'

/** A descriptor to read from. */
export function openInput(data: string | Uint8Array): number {
  const path = join(tmpdir(), `.${randomName(16)}.in`)
  const writer = openSync(path, 'wx', 0o600)
  try {
    const bytes = Buffer.from(data as Uint8Array)
    for (let done = 0; done < bytes.length; ) done += writeSync(writer, bytes, done)
    return openSync(path, 'r')
  } finally {
    closeSync(writer)
    unlinkSync(path)
  }
}
