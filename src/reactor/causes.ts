// The depth of events: how many reactions lie between an event and one that no reaction caused. A runner that a
// reaction started fires events in its asynchronous context; events of a job carry the job id. An event below the
// allowed depth is a loop.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Dict, isDict, str, type Value } from '../data/mod.ts'

export interface Cause {
  /** The number of the reaction's record. */
  record: number
  depth: number
}

const REMEMBERED = 5000

/** Attributes events and jobs to the reaction that caused them. */
export interface Caused {
  /** Events that are fired before the function returns are the reaction's. */
  firing<T>(fire: () => T): T
  /** All events of this job are the reaction's. */
  job(jid: string): void
}

export class Causes {
  /**
   * Context of functions that fire events at any time. Used only for these: tracking slows every promise of the
   * process.
   */
  private readonly within = new AsyncLocalStorage<Cause>()
  private firing: Cause | undefined
  private readonly jobs = new Map<string, Cause>()

  /** For work that says when it fires events and publishes jobs. */
  by(cause: Cause): Caused {
    return {
      firing: (fire) => {
        const before = this.firing
        this.firing = cause
        try {
          return fire()
        } finally {
          this.firing = before
        }
      },
      job: (jid) => this.noteJob(jid, cause),
    }
  }

  /** Events that are fired during the work have this cause. */
  during<T>(cause: Cause, work: () => Promise<T>): Promise<T> {
    return this.within.run(cause, work)
  }

  /** Outside of any reaction, for work that a reaction only set going. */
  apart<T>(work: () => T): T {
    return this.within.exit(work)
  }

  /** If a reaction is at work, note the published job as caused by it, whichever user published it. */
  hear(tag: string): void {
    const cause = this.firing ?? this.within.getStore()
    const jid = cause && /^salt\/job\/(\d+)\/new$/.exec(tag)?.[1]
    if (jid) this.noteJob(jid, cause)
  }

  noteJob(jid: string, cause: Cause): void {
    this.jobs.set(jid, cause)
    if (this.jobs.size > REMEMBERED) this.jobs.delete(this.jobs.keys().next().value!)
  }

  /** Return the cause of an event. Must be called while the event is fired. */
  of(tag: string, data: Dict): Cause | undefined {
    const inner = data.get('data')
    const sent = inner !== undefined && isDict(inner) ? inner.get('__pub_jid') : undefined
    const numbers: Value[] = [...(/^salt\/(?:job|run|wheel)\/(\d+)\//.exec(tag)?.slice(1, 2) ?? [])]
    for (const value of [data.get('jid'), sent]) if (value !== undefined) numbers.push(value)
    for (const number of numbers) {
      const cause = this.jobs.get(str(number))
      if (cause) return cause
    }
    return this.firing ?? this.within.getStore()
  }
}
