// Passwords in PostgreSQL's stored form: md5 over password and role, or a SCRAM-SHA-256 verifier with a salt. The
// functions that set one and the states that compare one share this code.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { str, type Value, valueError } from '../../../data/mod.ts'

const ITERATIONS = 4096

/** Characters of RFC 3454 table B.1, which are mapped to nothing. */
const DROPPED = /\u034F|\uFEFF|[\u00AD\u1806\u200B\u2060]|[\u200C-\u200D]|[\u180B-\u180D]|[\uFE00-\uFE0F]/gu
const PROHIBITED =
  /[\p{Cc}\p{Co}\p{Cs}\u06DD\u070F\u180E\u200E\u200F\u2028\u2029\u202A-\u202E\u2061-\u2063\u206A-\u206F\u2FF0-\u2FFB\uFDD0-\uFDEF\uFFF9-\uFFFF\u{1D173}-\u{1D17A}\u{E0001}\u{E0020}-\u{E007F}]/u

/** RFC 4013, except that characters newer than its Unicode are let through, as the server does. */
function prepared(password: string): string {
  const text = password
    .replace(/\p{Zs}/gu, ' ')
    .replace(DROPPED, '')
    .normalize('NFKC')
  if (PROHIBITED.test(text)) throw valueError('SASLprep: failed prohibited character check')
  return text
}

const keyed = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()

function scram(password: string, salt: Uint8Array, iterations: number): string {
  const salted = pbkdf2Sync(prepared(password), salt, iterations, 32, 'sha256')
  const stored = createHash('sha256').update(keyed(salted, 'Client Key')).digest()
  const parts = [stored, keyed(salted, 'Server Key')].map((part) => part.toString('base64'))
  return `SCRAM-SHA-256$${iterations}:${Buffer.from(salt).toString('base64')}$${parts.join(':')}`
}

const md5 = (role: string, password: string): string =>
  `md5${createHash('md5').update(`${password}${role}`).digest('hex')}`

/** Return the stored form of a password; one in stored form is unchanged. */
export function storedPassword(role: string, password: Value, encrypted: Value): string {
  const text = str(password)
  const method = encrypted === true ? 'md5' : encrypted
  if (method === false) return text
  if (method === 'md5') return text.startsWith('md5') ? text : md5(role, text)
  if (method !== 'scram-sha-256') throw valueError(`Unknown password algorithm: ${str(encrypted)}`)
  return text.startsWith('SCRAM-SHA-256') ? text : scram(text, randomBytes(16), ITERATIONS)
}

/** Whether a password matches the stored one. */
export function isStoredPassword(role: string, password: Value, stored: string, encrypted: Value): boolean {
  const text = str(password)
  if (encrypted === false) return stored === text
  if (encrypted === true || encrypted === 'md5') return stored === (text.startsWith('md5') ? text : md5(role, text))
  if (encrypted !== 'scram-sha-256') return false
  if (text.startsWith('SCRAM-SHA-256')) return stored === text
  const verifier = /^SCRAM-SHA-256\$(\d+):([^$]+?)\$/.exec(stored)
  return verifier !== null && stored === scram(text, Buffer.from(verifier[2]!, 'base64'), Number(verifier[1]))
}
