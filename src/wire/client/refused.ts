// A check of a master's reply that failed; it ends the reading of the reply and becomes its outcome.
import type { SignInOutcome } from './outcome.ts'

export class ReplyRefused extends Error {
  readonly outcome: SignInOutcome

  constructor(what: 'master key' | 'signature' | 'nonce', reason: string) {
    super(reason)
    this.outcome = { status: 'invalid', what, reason }
  }
}

/** The master's key is not to be trusted. */
export class KeyRefused extends ReplyRefused {
  constructor(reason: string) {
    super('master key', reason)
  }
}
