// Salt's digest of events for web sockets with `format_events`: two mappings, of jobs and of minions, sent whole at each change.
import { type Dict, dumpJson, equals, isDict, isList, str, type Value } from '../../data/mod.ts'
import type { HubEvent } from './hub-event.ts'

/** Limit of jobs in a digest; the oldest are dropped first. Salt drops none. */
const MOST_JOBS = 200

export class EventDigest {
  private readonly jobs: Dict = new Map()
  private minions: Dict = new Map()
  private readonly askGrains: (ids: string[]) => void

  /** `askGrains` has minions return their grains, which then come as events. */
  constructor(askGrains: (ids: string[]) => void) {
    this.askGrains = askGrains
  }

  /** Return the messages that an event leads to. */
  process({ tag, fields }: Pick<HubEvent, 'tag' | 'fields'>): string[] {
    const [, kind, jid = '', what, id, ...more] = tag.split('/')
    if (kind === 'key') return this.key(fields)
    if (kind === 'presence') return this.presence(fields)
    if (kind !== 'job' || more.length > 0) return []
    if (what === 'new' && id === undefined) return this.begun(fields)
    return what === 'ret' && id !== undefined ? this.returned(jid, id, fields) : []
  }

  private begun(fields: Dict): string[] {
    const ids = fields.get('minions') ?? null
    const jid = fields.get('jid') ?? null
    if (!isList(ids) || typeof jid !== 'string') return []
    const minions: Dict = new Map(ids.map((id) => [id, new Map([['success', false]])]))
    const job: Dict = new Map<Value, Value>([
      ['jid', jid],
      ['start_time', fields.get('_stamp') ?? null],
      ['minions', minions],
      ['fun', fields.get('fun') ?? null],
      ['tgt', fields.get('tgt') ?? null],
      ['tgt_type', fields.get('tgt_type') ?? null],
      ['state', 'running'],
    ])
    this.keep(jid, job)
    if (fields.get('fun') === 'grains.items') this.minions = new Map()
    return [this.jobsText()]
  }

  private returned(jid: string, id: string, fields: Dict): string[] {
    const job = (this.jobs.get(jid) as Dict | undefined) ?? this.keep(jid, new Map())
    const minions = (job.get('minions') as Dict | undefined) ?? new Map<Value, Value>()
    job.set('minions', minions)
    const minion = (minions.get(id) as Dict | undefined) ?? new Map<Value, Value>()
    minions.set(id, minion)
    for (const field of ['return', 'retcode', 'success']) minion.set(field, fields.get(field) ?? null)
    const isComplete = [...minions.values()].every((each) => isDict(each) && equals(each.get('success') ?? null, true))
    if (isComplete) job.set('state', 'complete')
    const messages = [this.jobsText()]
    if (fields.get('fun') !== 'grains.items') return messages
    this.minions.set(id, new Map([['grains', fields.get('return') ?? null]]))
    return [...messages, this.minionsText()]
  }

  private key(fields: Dict): string[] {
    const [act, id] = [fields.get('act'), fields.get('id')]
    if (typeof id !== 'string') return []
    if (act === 'delete') this.minions.delete(id)
    else if (act === 'accept' && !this.minions.has(id)) this.minions.set(id, new Map())
    return [this.minionsText()]
  }

  private presence(fields: Dict): string[] {
    const present = fields.get('present') ?? null
    if (!isList(present)) return []
    const gone = [...this.minions.keys()].filter((id) => !present.includes(id))
    const added = present.filter((id) => !this.minions.has(id)).map(str)
    for (const id of gone) this.minions.delete(id)
    if (added.length > 0) this.askGrains(added)
    return gone.length + added.length > 0 ? [this.minionsText()] : []
  }

  private keep(jid: string, job: Dict): Dict {
    this.jobs.set(jid, job)
    if (this.jobs.size > MOST_JOBS) this.jobs.delete(this.jobs.keys().next().value!)
    return job
  }

  private jobsText(): string {
    return dumpJson(new Map([['jobs', this.jobs]]), { ensureAscii: false })
  }

  private minionsText(): string {
    const minions = [...this.minions].map(([id, known]) => new Map([...(known as Dict), ['id', id]]))
    return dumpJson(new Map([['minions', minions]]), { ensureAscii: false })
  }
}
