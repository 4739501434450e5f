// The outcomes of a sign-in, with Salt's texts.
import { WireError, type WireErrorCode } from '../errors.ts'
import type { MasterClock } from './master-clock.ts'

export interface Credentials {
  /** The key of publications. */
  aes: string
  /** The key of our own requests. */
  session: string
  publishPort: number
  /** The offer of a master that signs contexts; undefined for a Salt master. */
  offer?: MasterOffer | undefined
}

export interface MasterOffer {
  clock: MasterClock
  /** The serial number of the last publication that was sent before the sign-in. */
  serial: number
}

export type SignInOutcome =
  | { status: 'accepted'; credentials: Credentials }
  /** The key waits for an operator. */
  | { status: 'pending' }
  /** The key was rejected, or another one is accepted under this id: Salt's minion ends with status 77. */
  | { status: 'rejected' }
  /** The master has as many minions as it may. */
  | { status: 'full' }
  | { status: 'bad enc algo' }
  | { status: 'bad sig algo' }
  /** The master sent another answer, such as `bad load`. */
  | { status: 'refused'; reply: string }
  /** The master did not answer, and why, where that is known. */
  | { status: 'timeout'; reason?: string }
  /** The answer is not from the master we know; its key, or how it is signed, is wrong. */
  | { status: 'invalid'; what: 'master key' | 'signature' | 'nonce'; reason: string }
  /** The master's key does not match `master_finger`: Salt's minion ends with status 42. */
  | { status: 'fingerprint'; expected: string; found: string }

export type SignInStatus = SignInOutcome['status']

/** The exit codes of Salt's minion for outcomes that end it. */
export const EXIT_CODES: Partial<Record<SignInStatus, number>> = { rejected: 77, fingerprint: 42 }

export class SignInError extends WireError {
  readonly outcome: SignInOutcome

  constructor(outcome: SignInOutcome, code: WireErrorCode = 'SaltClientError') {
    super(code, messageOf(outcome))
    this.outcome = outcome
  }
}

function messageOf(outcome: SignInOutcome): string {
  switch (outcome.status) {
    case 'invalid':
      return `Invalid ${outcome.what}`
    case 'timeout':
      return silence(outcome)
    case 'pending':
      return 'Minion failed to authenticate with the master, has the minion key been accepted?'
    default:
      return 'Attempt to authenticate with the salt master failed'
  }
}

function silence({ reason }: { reason?: string }): string {
  if (reason !== undefined) return `Attempt to authenticate with the salt master failed: ${reason}`
  return 'Attempt to authenticate with the salt master failed with timeout error'
}

/** Return the log text for an outcome, in Salt's words. */
export function outcomeText(outcome: SignInOutcome, waitSeconds: number, retriesRejected: boolean): string {
  switch (outcome.status) {
    case 'accepted':
      return 'The Salt Master has accepted this minion'
    case 'pending':
      return `The Salt Master has cached the public key for this node, this salt minion will wait for ${waitSeconds} seconds before attempting to re-authenticate`
    case 'rejected':
      return retriesRejected
        ? "The Salt Master has rejected this minion's public key.\nTo repair this issue, delete the public key for this minion on the Salt Master.\nThe Salt Minion will attempt to re-authenticate."
        : "The Salt Master has rejected this minion's public key!\nTo repair this issue, delete the public key for this minion on the Salt Master and restart this minion.\nOr restart the Salt Master in open mode to clean out the keys. The Salt Minion will now exit."
    case 'full':
      return 'The Salt Master has no room for another minion'
    case 'bad enc algo':
    case 'bad sig algo': {
      const kind = outcome.status === 'bad enc algo' ? 'encryption' : 'signing'
      return `This minion is using a ${kind} algorithm that is not supported by its Master. Please check your minion configuration.`
    }
    case 'refused':
      return `Sign-in attempt failed: ${outcome.reply}`
    case 'timeout':
      return silence(outcome)
    case 'invalid':
      return outcome.reason
    case 'fingerprint':
      return `The specified fingerprint in the master configuration file:\n${outcome.expected}\nDoes not match the authenticating master's key:\n${outcome.found}\nVerify that the configured fingerprint matches the fingerprint of the correct master and that this minion is not subject to a man-in-the-middle attack.`
  }
}
