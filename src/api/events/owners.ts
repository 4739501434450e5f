// The users that began jobs and calls of the master, by the id of the job: the events of a job belong to that user.
import { type BusEvent, isOwn } from '../../bus/mod.ts'
import { str } from '../../data/mod.ts'
import type { JobStore } from '../../store/mod.ts'

const BEGUN = /^salt\/(?:job|run|wheel)\/(\d{20}[^/]*)\/new$/

const MOST = 50_000

export class JobOwners {
  private readonly jobs: () => Pick<JobStore, 'job'>
  private readonly users = new Map<string, string>()

  constructor(jobs: () => Pick<JobStore, 'job'>) {
    this.jobs = jobs
  }

  /** Note the user of a job that an event tells of. Only the master and its owner's programs are believed. */
  learn({ tag, origin, fields }: BusEvent): void {
    const jid = tag.endsWith('/new') ? BEGUN.exec(tag)?.[1] : undefined
    if (jid !== undefined && isOwn(origin)) this.keep(jid, str(fields.get('user') ?? ''))
  }

  /** Return the user that began a job; undefined where that is not known. */
  ownerOf(jid: string): string | undefined {
    const known = this.users.get(jid)
    if (known !== undefined) return known
    const user = this.jobs().job(jid)?.load.get('user')
    return user === undefined ? undefined : this.keep(jid, str(user))
  }

  private keep(jid: string, user: string): string {
    this.users.set(jid, user)
    if (this.users.size > MOST) this.users.delete(this.users.keys().next().value!)
    return user
  }
}
