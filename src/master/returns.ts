// `_return`: a minion's answer to a job. It is on disk before the minion hears that it came, and counts once however often
// it is sent.
import { type Later, newJid, toError } from '../base/mod.ts'
import { type EventOrigin, stamp } from '../bus/mod.ts'
import { type Dict, isDict, str, textOf, truthy, type Value } from '../data/mod.ts'
import { type Event, frameEvent, NotTakenError } from '../wire/mod.ts'
import type { MasterParts } from './parts.ts'
import { mayAnswerFor } from './resources.ts'

const STATE_FUNCTIONS = new Set(['state.sls', 'state.apply', 'state.highstate'])

/** Gives a jid to what was not published, such as a call on the minion itself. */
function adopt(load: Dict): string {
  const given = textOf(load.get('jid') ?? null) ?? ''
  if (given !== 'req') return given
  const jid = newJid()
  load.set('jid', jid)
  return jid
}

export class Returns {
  private readonly parts: MasterParts

  constructor(parts: MasterParts) {
    this.parts = parts
  }

  /** Keeps a return and tells of it; done when it is on disk. */
  take(load: Dict): Later<null> {
    const { jobs, opts } = this.parts
    const isOwn = load.get('jid') === 'req'
    const jid = adopt(load)
    const id = this.sender(load)
    const isKept = jid !== 'nocache' && truthy(opts.get('job_cache') ?? true)
    if (isKept && isOwn) jobs.saveJob({ jid, load: jobOf(load, id), minions: [id] })
    // written out once, for the store and for those who listen
    load.set('_stamp', stamp())
    const event = { tag: `salt/job/${jid}/ret/${id}`, data: load }
    const { frame, packed } = frameEvent(event.tag, load)
    if (!isKept) return this.tell(event, { frame, isKept })
    return jobs.saveReturn({ jid, id, data: load, packed }).then(
      (isFirst) => (isFirst ? this.tell(event, { frame, isKept }) : null),
      (error: unknown) => {
        // a store that fails, such as on a full disk, must not cost a return
        const { message } = toError(error)
        throw new NotTakenError(`Cannot keep the return of ${id} to job ${jid}: ${message}`, { cause: error })
      },
    )
  }

  /** Who answers: a minion, or what it looks after, which may not have the name of another one. */
  private sender(load: Dict): string {
    const id = str(load.get('id')!)
    const resource = load.get('resource_id') ?? null
    load.delete('resource_id')
    if (resource === null || !mayAnswerFor(this.parts, id, str(resource))) return id
    load.set('id', resource)
    return str(resource)
  }

  private tell({ tag, data }: Event, origin: EventOrigin): null {
    const event = this.parts.bus.tell(tag, data, origin)
    if (STATE_FUNCTIONS.has(textOf(data.get('fun') ?? null) ?? '') && truthy(data.get('retcode') ?? 0))
      this.tellFailed(event.data)
    if (event.isKept) void this.parts.jobCaches.returned(event)
    return null
  }

  private tellFailed(load: Dict): void {
    const ret = load.get('return') ?? null
    if (!isDict(ret)) return
    for (const [tag, result] of ret)
      if (isDict(result) && result.get('result') === false) this.failed(load, tag, result)
  }

  /** One event for each state that failed, under its own tag and under the old one. */
  private failed(load: Dict, tag: Value, result: Dict): void {
    const parts = str(tag).split('_|-')
    const fun = parts.length > 3 ? `${parts[0]}.${parts[3]}` : str(tag)
    const [jid, id] = [str(load.get('jid')!), str(load.get('id')!)]
    const data = new Map(result).set('retcode', load.get('retcode') ?? 1)
    this.parts.bus.fire(fun, new Map(data))
    const more = ['jid', 'id', 'success', 'fun', 'user'] as const
    const event: Dict = new Map(data).set('return', `Error: ${fun}`)
    for (const name of more) if (load.has(name)) event.set(name, name === 'success' ? false : load.get(name)!)
    this.parts.bus.fire(`salt/job/${jid}/sub/${id}/error/${str(load.get('fun') ?? '')}`, event)
  }
}

/** The job that a call on a minion itself stands for. */
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
