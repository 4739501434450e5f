// Digests, base64 and name-based UUIDs. Text is hashed as UTF-8; values that are neither text nor bytes are refused.
import { createHash, createHmac } from 'node:crypto'
import { decodeBase64, textOrBytes, type Value } from '../../../data/mod.ts'
import { type NativeFunction, type NativeTable, native } from '../../runtime/native.ts'
import { toBytes, toText } from '../text-bytes.ts'

const SALT_NAMESPACE = Buffer.from('91633ebf1c865e33935a28061f4b480e', 'hex')

/** Hex digest of text or bytes. */
function hexDigest(algorithm: string, value: Value): string {
  return createHash(algorithm).update(toBytes(value)).digest('hex')
}

const digestFilter = (algorithm: string): NativeFunction =>
  native(`${algorithm}_digest`, ['instr'], (_rt, value) => hexDigest(algorithm, value))

/** The name-based UUID (version 5) in Salt's own namespace. */
function saltUuid(value: Value): string {
  const name = toText(value)
  const digest = createHash('sha1').update(SALT_NAMESPACE).update(toBytes(name)).digest().subarray(0, 16)
  digest[6] = (digest[6]! & 0x0f) | 0x50
  digest[8] = (digest[8]! & 0x3f) | 0x80
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const signature = (text: Value, secret: Value): Buffer => {
  const message = toBytes(text)
  return createHmac('sha256', toBytes(secret)).update(message).digest()
}

export const hashFilters: NativeTable = {
  md5: digestFilter('md5'),
  sha1: digestFilter('sha1'),
  sha256: digestFilter('sha256'),
  sha512: digestFilter('sha512'),
  uuid: native('uuid_', ['val'], (_rt, value) => saltUuid(value)),
  base64_encode: native('base64_b64encode', ['instr'], (_rt, value) => Buffer.from(toBytes(value)).toString('base64')),
  base64_decode: native('base64_b64decode', ['instr'], (_rt, value) => textOrBytes(decodeBase64(toBytes(value)))),
  hmac: native('hmac_signature', ['string', 'shared_secret', 'challenge_hmac'], (_rt, text, secret, challenge) => {
    const message = toBytes(text)
    const key = toBytes(secret)
    return Buffer.from(toBytes(challenge)).equals(Buffer.from(signature(message, key).toString('base64')))
  }),
  hmac_compute: native('hmac_compute', ['string', 'shared_secret'], (_rt, text, secret) =>
    signature(text, secret).toString('hex'),
  ),
}
