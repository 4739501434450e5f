// The records of reactions in a cluster. The master that reacts to an event appends each change of the record to the
// log, and begins a call when it has read the change there; the other masters write the record into their stores. A
// reaction has one driver, a process: the first one whose record about the event is in the log. When that process is
// gone, the holder of the lease takes the reaction over by a record that names the driver before, and the log refuses
// changes of a driver that lost the reaction.
import { setTimeout as sleep } from 'node:timers/promises'
import { guarded, shownText, toError } from '../base/mod.ts'
import type { Cluster, ClusterRecord } from '../cluster/mod.ts'
import { type Dict, dictFrom, isDict, isList, str, type Value } from '../data/mod.ts'
import type { SharedReactions, SharedRecord } from '../reactor/mod.ts'
import type { KeptReaction, ReactionStore } from '../store/mod.ts'
import { REACTOR_LEASE } from './leases.ts'
import { LogVerdicts } from './log-verdicts.ts'
import type { MasterParts } from './parts.ts'

/** Milliseconds between two looks for reactions whose driver is gone. */
const LOOK_MS = 1000
/** Milliseconds of one attempt to append a change, and between two attempts. */
const APPEND_MS = 3000
const RETRY_MS = 500
/** Milliseconds that a master that stops waits until the log has its changes. */
const CLOSE_MS = 3000
/** Milliseconds after the start in which another master may claim a reaction whose begin may not be in the log. */
const UNSURE_MS = 20_000

/** The parts of a record that change after its begin. */
const CHANGING = ['files', 'errors', 'calls', 'interruptions'] as const
/** The result of a call that no message holds. */
const TOO_LARGE = 'The result is too large for the log of the cluster'

type ReactionsParts = Pick<MasterParts, 'log' | 'stores'> & {
  cluster: Pick<Cluster, 'append' | 'holds' | 'isGone' | 'isCaughtUp' | 'isClosed' | 'writer'>
}

/** A reaction that is not over. */
interface Open {
  id: number
  tag: string
  content: Dict
  /** The process that drives it; empty if an earlier process did and it is unknown whether the log has its begin. */
  driver: string
  /** Whether the log has its begin. */
  isSure: boolean
  /** This master's side of it, while this master drives it. */
  own?: DrivenRecord | undefined
}

export class ReactionSharing implements SharedReactions {
  private readonly parts: ReactionsParts
  private readonly open = new Map<string, Open>()
  private readonly verdicts = new LogVerdicts()
  private take: ((kept: Omit<KeptReaction, 'at'>, shared: SharedRecord) => void) | undefined
  private timer: NodeJS.Timeout | undefined
  private isTaking = false
  private isClosed = false
  private readonly started: number = performance.now()

  constructor(parts: ReactionsParts) {
    this.parts = parts
    for (const { id, mark, record } of this.store.open()) {
      if (mark === undefined) continue
      const [tag = '', driver = ''] = ['tag', 'driver'].map((name) => str(record.get(name) ?? ''))
      this.open.set(mark, { id, tag, content: record, driver, isSure: driver !== '' })
    }
  }

  private get store(): ReactionStore {
    return this.parts.stores.reactions()
  }

  /** The name of this process in the log. */
  get process(): string {
    return this.parts.cluster.writer
  }

  has(mark: string): boolean {
    return this.store.idOf(mark) !== undefined
  }

  begin(mark: string, id: number, tag: string, content: Dict): SharedRecord {
    const own = this.driven(mark, content)
    this.open.set(mark, { id, tag, content, driver: this.process, isSure: false, own })
    own.begins(this.begunOf(content))
    return own
  }

  private driven(mark: string, content: Dict): DrivenRecord {
    return new DrivenRecord(content, (what, fields) => this.change(mark, what, fields))
  }

  /** A record as the log gets it at its begin: numbers of this master mean nothing to others. */
  private begunOf(content: Dict): Dict {
    const cause = content.get('cause') ?? null
    const mark = typeof cause === 'number' ? this.store.one(cause)?.mark : undefined
    return new Map(content).set('event', null).set('cause', mark ?? null)
  }

  onTaken(take: (kept: Omit<KeptReaction, 'at'>, shared: SharedRecord) => void): void {
    this.take = take
    const look = guarded(this.parts.log, 'Looking for unfinished reactions', () => this.look())
    this.timer ??= setInterval(look, LOOK_MS).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    const sending = [...this.open.values()].map(({ own }) => own?.settled())
    await Promise.race([Promise.all(sending), sleep(CLOSE_MS, undefined, { ref: false })])
    this.isClosed = true
    this.verdicts.refuseAll()
  }

  /** Append a change until the log has it; return whether this process drives the reaction at that place. */
  private async change(mark: string, what: string, fields: Dict): Promise<boolean> {
    let sent = fields
    for (let isFirst = true; !this.isClosed && !this.parts.cluster.isClosed; isFirst = false) {
      try {
        return await this.append(dictFrom({ k: 'reaction', mark, by: this.process, what, fields: sent }))
      } catch (error) {
        if ((error as { code?: string }).code === 'TooLarge') {
          if (sent !== fields) return this.goesAlone(mark, toError(error))
          sent = shortened(fields)
          continue
        }
        if (isFirst) this.parts.log('warning', `The record of a reaction waits: ${toError(error).message}`)
        await sleep(RETRY_MS)
      }
    }
    return false
  }

  /** Go on with a reaction that does not fit into the log. */
  private goesAlone(mark: string, { message }: Error): boolean {
    this.parts.log('error', `No other master can finish a reaction of this one: ${message}`)
    return this.open.get(mark)?.driver === this.process
  }

  private append(record: Dict): Promise<boolean> {
    const { cluster } = this.parts
    return this.verdicts.of((id, verdict) => Promise.race([cluster.append(record.set('id', id), APPEND_MS), verdict]))
  }

  /** Carry out a record of the log; return the id of the event if the record claims it. */
  apply({ fields }: ClusterRecord): string | undefined {
    const [mark, by, what] = ['mark', 'by', 'what'].map((name) => str(fields.get(name) ?? ''))
    const sent = fields.get('fields') ?? null
    if (!mark || !by || !isDict(sent)) return undefined
    const isTaken = what === 'begin' ? this.isBegun(mark, by, sent) : this.isChanged(mark, by, what!, sent)
    this.verdicts.note(str(fields.get('id') ?? ''), isTaken)
    return what === 'begin' ? mark : undefined
  }

  private isBegun(mark: string, by: string, content: Dict): boolean {
    const entry = this.open.get(mark)
    if (entry?.isSure) return entry.driver === by
    if (entry && entry.driver === by) {
      entry.isSure = true
      entry.content.set('driver', by)
      this.write(mark, true)
      return true
    }
    if (entry) this.lose(entry, by)
    else if (this.has(mark)) return false
    const tag = str(content.get('tag') ?? '')
    const whole = content.set('driver', by).set('cause', this.causeOf(content))
    const id = entry?.id ?? this.store.begin(tag, whole, mark)
    this.open.set(mark, { id, tag, content: whole, driver: by, isSure: true })
    if (entry) this.write(mark, true)
    return true
  }

  /** The number that the reaction which caused an event has here. */
  private causeOf(content: Dict): Value {
    const mark = content.get('cause') ?? null
    return typeof mark === 'string' ? (this.store.idOf(mark) ?? null) : null
  }

  private isChanged(mark: string, by: string, what: string, fields: Dict): boolean {
    const entry = this.open.get(mark)
    if (!entry) return false
    if (what === 'take') {
      if (entry.driver === by) return true
      if (entry.driver !== fields.get('from')) return false
      this.lose(entry, by)
      this.write(mark, true)
      return true
    }
    if (entry.driver !== by) return false
    const isOpen = fields.get('open') !== false
    if (by !== this.process) {
      for (const name of CHANGING) if (fields.has(name)) entry.content.set(name, fields.get(name)!)
      this.write(mark, isOpen)
    }
    if (!isOpen) this.open.delete(mark)
    return true
  }

  /** Hand a reaction to another driver. The former one may still hold the content. */
  private lose(entry: Open, by: string): void {
    if (entry.own) entry.own.isLost = true
    entry.own = undefined
    entry.content = new Map(entry.content).set('driver', by)
    entry.driver = by
  }

  private write(mark: string, isOpen: boolean): void {
    const { id, tag, content: record } = this.open.get(mark)!
    this.store.update(id, { tag, record, isOpen, mark })
  }

  /**
   * Take over reactions whose driver is gone, when this master holds the lease, and those of an earlier process of this
   * master that the log does not have.
   */
  private async look(): Promise<void> {
    const { cluster, log } = this.parts
    const canTake = (): boolean => cluster.holds(REACTOR_LEASE) && cluster.isCaughtUp && !this.isClosed
    if (this.isTaking || this.isClosed) return
    this.isTaking = true
    try {
      for (const [mark, { driver, tag, content }] of [...this.open]) {
        const isOwn = driver === '' && performance.now() - this.started > UNSURE_MS && cluster.isCaughtUp
        if (!isOwn && (driver === '' || driver === this.process || !canTake() || !cluster.isGone(driver))) continue
        const isTaken = isOwn
          ? await this.change(mark, 'begin', this.begunOf(content))
          : await this.change(mark, 'take', dictFrom({ from: driver }))
        const entry = this.open.get(mark)
        if (!isTaken || !entry) continue
        log('warning', `This master takes over the reaction to event ${shownText(tag)}, which did not end`)
        entry.own = this.driven(mark, entry.content)
        this.take?.({ id: entry.id, mark, record: entry.content }, entry.own)
      }
    } finally {
      this.isTaking = false
    }
  }
}

type Send = (what: string, fields: Dict) => Promise<boolean>

/** The record of a reaction that this process drives. Changes of one moment are sent together, one message after the other. */
class DrivenRecord implements SharedRecord {
  isLost = false
  private readonly content: Dict
  private readonly send: Send
  private isOpen = true
  private isChanged = false
  private sending: Promise<void> | undefined

  constructor(content: Dict, send: Send) {
    this.content = content
    this.send = send
  }

  begins(content: Dict): void {
    this.sending = this.run(() => this.send('begin', content))
  }

  changed(isOpen: boolean): void {
    this.isOpen = isOpen
    this.isChanged = true
    this.sending ??= this.run()
  }

  async settled(): Promise<boolean> {
    await this.sending
    return !this.isLost
  }

  private async run(first?: () => Promise<boolean>): Promise<void> {
    let isTaken = first ? await first() : true
    // the other changes of this moment go along
    await Promise.resolve()
    while (isTaken && this.isChanged) {
      this.isChanged = false
      const fields: Dict = new Map<Value, Value>([['open', this.isOpen]])
      for (const name of CHANGING) if (this.content.has(name)) fields.set(name, this.content.get(name)!)
      isTaken = await this.send('change', fields)
    }
    if (!isTaken) this.isLost = true
    this.sending = undefined
  }
}

/** Leave out what makes a change too large: the data of the event, the rendered files and the results of calls. */
function shortened(fields: Dict): Dict {
  const calls = fields.get('calls') ?? null
  const short: Dict = new Map(fields).set('files', [])
  if (short.has('data')) short.set('data', null)
  if (!isList(calls)) return short
  const entries = calls.filter(isDict).map((entry) => {
    const result = entry.has('result') && entry.get('type') !== 'local' ? { result: TOO_LARGE } : {}
    return new Map([...entry, ...dictFrom(result)])
  })
  return short.set('calls', entries)
}
