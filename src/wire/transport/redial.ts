// A connection that is made again whenever it is lost, with growing or random pauses.
import { toError } from '../../base/mod.ts'

export interface RedialHooks {
  /** Begins to connect and gives what ends it; `ended` is called once, when the connection is over or never was. */
  dial: (ended: (error: Error | undefined) => void) => () => void
  /** Milliseconds before the n-th attempt in a row, from 1. */
  delay: (attempt: number) => number
  onClose?: (error: Error | undefined) => void
}

export class Redial {
  private readonly hooks: RedialHooks
  private hangUp: () => void = () => {}
  private timer: NodeJS.Timeout | undefined
  private attempts = 0
  private closed = false

  constructor(hooks: RedialHooks) {
    this.hooks = hooks
    this.open()
  }

  /** The connection works: the next pause is a first one again. */
  succeeded(): void {
    this.attempts = 0
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
    this.hangUp()
  }

  private open(): void {
    try {
      this.hangUp = this.hooks.dial((error) => this.ended(error))
    } catch (error) {
      // what a connection needs, such as a certificate, may be there at the next attempt
      this.ended(toError(error))
    }
  }

  private ended(error: Error | undefined): void {
    this.hooks.onClose?.(error)
    if (this.closed) return
    this.attempts++
    this.timer = setTimeout(() => this.open(), this.hooks.delay(this.attempts))
  }
}

/** Salt's pauses of a subscriber: one chosen at random between the first and the sum of both, or doubling to a ceiling. */
export function reconnectDelays(first = 1000, most = 10_000, randomize = true): (attempt: number) => number {
  if (!randomize) return (attempt) => Math.min(first * 2 ** Math.min(attempt - 1, 20), Math.max(first, most))
  const chosen = first + Math.floor(Math.random() * (most + 1))
  return () => chosen
}
