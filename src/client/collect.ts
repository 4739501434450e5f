// Gathering the returns of a job. A minion that keeps silent is asked whether it still works on it, and only then given up.
import type { BusEvent } from '../bus/mod.ts'
import { type Dict, isDict } from '../data/mod.ts'
import { type MinionReturn, type Published, returnedBy } from '../sdk/mod.ts'
import { ClientError } from './errors.ts'

/** What is printed where a job was published to nobody. */
export const NOBODY_MATCHED = 'No minions matched the target. No command was sent, no jid was assigned.\n'

export interface CollectOptions {
  timeout: number
  gatherJobTimeout: number
  /** Hears who still works on the job, each time they were asked. */
  onRunning?: (ids: ReadonlySet<string>) => void
}

/** Where events come from: a socket, or the bus of this very process. */
export interface EventSource {
  want(filter: (tag: string) => boolean): void
  next(seconds: number): Promise<BusEvent | undefined>
  readonly isOpen: boolean
  /** After the events were lost: whether they come again, and what was returned to the job meanwhile. */
  recover?(jid: string): Promise<Map<string, Dict> | undefined>
}

/** Publishes the question whether minions work on a job, and gives the number of the job that it became. */
export type AskWhoRuns = (jid: string, ids: string[]) => Promise<string | undefined>

interface Question {
  jid: string
  running: Set<string>
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
  let limit = performance.now() + options.timeout * 1000
  let question: Question | undefined
  while (waiting.size > 0) {
    const event = await events.next(Math.max(0, (limit - performance.now()) / 1000))
    if (event) {
      const gathered = returnOf(event, jid)
      if (gathered && waiting.delete(gathered.id)) yield gathered
      else if (question) noteAnswer(event, question)
      continue
    }
    if (!events.isOpen) {
      const missed = await events.recover?.(jid)
      if (!missed) throw new ClientError('SaltClientError', 'The connection to the master was lost')
      // minions come back in their own time, and what they answered meanwhile nobody heard
      limit = performance.now() + options.timeout * 1000
      question = undefined
      for (const [id, data] of missed) if (waiting.delete(id)) yield { id, data }
      continue
    }
    if (question && question.running.size === 0) break
    if (question) options.onRunning?.(question.running)
    const asked = await ask(jid, [...waiting]).catch((error: unknown) => unlessLost(events, error))
    if (asked === LOST) continue
    if (asked === undefined) break
    ours.add(asked)
    events.want(isOurs)
    question = { jid: asked, running: new Set() }
    limit = performance.now() + options.gatherJobTimeout * 1000
  }
  for (const id of waiting) yield { id, reason: 'silent' }
  for (const id of published.missing) yield { id, reason: 'missing' }
}

const LOST = Symbol('the master went away')

/** A question that failed because the master went away is asked again when it is back. */
async function unlessLost(events: EventSource, error: unknown): Promise<typeof LOST> {
  // the end of one connection may be known before that of the other
  await new Promise((done) => setImmediate(done))
  if (events.isOpen) throw error
  return LOST
}

function returnOf(event: BusEvent, jid: string): MinionReturn | undefined {
  const id = returnedBy(event, jid)
  return id === undefined ? undefined : { id, data: event.data }
}

/** A minion that works on the job answers with it. */
function noteAnswer(event: BusEvent, question: Question): void {
  const id = returnedBy(event, question.jid)
  const answer = event.data.get('return') ?? null
  if (id !== undefined && isDict(answer) && answer.size > 0) question.running.add(id)
}
