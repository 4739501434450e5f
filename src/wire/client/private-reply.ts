// The answer to `_pillar`: a one-time key, encrypted for the minion, and the data under it with the master's signature.
// Key and nonce are repeated inside, so that no part can come from another answer.
import { type Dict, decodeMsgpack, type Value } from '../../data/mod.ts'
import { Crypticle, type RsaPrivateKey, type RsaPublicKey, verifyContext } from '../crypto/mod.ts'
import { bytesOf, dictOf } from '../envelope.ts'
import { WireError } from '../errors.ts'

export interface PrivateReplyKeys {
  key: RsaPrivateKey
  masterKey: RsaPublicKey | undefined
  encryption: string
  signing: string
  /** The id that the reply must be signed for, from a master that signs contexts. */
  audience?: string | undefined
}

/** The contents of a private answer; throws an `AuthenticationError` when anything about it is wrong. */
export async function openPrivateReply(
  reply: Value,
  field: string,
  nonce: string,
  keys: PrivateReplyKeys,
): Promise<Value> {
  const outer = dictOf(reply)
  const sealedKey = bytesOf(outer?.get('key'))
  const sealed = bytesOf(outer?.get(field))
  if (sealedKey === undefined || sealed === undefined) {
    throw refused('Master did not return a session key for pillar request')
  }
  const oneTime = new Crypticle((await keys.key.decrypt(sealedKey, keys.encryption)).toString())
  const inner = readSigned(dictOf(oneTime.open(sealed)), nonce, keys)
  const innerKey = bytesOf(inner?.get('key'))
  if (innerKey === undefined || !Buffer.from(innerKey).equals(sealedKey)) throw refused('Key verification failed.')
  if (inner?.get('nonce') !== nonce) throw refused('Pillar nonce verification failed.')
  return inner.get('pillar') ?? null
}

function readSigned(message: Dict | undefined, nonce: string, keys: PrivateReplyKeys): Dict | undefined {
  const data = bytesOf(message?.get('data'))
  const signature = bytesOf(message?.get('sig'))
  if (data === undefined || signature === undefined || !isSigned(data, signature, nonce, keys)) {
    throw refused('Pillar payload signature failed to validate.')
  }
  return dictOf(decodeMsgpack(data, { dialect: 'wire' }))
}

function isSigned(data: Uint8Array, signature: Uint8Array, nonce: string, keys: PrivateReplyKeys): boolean {
  const { masterKey, signing, audience } = keys
  if (masterKey === undefined) return false
  if (audience === undefined) return masterKey.verify(data, signature, signing)
  return verifyContext(masterKey, { kind: 'private-reply', audience, bound: nonce, until: 0 }, data, signature)
}

function refused(why: string): WireError {
  return new WireError('AuthenticationError', why)
}
