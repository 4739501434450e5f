// `publish`: who may, which minions are meant, and out it goes. The job is noted before minions hear of it, so that no return
// can come for a job that nobody knows.
import { BrineError, isJid, newJid, shownText } from '../base/mod.ts'
import type { Targeted } from '../client/mod.ts'
import { type Dict, str, truthy, type Value } from '../data/mod.ts'
import type { Peer } from '../wire/mod.ts'
import type { JudgedJob } from './access/access.ts'
import type { MasterParts } from './parts.ts'
import { frozen, type JobRequest, publicationOf } from './publication.ts'
import { type Refusal, RefusedJobs } from './refusals.ts'

export interface PublishRights {
  /** Judges who asks, and whether they may do this to the minions that they mean. */
  judge(load: Dict, peer?: Peer): Promise<JudgedJob | Refusal>
}

export interface SendOptions {
  /** Minions get the ids in place of the target: nobody else may take the job. */
  isFrozen?: boolean
}

export class Publishing {
  private readonly parts: MasterParts
  private readonly rights: PublishRights
  private readonly refusals: RefusedJobs

  constructor(parts: MasterParts, rights: PublishRights) {
    this.parts = parts
    this.rights = rights
    this.refusals = new RefusedJobs(parts.bus, parts.log)
  }

  /** The answer to a clear `publish`. */
  async publish(load: Dict, peer?: Peer): Promise<Dict> {
    const judged = await this.judged(load, peer)
    if (judged instanceof Map) return judged
    const { request, user, targeted, isFrozen } = judged
    const ordersMasters = truthy(this.parts.opts.get('order_masters') ?? false)
    if (targeted.minions.length === 0 && !ordersMasters) return nobody(request, targeted.problems)
    const jid = await this.send(request, user, targeted, { isFrozen })
    return clear(
      new Map<Value, Value>([
        ['jid', jid],
        ['minions', targeted.minions],
        ['missing', targeted.missing],
      ]),
    )
  }

  /** Judge a request; gives the answer to one that is refused. */
  async judged(load: Dict, peer?: Peer): Promise<JudgedJob | Dict> {
    const judged = await this.rights.judge(load, peer)
    return 'message' in judged ? this.refusals.refuse(load, judged) : judged
  }

  /** Note a job, tell of it, and send it; gives its id. Nothing is judged here. */
  async send(
    request: JobRequest,
    user: string,
    { minions, missing }: Targeted,
    { isFrozen = false }: SendOptions = {},
  ): Promise<string> {
    const { opts, bus, jobs, jobCaches, publications } = this.parts
    const jid = request.jid ?? newJid()
    if (!isJid(jid)) throw new BrineError('BadJid', `${shownText(str(jid))} is not a job id`)
    const load = publicationOf(request, jid, user, opts)
    if (!request.fields.has('nocache')) {
      jobs.saveJob({ jid, load, minions })
      await jobCaches.published(jid, load, minions)
    }
    const of = (name: string): [Value, Value] => [name, load.get(name) ?? null]
    const job: Dict = new Map([of('jid'), of('tgt_type'), of('tgt'), of('user'), of('fun'), of('arg')])
    bus.fire(`salt/job/${jid}/new`, job.set('minions', minions).set('missing', missing))
    bus.fire(`salt/job/${jid}/publish`, new Map(load))
    await publications.publish(isFrozen ? frozen(load, minions) : load)
    return jid
  }
}

const clear = (load: Dict): Dict =>
  new Map<Value, Value>([
    ['enc', 'clear'],
    ['load', load],
  ])

/** The caller is told, beyond what Salt tells, what is wrong with the target. */
function nobody({ tgt }: JobRequest, problems: readonly string[]): Dict {
  const error = `Master could not resolve minions for target ${shownText(str(tgt), 1000)}`
  return clear(
    new Map<Value, Value>([
      ['jid', null],
      ['minions', []],
      ['error', error],
      ...(problems.length > 0 ? [['reason', problems.join('\n')] as const] : []),
    ]),
  )
}
