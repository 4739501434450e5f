// `retry`: how often, how long between, and until which result. What is not of the right type is replaced by its default.
import { randomInt } from 'node:crypto'
import type { Log } from '../../base/mod.ts'
import { isInt, numberOf, str, type Value } from '../../data/mod.ts'

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

/** What a dry run says in place of trying again. */
export function retryPreview({ interval, splay, attempts, until }: Retry): string {
  return (
    `The state would be retried every ${interval} seconds (with a splay of up to ${splay} seconds) ` +
    `a maximum of ${attempts} times or until a result of ${str(until)} is returned`
  )
}
