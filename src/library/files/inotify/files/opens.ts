// Who opens, reads and closes files without writing: Node does not listen for that, so `inotifywait` does where it is installed.
// Directories are left out: looking into them, as this beacon does itself, opens them.
import type { BeaconContext, Followed } from '../../../../sdk/mod.ts'
import type { Change } from './watcher.ts'

/** What is heard of in this way only. */
export const OPENS: ReadonlySet<string> = new Set(['access', 'open', 'close_nowrite'])

const PROGRAM = 'inotifywait'

/** `CLOSE_NOWRITE,CLOSE /srv/file`: all names of what happened, and to which file. */
const LINE = /^([A-Z_,]+) (.*)$/

export class Opens {
  readonly changes: Change[] = []
  private readonly followed = new Map<string, Followed>()

  /** Listens for these kinds from now on; false where nothing can. */
  async listen(ctx: BeaconContext, path: string, kinds: readonly string[], recurse: boolean): Promise<boolean> {
    if (this.followed.get(path)?.isRunning) return true
    if ((await ctx.host.which(PROGRAM)) === undefined) return false
    if ((await ctx.host.lstat(path)) === undefined) return true
    const events = kinds.flatMap((kind) => ['-e', kind])
    const argv = [PROGRAM, '-m', '-q', ...(recurse ? ['-r'] : []), ...events, '--format', '%e %w%f', path]
    const hear = (line: string): void => {
      const [, names = '', file = ''] = LINE.exec(line) ?? []
      const happened = names.toLowerCase().split(',')
      if (happened.includes('isdir') || file.endsWith('/')) return
      const heard = happened.filter((name) => OPENS.has(name))
      if (heard.length > 0) this.changes.push({ path, file, kinds: heard, isDirectory: false })
    }
    this.followed.set(path, ctx.follow(argv, hear))
    return true
  }
}
