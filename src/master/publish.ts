// `publish`: who may, who is meant, and out it goes. The job is noted before minions hear of it, so that no return can
// come for a job that nobody knows.
import { type Log, newJid } from '../base/mod.ts'
import { resolveTarget, type Targeted } from '../client/mod.ts'
import { type Dict, isDict, str, textOf, truthy, type Value } from '../data/mod.ts'
import type { MasterParts } from './parts.ts'

/** Says what is wrong with a request, or nothing. */
export interface Refusal {
  name:
    | 'AuthenticationError'
    | 'AuthorizationError'
    | 'TokenAuthenticationError'
    | 'EauthAuthenticationError'
    | 'UserAuthenticationError'
    | 'SaltInvocationError'
  message: string
  /** No event tells of it. */
  isUntold?: true
}

export interface PublishRights {
  /** Judges who asks and whether they may do this to these minions, which are looked for once it is known who asks. */
  judge(load: Dict, targeted: () => Targeted): Promise<Refusal | undefined> | Refusal | undefined
}

/** Fields of a request that its publication carries along. */
const CARRIED = [
  'metadata',
  'ret_config',
  'ret_kwargs',
  'module_executors',
  'executor_opts',
  'master_id',
  'start_event',
]

/** Fields that prove who asks; Salt tells what they hold to all who listen. */
const SECRETS = new Set<Value>(['key', 'token', 'password', 'sharedsecret'])

/** The number of a job. */
const NUMBER = /^\d{20}(_\d+)?$/

const masked = (fields: Dict): Dict =>
  new Map([...fields].map(([name, value]): [Value, Value] => [name, SECRETS.has(name) ? '**********' : value]))

export class Publishing {
  private readonly parts: MasterParts
  private readonly rights: PublishRights

  constructor(parts: MasterParts, rights: PublishRights) {
    this.parts = parts
    this.rights = rights
  }

  /** The answer to a clear `publish`. */
  async publish(load: Dict): Promise<Dict> {
    const kwargs = extra(load)
    const delimiter = textOf(kwargs.get('delimiter') ?? null) ?? ':'
    const kind = textOf(load.get('tgt_type') ?? null) ?? 'glob'
    let found: Targeted | undefined
    const problems: string[] = []
    const { opts, keys, cache } = this.parts
    const log: Log = (level, text) => {
      if (level === 'error') problems.push(text)
      this.parts.log(level, text)
    }
    const targets = (): Targeted => {
      found ??= resolveTarget({ opts, keys, cache, log }, load.get('tgt') ?? '*', kind, delimiter)
      return found
    }
    const refused = await this.refused(load, targets)
    if (refused) return refused
    const targeted = targets()
    const orders = truthy(opts.get('order_masters') ?? false)
    if (targeted.minions.length === 0 && !orders) return nobody(load, problems)
    const jid = jidOf(load)
    this.addExternalCache(load)
    await this.send(publication(load, kwargs, jid), targeted, truthy(kwargs.get('nocache') ?? false))
    return clear(
      new Map<Value, Value>([
        ['jid', jid],
        ['minions', targeted.minions],
        ['missing', targeted.missing],
      ]),
    )
  }

  /** The answer to who may not do this to these minions. */
  async refused(load: Dict, targeted: () => Targeted): Promise<Dict | undefined> {
    const refusal = await this.rights.judge(load, targeted)
    return refusal && this.refuse(load, refusal)
  }

  /** Sends a request that was judged before to these minions. */
  sendTo(load: Dict, minions: string[]): Promise<void> {
    return this.send(publication(load, extra(load), jidOf(load)), { minions, missing: [] })
  }

  /** An external job cache is one more returner of every job. */
  private addExternalCache(load: Dict): void {
    const external = textOf(this.parts.opts.get('ext_job_cache') ?? null) ?? ''
    if (external === '') return
    const own = textOf(load.get('ret') ?? null) ?? ''
    load.set('ret', own === '' ? external : `${own},${external}`)
  }

  /** Notes the job, tells of it, and sends it. */
  async send(load: Dict, { minions, missing }: Targeted, isPassing = false): Promise<void> {
    const { bus, jobs, jobCaches, publications } = this.parts
    const jid = str(load.get('jid')!)
    if (!isPassing) {
      jobs.saveJob({ jid, load, minions })
      await jobCaches.published(jid, load, minions)
    }
    const of = (name: string): [Value, Value] => [name, load.get(name) ?? null]
    const job: Dict = new Map([of('jid'), of('tgt_type'), of('tgt'), of('user'), of('fun'), of('arg')])
    bus.fire(`salt/job/${jid}/new`, job.set('minions', minions).set('missing', missing))
    bus.fire(`salt/job/${jid}/publish`, new Map(load))
    await publications.publish(load)
  }

  private refuse(load: Dict, { name, message, isUntold }: Refusal): Dict {
    const error: Dict = new Map([
      ['name', name],
      ['message', message],
    ])
    if (isUntold) return new Map([['error', error]])
    const event = masked(load)
    const kwargs = event.get('kwargs')
    if (kwargs !== undefined && isDict(kwargs)) event.set('kwargs', masked(kwargs))
    const jid = textOf(load.get('jid') ?? null) ?? ''
    // anybody may be refused: nobody chooses more of a tag than a number
    this.parts.bus.fire(NUMBER.test(jid) ? `salt/job/${jid}/error` : 'salt/job/error', event.set('error', error))
    return new Map([['error', error]])
  }
}

const extra = (load: Dict): Dict => {
  const kwargs = load.get('kwargs')
  return kwargs !== undefined && isDict(kwargs) ? kwargs : new Map()
}

const clear = (load: Dict): Dict =>
  new Map<Value, Value>([
    ['enc', 'clear'],
    ['load', load],
  ])

/** Who asks is told, beyond what Salt tells, what is wrong with the target. */
function nobody(load: Dict, problems: readonly string[]): Dict {
  const error = `Master could not resolve minions for target ${str(load.get('tgt') ?? null)}`
  return clear(
    new Map<Value, Value>([
      ['jid', null],
      ['minions', []],
      ['error', error],
      ...(problems.length > 0 ? [['reason', problems.join('\n')] as const] : []),
    ]),
  )
}

function jidOf(load: Dict): string {
  const given = load.get('jid') ?? null
  return truthy(given) ? str(given) : newJid()
}

/** What minions get: nothing of who asked but the name. */
function publication(load: Dict, kwargs: Dict, jid: string): Dict {
  const published: Dict = new Map<Value, Value>([
    ['fun', load.get('fun') ?? ''],
    ['arg', load.get('arg') ?? []],
    ['tgt', load.get('tgt') ?? '*'],
    ['jid', jid],
    ['ret', load.get('ret') ?? ''],
  ])
  if (load.has('id')) published.set('id', load.get('id')!)
  published.set('tgt_type', load.get('tgt_type') ?? 'glob')
  if (kwargs.has('delimiter') && kwargs.get('delimiter') !== ':') published.set('delimiter', kwargs.get('delimiter')!)
  for (const name of CARRIED) if (kwargs.has(name)) published.set(name, kwargs.get(name)!)
  if (load.has('to')) published.set('to', load.get('to')!)
  return published.set('user', load.get('user') ?? 'UNKNOWN') as Dict
}
