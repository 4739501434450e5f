// A small separate file system below a directory, which a test can fill. Only root can mount one.
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export class SmallDisk {
  private readonly directory: string

  constructor(directory: string, size = '8m') {
    this.directory = directory
    mkdirSync(directory, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory], { stdio: 'pipe' })
  }

  /** Leave not a byte. */
  fill(): void {
    const file = openSync(this.filler, 'w')
    try {
      for (const piece = Buffer.alloc(4096, 'x'); ; ) writeSync(file, piece)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    } finally {
      closeSync(file)
    }
  }

  free(): void {
    rmSync(this.filler)
  }

  /** Take the disk away; a file that is open on it stays until it is closed. */
  unmount(): void {
    execFileSync('umount', ['--lazy', this.directory], { stdio: 'pipe' })
  }

  private get filler(): string {
    return join(this.directory, 'filler')
  }
}

/** Whether this process may mount file systems. */
export function canMount(): boolean {
  if (process.getuid?.() !== 0) return false
  const directory = mkdtempSync(join(tmpdir(), 'brine-mount-'))
  try {
    new SmallDisk(directory, '1m').unmount()
    return true
  } catch {
    // a container may forbid it to root
    return false
  } finally {
    rmSync(directory, { recursive: true })
  }
}
