// Temporary files in memory. Most are read once by this process and removed, and a file that never was on disk costs
// nothing. They are written to disk before another process could read them.
import type { FileStat } from './host.ts'

export class HeldFiles {
  private readonly files = new Map<string, { content: Uint8Array; since: number }>()

  get isEmpty(): boolean {
    return this.files.size === 0
  }

  has(path: string): boolean {
    return this.files.has(path)
  }

  hold(path: string, content: string | Uint8Array): void {
    this.files.set(path, { content: Buffer.from(content), since: Date.now() / 1000 })
  }

  content(path: string): Uint8Array | undefined {
    return this.files.get(path)?.content
  }

  /** Return the metadata that the file would have on disk. */
  stat(path: string, ownerNow: () => { uid: number; gid: number }): FileStat | undefined {
    const held = this.files.get(path)
    if (held === undefined) return undefined
    const [atime, mtime, ctime] = [held.since, held.since, held.since]
    const place = { inode: 0, device: 0, links: 1, major: 0, minor: 0 }
    const { uid, gid } = ownerNow()
    return { type: 'file', mode: 0o600, uid, gid, size: held.content.length, atime, mtime, ctime, ...place }
  }

  drop(path: string): boolean {
    return this.files.delete(path)
  }

  /** Return all files and forget them; the caller writes them to disk. */
  release(): Array<{ path: string; content: Uint8Array }> {
    const released = [...this.files].map(([path, { content }]) => ({ path, content }))
    this.files.clear()
    return released
  }
}
