// Network APIs of users and extensions besides the REST API. Their callers use the master like those of the REST API:
// each chunk contains its credentials, and the master authorises it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, namedLog, toError } from '../base/mod.ts'
import { type Dict, isDict } from '../data/mod.ts'
import { type OwnNetapi, ownNetapis } from '../pybridge/mod.ts'
import { Audit } from './audit.ts'
import type { ClientWork } from './clients/work.ts'
import { HttpError } from './errors.ts'
import { JobWatch } from './job-watch.ts'
import { ApiLimits } from './limits.ts'
import { runLowstate } from './lowstate.ts'
import type { ApiMaster } from './master.ts'

/** Milliseconds before a netapi that ended is restarted. */
const AGAIN_MS = 5000

export class OwnNetapis {
  private readonly log: Log
  private readonly ending = new AbortController()
  private readonly watch: JobWatch
  private readonly runs: Promise<void>[]

  /** Start all netapis that support this system; undefined if there are none. */
  static async open(master: ApiMaster, log: Log): Promise<OwnNetapis | undefined> {
    const found = await ownNetapis(master.access.opts, log)
    return found.length > 0 ? new OwnNetapis(master, log, found) : undefined
  }

  private constructor(master: ApiMaster, log: Log, found: readonly OwnNetapi[]) {
    this.log = log
    this.watch = new JobWatch(master.events, master.access.stores.jobs)
    const work: ClientWork = {
      ...{ master, log, watch: this.watch, user: undefined, peer: { address: '' }, signal: this.ending.signal },
      limits: new ApiLimits(master.access.opts),
      audit: new Audit(master, log),
    }
    this.runs = found.map((netapi) => this.keep(netapi, work))
  }

  /** Start one as often as it ends. */
  private async keep(netapi: OwnNetapi, work: ClientWork): Promise<void> {
    const { signal } = this.ending
    const log = namedLog(this.log, `salt.loaded.ext.netapi.${netapi.name}`)
    const netapiAnswer = async ([low]: readonly unknown[]) => {
      if (!isDict(low as Dict)) throw new HttpError(400, 'A chunk of the lowstate is no mapping')
      return (await runLowstate(work, [low as Dict]))[0] ?? null
    }
    while (!signal.aborted) {
      log('info', `The network API ${netapi.name} starts`)
      try {
        await netapi.start(signal, { netapi: netapiAnswer })
        if (!signal.aborted) log('warning', `The network API ${netapi.name} ended; it is started again`)
      } catch (error) {
        if (!signal.aborted) log('error', `The network API ${netapi.name} failed: ${toError(error).message}`)
      }
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async close(): Promise<void> {
    this.ending.abort()
    await Promise.all(this.runs)
    this.watch.close()
  }
}
