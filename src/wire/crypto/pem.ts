// Keys as text: their comparison, and the fingerprint for users.
import { createHash } from 'node:crypto'
import { splitLines, strip } from '../../data/mod.ts'

/** A PEM without surrounding space and with Unix line ends: the form that is sent and compared. */
export function cleanKey(pem: string): string {
  return splitLines(strip(pem)).join('\n')
}

/** The fingerprint of a key file's text: hex pairs of a hash over the lines between the first and the last. */
export function pemFingerprint(pem: string, hashType = 'sha256'): string {
  const lines = pem.split(/(?<=\n)/).filter((line) => line.trim() !== '')
  const body = lines.slice(1, -1).join('').replaceAll('\r\n', '\n')
  return createHash(hashType)
    .update(body)
    .digest('hex')
    .replace(/..(?=.)/g, '$&:')
}

/** Return a short name of a public key for messages; line ends do not matter. */
export function keyDigest(pem: string): string {
  return createHash('sha256').update(cleanKey(pem)).digest('hex')
}
