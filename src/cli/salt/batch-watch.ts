// Prints the progress of a batch: the minions of each round, and their returns. The master runs the batch and fires
// events about it. An event can be missed, so the watch reads the stored returns and state before it counts a minion as
// silent, after the master was away, and when no event arrives for a while.
import type { BusEvent } from '../../bus/mod.ts'
import { type EventSource, JobHints, recovered, returnCode } from '../../client/mod.ts'
import { type Dict, isDict, isList, repr, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { isBatchOver, returnedBy } from '../../sdk/mod.ts'
import { showValue } from './show.ts'
import type { SaltWork } from './work.ts'

/** Seconds without an event after which the stored state of the batch is read. */
const LOOK_SECONDS = 30

export interface WatchedBatch {
  jid: string
  minions: readonly string[]
  /** Whether nothing is printed before the end. */
  isQuiet: boolean
}

export class BatchWatch {
  isHalted = false
  retcode = 0
  readonly results: Dict = new Map()
  readonly hints: JobHints = new JobHints()
  private isOver = false
  private readonly work: SaltWork
  private readonly batch: WatchedBatch
  private readonly events: EventSource
  /** Minions that were sent the job. */
  private readonly sent = new Set<string>()
  /** Minions without a known return. */
  private readonly waiting: Set<string>

  constructor(work: SaltWork, batch: WatchedBatch, events: EventSource) {
    this.work = work
    this.batch = batch
    this.events = events
    this.waiting = new Set(batch.minions)
  }

  /** Follow the batch to its end. */
  async follow(): Promise<void> {
    const { events } = this
    while (!this.isOver) {
      const event = await events.next(LOOK_SECONDS)
      if (event) {
        await this.hear(event)
        continue
      }
      if (!events.isOpen) await recovered(events)
      await this.look()
    }
  }

  /** Handle an event. Only the master's events about the batch count; Salt's bus has no origins. */
  private async hear(event: BusEvent): Promise<void> {
    const { tag, data, origin } = event
    const [, family, jid = '', what] = tag.split('/')
    if (jid !== this.batch.jid || (origin.kind !== 'master' && origin.kind !== 'unknown')) return
    if (family === 'job' && what === 'new') this.began(listOf(data.get('minions')))
    else if (family === 'job' && what === 'ret') await this.returned(returnedBy(event, jid), data)
    else if (family === 'batch' && (what === 'complete' || what === 'halted')) await this.ended(what, data)
  }

  /** Make up for missed events. The state is read first: the master stores a return before the state that counts it. */
  private async look(): Promise<void> {
    const state = this.work.client.batchState(this.batch.jid)
    if (!state || !isBatchOver(state)) return this.showStored(this.waiting)
    await this.ended(truthy(state.get('halted') ?? false) ? 'halted' : 'complete', new Map([['state', state]]))
  }

  private began(minions: readonly string[]): void {
    const ids = [...minions].sort()
    for (const id of ids) this.sent.add(id)
    if (!this.batch.isQuiet) this.work.streams.out(`\nExecuting run on ${repr(ids)}\n\n`)
  }

  private async returned(id: string | undefined, data: Dict): Promise<void> {
    if (id === undefined || !this.sent.has(id) || !this.waiting.delete(id)) return
    const value = data.get('return') ?? null
    this.retcode = Math.max(this.retcode, returnCode(data))
    this.results.set(id, value)
    this.hints.note(id, data)
    if (this.batch.isQuiet) return
    const shown = new Map<Value, Value>([
      ['retcode', data.get('retcode') ?? 0],
      ['jid', data.get('jid') ?? ''],
      [id, value],
    ])
    await showValue(this.work, shown, textOf(data.get('out') ?? null) ?? '', 0)
  }

  /** Show the stored returns of these minions. */
  private async showStored(ids: Iterable<string>): Promise<void> {
    const missed = this.events.stored?.(this.batch.jid, ids) ?? new Map<string, Dict>()
    const unannounced = [...missed.keys()].filter((id) => !this.sent.has(id))
    if (unannounced.length > 0) this.began(unannounced)
    for (const [id, data] of missed) await this.returned(id, data)
  }

  /** A minion that was sent the job and did not return counts as an empty return. A batch that was stopped has failed. */
  private async ended(how: string, data: Dict): Promise<void> {
    const state = data.get('state')
    if (how === 'complete') {
      await this.showStored(this.waiting)
      for (const id of this.waiting) this.results.set(id, new Map())
    } else {
      // minions that returned after the stop are no part of the batch
      const done = state !== undefined && isDict(state) ? state.get('done') : undefined
      if (done !== undefined && isDict(done))
        await this.showStored([...done.keys()].map(str).filter((id) => this.waiting.has(id)))
      this.isHalted = true
      this.retcode = Math.max(1, this.retcode)
      this.work.log('error', `Batch run stopped due to ${reasonOf(data)}`)
    }
    this.isOver = true
  }
}

const listOf = (value: Value | undefined): string[] => (value !== undefined && isList(value) ? value.map(str) : [])

function reasonOf(data: Dict): string {
  const state = data.get('state')
  const reason = state !== undefined && isDict(state) ? state.get('halted_reason') : data.get('reason')
  return str(reason ?? 'stop')
}
