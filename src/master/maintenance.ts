// Periodic work of a master: remove old jobs and tokens, and rotate the key of publications when it is old or when a
// drop file asks for it, which salt-key writes when it removes minions.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { guarded } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { PublishSecret } from '../wire/mod.ts'
import type { TokenStore } from './access/tokens.ts'
import type { ConfiguredParts } from './configured-parts.ts'
import { FileUpdates } from './file-updates.ts'
import type { MasterParts } from './parts.ts'
import { Presence } from './presence.ts'

const HOUR = 3600

export interface MaintenanceParts extends Pick<MasterParts, 'opts' | 'log' | 'bus' | 'cache' | 'jobs' | 'jobCaches'> {
  secret: PublishSecret
  tokens: TokenStore
  PillarUpdates: ConfiguredParts['PillarUpdates']
}

/** Interval of the check for the drop file, in milliseconds; the rest runs every `loop_interval`. */
const LOOK_MS = 1000

export class Maintenance {
  private readonly parts: MaintenanceParts
  private readonly timers: NodeJS.Timeout[] = []
  files: FileUpdates | undefined
  private pillars: InstanceType<NonNullable<ConfiguredParts['PillarUpdates']>> | undefined

  constructor(parts: MaintenanceParts) {
    this.parts = parts
  }

  start(): void {
    const interval = option(this.parts.opts, 'loop_interval') * 1000
    const presence = new Presence(this.parts)
    const every = (ms: number, work: () => void | Promise<void>): void => {
      this.timers.push(setInterval(guarded(this.parts.log, 'Maintenance', work), ms))
    }
    every(LOOK_MS, () => this.rotateWhenAsked())
    every(Math.max(1000, interval), () => this.tidy())
    every(Math.max(1000, interval), () => presence.tell())
    const seldom = option(this.parts.opts, 'maintenance_interval')
    every(Math.max(60, seldom) * 1000, () => this.tidyFiles())
    this.files = new FileUpdates(this.parts.opts, this.parts.log, (tag, data) => this.parts.bus.fire(tag, data))
    this.files.start()
    const { PillarUpdates } = this.parts
    this.pillars = PillarUpdates && new PillarUpdates(this.parts.opts, this.parts.log)
    this.pillars?.start()
    for (const timer of this.timers) timer.unref()
  }

  close(): void {
    this.files?.close()
    this.pillars?.close()
    for (const timer of this.timers) clearInterval(timer)
  }

  private rotateWhenAsked(): void {
    const { opts, log, secret } = this.parts
    const dropped = join(option(opts, 'cachedir'), '.dfn')
    const isAsked = existsSync(dropped)
    const age = (Date.now() - secret.madeAt) / 1000
    if (!isAsked && age < option(opts, 'publish_session')) return
    if (isAsked) rmSync(dropped, { force: true })
    log('info', 'Rotating master AES key')
    secret.rotate()
    this.parts.bus.fire('key', new Map([['rotate_aes_key', true]]))
  }

  private async tidy(): Promise<void> {
    const { opts, jobs, tokens, log } = this.parts
    const seconds = keptSeconds(opts)
    const gone = seconds > 0 ? jobs.prune(seconds) : 0
    if (gone > 0) log('debug', `Removed ${gone} old jobs`)
    await tokens.prune()
  }

  private async tidyFiles(): Promise<void> {
    const { opts, jobCaches } = this.parts
    const seconds = keptSeconds(opts)
    if (seconds > 0) await jobCaches.prune(seconds)
  }
}

/** `keep_jobs_seconds`, or `keep_jobs` in hours as it was of old; 0 keeps jobs for good. */
function keptSeconds(opts: Dict): number {
  return opts.has('keep_jobs_seconds') ? option(opts, 'keep_jobs_seconds') : option(opts, 'keep_jobs') * HOUR
}
