// `retry`: how often a state is called, how long between, and until which result. A value of the wrong type is replaced by its
// default.
import { randomInt } from 'node:crypto'
import type { Log } from '../../base/mod.ts'
import { type Dict, equals, float, isInt, numberOf, str, truthy, type Value } from '../../data/mod.ts'
import type { StateRet } from './surroundings.ts'

export interface Retry {
  until: Value
  attempts: number
  interval: number
  splay: number
}

const DEFAULTS: Retry = { until: true, attempts: 2, interval: 30, splay: 0 }

export function readRetry(data: Value, log: Log): Retry {
  if (data instanceof Map) {
    const whole = (key: 'attempts' | 'interval' | 'splay'): number => {
      const value = data.get(key)
      if (value === undefined) return DEFAULTS[key]
      if (isInt(value) || typeof value === 'boolean') return numberOf(value)!
      log('warning', `An invalid value was passed for the retry ${key}, using default value '${DEFAULTS[key]}'`)
      return DEFAULTS[key]
    }
    const until = data.get('until')
    if (until !== undefined && typeof until !== 'boolean') {
      log('warning', "An invalid value was passed for the retry until, using default value 'True'")
    }
    return {
      until: typeof until === 'boolean' ? until : DEFAULTS.until,
      attempts: whole('attempts'),
      interval: whole('interval'),
      splay: whole('splay'),
    }
  }
  if (data === false) return { ...DEFAULTS, attempts: 0 }
  if (data !== true) {
    log(
      'warning',
      'State is set to retry, but retry: True or a valid dict for retry configuration was not found.  Using retry defaults',
    )
  }
  return { ...DEFAULTS }
}

/** Seconds to wait before the next attempt. */
export const pauseOf = ({ interval, splay }: Retry): number => (splay <= 0 ? interval : interval + randomInt(splay + 1))

/** Return the text of a dry run about retries. */
function retryPreview({ interval, splay, attempts, until }: Retry): string {
  return (
    `The state would be retried every ${interval} seconds (with a splay of up to ${splay} seconds) ` +
    `a maximum of ${attempts} times or until a result of ${str(until)} is returned`
  )
}

/** How the attempts of a state are counted and merged. Salt does both differently for parallel states. */
export interface Attempts {
  /** Return the maximum number of attempts after the first one. */
  further(retry: Retry): number
  /** Write the history of a state into the result of its next attempt. */
  join(before: StateRet, next: StateRet, made: { attempt: number; pause: number; lines: string[] }): void
  /** Write the lines of all attempts into the last result. */
  finish?(last: StateRet, lines: readonly string[]): void
  /** Whether a pause is logged. */
  isLogged?: true
}

export const serialAttempts: Attempts = {
  further: ({ attempts }) => attempts - 1,
  join(before, next, { attempt, pause, lines }) {
    lines.push(attemptLine(attempt, before, str(before.get('comment') ?? null)))
    next.set('duration', sum(next.get('duration'), (numberOf(before.get('duration') ?? 0) ?? 0) + pause * 1000))
    next.set('start_time', before.get('start_time')!)
  },
  finish(last, lines) {
    if (lines.length > 0) last.set('comment', [...lines, shownComment(last)].join('\n'))
  },
  isLogged: true,
}

export const parallelAttempts: Attempts = {
  further: ({ attempts }) => attempts,
  join(before, next, { attempt, pause }) {
    const comment = shownComment(next)
    const line = comment === '' ? '' : attemptLine(attempt, next, comment)
    next.set('comment', `${str(before.get('comment') ?? '')}\n${line}`)
    next.set('duration', sum(before.get('duration'), pause * 1000))
    if (attempt === 1) next.set('start_time', before.get('start_time')!)
  },
}

interface RetryParts {
  retry: Retry
  attempts: Attempts
  /** Call the state once more. */
  again(): Promise<StateRet>
  /** Wait this number of seconds. */
  sleep(seconds: number): Promise<void>
  isTest: boolean
  log: Log
}

/** Call a state again, with pauses, until its result is the wanted one or its attempts are used up; return the last result. */
export async function retried(
  first: StateRet,
  { retry, attempts, again, sleep, isTest, log }: RetryParts,
): Promise<StateRet> {
  if (isTest) return first.set('comment', `${shownComment(first)}  ${retryPreview(retry)}`)
  const lines: string[] = []
  const most = attempts.further(retry)
  let ret = first
  for (let attempt = 1; attempt <= most && !equals(retry.until, ret.get('result') ?? null); attempt++) {
    const pause = pauseOf(retry)
    if (attempts.isLogged) {
      log('info', `State result does not match retry until value, state will be re-run in ${pause} seconds`)
    }
    await sleep(pause)
    const next = await again()
    attempts.join(ret, next, { attempt, pause, lines })
    ret = next
  }
  attempts.finish?.(ret, lines)
  return ret
}

const shownComment = (ret: Dict): string => {
  const comment = ret.get('comment') ?? ''
  return truthy(comment) ? str(comment) : ''
}

const attemptLine = (attempt: number, ret: Dict, comment: string): string =>
  `Attempt ${attempt}: Returned a result of "${str(ret.get('result') ?? null)}", with the following comment: "${comment}"`

const sum = (duration: Value | undefined, more: number): Value =>
  float(Math.round(((numberOf(duration ?? 0) ?? 0) + more) * 1000) / 1000)
