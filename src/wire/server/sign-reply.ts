// Signs a reply: for a minion that requests it with the context of the reply, for others like Salt. In both forms the
// signed data ends with the master's offer (`offer.ts`).
import { encodeMsgpack } from '../../data/mod.ts'
import { type RsaPrivateKey, type SignedContext, signContext, signingHash } from '../crypto/mod.ts'
import { OFFER, offerOf } from '../offer.ts'

export interface UnsignedReply {
  kind: SignedContext['kind']
  fields: Iterable<readonly [string, unknown]>
  /** The id of the requesting minion, and its nonce. */
  audience: string
  nonce: string
  /** Whether the minion requested a signature with a context. */
  asksContext: boolean
  /** The signature algorithm of the minion, and of Salt's form. */
  algorithm: string
  /** Further fields of the offer. */
  offers?: Iterable<readonly [string, unknown]>
}

export interface SignedReply {
  bytes: Uint8Array
  signature: Uint8Array
}

/** Sign a reply; throws `UnsupportedAlgorithm` for an unknown algorithm of the minion. */
export async function signReply(key: RsaPrivateKey, reply: UnsignedReply): Promise<SignedReply> {
  const { kind, fields, audience, nonce, algorithm, asksContext, offers } = reply
  signingHash(algorithm)
  const bytes = encodeMsgpack(new Map([...fields, ['nonce', nonce], [OFFER, offerOf(kind, offers)]]), 'wire')
  const context: SignedContext = { kind, audience, bound: nonce, until: 0 }
  const signature = await (asksContext ? signContext(key, context, bytes) : key.sign(bytes, algorithm))
  return { bytes, signature }
}
