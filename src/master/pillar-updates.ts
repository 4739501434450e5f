// Updates of the external pillar `git` by the clock, at the start and every `git_pillar_update_interval` seconds.
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { allPillarRemotes, refreshGitPillars } from '../pillar/mod.ts'

/** A timer of a longer time would end at once, again and again. */
const MOST_MS = 2 ** 31 - 1

export class PillarUpdates {
  private readonly opts: Dict
  private readonly log: Log
  private timer: NodeJS.Timeout | undefined
  private isRunning = false

  constructor(opts: Dict, log: Log) {
    this.opts = opts
    this.log = log
  }

  start(): void {
    const seconds = option(this.opts, 'git_pillar_update_interval')
    if (!(seconds > 0) || this.remotes().length === 0) return
    void this.update()
    this.timer = setInterval(() => this.update(), Math.min(seconds * 1000, MOST_MS))
    this.timer.unref()
  }

  /** Invalid remotes were reported at the start of the master. */
  private remotes(): ReturnType<typeof allPillarRemotes> {
    try {
      return allPillarRemotes(this.opts, this.log)
    } catch (error) {
      this.log('error', `Repositories of pillar are not fetched: ${toError(error).message}`)
      return []
    }
  }

  /** A remote that is slow does not make a second update start beside the first. */
  private async update(): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    try {
      await refreshGitPillars({ opts: this.opts, log: this.log }, this.remotes())
    } catch (error) {
      this.log('error', `The update of the repositories of pillar failed: ${toError(error).message}`)
    } finally {
      this.isRunning = false
    }
  }

  close(): void {
    clearInterval(this.timer)
  }
}
