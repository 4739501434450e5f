// Publishes a job: authorises the caller, resolves the target, stores the job, and sends it. The job is stored before
// minions receive it, so that no return arrives for an unknown job.
import { BrineError, isJid, isLogged, jobLog, newJid, shownText } from '../base/mod.ts'
import { isOfOurClient } from '../client/mod.ts'
import { option } from '../config/mod.ts'
import { briefStr, type Dict, type Value } from '../data/mod.ts'
import type { Targeted } from '../match/mod.ts'
import { currentTraceparent, functionLabel, inSpan, switchedOn } from '../telemetry/mod.ts'
import type { Peer } from '../wire/mod.ts'
import type { JudgedJob } from './access/access.ts'
import { jobRecord, type PreparedJob } from './log-records.ts'
import type { MasterParts } from './parts.ts'
import { frozen, type JobRequest, publicationOf } from './publication.ts'
import { type Refusal, RefusedJobs, unstoredAnswer } from './refusals.ts'
import type { SshMinions } from './ssh-minions.ts'

type PublishParts = Pick<
  MasterParts,
  'opts' | 'log' | 'bus' | 'jobs' | 'jobCaches' | 'publications' | 'deliveries' | 'syndics' | 'cluster'
>

/** Milliseconds that a job waits for the log of a cluster: clients wait longer, so they receive the reason of a refusal. */
const PUBLISH_PATIENCE_MS = 5000

/** How one master of a cluster carries out a job. */
export interface CarryingOut {
  /** Whether this master passes the job to the job caches: one master of a cluster does. */
  isForCaches: boolean
  /** Whether it comes too late for minions: it is only kept. */
  isStale: boolean
  /** Fire the event of the job; undefined if it was fired before. */
  fire(tag: string, data: Dict): void
}

export interface PublishRights {
  /** Authorise the caller for the function on the targeted minions. */
  judge(load: Dict, peer?: Peer): Promise<JudgedJob | Refusal>
}

export interface SendingOptions {
  /** Publish the ids in place of the target, so that no other minion accepts the job. */
  isFrozen?: boolean
  /** Whether a client of Salt's own Python requested the job; it may read the job's files. */
  isOfSalt?: boolean
  /** The ids among the minions that are targets of salt-ssh. */
  overSsh?: readonly string[]
  /** Whether the caller has the rights of the master's owner. */
  isOwner?: boolean
  /** The system of external authentication that knows the user. */
  eauth?: string
  /** The user's rights on minions of the masters below; without them, only minions of this master get the job. */
  authList?: Value[]
  /** Whether a master above published the job. */
  isFromAbove?: boolean
}

const AUTHORIZATION: Refusal = { name: 'AuthorizationError', message: 'Authorization error occurred.' }

/** Minions with targets of salt-ssh, each id once. */
export function withTargets({ minions, missing }: Targeted, overSsh: readonly string[]): Targeted {
  if (overSsh.length === 0) return { minions, missing }
  const reached = new Set(overSsh)
  return { minions: [...new Set([...minions, ...overSsh])], missing: missing.filter((id) => !reached.has(id)) }
}

export class Publishing {
  private readonly parts: PublishParts
  private readonly rights: PublishRights
  private readonly ready: Promise<void>
  private readonly refusals: RefusedJobs
  /** Targets of salt-ssh, if jobs also go to these. */
  ssh?: SshMinions

  /** Jobs wait for `ready`. */
  constructor(parts: PublishParts, rights: PublishRights, ready: Promise<void> = Promise.resolve()) {
    this.parts = parts
    this.rights = rights
    this.ready = ready
    this.refusals = new RefusedJobs(parts.bus, parts.log)
  }

  /** The answer to a clear `publish`. */
  async publish(load: Dict, peer?: Peer): Promise<Dict> {
    const judged = await this.judged(load, peer)
    if (judged instanceof Map) return judged
    const { request, user, isFrozen, eauth, authList, isFromAbove } = judged
    const overSsh = (await this.ssh?.targets(request, judged.isOwner)) ?? []
    if (overSsh.length > 0 && !judged.mayReach(overSsh)) return this.refusals.refuse(load, AUTHORIZATION)
    const { problems } = judged.targeted
    const targeted = withTargets(judged.targeted, overSsh)
    const ordersMasters = option(this.parts.opts, 'order_masters')
    if (targeted.minions.length === 0 && !ordersMasters) return nobody(request, problems)
    let jid: string
    try {
      const isOfSalt = !isOfOurClient(load)
      jid = await this.send(request, user, targeted, {
        isFrozen,
        isOfSalt,
        overSsh,
        isOwner: judged.isOwner,
        authList,
        isFromAbove,
        ...(eauth !== undefined && { eauth }),
      })
    } catch (error) {
      // the job was not sent
      return unstoredAnswer(error, true)
    }
    return clear(
      new Map<Value, Value>([
        ['jid', jid],
        ['minions', targeted.minions],
        ['missing', targeted.missing],
        ...this.awaited(request, targeted.minions),
        ...(ordersMasters ? [['syndics', this.parts.syndics.listening()] as const] : []),
      ]),
    )
  }

  /** Return the fields about minions that lost their connection a moment ago and get the job when they are back. */
  private awaited({ fun, fields }: JobRequest, minions: readonly string[]): Array<[Value, Value]> {
    const load: Dict = new Map<Value, Value>([['fun', fun], ...fields])
    const { ids, seconds } = this.parts.deliveries.expected(load, minions)
    return ids.length === 0
      ? []
      : [
          ['reconnecting', ids],
          ['deliver_within', seconds],
        ]
  }

  /** Authorise a request; return the answer if it is refused. */
  async judged(load: Dict, peer?: Peer): Promise<JudgedJob | Dict> {
    const judged = await this.rights.judge(load, peer)
    return 'message' in judged ? this.refusals.refuse(load, judged) : judged
  }

  /** A new id that is no job's, also where a user chose ids of this moment. */
  freshJid(): string {
    for (;;) {
      const jid = newJid(option(this.parts.opts, 'unique_jid'))
      if (this.parts.cluster?.isOwnJid(jid) === false) continue
      if (this.parts.jobs.job(jid) === undefined) return jid
    }
  }

  /** Store a job, fire its event, and send it; return its id. The request must be authorised already. */
  async send(
    request: JobRequest,
    user: string,
    { minions, missing }: Targeted,
    {
      isFrozen = false,
      isOfSalt = false,
      overSsh = [],
      isOwner = false,
      eauth,
      authList,
      isFromAbove = false,
    }: SendingOptions = {},
  ): Promise<string> {
    const { opts, bus, log, cluster } = this.parts
    const jid = request.jid ?? this.freshJid()
    if (!isJid(jid)) throw new BrineError('BadJid', `${shownText(briefStr(jid))} is not a job id`)
    const load = publicationOf(request, jid, user, opts, authList)
    const trace = currentTraceparent()
    if (trace !== undefined) load.set('traceparent', trace)
    else if (!switchedOn(opts, 'tracing')) load.delete('traceparent')
    await this.ready
    // a caller above waits for the lists of these, too
    const below = isFromAbove && option(opts, 'order_masters') ? this.parts.syndics.listening() : undefined
    const isKept = !request.fields.has('nocache')
    const job = { jid, load, minions, missing, below, isFrozen, isOfSalt, isKept, eauth }
    if (cluster) await cluster.append(jobRecord(job), PUBLISH_PATIENCE_MS)
    else await this.carryOut(job, { isForCaches: true, isStale: false, fire: (tag, data) => void bus.fire(tag, data) })
    this.ssh?.begin(request, { jid, user, ids: overSsh, isOwner })
    if (isLogged(log, 'info')) {
      const told = jobLog(log, jid)
      told('info', `User ${shownText(user)} Published command ${shownText(briefStr(request.fun))} with jid ${jid}`)
      told('debug', `Job ${jid} was published to ${minions.length} minions: ${shownText(minions.join(', '), 1000)}`)
    }
    return jid
  }

  /** Store a job, fire its event, and send it to the minions that are connected to this master. */
  async carryOut(prepared: PreparedJob, { isForCaches, isStale, fire }: CarryingOut): Promise<void> {
    const { jobs, jobCaches, publications, deliveries } = this.parts
    const { jid, load, minions, missing, below, isFrozen, isOfSalt, isKept, eauth } = prepared
    if (isKept) {
      if (eauth !== undefined) jobs.ledger.noteEauth(jid, eauth)
      jobs.saveJob({ jid, load, minions })
      if (isForCaches) await jobCaches.published(jid, load, minions, isOfSalt)
    }
    const of = (name: string): [Value, Value] => [name, load.get(name) ?? null]
    const job: Dict = new Map([of('jid'), of('tgt_type'), of('tgt'), of('user'), of('fun'), of('arg')])
    if (load.has('traceparent')) job.set('traceparent', load.get('traceparent')!)
    job.set('minions', [...minions]).set('missing', [...missing])
    if (below) job.set('syndics', [...below])
    fire(`salt/job/${jid}/new`, job)
    fire(`salt/job/${jid}/publish`, new Map(load))
    if (isStale) return
    const sent = isFrozen ? frozen(load, minions) : load
    const attributes = { 'salt.pub.jid': jid, 'salt.pub.fun': functionLabel(load.get('fun') ?? '') }
    const sealed = await inSpan(
      () => ({ name: 'salt.pub.send', attributes }),
      () => publications.publish(sent),
    )
    deliveries.keep(jid, sent, minions, sealed)
  }
}

const clear = (load: Dict): Dict =>
  new Map<Value, Value>([
    ['enc', 'clear'],
    ['load', load],
  ])

/** Return the answer for a target without minions. Beyond Salt's answer, it names the problems of the target. */
function nobody({ tgt }: JobRequest, problems: readonly string[]): Dict {
  const error = `Master could not resolve minions for target ${shownText(briefStr(tgt), 1000)}`
  return clear(
    new Map<Value, Value>([
      ['jid', null],
      ['minions', []],
      ['error', error],
      ...(problems.length > 0 ? [['reason', problems.join('\n')] as const] : []),
    ]),
  )
}
