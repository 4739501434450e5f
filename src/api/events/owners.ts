// The users that began jobs and calls of the master, by the id of the job: the events of a job belong to that user.
import { type BusEvent, isOwn } from '../../bus/mod.ts'
import { str } from '../../data/mod.ts'
import type { JobOwner, JobStore } from '../../store/mod.ts'

const BEGUN = /^salt\/(?:job|run|wheel)\/(\d{20}[^/]*)\/new$/

const MOST = 50_000

type Jobs = Pick<JobStore, 'job'> & { ledger: Pick<JobStore['ledger'], 'eauthOf'> }

interface Owner {
  user: string
  /** The system that knows the user; null where none was noted, undefined before it was looked for. */
  eauth?: string | null
}

export class JobOwners {
  private readonly jobs: () => Jobs
  private readonly owners = new Map<string, Owner>()

  constructor(jobs: () => Jobs) {
    this.jobs = jobs
  }

  /** Note the user of the job in an event. Only events of the master and of its owner's programs count. */
  learn({ tag, origin, fields }: BusEvent): void {
    const jid = tag.endsWith('/new') ? BEGUN.exec(tag)?.[1] : undefined
    if (jid !== undefined && isOwn(origin)) this.keep(jid, str(fields.get('user') ?? ''))
  }

  /** Whether a user started a job. A job without an authentication system is matched by the name only. */
  isOwn(jid: string, { user, eauth = '' }: JobOwner): boolean {
    const owner = this.owners.get(jid) ?? this.stored(jid)
    if (user === '' || owner?.user !== user) return false
    if (owner.eauth === undefined) owner.eauth = this.jobs().ledger.eauthOf(jid) ?? null
    return owner.eauth === null || owner.eauth === eauth
  }

  private stored(jid: string): Owner | undefined {
    const user = this.jobs().job(jid)?.load.get('user')
    return user === undefined ? undefined : this.keep(jid, str(user))
  }

  private keep(jid: string, user: string): Owner {
    const owner: Owner = { user }
    this.owners.set(jid, owner)
    if (this.owners.size > MOST) this.owners.delete(this.owners.keys().next().value!)
    return owner
  }
}
