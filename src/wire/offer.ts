// The field `brine`, in which Brine peers negotiate and which Salt ignores. A minion requests context signatures in its
// sign-in. A master offers them in every reply that it signs, requested or not: if an attacker removes the request on
// the way, the offer in the reply reveals it.
import { type Dict, isDict, type Value } from '../data/mod.ts'
import { CONTEXT_VERSION, type SignedContext } from './crypto/mod.ts'

/** The name of the field. */
export const OFFER = 'brine'

/** The offer of a master, as a minion decodes it. */
export interface Offer {
  /** The second of the master's clock when it made the reply. */
  time: number
  /** The serial number of the last publication that it had sent by then. */
  serial: number
  /** The digest of the key in the sign-in request of this reply; empty if the master does not send it. */
  asked: string
}

/**
 * Return the fields that a master adds to a reply. They are last in the reply and longer than the MAC at the end of an
 * encrypted publication, so no input of a requester can make a signed reply look like a publication.
 */
export function offerOf(
  kind: SignedContext['kind'],
  more: Iterable<readonly [string, unknown]> = [],
): Map<string, unknown> {
  return new Map<string, unknown>([...more, ['signatures', CONTEXT_VERSION], ['kind', kind], ['time', clockSeconds()]])
}

/** Whether the field says that its sender makes, or wants, signatures with a context. */
export function speaksContext(field: Value | undefined): field is Dict {
  return field !== undefined && isDict(field) && wholeNumber(field.get('signatures')) >= CONTEXT_VERSION
}

export function readOffer(field: Value | undefined): Offer | undefined {
  if (!speaksContext(field)) return undefined
  const asked = field.get('asked')
  return {
    time: wholeNumber(field.get('time')),
    serial: wholeNumber(field.get('serial')),
    asked: typeof asked === 'string' ? asked : '',
  }
}

/** A number of seconds or of a publication; 0 for anything else. */
export function wholeNumber(value: Value | undefined): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0
}

/** Seconds since 1970, rounded up, by a clock that no change of the time of day moves while the process lives. */
export function clockSeconds(): number {
  return Math.ceil((performance.timeOrigin + performance.now()) / 1000)
}
