// `enable_ssh_minions`: jobs for minions also run on targets of salt-ssh. A target returns like a minion: as an event
// of the job, and in the job store.
import { BrineError, guarded, shownText } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, str, type Value } from '../data/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import type { JobRequest } from './publication.ts'

/** The function by which clients ask minions about a running job. */
const FIND_JOB = 'saltutil.find_job'

/** Kinds of targets that limited users may use here: matching takes a bounded time and reveals no pillar data. */
const BOUNDED_KINDS = new Set(['glob', 'list', 'nodegroup'])

/** A job on targets of salt-ssh. */
export interface SshMinionJob {
  jid: string
  user: string
  ids: readonly string[]
  /** Whether the caller has the rights of the master's owner. */
  isOwner: boolean
}

export class SshMinions {
  private readonly access: MasterAccess
  private readonly bus: EventBus
  /** Targets that work on a job, by its id. */
  private readonly running = new Map<string, Set<string>>()
  private readonly ending = new AbortController()

  constructor(access: MasterAccess, bus: EventBus) {
    this.access = access
    this.bus = bus
  }

  /** The targets of rosters that a job means. */
  async targets({ tgt, tgtType, fun, arg }: JobRequest, isOwner: boolean): Promise<string[]> {
    const { opts, log, overSsh } = this.access
    if (!overSsh || !option(opts, 'enable_ssh_minions') || typeof fun !== 'string') return []
    if (fun === FIND_JOB) return this.workingOn(tgt, arg)
    if (!isOwner && !BOUNDED_KINDS.has(tgtType)) return []
    try {
      return await overSsh.targets(this.access, { tgt, tgtType, isInRoster: true })
    } catch (error) {
      if (!(error instanceof BrineError)) throw error
      log('error', `No targets of salt-ssh are reached: ${error.message}`)
      return []
    }
  }

  /** Return the targets in the query that work on the job. */
  private workingOn(tgt: Value, arg: Value): string[] {
    const asked = isList(tgt) ? tgt.map(str) : []
    const working = this.running.get(isList(arg) ? str(arg[0] ?? '') : '')
    return working ? asked.filter((id) => working.has(id)) : []
  }

  /** Start a published job on targets; the caller does not wait for them. */
  begin({ fun, arg }: JobRequest, job: SshMinionJob): void {
    const { jid, ids } = job
    if (ids.length === 0) return
    const { log } = this.access
    if (fun === FIND_JOB) for (const id of ids) this.bus.fire(`salt/job/${jid}/ret/${id}`, found(jid, id, arg))
    else guarded(log, `Job ${jid} on targets of salt-ssh`, () => this.run(str(fun), arg, job))()
  }

  private async run(fun: string, arg: Value, { jid, user, ids, isOwner }: SshMinionJob): Promise<void> {
    const { overSsh, log } = this.access
    const working = new Set(ids)
    this.running.set(jid, working)
    const call = { tgt: [...ids], tgtType: 'list', fun, arg: isList(arg) ? arg : [], jid, user }
    const how = { isLiteral: true, isPublished: true, isInRoster: true, isFromOutside: !isOwner }
    try {
      for await (const { id } of overSsh!.run(this.access, { ...call, ...how }, this.ending.signal)) {
        working.delete(id)
        log('debug', `Target ${shownText(id)} of salt-ssh returned to job ${jid}`)
      }
    } finally {
      this.running.delete(jid)
    }
  }

  close(): void {
    this.ending.abort()
  }
}

/** The return of a target that still works on a job, as a minion gives it. */
function found(jid: string, id: string, arg: Value): Dict {
  const asked = isList(arg) ? (arg[0] ?? null) : null
  return new Map<Value, Value>([
    ['jid', jid],
    ['id', id],
    ['fun', FIND_JOB],
    ['fun_args', [asked]],
    ['return', new Map<Value, Value>([['jid', asked]])],
    ['retcode', 0],
    ['success', true],
  ])
}
