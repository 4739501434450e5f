// The record of one reaction: the event, the rules and files that matched, the calls and their results. It is written
// when the event arrives, before the first call, and when calls end, so that the next start of the master knows what is
// left. In a cluster it also goes to the other masters, before each call begins, so that another one can continue.
import { newJid } from '../base/mod.ts'
import { type Origin, originDict, readOrigin, UNKNOWN } from '../bus/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import type { KeptReaction, ReactionStore } from '../store/mod.ts'
import type { ReactionCall, ReactionKind } from './calls.ts'

export interface ReactionHead {
  tag: string
  data: Dict
  origin: Origin
  rules: string[]
  depth: number
  cause?: number
  /** The number of the event in the journal. */
  event?: number
  /** The file and line of each rule. */
  places: Dict
  /** The id of the event in a cluster. */
  mark?: string
}

/** The record of a reaction that this master drives, as the masters of a cluster share it. */
export interface SharedRecord {
  /** Whether another master drives the reaction now: this one changes nothing more. */
  readonly isLost: boolean
  /** Send the present state of the record behind earlier ones. */
  changed(isOpen: boolean): void
  /** Resolves when the cluster has all changes so far: whether this master still drives the reaction. */
  settled(): Promise<boolean>
}

/** The records of reactions of all masters of a cluster. */
export interface SharedReactions {
  /** Whether a master has reacted to an event. */
  has(mark: string): boolean
  /** Share the record of a reaction that begins. */
  begin(mark: string, id: number, tag: string, content: Dict): SharedRecord
  /** Call with each reaction that this master takes over from now on. */
  onTaken(take: (kept: Omit<KeptReaction, 'at'>, shared: SharedRecord) => void): void
  /** Send what is left, for some seconds, and nothing more. */
  close(): Promise<void>
}

export type ReactionCallState = 'waiting' | 'running' | 'done' | 'failed'

export const stateOf = (entry: Dict): ReactionCallState => str(entry.get('state') ?? 'waiting') as ReactionCallState

export class ReactionRecord {
  readonly id: number
  private readonly store: ReactionStore
  private readonly content: Dict
  private readonly calls: Dict[]
  private left: number
  private readonly mark: string | undefined
  private shared: SharedRecord | undefined
  /** Called when a file or a call of the reaction fails. */
  onFailure: (() => void) | undefined

  constructor(store: ReactionStore, { id, mark, record }: Omit<KeptReaction, 'at'>, shared?: SharedRecord) {
    this.store = store
    this.id = id
    this.mark = mark
    this.shared = shared
    const content = record
    this.content = content
    const calls = content.get('calls') ?? null
    this.calls = isList(calls) ? calls.filter(isDict) : []
    this.left = this.calls.filter((entry) => ['waiting', 'running'].includes(stateOf(entry))).length
  }

  static begin(store: ReactionStore, head: ReactionHead, all?: SharedReactions): ReactionRecord {
    const { tag, data, origin, rules, depth, cause, event, places, mark } = head
    const content = new Map<Value, Value>([
      ['tag', tag],
      ['event', event ?? null],
      ['data', data],
      ['origin', originDict(origin)],
      ['rules', rules],
      ['places', places],
      ['depth', depth],
      ['cause', cause ?? null],
      ['files', []],
      ['errors', []],
      ['calls', null],
    ])
    const id = store.begin(tag, content, mark)
    const shared = mark === undefined ? undefined : all?.begin(mark, id, tag, content)
    return new ReactionRecord(store, { id, record: content, ...(mark !== undefined && { mark }) }, shared)
  }

  /** The reactions that the last run of the master did not finish; those that a cluster shares belong to all masters. */
  static interrupted(store: ReactionStore, isShared: boolean): ReactionRecord[] {
    const own = store.open().filter(({ mark }) => !isShared || mark === undefined)
    return own.map((kept) => new ReactionRecord(store, kept))
  }

  get tag(): string {
    return str(this.content.get('tag') ?? '')
  }

  /** Whether the record has the data of the event, which may have been too large for the log of a cluster. */
  get isWhole(): boolean {
    return this.content.get('data') !== null
  }

  get data(): Dict {
    const data = this.content.get('data') ?? null
    return isDict(data) ? data : new Map()
  }

  /** Unknown in records of earlier versions. */
  get origin(): Origin {
    const kept = this.content.get('origin') ?? null
    return isDict(kept) ? readOrigin(['kind', 'name', 'proof'].map((name) => kept.get(name) ?? '')) : UNKNOWN
  }

  get depth(): number {
    return Number(this.content.get('depth') ?? 1)
  }

  /** The planned calls; undefined before planning is done. */
  get plan(): readonly Dict[] | undefined {
    return this.content.get('calls') === null ? undefined : this.calls
  }

  file(path: string, high: Dict, lines: Dict): void {
    const known = this.content.get('files') as Value[]
    known.push(new Map<Value, Value>([['file', path]]).set('reactions', high).set('lines', lines))
  }

  error(text: string): void {
    this.onFailure?.()
    ;(this.content.get('errors') as Value[]).push(text)
  }

  /** Count one more resumption; drop the files and errors of an unfinished plan. */
  takenUp(): void {
    this.content.set('interruptions', Number(this.content.get('interruptions') ?? 0) + 1)
    if (!this.plan) this.content.set('files', []).set('errors', [])
    this.write()
  }

  /** Add the entry of a call that follows the calls it requires. */
  add(call: ReactionCall, sls: Value, requires: readonly string[]): Dict {
    const entry = new Map<Value, Value>([
      ['id', call.id],
      ['type', call.kind],
      ['fun', call.fun],
      ['args', call.args],
      ['kwargs', new Map<Value, Value>(call.kwargs)],
    ])
    if (call.tgt !== undefined) entry.set('tgt', call.tgt).set('tgt_type', call.tgtType ?? 'glob')
    if (call.ret) entry.set('ret', call.ret)
    if (call.options) entry.set('options', call.options)
    if (requires.length > 0) entry.set('requires', [...requires])
    entry.set('file', sls).set('state', 'waiting')
    this.calls.push(entry)
    this.left++
    return entry
  }

  /** Marks a call that begins as soon as the plan is written. */
  starts(entry: Dict): void {
    if (entry.get('type') !== 'caller') entry.set('jid', newJid())
    entry.set('state', 'running')
  }

  /** Mark the calls as complete and write the record. */
  planned(): void {
    this.content.set('calls', this.calls)
    this.write()
  }

  /** Write that a call begins, unless that is written; resolves when it may begin, with False if another master took over. */
  begins(entry: Dict): Promise<boolean> {
    if (stateOf(entry) !== 'running') {
      this.starts(entry)
      this.write()
    }
    return this.settled()
  }

  /** Resolves when the other masters know the record: whether this master still drives the reaction. */
  settled(): Promise<boolean> {
    return this.shared?.settled() ?? Promise.resolve(true)
  }

  /** Notes something about a call. */
  note(entry: Dict, name: string, value: Value): void {
    entry.set(name, value)
    this.write()
  }

  ended(entry: Dict, state: 'done' | 'failed', result: Value): void {
    if (this.shared?.isLost) return
    entry.set('state', state).set(state === 'done' ? 'result' : 'error', result)
    if (state === 'failed') this.onFailure?.()
    this.left--
    if (this.plan) this.write()
  }

  private write(): void {
    if (this.shared?.isLost) return
    const { tag, mark, content: record } = this
    const isOpen = !this.plan || this.left > 0
    this.store.update(this.id, { tag, record, isOpen, mark })
    this.shared?.changed(isOpen)
  }
}

/** The call that an entry of a record is about. */
export function callIn(entry: Dict): ReactionCall {
  const [args, kwargs, options] = ['args', 'kwargs', 'options'].map((name) => entry.get(name) ?? null)
  return {
    kind: str(entry.get('type') ?? '') as ReactionKind,
    id: str(entry.get('id') ?? ''),
    fun: str(entry.get('fun') ?? ''),
    args: isList(args!) ? [...args] : [],
    kwargs: new Map(isDict(kwargs!) ? [...kwargs].map(([key, value]) => [str(key), value]) : []),
    ...(entry.has('tgt') && { tgt: entry.get('tgt')!, tgtType: str(entry.get('tgt_type') ?? 'glob') }),
    ...(entry.has('ret') && { ret: str(entry.get('ret')!) }),
    ...(isDict(options!) && { options }),
  }
}

/** The name by which other calls of the same reaction refer to this one. */
export const nameIn = (entry: Dict): string => `${str(entry.get('type') ?? '')}/${str(entry.get('id') ?? '')}`

export const requiredBy = (entry: Dict): string[] => {
  const names = entry.get('requires') ?? null
  return isList(names) ? names.map(str) : []
}
