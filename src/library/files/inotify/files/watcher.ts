// Watched directories and files with their last known facts: the kind of a change follows from the facts before and after it.
import { join } from 'node:path/posix'
import type { BeaconContext } from '../../../../sdk/mod.ts'
import { openForWriting } from './open-for-writing.ts'

const CLOSED = 'close_write'

interface Look {
  mtime: number
  ctime: number
  size: number
  inode: number
  isDirectory: boolean
}

export interface Change {
  /** The watched path. */
  path: string
  file: string
  kinds: string[]
  isDirectory: boolean
  /** The last facts of a file that no longer exists. */
  last?: Look | undefined
}

/** Watched paths with the last known facts of each file. */
export class Watcher {
  readonly changes: Change[] = []
  private readonly known = new Map<string, Map<string, Look>>()
  /** Files that may still be written, with their watched paths. */
  private readonly written = new Map<string, string>()
  private last: Promise<void> = Promise.resolve()

  async settle(): Promise<void> {
    await this.last
  }

  async watch(ctx: BeaconContext, path: string): Promise<void> {
    if (this.known.has(path) || (await ctx.host.lstat(path)) === undefined) return
    const looks = new Map<string, Look>()
    this.known.set(path, looks)
    for (const file of await filesAt(ctx, path)) {
      const look = await lookAt(ctx, file)
      if (look) looks.set(file, look)
    }
    const hear = (name: string | null): void => {
      this.last = this.last.then(() => this.judge(ctx, path, name))
    }
    if (!ctx.watch(path, hear)) this.known.delete(path)
  }

  private async judge(ctx: BeaconContext, path: string, name: string | null): Promise<void> {
    const looks = this.known.get(path)
    if (!looks) return
    const isSelf = looks.has(path) && !looks.get(path)!.isDirectory
    const file = isSelf || name === null ? path : join(path, name)
    const [before, after] = [looks.get(file), await lookAt(ctx, file)]
    if (after) looks.set(file, after)
    else looks.delete(file)
    const kinds = kindsOf(before, after, file === path)
    const isDirectory = file !== path && (after ?? before)?.isDirectory === true
    const origin = after && before?.inode !== after.inode ? this.movedFrom(after) : undefined
    if (origin) origin.kinds = ['moved_from']
    const reported = origin ? ['moved_to'] : kinds.filter((kind) => kind !== CLOSED)
    if (kinds.includes(CLOSED) && !origin) this.written.set(file, path)
    if (reported.length > 0)
      this.changes.push({ path, file, kinds: reported, isDirectory, last: after ? undefined : before })
    if (after === undefined && !(await lookAt(ctx, path))) this.end(ctx, path)
  }

  /** Report the written files that no process has open for writing any more. */
  async tellClosed(ctx: BeaconContext): Promise<void> {
    const open = await openForWriting(ctx.host, new Set(this.written.keys()))
    for (const [file, path] of [...this.written]) {
      if (open.has(file)) continue
      this.written.delete(file)
      if (this.known.get(path)?.has(file)) this.changes.push({ path, file, kinds: [CLOSED], isDirectory: false })
    }
  }

  /** Drop the written files, because no mask requests them. */
  forgetWritten(): void {
    this.written.clear()
  }

  /** Return the file that disappeared elsewhere and is the same: same inode, unchanged. */
  private movedFrom({ inode, mtime, size }: Look): Change | undefined {
    return this.changes.findLast(
      ({ last }) => last !== undefined && last.inode === inode && last.mtime === mtime && last.size === size,
    )
  }

  /** Report that a watched path and its content no longer exist; the kernel ends the watch. */
  private end(ctx: BeaconContext, path: string): void {
    const files = [...(this.known.get(path) ?? [])]
    for (const [file, { isDirectory }] of files) {
      if (file !== path) this.changes.push({ path, file, kinds: ['delete'], isDirectory })
    }
    const isTold = !files.some(([file]) => file === path)
    const kinds = [...(isTold ? [] : ['delete_self']), 'ignored']
    this.changes.push({ path, file: path, kinds, isDirectory: false })
    this.known.delete(path)
    ctx.unwatch(path)
  }
}

async function lookAt(ctx: BeaconContext, file: string): Promise<Look | undefined> {
  const stat = await ctx.host.lstat(file)
  if (stat === undefined) return undefined
  const { mtime, ctime, size, inode, type } = stat
  return { mtime, ctime, size, inode, isDirectory: type === 'directory' }
}

async function filesAt(ctx: BeaconContext, path: string): Promise<string[]> {
  if ((await ctx.host.stat(path))?.type !== 'directory') return [path]
  return [path, ...(await ctx.host.list(path)).map((name) => join(path, name))]
}

function kindsOf(before: Look | undefined, after: Look | undefined, isSelf: boolean): string[] {
  if (!before && !after) return []
  if (!after) return [isSelf ? 'delete_self' : 'delete']
  if (!before && after.isDirectory) return ['create']
  if (!before) return ['create', ...(after.size > 0 ? ['modify'] : []), 'close_write']
  if (before.inode !== after.inode) return [isSelf ? 'move_self' : 'moved_to']
  if (before.mtime !== after.mtime || before.size !== after.size) return ['modify', 'close_write']
  return before.ctime === after.ctime ? [] : ['attrib']
}
