// Updates of the file server by the clock: each remote by its own interval, and once at the start.
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, truthy } from '../data/mod.ts'
import { FileServer, type Tell } from '../fileserver/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { ownBackends } from '../pybridge/mod.ts'

/** A timer of a longer time would end at once, again and again. */
const MOST_MS = 2 ** 31 - 1

export class FileUpdates {
  private readonly opts: Dict
  private readonly log: Log
  private readonly tell: Tell
  private readonly server: FileServer
  private readonly timers: NodeJS.Timeout[] = []
  private isRunning = false
  /** Updates so far by their result, the seconds of the last one, and the remotes that it could not reach. */
  readonly counts: { updated: number; failed: number; seconds: number | undefined; failing: number } = {
    updated: 0,
    failed: 0,
    seconds: undefined,
    failing: 0,
  }

  constructor(opts: Dict, log: Log, tell: Tell) {
    this.opts = opts
    this.log = log
    this.tell = tell
    this.server = new FileServer(opts, new LocalHost({ cache: option(opts, 'cachedir') }), log, ownBackends)
  }

  start(): void {
    const isTold = option(this.opts, 'fileserver_events')
    const intervals = this.server.backends().flatMap((backend) => backend.interval?.() ?? [])
    if (isTold) intervals.push(option(this.opts, 'roots_update_interval'))
    if (intervals.length === 0) return
    void this.update()
    const timer = setInterval(() => this.update(), Math.min(1000 * Math.max(1, Math.min(...intervals)), MOST_MS))
    timer.unref()
    this.timers.push(timer)
  }

  /** A remote that is slow does not make a second update start beside the first. */
  private async update(): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    const began = performance.now()
    try {
      let isOther = this.counts.seconds === undefined
      const tell: Tell = (tag, data) => {
        // report a remote once when it fails, and once when it works again
        isOther ||= !tag.endsWith('/update')
        return this.tell(tag, data)
      }
      await this.server.update(tell, null, { isDue: true, isQuiet: true })
      if (isOther) this.counts.failing = await this.failingRemotes()
      this.counts.updated++
    } catch (error) {
      this.counts.failed++
      this.log('error', `The update of the file server failed: ${toError(error).message}`)
    } finally {
      this.isRunning = false
      this.counts.seconds = (performance.now() - began) / 1000
    }
  }

  private async failingRemotes(): Promise<number> {
    const all = await Promise.all(this.server.backends().map((backend) => backend.status?.() ?? []))
    return all.flat().filter((remote) => truthy(remote.get('failing_since') ?? null)).length
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer)
  }
}
