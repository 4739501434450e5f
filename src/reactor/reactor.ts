// The reactor of a master. It receives every event and carries out the reactions of matching rules in order. Reactions
// that the last run of the master did not finish are resumed first.
import { guarded, shownText } from '../base/mod.ts'
import { type BusEvent, isOwn, patternText } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, repr, str, type Value } from '../data/mod.ts'
import { failureLine } from '../render/mod.ts'
import { compileReactions } from '../state/mod.ts'
import type { ReactionStore } from '../store/mod.ts'
import { readTraceparent, type TraceContext, type Tracer } from '../telemetry/mod.ts'
import { type DeclaredFunctions, KINDS, kindOf, reactionCall } from './calls.ts'
import { carryOut } from './carry-out.ts'
import { type Cause, Causes } from './causes.ts'
import { Limits } from './limits.ts'
import { Managing } from './manage.ts'
import { Performer, type PerformParts, REACTOR_USER } from './perform.ts'
import { plan } from './plan.ts'
import { ReactionRecord, type SharedReactions } from './record.ts'
import { type ReactedEvent, renderReaction } from './render-reactions.ts'
import { RulePlaces } from './rule-places.ts'
import { type Rule, Rules } from './rules.ts'

export interface ReactorParts extends Omit<PerformParts, 'causes'> {
  store: ReactionStore
  declared: DeclaredFunctions
  /** The master's key, which proves that a program on this machine may manage the reactor. */
  masterKey(): string
  /** Resolves when minions have come back to a master that has just begun. */
  minionsBack?: Promise<void>
  /** Sends the spans of reactions. */
  tracer?: Tracer | undefined
  /** The records of reactions of all masters of a cluster. */
  shared?: SharedReactions | undefined
}

const LOOP_TAG = 'salt/reactor/loop'

interface Answering extends ReactedEvent {
  rules: Rule[]
  cause: Cause | undefined
  depth: number
}

/** Receives the files and errors while a reaction is planned. */
interface Noted {
  file(path: string, high: Dict, lines: Dict): void
  error(text: string): void
}

export class Reactor {
  private readonly parts: ReactorParts
  private readonly rules: Rules
  private readonly places: RulePlaces
  private readonly causes = new Causes()
  private readonly limits: Limits
  private readonly performer: Performer
  private readonly managing: Managing
  private readonly deepest: number
  private stop: (() => void) | undefined
  private last: Promise<void> = Promise.resolve()
  /** The chain of planned reactions, which are carried out one after the other. */
  private carrying: Promise<void> = Promise.resolve()
  private planned = 0
  private isClosed = false
  /** Reactions since the start: begun, failed, and waiting or running. */
  readonly counts = { begun: 0, failed: 0, waiting: 0 }

  constructor(parts: ReactorParts) {
    this.parts = parts
    const { opts, log } = parts.context
    this.rules = new Rules(opts, log)
    this.places = new RulePlaces(opts)
    this.limits = new Limits(opts)
    this.performer = new Performer({ ...parts, causes: this.causes })
    this.deepest = option(opts, 'reactor_max_depth')
    this.managing = new Managing({
      opts,
      log,
      bus: parts.bus,
      rules: this.rules,
      masterKey: parts.masterKey,
      preview: (event) => this.preview(event),
    })
  }

  start(): void {
    this.stop = this.parts.bus.listen((event) => this.hear(event))
    const { store, shared } = this.parts
    const interrupted = ReactionRecord.interrupted(store, shared !== undefined)
    for (const { tag } of interrupted) {
      this.parts.context.log('warning', `A reaction to event ${tag} did not end before the master did`)
    }
    if (interrupted.length > 0) this.apart('Taking up reactions', () => this.takeUpAll(interrupted))
    shared?.onTaken((kept, record) => {
      this.apart('Taking over a reaction', () => this.takeUpAll([new ReactionRecord(store, kept, record)]))
    })
  }

  /** Resume recorded reactions after the minions are back: an earlier job would reach no minion. */
  private async takeUpAll(records: readonly ReactionRecord[]): Promise<void> {
    await this.parts.minionsBack
    if (this.isClosed) return
    for (const record of records) {
      record.takenUp()
      this.follow(() => this.takeUp(record))
    }
  }

  /** Return the rules in their order: `tag`, `files`, `origins` in words, and `place`, the file and line where a file has the rule. */
  shownRules(): Dict[] {
    return this.rules.all().map(({ pattern, files, origins }) =>
      new Map<Value, Value>([['tag', pattern]])
        .set('files', [...files])
        .set('origins', origins?.map(patternText) ?? null)
        .set('place', this.places.of(pattern) ?? null),
    )
  }

  /** Resolves when the reactions to all received events are recorded; undefined if nothing is to be written. */
  get writing(): Promise<void> | undefined {
    return this.parts.store.pending
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.stop?.()
    await this.parts.shared?.close()
    this.performer.jobs.close()
    await this.last
    await this.carrying
  }

  /** Decode the data of an event only if a rule matches: a return may be large, and stays packed until then. */
  private hear(event: BusEvent): void {
    const { tag, number, origin, fields, mark } = event
    this.causes.hear(tag)
    // calls of the reactor itself cause no reaction; the name alone is no proof, since the user in a return or in a
    // refused request is what the sender wrote
    const isCall = !tag.startsWith('salt/job/') && (origin.proof === 'process' || isOwn(origin))
    const isItsOwn = isCall && fields.get('user') === REACTOR_USER
    if (isItsOwn || tag === LOOP_TAG) return
    if (tag.includes('salt/reactors/manage')) {
      this.apart(`Answering ${shownText(tag)}`, () => this.managing.answer(tag, fields, origin))
      return
    }
    if (!this.managing.isLeader) return
    const rules = this.rules.matching(tag, origin)
    if (rules.length === 0 || (mark !== undefined && this.parts.shared?.has(mark))) return
    const { data } = event
    const refusal = this.limits.refusal(tag, data)
    if (refusal !== undefined) {
      this.parts.context.log('info', `No reaction to event ${tag}: ${refusal}`)
      return
    }
    const cause = this.causes.of(tag, data)
    const depth = (cause?.depth ?? 0) + 1
    if (depth > this.deepest) return this.cutLoop({ tag, data, origin, rules, cause, depth })
    this.begin({ tag, data: new Map(data), origin, rules, cause, depth, number, ...(mark !== undefined && { mark }) })
  }

  /** Record the reaction at once, and carry it out after the earlier ones. */
  private begin(answering: Answering & { number: number; mark?: string }): void {
    const { tag, data, origin, rules, cause, depth, number, mark } = answering
    const patterns = rules.map(({ pattern }) => pattern)
    const places = new Map(patterns.map((pattern): [Value, Value] => [pattern, this.places.of(pattern) ?? null]))
    const head = {
      tag,
      data,
      origin,
      rules: patterns,
      places,
      depth,
      event: number,
      ...(mark !== undefined && { mark }),
    }
    const { store, shared } = this.parts
    const record = ReactionRecord.begin(store, { ...head, ...(cause && { cause: cause.record }) }, shared)
    this.counts.begun++
    record.onFailure = () => void this.counts.failed++
    this.counts.waiting++
    const parent = readTraceparent(data.get('traceparent'))
    this.follow(() => this.traced(tag, parent, () => this.answer(answering, record)))
  }

  /** Carry out the reaction in a span below the span of the event. */
  private traced(tag: string, parent: TraceContext | undefined, answer: () => Promise<void>): Promise<void> {
    const { tracer } = this.parts
    if (!tracer) return answer()
    const attributes = { 'salt.reactor.tag': tag }
    return tracer.span({ name: `salt.reactor.${tag}`, kind: 'consumer', attributes, parent }, answer)
  }

  /** Run work outside of the current cause, so that unrelated events do not count as caused by it. */
  private follow(work: () => Promise<void>): void {
    this.causes.apart(() => {
      this.last = this.last.then(work).catch((error: unknown) => {
        this.parts.context.log('error', `A reaction failed: ${failureLine(error)}`)
      })
    })
  }

  /** Run work in the background. */
  private apart(what: string, work: () => Promise<unknown>): void {
    guarded(this.parts.context.log, what, work)()
  }

  private carry(record: ReactionRecord, depth: number, isTakenUp: boolean): Promise<void> {
    const cause = { record: record.id, depth }
    const heardAnswered = async (): Promise<void> => {
      await this.last
      await this.carrying
    }
    return carryOut({ performer: this.performer, record, cause, isTakenUp, heardAnswered })
  }

  /** Resume a recorded reaction; the others need not wait for it. */
  private async takeUp(record: ReactionRecord): Promise<void> {
    const { tag, data, origin, depth } = record
    if (!(await record.settled())) return
    if (!record.plan && !record.isWhole) {
      record.error('The data of the event did not fit into the log of the cluster')
      record.planned()
      return
    }
    if (!record.plan) {
      return this.answer({ tag, data, origin, rules: this.rules.matching(tag, origin), depth }, record)
    }
    this.apart(`Reaction to event ${shownText(tag)}`, () => this.carry(record, depth, true))
  }

  private cutLoop({ tag, rules, cause, depth }: Answering): void {
    const patterns = rules.map(({ pattern }) => pattern)
    this.parts.context.log(
      'error',
      `The reactions to event ${tag} cause each other: stopped at depth ${depth - 1} (reactor_max_depth)`,
    )
    const data = new Map<Value, Value>([['tag', tag]]).set('rules', patterns).set('depth', depth - 1)
    this.parts.bus.fire(LOOP_TAG, data.set('cause', cause?.record ?? null))
  }

  private async answer(event: Omit<Answering, 'cause'>, record: ReactionRecord): Promise<void> {
    const { context, declared } = this.parts
    try {
      const chunks = await this.chunksFor(event, record)
      await plan(chunks, record, { context, declared, room: this.performer.room - this.planned })
    } catch (error) {
      record.error(failureLine(error))
      context.log('error', `Exception encountered while compiling reactions\n${failureLine(error)}`)
    }
    record.planned()
    this.planned++
    const kept = this.parts.store.kept().catch((error: unknown) => {
      context.log('error', `Cannot write down the reaction to event ${event.tag}: ${failureLine(error)}`)
    })
    const settled = record.settled()
    // the next one is planned meanwhile, so that many are written together
    const carried = this.carrying.then(async () => {
      await kept
      const isDriven = await settled
      this.planned--
      if (isDriven) await this.carry(record, event.depth, false)
    })
    const over = (): void => {
      this.counts.waiting = Math.max(0, this.counts.waiting - 1)
    }
    carried.then(over, over)
    this.carrying = carried.catch((error: unknown) => {
      context.log('error', `The reaction to event ${shownText(event.tag)} failed: ${failureLine(error)}`)
    })
  }

  /** The files rendered, merged by ID, and their reactions in order. */
  private async chunksFor(event: ReactedEvent & { rules: Rule[] }, record: Noted): Promise<Dict[]> {
    const { context } = this.parts
    const references = event.rules.flatMap(({ files }) => files)
    const high: Dict = new Map()
    for (const reference of references) {
      for (const { file, high: own, lines, error } of await renderReaction(context, reference, event)) {
        record.file(file, own, lines)
        if (error !== undefined) record.error(error)
        for (const [id, body] of own) {
          high.delete(id)
          high.set(id, body)
        }
      }
    }
    if (high.size === 0) return []
    const { chunks, errors } = compileReactions(high, context.opts, context.log)
    if (errors.length === 0) return chunks
    const texts = repr(errors.map(({ text }) => text))
    const text = `Unable to render reactions for event ${event.tag} due to errors (${texts}) in one or more of the sls files (${repr(references)})`
    context.log('error', text)
    record.error(text)
    return []
  }

  /** Return the rules, files and calls that the reactor would use for an event. */
  private async preview(event: ReactedEvent): Promise<Dict> {
    const rules = this.rules.matching(event.tag, event.origin)
    const errors: string[] = []
    const chunks = await this.chunksFor({ ...event, rules }, { file: () => {}, error: (text) => errors.push(text) })
    const calls: Value[] = []
    for (const chunk of chunks) {
      const kind = kindOf(chunk)
      const shown = new Map<Value, Value>([['id', chunk.get('__id__') ?? '']])
      shown.set('call', `${kind}.${str(chunk.get('fun') ?? '')}`).set('file', chunk.get('__sls__') ?? null)
      try {
        const call = KINDS.has(kind)
          ? await reactionCall(chunk, this.parts.declared, this.parts.context.log)
          : undefined
        if (call?.tgt !== undefined) shown.set('tgt', call.tgt)
        if (call) shown.set('args', call.args).set('kwargs', new Map<Value, Value>(call.kwargs))
        else shown.set('error', `It cannot be carried out`)
      } catch (error) {
        shown.set('error', failureLine(error))
      }
      calls.push(shown)
    }
    const matched = rules.map(({ pattern, files }) => new Map<Value, Value>([[pattern, files]]))
    const shown = new Map<Value, Value>([['rules', matched]]).set('calls', calls)
    return errors.length > 0 ? shown.set('errors', errors) : shown
  }
}
