// New private keys of the kinds and sizes that certificates can have.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { lookup } from '../../../base/mod.ts'
import { misuse, truthy, type Value } from '../../../data/mod.ts'

/** The names of curves by their size in bits. */
export const CURVES: Readonly<Record<string, string>> = lookup({
  256: 'prime256v1',
  384: 'secp384r1',
  521: 'secp521r1',
})

export function generateKey(algo: string, keysize: Value): KeyObject {
  const size = truthy(keysize) ? Number(keysize) : undefined
  switch (algo) {
    case 'rsa':
      if (![2048, 3072, 4096].includes(size ?? 2048))
        throw misuse('RSA key size must be either 2048, 3072 or 4096 bits.')
      return generateKeyPairSync('rsa', { modulusLength: size ?? 2048 }).privateKey
    case 'ec': {
      const namedCurve = CURVES[size ?? 256]
      if (namedCurve === undefined) throw misuse('EC key size must be either 256, 384, 521 bits.')
      return generateKeyPairSync('ec', { namedCurve }).privateKey
    }
    case 'ed25519':
      return generateKeyPairSync('ed25519').privateKey
    case 'ed448':
      return generateKeyPairSync('ed448').privateKey
    default:
      throw misuse(`Invalid algorithm specified for generating private key: ${algo}. Valid: rsa, ec, ed25519, ed448`)
  }
}
