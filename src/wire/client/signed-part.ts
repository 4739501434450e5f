// The part of a message that a minion signs with `minion_sign_messages`, apart from the channel that sends it: a master only verifies.
import { encodeMsgpack } from '../../data/mod.ts'
import { OFFER } from '../offer.ts'

/** Return the bytes that `minion_sign_messages` signs: the load as the master sees it when it verifies. */
export function signedPart(load: ReadonlyMap<unknown, unknown>): Uint8Array {
  const part = new Map(load)
  for (const field of ['nonce', 'tok', 'sig', OFFER]) part.delete(field)
  return encodeMsgpack(part, 'wire')
}
