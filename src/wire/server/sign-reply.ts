// How the master signs a reply: for a minion that asks for it with the context of the reply, for others as Salt does. What
// is signed ends in both forms with the master's offer (`offer.ts`).
import { encodeMsgpack } from '../../data/mod.ts'
import { type RsaPrivateKey, type SignedContext, signContext, signingHash } from '../crypto/mod.ts'
import { OFFER, offerOf } from '../offer.ts'

export interface UnsignedReply {
  kind: SignedContext['kind']
  fields: Iterable<readonly [string, unknown]>
  /** The id of the minion that asked, and its nonce. */
  audience: string
  nonce: string
  /** The minion asked for a signature with a context. */
  asksContext: boolean
  /** What the minion signs with, and how Salt's form is signed. */
  algorithm: string
  /** What else the offer says. */
  offers?: Iterable<readonly [string, unknown]>
}

export interface SignedReply {
  bytes: Uint8Array
  signature: Uint8Array
}

/** Sign a reply; throws `UnsupportedAlgorithm` when the minion names one that is unknown. */
export async function signReply(key: RsaPrivateKey, reply: UnsignedReply): Promise<SignedReply> {
  const { kind, fields, audience, nonce, algorithm, asksContext, offers } = reply
  signingHash(algorithm)
  const bytes = encodeMsgpack(new Map([...fields, ['nonce', nonce], [OFFER, offerOf(kind, offers)]]), 'wire')
  const context: SignedContext = { kind, audience, bound: nonce, until: 0 }
  const signature = await (asksContext ? signContext(key, context, bytes) : key.sign(bytes, algorithm))
  return { bytes, signature }
}
