// Files that are opened, read and closed without writing. Node does not report these events, so `inotifywait` is used
// if it is installed. Directories are skipped, because this beacon itself opens them.
import type { BeaconContext, Followed } from '../../../../sdk/mod.ts'
import type { Change } from './watcher.ts'

/** The kinds of events that only `inotifywait` reports. */
export const OPENS: ReadonlySet<string> = new Set(['access', 'open', 'close_nowrite'])

const PROGRAM = 'inotifywait'

/** Parse a line such as `CLOSE_NOWRITE,CLOSE /srv/file`: names of events, and a path. */
const LINE = /^([A-Z_,]+) (.*)$/

export class Opens {
  readonly changes: Change[] = []
  private readonly followed = new Map<string, Followed>()

  /** Listen for kinds of events; return false where `inotifywait` is missing. */
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
