// The algorithms that peers name in `enc_algo`, `sig_algo` and in publications, with their parameters.
import { constants } from 'node:crypto'
import { WireError } from '../errors.ts'

export const DEFAULT_ENCRYPTION = 'OAEP-SHA1'
export const DEFAULT_SIGNING = 'PKCS1v15-SHA1'

const ENCRYPTION: ReadonlyMap<string, string> = new Map([
  ['OAEP-SHA1', 'sha1'],
  ['OAEP-SHA224', 'sha224'],
])

const SIGNING: ReadonlyMap<string, string> = new Map([
  ['PKCS1v15-SHA1', 'sha1'],
  ['PKCS1v15-SHA224', 'sha224'],
])

/** Return the node:crypto parameters of an encryption; the mask function uses the same hash. */
export function oaep(algorithm: string): { padding: number; oaepHash: string } {
  return { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hashOf(ENCRYPTION, algorithm) }
}

/** The hash of a signature; its padding is PKCS#1 v1.5. */
export function signingHash(algorithm: string): string {
  return hashOf(SIGNING, algorithm)
}

function hashOf(known: ReadonlyMap<string, string>, algorithm: string): string {
  const hash = known.get(algorithm)
  if (hash !== undefined) return hash
  throw new WireError('UnsupportedAlgorithm', `Invalid algorithm: ${algorithm}`, {
    hint: `known are ${[...known.keys()].join(', ')}`,
  })
}
