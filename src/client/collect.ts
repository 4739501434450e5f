// Gathering the returns of a job. For a minion that keeps silent the client first reads the job store, because an event can be
// missed; then it asks the minion whether it still works on the job, and only then gives it up. While returns still come in after
// the question, minions or this machine are slow rather than gone, and the question is asked again.
import type { BusEvent } from '../bus/mod.ts'
import { type Dict, isDict } from '../data/mod.ts'
import { type MinionReturn, type Published, returnedBy } from '../sdk/mod.ts'
import { ClientError } from './errors.ts'

/** What is printed where a job was published to nobody. */
export const NOBODY_MATCHED = 'No minions matched the target. No command was sent, no jid was assigned.\n'

export interface CollectOptions {
  timeout: number
  gatherJobTimeout: number
  /** Whether what was returned may stay packed, for callers that do not read it. */
  leavesPacked?: boolean
  /** Hears who still works on the job, each time they were asked. */
  onRunning?: (ids: ReadonlySet<string>) => void
}

/** Where events come from: a socket, or the bus of this very process. */
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
  /** How many minions had not returned when it was asked. */
  asked: number
}

/** Returns as they come, and at the end those who did not return. */
export async function* collectReturns(
  events: EventSource,
  ask: AskWhoRuns,
  published: Published,
  options: CollectOptions,
): AsyncGenerator<MinionReturn> {
  const { jid } = published
  const waiting = new Set(published.minions)
  const ours = new Set([jid])
  const isOurs = (tag: string): boolean => ours.has(tag.split('/')[2] ?? '')
  events.want(isOurs)
  const began = performance.now()
  let limit = began + options.timeout * 1000
  /** Whether a minion that lost its connection may still come back for this job. */
  const isAwaited = ({ ids, seconds } = published.reconnecting ?? { ids: [], seconds: 0 }): boolean =>
    performance.now() < began + seconds * 1000 && ids.some((id) => waiting.has(id))
  let question: Question | undefined
  // makes up for events that were missed
  const stored = function* (): Generator<MinionReturn> {
    for (const [id, data] of events.stored?.(jid, waiting) ?? []) if (waiting.delete(id)) yield { id, data }
  }
  while (waiting.size > 0) {
    const event = await events.next(Math.max(0, (limit - performance.now()) / 1000))
    if (event) {
      const gathered = returnOf(event, jid, options.leavesPacked)
      if (gathered && waiting.delete(gathered.id)) yield gathered
      else if (question) noteAnswer(event, question)
      continue
    }
    if (!events.isOpen) {
      await recovered(events)
      // minions come back in their own time, and nobody heard their answers to the question
      limit = performance.now() + options.timeout * 1000
      question = undefined
      yield* stored()
      continue
    }
    yield* stored()
    if (waiting.size === 0) break
    if (question && question.running.size === 0 && question.asked === waiting.size && !isAwaited()) break
    if (question) options.onRunning?.(question.running)
    const asked = await ask(jid, [...waiting]).catch((error: unknown) => unlessLost(events, error))
    if (asked === LOST) continue
    if (asked === undefined) break
    ours.add(asked)
    events.want(isOurs)
    question = { jid: asked, running: new Set(), asked: waiting.size }
    limit = performance.now() + options.gatherJobTimeout * 1000
  }
  for (const id of waiting) yield { id, reason: 'silent' }
  for (const id of published.missing) yield { id, reason: 'missing' }
}

/** Listen again after the connection was lost. Throw if the master does not come back. */
export async function recovered(events: EventSource): Promise<void> {
  if (!(await events.recover?.())) throw new ClientError('SaltClientError', 'The connection to the master was lost')
}

const LOST = Symbol('the master went away')

/** A question that failed because the master went away is asked again when it is back. */
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

/** The minion whose return to a job an event tells. Nothing is unpacked for that. */
const senderOf = ({ tag, fields, origin, number }: BusEvent, jid: string): string | undefined =>
  returnedBy({ tag, data: fields, origin, number }, jid)

/** A minion that works on the job answers with it. */
function noteAnswer(event: BusEvent, question: Question): void {
  const id = senderOf(event, question.jid)
  if (id === undefined) return
  const answer = event.data.get('return') ?? null
  if (isDict(answer) && answer.size > 0) question.running.add(id)
}
