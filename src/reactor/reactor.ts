// The reactor of a master: it hears every event, and answers those that a rule matches, one after the other, as their files say.
import type { BusEvent, EventBus } from '../bus/mod.ts'
import { type Dict, fnmatch, isList, numberOf, repr, str, type Value } from '../data/mod.ts'
import { compileReactions } from '../state/mod.ts'
import type { ReactionStore } from '../store/mod.ts'
import { callOf, type Declared, KINDS, kindOf, requirements } from './calls.ts'
import { type Cause, Causes } from './causes.ts'
import { Limits } from './limits.ts'
import { Managing } from './manage.ts'
import { nameOf, Performer, type PerformParts, REACTOR_USER, tellFailure } from './perform.ts'
import { closeInterrupted, ReactionRecord } from './record.ts'
import { failureText, type ReactedEvent, renderReaction } from './render-reactions.ts'
import { type Rule, Rules } from './rules.ts'

export interface ReactorParts extends Omit<PerformParts, 'causes'> {
  bus: EventBus
  store: ReactionStore
  declared: Declared
  /** By which programs on this machine show that they may manage the reactor. */
  masterKey(): string
}

const LOOP_TAG = 'salt/reactor/loop'
const DEEPEST = 20

/** How long a job waits for a minion whose key a reaction has just accepted. */
const START_SECONDS = 300

interface Answering extends ReactedEvent {
  rules: Rule[]
  cause: Cause | undefined
  depth: number
}

export class Reactor {
  private readonly parts: ReactorParts
  private readonly rules: Rules
  private readonly causes = new Causes()
  private readonly limits: Limits
  private readonly performer: Performer
  private readonly managing: Managing
  private readonly deepest: number
  private stop: (() => void) | undefined
  private last: Promise<void> = Promise.resolve()

  constructor(parts: ReactorParts) {
    this.parts = parts
    const { opts, log } = parts.context
    this.rules = new Rules(opts, log)
    this.limits = new Limits(opts)
    this.performer = new Performer({ ...parts, causes: this.causes })
    this.deepest = numberOf(opts.get('reactor_max_depth') ?? DEEPEST) ?? DEEPEST
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
    // at least once: what may have been done in part is done again, and told of
    for (const { tag, data, depth, isUndone } of closeInterrupted(this.parts.store)) {
      this.parts.context.log('warning', `A reaction to event ${tag} did not end before the master did`)
      if (isUndone) this.begin({ tag, data, rules: this.rules.matching(tag), cause: undefined, depth })
    }
    this.stop = this.parts.bus.listen((event) => this.hear(event))
  }

  async close(): Promise<void> {
    this.stop?.()
    await this.last
  }

  private hear({ tag, data }: BusEvent): void {
    if (data.get('user') === REACTOR_USER || tag === LOOP_TAG) return
    if (tag.includes('salt/reactors/manage')) {
      void this.managing.answer(tag, data)
      return
    }
    if (!this.managing.isLeader) return
    const rules = this.rules.matching(tag)
    if (rules.length === 0) return
    const refusal = this.limits.refusal(tag, data)
    if (refusal !== undefined) {
      this.parts.context.log('info', `No reaction to event ${tag}: ${refusal}`)
      return
    }
    const cause = this.causes.of(tag, data)
    const depth = (cause?.depth ?? 0) + 1
    if (depth > this.deepest) return this.cutLoop({ tag, data, rules, cause, depth })
    this.begin({ tag, data: new Map(data), rules, cause, depth })
  }

  /** Written down at once, and answered after those that came before. */
  private begin(answering: Answering): void {
    const { tag, data, rules, cause, depth } = answering
    const head = { tag, data, rules: rules.map(({ pattern }) => pattern), depth }
    const record = new ReactionRecord(this.parts.store, { ...head, ...(cause && { cause: cause.record }) })
    // events in between must not count as caused by what is going on here
    this.causes.apart(() => {
      this.last = this.last.then(() => this.answer(answering, record))
    })
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

  private async answer(answering: Answering, record: ReactionRecord): Promise<void> {
    try {
      const chunks = await this.chunksFor(answering, record)
      await this.carryOut(chunks, record, { record: record.id, depth: answering.depth })
    } catch (error) {
      record.error(failureText(error))
      this.parts.context.log('error', `Exception encountered while compiling reactions\n${failureText(error)}`)
    }
    record.planned()
  }

  /** The files rendered, merged by ID, and their reactions in order. */
  private async chunksFor(event: ReactedEvent & { rules: Rule[] }, record?: ReactionRecord): Promise<Dict[]> {
    const { context } = this.parts
    const references = event.rules.flatMap(({ files }) => files)
    const high: Dict = new Map()
    for (const reference of references) {
      for (const { file, high: own, error } of await renderReaction(context, reference, event)) {
        record?.file(file, own)
        if (error !== undefined) record?.error(error)
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
    record?.error(text)
    return []
  }

  private async carryOut(chunks: readonly Dict[], record: ReactionRecord, cause: Cause): Promise<void> {
    const { context, declared } = this.parts
    const outcomes = new Map<string, Promise<boolean>>()
    for (const chunk of chunks) {
      const kind = kindOf(chunk)
      if (!KINDS.has(kind)) {
        const failure = `KeyError: '${kind}'`
        record.error(failure)
        context.log(
          'error',
          `An un-handled exception from the multiprocessing process 'Reactor' was caught:\nTraceback (most recent call last):\n${failure}`,
        )
        return
      }
      try {
        const call = await callOf(chunk, declared, context.log)
        if (!call) continue
        const isKnown = kind === 'local' || kind === 'caller' || (await declared(call.kind as 'runner', call.fun))
        const entry = record.add(call, chunk.get('__sls__') ?? null)
        if (!isKnown) {
          record.ended(entry, 'failed', `There is no ${kind} function '${call.fun}'`)
          continue
        }
        const perform = (): Promise<boolean> => this.performer.perform(call, record, entry, cause)
        const needs = this.needsOf(chunk, chunks, outcomes)
        const outcome = needs ? this.after(needs, record, entry, perform) : perform()
        outcomes.set(`${kind}/${call.id}`, outcome)
        if (kind === 'local' && !needs) await outcome
      } catch (error) {
        record.error(failureText(error))
        tellFailure(context, nameOf(chunk, kind), error)
      }
    }
  }

  /** What must have succeeded before: functions of the master, and the start of a minion whose key one of them accepts. */
  private needsOf(
    chunk: Dict,
    chunks: readonly Dict[],
    outcomes: ReadonlyMap<string, Promise<boolean>>,
  ): Array<Promise<boolean>> | undefined {
    const names = requirements(chunk).filter((name) => !name.startsWith('local/'))
    const required = names.map((name) => outcomes.get(name)).filter((outcome) => outcome !== undefined)
    if (required.length === 0) return undefined
    const accepts = chunks.some(
      (other) =>
        /^key\.accept/.test(str(other.get('fun') ?? '')) && names.includes(`wheel/${str(other.get('__id__')!)}`),
    )
    if (!accepts || kindOf(chunk) !== 'local') return required
    const started = this.parts.bus.next(isStartOf(chunk.get('tgt') ?? ''), START_SECONDS).then(() => true)
    return [...required, started]
  }

  private async after(
    needs: ReadonlyArray<Promise<boolean>>,
    record: ReactionRecord,
    entry: Dict,
    perform: () => Promise<boolean>,
  ): Promise<boolean> {
    if ((await Promise.all(needs)).every((succeeded) => succeeded)) return perform()
    record.ended(entry, 'failed', 'One or more requisite failed')
    return false
  }

  /** What would be done about an event. */
  private async preview(event: ReactedEvent): Promise<Dict> {
    const rules = this.rules.matching(event.tag)
    const chunks = await this.chunksFor({ ...event, rules })
    const calls: Value[] = []
    for (const chunk of chunks) {
      const kind = kindOf(chunk)
      const shown = new Map<Value, Value>([['id', chunk.get('__id__') ?? '']])
      shown.set('call', `${kind}.${str(chunk.get('fun') ?? '')}`).set('file', chunk.get('__sls__') ?? null)
      try {
        const call = KINDS.has(kind) ? await callOf(chunk, this.parts.declared, this.parts.context.log) : undefined
        if (call?.tgt !== undefined) shown.set('tgt', call.tgt)
        if (call) shown.set('args', call.args).set('kwargs', new Map<Value, Value>(call.kwargs))
        else shown.set('error', `It cannot be carried out`)
      } catch (error) {
        shown.set('error', failureText(error))
      }
      calls.push(shown)
    }
    const matched = rules.map(({ pattern, files }) => new Map<Value, Value>([[pattern, files]]))
    return new Map<Value, Value>([['rules', matched]]).set('calls', calls)
  }
}

/** Whether an event tells of the start of a minion that the target names. */
function isStartOf(tgt: Value): (tag: string) => boolean {
  const names = isList(tgt) ? tgt.map(str) : str(tgt).split(',')
  return (tag) => {
    const id = /^salt\/minion\/([^/]+)\/start$/.exec(tag)?.[1]
    return id !== undefined && names.some((name) => fnmatch(id, name.trim()))
  }
}
