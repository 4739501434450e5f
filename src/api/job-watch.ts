// The events of the jobs and calls that API requests wait for. One listener receives all events and passes each to the
// request of its job. The id of a job is known only after the master accepted it, so events are kept until then.
import { type BusEvent, EventQueue } from '../bus/mod.ts'
import type { EventSource } from '../client/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { JobStore } from '../store/mod.ts'
import type { EventFeed } from './master.ts'

/** `salt/job/<jid>/…`, `salt/batch/<jid>/…`, `salt/run/<jid>/…`. */
const OF_A_JOB = /^salt\/(?:job|batch|run|wheel)\/(\d{20}[^/]*)\//

/** Events of one job, and of the questions about it. */
export class JobEvents implements EventSource {
  private readonly queue = new EventQueue()
  private readonly watch: JobWatch
  private readonly jids = new Set<string>()

  constructor(watch: JobWatch) {
    this.watch = watch
  }

  get isOpen(): boolean {
    return this.queue.isOpen
  }

  /** No operation: the watch passes on the events of added jobs. */
  want(): void {}

  put(event: BusEvent): void {
    this.queue.put(event)
  }

  next(seconds: number): Promise<BusEvent | undefined> {
    return this.queue.next(seconds)
  }

  stored(jid: string, ids: Iterable<string>): Map<string, Dict> {
    const rows = [...ids].map((id) => [id, this.watch.jobs.returnOf(jid, id)] as const)
    return new Map(rows.filter((row): row is [string, Dict] => row[1] !== undefined))
  }

  add(jid: string): void {
    this.jids.add(jid)
    this.watch.add(jid, this)
  }

  /** Wait no longer, for example because the caller has gone. */
  close(): void {
    for (const jid of this.jids) this.watch.remove(jid)
    this.queue.end()
  }
}

export class JobWatch {
  readonly jobs: Pick<JobStore, 'returnOf'>
  private readonly waiting = new Map<string, JobEvents>()
  /** Events of unknown jobs since the first of the jobs that are being begun. */
  private early: BusEvent[] = []
  private beginning = 0
  private readonly stop: () => void

  constructor(feed: EventFeed, jobs: Pick<JobStore, 'returnOf'>) {
    this.jobs = jobs
    this.stop = feed.listen((event) => this.hear(event))
  }

  close(): void {
    this.stop()
    for (const events of new Set(this.waiting.values())) events.close()
  }

  /** Start a job. Its events are kept from before the start; `jidOf` reads its id from the result of `begin`. */
  async begin<T>(
    begin: () => Promise<T>,
    jidOf: (begun: T) => string | undefined,
    events: JobEvents = new JobEvents(this),
  ): Promise<{ begun: T; events: JobEvents }> {
    this.beginning++
    try {
      const begun = await begin()
      const jid = jidOf(begun)
      if (jid !== undefined) {
        events.add(jid)
        for (const event of this.early) if (jidIn(event.tag) === jid) events.put(event)
      }
      return { begun, events }
    } finally {
      if (--this.beginning === 0) this.early = []
    }
  }

  add(jid: string, events: JobEvents): void {
    this.waiting.set(jid, events)
  }

  remove(jid: string): void {
    this.waiting.delete(jid)
  }

  private hear(event: BusEvent): void {
    if (this.waiting.size === 0 && this.beginning === 0) return
    const jid = jidIn(event.tag)
    if (jid === undefined) return
    const events = this.waiting.get(jid)
    if (events) events.put(event)
    else if (this.beginning > 0) this.early.push(event)
  }
}

/** Return the id of the job or call that a tag names. */
export const jidIn = (tag: string): string | undefined =>
  tag.startsWith('salt/') ? OF_A_JOB.exec(tag)?.[1] : undefined
