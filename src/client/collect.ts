// Collect the returns of a job. When a minion stays silent, the client first reads the job store, because an event can
// be missed. Then it asks the minion whether it still works on the job, and only then gives up. While returns still
// arrive after the question, minions or this machine are slow, and the question is repeated.
import type { BusEvent } from '../bus/mod.ts'
import { type Dict, encodeMsgpack, isDict } from '../data/mod.ts'
import { type MinionReturn, type Published, returnedBy } from '../sdk/mod.ts'
import { ClientError } from './errors.ts'
import { jobOfTag, SyndicLists } from './syndic-lists.ts'

/** Printed when no minion matches the target. */
export const NOBODY_MATCHED = 'No minions matched the target. No command was sent, no jid was assigned.\n'

export interface CollectOptions {
  timeout: number
  gatherJobTimeout: number
  /** Whether returned values may stay packed, for callers that do not read them. */
  leavesPacked?: boolean
  /** Called with the ids of minions that still work on the job, after each query. */
  onRunning?: (ids: ReadonlySet<string>) => void
  /** Called with the syndics that did not report in time which of their minions the job targets. */
  onUntold?: (syndics: readonly string[]) => void
}

/** The source of events: a socket, or the bus of this process. */
export interface EventSource {
  want(filter: (tag: string) => boolean): void
  next(seconds: number): Promise<BusEvent | undefined>
  readonly isOpen: boolean
  /** Listen again after the connection was lost. Return false if the master does not come back. */
  recover?(): Promise<boolean>
  /** Return the stored returns of these minions. The master stores a return before it fires the event of that return. */
  stored?(jid: string, ids: Iterable<string>): Map<string, Dict>
}

/** Publishes the question whether minions work on a job, and gives the number of the job that it became. */
export type AskWhoRuns = (jid: string, ids: string[]) => Promise<string | undefined>

interface Question {
  jid: string
  running: Set<string>
  /** How many minions had not returned at the time of the query. */
  asked: number
}

/**
 * Returns of minions that are on no list of a syndic yet. Returns beyond the size limit are read from the job store
 * when a list names the minion.
 */
class EarlyReturns {
  private readonly kept = new Map<string, { gathered: MinionReturn; bytes: number }>()
  private bytes = 0

  keep(gathered: MinionReturn): void {
    if (this.kept.has(gathered.id) || this.kept.size >= MOST_EARLY) return
    const bytes = encodeMsgpack(gathered.data ?? null, 'bus').length
    if (this.bytes + bytes > MOST_EARLY_BYTES) return
    this.bytes += bytes
    this.kept.set(gathered.id, { gathered, bytes })
  }

  take(id: string): MinionReturn | undefined {
    const early = this.kept.get(id)
    this.kept.delete(id)
    this.bytes -= early?.bytes ?? 0
    return early?.gathered
  }
}

/** The minions that have not returned yet. Syndics add minions while returns arrive. */
class Awaited {
  readonly waiting: Set<string>
  readonly lists: SyndicLists | undefined
  private readonly missing: Set<string>
  private readonly found = new Set<string>()
  private readonly early = new EarlyReturns()

  constructor(published: Published) {
    this.waiting = new Set(published.minions)
    this.missing = new Set(published.missing)
    this.lists = published.syndics && new SyndicLists(published)
  }

  get isOver(): boolean {
    return this.waiting.size === 0 && !(this.lists?.isWaiting ?? false)
  }

  /** Take a return; false when it is not waited for, or not yet. */
  take(gathered: MinionReturn): boolean {
    if (this.waiting.delete(gathered.id)) {
      if (this.lists) this.found.add(gathered.id)
      return true
    }
    if (this.lists !== undefined && !this.found.has(gathered.id)) this.early.keep(gathered)
    return false
  }

  /** Take the list of a syndic; undefined when an event is none. Return the returns that came before it, and whether it is timely. */
  expect(event: BusEvent): { before: MinionReturn[]; isTimely: boolean } | undefined {
    const told = this.lists?.take(event)
    if (!told) return undefined
    if (told.leaves !== undefined) this.waiting.delete(told.leaves)
    for (const id of told.missing) this.missing.add(id)
    const before: MinionReturn[] = []
    for (const id of told.minions) {
      const early = this.early.take(id)
      if (early) before.push(early)
      if (early) this.found.add(id)
      else if (!this.found.has(id)) this.waiting.add(id)
    }
    return { before, isTimely: told.isTimely }
  }

  /** Yield an entry for each minion that did not return. A syndic counts only if it is one of its own minions. */
  *silent(published: Published): Generator<MinionReturn> {
    const untold = new Set(this.lists?.untold)
    for (const id of this.waiting) if (!untold.has(id)) yield { id, reason: 'silent' }
    for (const id of this.missing) {
      const isBelow = this.found.has(id) || this.waiting.has(id)
      if (!isBelow && (published.syndics === undefined || !untold.has(id))) yield { id, reason: 'missing' }
    }
  }
}

/** Yield returns as they arrive, then the minions that did not return. */
export async function* collectReturns(
  events: EventSource,
  ask: AskWhoRuns,
  published: Published,
  options: CollectOptions,
): AsyncGenerator<MinionReturn> {
  const { jid } = published
  const awaited = new Awaited(published)
  const { waiting, lists } = awaited
  const ours = new Set([jid])
  const isOurs = (tag: string): boolean => ours.has(jobOfTag(tag) ?? '')
  events.want(isOurs)
  const began = performance.now()
  let limit = began + options.timeout * 1000
  /** Whether a minion that lost its connection may still come back for this job. */
  const isAwaited = ({ ids, seconds } = published.reconnecting ?? { ids: [], seconds: 0 }): boolean =>
    performance.now() < began + seconds * 1000 && ids.some((id) => waiting.has(id))
  let question: Question | undefined
  // makes up for events that were missed
  const stored = function* (): Generator<MinionReturn> {
    for (const [id, data] of events.stored?.(jid, waiting) ?? []) if (awaited.take({ id, data })) yield { id, data }
  }
  while (!awaited.isOver) {
    const end = waiting.size > 0 ? limit : lists!.end
    const event = await events.next(Math.max(0, (end - performance.now()) / 1000))
    if (event) {
      const named = awaited.expect(event)
      const gathered = named ? undefined : returnOf(event, jid, options.leavesPacked)
      if (named) {
        if (named.isTimely) limit = Math.max(limit, performance.now() + options.timeout * 1000)
        yield* named.before
      } else if (gathered) {
        if (awaited.take(gathered)) yield gathered
      } else if (question) noteAnswer(event, question)
      continue
    }
    if (!events.isOpen) {
      await recovered(events)
      // minions reconnect after different times, and nobody received their answers to the query
      limit = performance.now() + options.timeout * 1000
      question = undefined
      yield* stored()
      continue
    }
    yield* stored()
    if (waiting.size === 0) continue
    if (question && question.running.size === 0 && question.asked === waiting.size && !isAwaited()) break
    if (question) options.onRunning?.(question.running)
    const asked = await ask(jid, [...waiting]).catch((error: unknown) => unlessLost(events, error))
    if (asked === LOST) continue
    if (asked === undefined) break
    ours.add(asked)
    events.want(isOurs)
    question = { jid: asked, running: new Set(), asked: waiting.size }
    limit = performance.now() + (options.gatherJobTimeout + (published.syndics?.seconds ?? 0)) * 1000
  }
  if (lists && lists.untold.length > 0) options.onUntold?.(lists.untold)
  yield* awaited.silent(published)
}

/** Returns that are kept until a list names their minions, and their bytes. */
const MOST_EARLY = 10_000
const MOST_EARLY_BYTES = 32 << 20

/** Listen again after the connection was lost. Throw if the master does not come back. */
export async function recovered(events: EventSource): Promise<void> {
  if (!(await events.recover?.())) throw new ClientError('SaltClientError', 'The connection to the master was lost')
}

const LOST = Symbol('the master went away')

/**
 * Return `LOST` if the error came from the loss of the master, so that the query is repeated after a reconnect; throw
 * other errors.
 */
async function unlessLost(events: EventSource, error: unknown): Promise<typeof LOST> {
  // the end of one connection may be known before that of the other
  await new Promise((done) => setImmediate(done))
  if (events.isOpen) throw error
  return LOST
}

function returnOf(event: BusEvent, jid: string, leavesPacked = false): MinionReturn | undefined {
  const id = returnedBy(event, jid)
  return id === undefined ? undefined : { id, data: leavesPacked ? event.fields : event.data }
}

/** Return the id of the minion whose return is in the event, without decoding the data. */
const senderOf = ({ tag, fields, origin, number }: BusEvent, jid: string): string | undefined =>
  returnedBy({ tag, data: fields, origin, number }, jid)

/** A minion that works on the job answers with it. */
function noteAnswer(event: BusEvent, question: Question): void {
  const id = senderOf(event, question.jid)
  if (id === undefined) return
  const answer = event.data.get('return') ?? null
  if (isDict(answer) && answer.size > 0) question.running.add(id)
}
