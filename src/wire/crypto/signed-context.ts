// Context signatures: signatures of the master that state their purpose. The signed text names the kind of message, the
// minion, the request that it answers and its lifetime, so a signature for one message never fits another. Nothing else
// in the protocol is signed with SHA-256, so these cannot be confused with Salt's signatures.
import { createHash } from 'node:crypto'
import type { RsaPrivateKey, RsaPublicKey } from './rsa.ts'

/** Version of the signed text. Peers name it as `signatures` in the field `brine`. */
export const CONTEXT_VERSION = 1

/** The audience of a publication. */
export const ALL_MINIONS = '*'

export interface SignedContext {
  kind: 'sign-in' | 'private-reply' | 'publication'
  /** The id of the minion that the message is for, or `ALL_MINIONS`. */
  audience: string
  /** The nonce of the request that the message answers; for a publication, the id of the publish key. */
  bound: string
  /** The second of the master's clock until which the message is good; 0 where a nonce keeps it fresh. */
  until: number
}

export function signContext(key: RsaPrivateKey, context: SignedContext, payload: Uint8Array): Promise<Buffer> {
  const text = signedText(context, payload)
  if (text === undefined) throw new TypeError('Cannot sign: a field of the context has more than one line')
  return key.signText(text)
}

export function verifyContext(
  key: RsaPublicKey,
  context: SignedContext,
  payload: Uint8Array,
  signature: Uint8Array,
): boolean {
  const text = signedText(context, payload)
  return text !== undefined && key.verifyText(text, signature)
}

/** One field a line; undefined when a field would reach into the next one. */
function signedText({ kind, audience, bound, until }: SignedContext, payload: Uint8Array): string | undefined {
  const digest = createHash('sha256').update(payload).digest('hex')
  const fields = ['brine-signature', String(CONTEXT_VERSION), kind, audience, bound, String(until), digest]
  return fields.some((field) => field.includes('\n')) ? undefined : fields.join('\n')
}
