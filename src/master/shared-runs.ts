// The records of orchestration runs in a cluster. A program sends each change of a record to its master, which appends
// the change to the log; the other masters write it into their stores. A run belongs to one master. Another master takes
// the run over by a record with the name of the previous one: the first such record in the log counts, and further
// changes of the previous master are refused.
import { guarded, isJid, toError } from '../base/mod.ts'
import type { Cluster, ClusterRecord } from '../cluster/mod.ts'
import { type Dict, dictFrom, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import type { OrchestrationStore, RunState } from '../store/mod.ts'
import { LogVerdicts } from './log-verdicts.ts'
import type { MasterParts } from './parts.ts'

/** Milliseconds between two searches for runs whose process or master has ended. */
const LOOK_MS = 2000
/** Limit of a step's comment, in characters, if its result is too large for the log. */
const SHORT_COMMENT = 2000

type RunsParts = Pick<MasterParts, 'log' | 'stores'> & {
  cluster: Pick<Cluster, 'append' | 'share' | 'settings' | 'membership' | 'isClosed'>
}

export class SharedRuns {
  private readonly parts: RunsParts
  private readonly verdicts = new LogVerdicts()
  private timer: NodeJS.Timeout | undefined

  constructor(parts: RunsParts) {
    this.parts = parts
  }

  start(): void {
    this.timer ??= setInterval(
      guarded(this.parts.log, 'Looking for interrupted orchestrations', () => this.look()),
      LOOK_MS,
    ).unref()
  }

  private get store(): OrchestrationStore {
    return this.parts.stores.orchestrations()
  }

  private get own(): string {
    return this.parts.cluster.settings.member
  }

  /** Record a change of a program. Return True, False if the cluster accepts no changes now, or a dict with the reason of a refusal. */
  async change(change: Value): Promise<Value> {
    if (!isDict(change) || !isJid(change.get('jid'))) return dictFrom({ refused: 'The record names no run' })
    const jid = str(change.get('jid')!)
    const { store, own } = this
    const before = store.masterOf(jid) || own
    if (change.get('what') === 'begin' && before !== own && store.run(jid)?.state === 'running')
      return dictFrom({ refused: `Orchestration '${jid}' runs on master ${before}` })
    try {
      if (await this.append(change, before)) return true
    } catch (error) {
      this.parts.log('warning', `The record of orchestration '${jid}' waits: ${toError(error).message}`)
      return false
    }
    return dictFrom({ refused: `Master ${store.masterOf(jid) || own} drives orchestration '${jid}' now` })
  }

  /** Append a change; return whether this master drives the run at that position of the log. */
  private append(change: Dict, before: string): Promise<boolean> {
    return this.verdicts.of((id) => this.appendWhole(dictFrom({ k: 'run', id, by: this.own, from: before, change })))
  }

  private async appendWhole(record: Dict): Promise<void> {
    const { cluster } = this.parts
    try {
      await cluster.append(record)
    } catch (error) {
      const change = record.get('change') as Dict
      const result = change.get('result') ?? null
      if ((error as { code?: string }).code !== 'TooLarge' || !isDict(result)) throw error
      const comment = `${str(result.get('comment') ?? '').slice(0, SHORT_COMMENT)} (the changes are too large for the log)`
      const short = new Map(result).set('comment', comment).set('changes', new Map())
      await cluster.append(new Map(record).set('change', new Map(change).set('result', short)))
    }
  }

  /** Carry out a record of the log. */
  apply({ fields }: ClusterRecord): void {
    const change = fields.get('change') ?? null
    const jid = isDict(change) ? change.get('jid') : undefined
    if (!isDict(change) || !isJid(jid)) return
    const by = str(fields.get('by') ?? '')
    const isTaken = this.isOf(jid, by, change, str(fields.get('from') ?? ''))
    // the program itself has already written its changes to this store
    if (isTaken && by !== this.own) write(this.store, jid, by, change)
    this.verdicts.note(str(fields.get('id') ?? ''), isTaken)
  }

  /** Whether a master drives a run. A change that begins the run can pass it to another master. */
  private isOf(jid: string, by: string, change: Dict, from: string): boolean {
    const { store, own } = this
    const known = store.masterOf(jid)
    const present = known === '' ? own : known
    if (change.get('what') !== 'begin') return present === by
    const isTaken = present === undefined || present === by || present === from
    // the program replaces this entry by its process
    if (isTaken && by === own && present !== own) store.begin(jid, dictOf(change.get('asked')), own)
    return isTaken
  }

  private look(): void {
    const { cluster } = this.parts
    const { membership, isClosed } = cluster
    if (isClosed) clearInterval(this.timer)
    if (isClosed || !membership) return
    for (const jid of this.store.follow((master) => master !== this.own && membership.isMemberGone(master))) {
      this.store.end(jid, 'interrupted')
      const change = dictFrom({ jid, what: 'end', state: 'interrupted' })
      cluster.share(dictFrom({ k: 'run', id: '', by: this.own, from: this.own, change }))
    }
  }
}

const dictOf = (value: Value | undefined): Dict => (value !== undefined && isDict(value) ? value : new Map())

const STATES: readonly string[] = ['succeeded', 'failed', 'interrupted']

/** Write a change of another master. */
function write(store: OrchestrationStore, jid: string, by: string, change: Dict): void {
  const tag = str(change.get('tag') ?? '')
  const what = change.get('what')
  if (what === 'begin') store.begin(jid, dictOf(change.get('asked')), by)
  else if (what === 'step') store.beginStep(jid, tag, textOf(change.get('place') ?? null))
  else if (what === 'job') store.noteJob(jid, tag, str(change.get('job') ?? ''))
  else if (what === 'result') store.endStep(jid, tag, dictOf(change.get('result')))
  else if (what === 'end') {
    const state = str(change.get('state') ?? '')
    if (STATES.includes(state)) store.end(jid, state as RunState)
  } else if (what === 'plan') {
    const steps = change.get('steps') ?? null
    if (isList(steps)) store.plan(jid, steps.filter(isList).map(plannedStep))
  }
}

function plannedStep([tag = '', place = null, requires = []]: readonly Value[]) {
  const at = textOf(place)
  return { tag: str(tag), ...(at !== undefined && { place: at }), requires: isList(requires) ? requires.map(str) : [] }
}
