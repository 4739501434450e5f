// Whether the user may call functions on a minion. Concurrent queries are sent together, and each is sent once per
// session.
import { type Signal, signal } from '@preact/signals'
import { Problem, post } from '../api/client.ts'
import { session } from '../session.ts'

interface Question {
  minion: string
  function: string
  answer: Signal<string | undefined>
}

/** Most calls that the server takes at a time. */
const MOST = 200

const known = new Map<string, Signal<string | undefined>>()
const waiting: Question[] = []

async function askAll(): Promise<void> {
  const questions = waiting.splice(0, MOST)
  if (waiting.length > 0) queueMicrotask(() => void askAll())
  const calls = questions.map(({ minion, function: fun }) => ({
    family: 'execution' as const,
    function: fun,
    target: [minion],
    targetType: 'list',
  }))
  try {
    const { items } = await post('/v1/rights', { body: { calls } })
    for (const [at, { allowed, reason }] of items.entries()) {
      if (!allowed) questions[at]!.answer.value = `You may not call ${questions[at]!.function}: ${reason}`
    }
  } catch (error) {
    // without an answer the action is offered, and the server judges it
    if (!(error instanceof Problem)) throw error
  }
}

/** Return why the user may not call a function on a minion; undefined where it is allowed, or not known yet. */
export function refusalOf(minion: string, fun: string): string | undefined {
  const key = JSON.stringify([session.value?.eauth, session.value?.user, minion, fun])
  let answer = known.get(key)
  if (!answer) {
    answer = signal<string | undefined>(undefined)
    known.set(key, answer)
    if (waiting.length === 0) queueMicrotask(() => void askAll())
    waiting.push({ minion, function: fun, answer })
  }
  return answer.value
}
