// `_return`: a minion's answer to a job. It is on disk before the minion hears that it came, and counts once however often
// it is sent. The event of a return is the master's own, and the id in its tag is the proven one.
import { isLogged, jobLog, type Later, newJid, shownText, toError } from '../base/mod.ts'
import { type EventForm, frameHead, minionOrigin, type Origin, stamp, withTrace } from '../bus/mod.ts'
import type { Cluster } from '../cluster/mod.ts'
import { option } from '../config/mod.ts'
import { briefStr, type Dict, isDict, Packed, str, textOf, truthy, type Value } from '../data/mod.ts'
import { HINTS, hintsValue, readHints } from '../sdk/mod.ts'
import { frameEvent, NotTakenError } from '../wire/mod.ts'
import { type PreparedReturn, returnRecord, type SentReturn } from './log-records.ts'
import { fireFor } from './minion-events.ts'
import type { MasterParts } from './parts.ts'
import type { Quotas } from './quotas.ts'
import { Resources } from './resources.ts'

type ReturnParts = Pick<MasterParts, 'opts' | 'log' | 'keys' | 'cache' | 'bus' | 'jobs' | 'jobCaches' | 'cluster'>

/** Valid names of modules and functions; other names do not become a part of a tag. */
const WORD = /^\w+$/

const STATE_FUNCTIONS = new Set(['state.sls', 'state.apply', 'state.highstate'])

/** Assign a job id to a return without a publication, such as of a call on the minion itself. */
function adopt(load: Dict): string {
  const given = textOf(load.get('jid') ?? null) ?? ''
  if (given !== 'req') return given
  const jid = newJid()
  load.set('jid', jid)
  return jid
}

const isFailed = (result: Value): boolean => isDict(result) && result.get('result') === false

/** How many values of a return are read here, and how many events a minion causes. */
export type ReturnQuotas = Pick<Quotas, 'valuesOfRequest' | 'allowsEvents'>

/** How one master of a cluster carries out a return. */
export interface ReturnForm extends Pick<EventForm, 'mark' | 'isForeign'> {
  /** Whether this process must fire the event of the return, because an earlier process of this master did not; undefined outside a replay. */
  isUntold?(isFirst: boolean): boolean
  /**
   * Whether an earlier process of this master received the return: this process then does the part of the receiving
   * master.
   */
  isLeft?: boolean
}

export class ReturnService {
  private readonly parts: ReturnParts
  private readonly quotas: ReturnQuotas
  /** The resources that a minion may return for. */
  readonly resources: Resources

  constructor(parts: ReturnParts, quotas: ReturnQuotas) {
    this.parts = parts
    this.quotas = quotas
    this.resources = new Resources(parts)
  }

  /** Store a return and fire its event; resolves when it is on disk. A syndic sends returns of other minions. */
  take(load: Dict, syndic?: Origin): Later<null> {
    const { opts, cluster } = this.parts
    const sender = syndic ?? minionOrigin(str(load.get('id')!))
    const isOwn = load.get('jid') === 'req'
    const jid = adopt(load)
    const id = this.idOf(load)
    this.checkHints(load, id)
    const isKept = jid !== 'nocache' && option(opts, 'job_cache')
    // if the store fails, for example on a full disk, the return must not be confirmed
    const unkept = (error: unknown): never => {
      const { message } = toError(error)
      throw new NotTakenError(`Cannot keep the return of ${id} to job ${jid}: ${message}`, { cause: error })
    }
    const job = isKept && isOwn ? jobOf(load, id) : undefined
    withTrace(load.set('_stamp', stamp()))
    const prepared = { jid, id, isKept, job, tag: `salt/job/${jid}/ret/${id}`, data: load, sender }
    if (cluster) return appendReturn(cluster, prepared).then(() => null, unkept)
    try {
      const done = this.carryOut(prepared)
      return done instanceof Promise ? done.catch(unkept) : done
    } catch (error) {
      return unkept(error)
    }
  }

  /** Store a return, and fire its event if it is the first of its minion. */
  carryOut({ jid, id, isKept, job, ...event }: PreparedReturn, form: ReturnForm = {}): Later<null> {
    const { jobs, jobCaches, bus } = this.parts
    const { isUntold = (isFirst: boolean) => isFirst, isLeft = false, ...marks } = form
    const isOwn = !form.isForeign || isLeft
    if (job) {
      jobs.saveJob({ jid, load: job, minions: [id] })
      if (isOwn) void jobCaches.published(jid, job, [id])
    }
    // packed once, for the store and for listeners
    const { frame, packed } = frameEvent(event.tag, event.data, frameHead(bus.own))
    const told = { ...marks, frame, isKept }
    if (!isKept) return isUntold(true) ? this.tell(event, told, isOwn) : null
    return jobs
      .saveReturn({ jid, id, data: event.data, packed })
      .then((isFirst) => (isUntold(isFirst) ? this.tell(event, told, isOwn) : null))
  }

  /** The id that the return counts for: the minion's, or that of a resource which the minion has registered. */
  private idOf(load: Dict): string {
    const id = str(load.get('id')!)
    const resource = load.get('resource_id') ?? null
    load.delete('resource_id')
    if (resource === null) return id
    if (!this.resources.isOf(id, briefStr(resource))) {
      const named = shownText(briefStr(resource))
      this.parts.log('warning', `Minion ${id} has no resource ${named}: its return counts for the minion itself`)
      return id
    }
    load.set('id', resource)
    return briefStr(resource)
  }

  /** Keep only well-formed hints within the limits with the return. */
  private checkHints(load: Dict, id: string): void {
    if (!load.has(HINTS)) return
    const { hints, whole } = readHints(load)
    if (!whole) this.parts.log('warning', `Dropped hints of minion ${id} that are malformed or exceed the limit`)
    if (hints.length > 0) load.set(HINTS, hintsValue(hints))
    else load.delete(HINTS)
  }

  private tell({ tag, data, sender }: SentReturn, form: EventForm, isOwn: boolean): null {
    const { bus, log } = this.parts
    if (isLogged(log, 'info')) {
      const jid = str(data.get('jid') ?? '')
      jobLog(log, jid)('info', `Got return from ${str(data.get('id') ?? '')} for job ${jid}`)
    }
    const isReadable = this.isReadable(data)
    const event = bus.tell(bus.own, tag, data, form)
    // the master that got the return does the rest
    if (!isOwn) return null
    if (STATE_FUNCTIONS.has(textOf(data.get('fun') ?? null) ?? '') && truthy(data.get('retcode') ?? 0)) {
      if (isReadable) this.tellFailed(event.data, sender)
      else log('warning', `Fired no events of failed states for ${tag}: the return holds too many values`)
    }
    if (event.isKept) void this.parts.jobCaches.returned(event)
    return null
  }

  /** Whether the returned value is small enough to decode at once. */
  private isReadable(load: Dict): boolean {
    const returned = load.get('return')
    return !(returned instanceof Packed) || returned.values <= this.quotas.valuesOfRequest
  }

  private tellFailed(load: Dict, sender: Origin): void {
    const ret = load.get('return') ?? null
    if (!isDict(ret)) return
    const failed = [...ret].filter((entry): entry is [Value, Dict] => isFailed(entry[1]))
    // the minion chooses how many there are, as with events that it fires itself
    if (failed.length === 0 || !this.quotas.allowsEvents(sender.name, 2 * failed.length)) return
    for (const [tag, result] of failed) this.failed(load, tag, result, sender)
  }

  /** Fires two events for a state that failed: the master's own, and the old one under the name of the state function. */
  private failed(load: Dict, tag: Value, result: Dict, sender: Origin): void {
    const parts = str(tag).split('_|-')
    const names = [parts[0]!, parts.at(-1)!]
    const fun = names.join('.')
    const [jid, id] = [str(load.get('jid')!), str(load.get('id')!)]
    const data = new Map(result).set('retcode', load.get('retcode') ?? 1)
    if (data.has('id')) data.set('id', id)
    if (names.every((name) => WORD.test(name))) fireFor(this.parts, sender, fun, new Map(data))
    const more = ['jid', 'id', 'success', 'fun', 'user'] as const
    const event: Dict = new Map(data).set('return', `Error: ${fun}`)
    for (const name of more) if (load.has(name)) event.set(name, name === 'success' ? false : load.get(name)!)
    this.parts.bus.fire(`salt/job/${jid}/sub/${id}/error/${briefStr(load.get('fun') ?? '')}`, event)
  }
}

/**
 * Append a return to the log of the cluster. A return above the message limit, which the minion would send forever, is
 * replaced by an error.
 */
async function appendReturn(cluster: Cluster, prepared: PreparedReturn): Promise<void> {
  try {
    await cluster.append(returnRecord(prepared))
  } catch (error) {
    if ((error as { code?: string }).code !== 'TooLarge') throw error
    const data = new Map(prepared.data).set('return', toError(error).message).set('success', false).set('retcode', 1)
    await cluster.append(returnRecord({ ...prepared, data }))
  }
}

/** Return the job of a call on the minion itself. */
function jobOf(load: Dict, id: string): Dict {
  load.set('arg', load.get('fun_args') ?? load.get('arg') ?? [])
  load.set('tgt_type', 'glob')
  load.set('tgt', id)
  const job: Dict = new Map<Value, Value>([
    ['fun', load.get('fun') ?? ''],
    ['arg', load.get('arg')!],
    ['tgt', id],
    ['jid', load.get('jid')!],
    ['tgt_type', 'glob'],
    ['user', load.get('user') ?? 'root'],
  ])
  if (load.has('metadata')) job.set('metadata', load.get('metadata')!)
  return job
}
