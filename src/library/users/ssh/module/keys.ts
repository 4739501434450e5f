// Public keys: their kinds, fingerprints and lines.

import { createHash, getHashes } from 'node:crypto'
import { lookup } from '../../../../base/mod.ts'
import { decodeBytes, failure, str, strip, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError } from '../../../../sdk/mod.ts'
import { authorizedKey } from '../authorized-key.ts'

const SHORT_NAMES: Readonly<Record<string, string>> = lookup({
  ...{ r: 'ssh-rsa', rsa: 'ssh-rsa' },
  ...{ d: 'ssh-dss', dsa: 'ssh-dss', dss: 'ssh-dss' },
  ...{ e: 'ecdsa-sha2-nistp256', ecdsa: 'ecdsa-sha2-nistp256' },
  ed25519: 'ssh-ed25519',
})

const CURVES = ['256', '384', '521'].map((size) => `ecdsa-sha2-nistp${size}`)
const CERTIFIED = ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa', ...CURVES, 'ssh-ed25519']
const TOKENS = ['sk-ecdsa-sha2-nistp256', 'sk-ssh-ed25519']
const KINDS = new Set([
  ...CERTIFIED,
  'ssh-dss',
  ...TOKENS.map((kind) => `${kind}@openssh.com`),
  ...[...CERTIFIED, ...TOKENS].map((kind) => `${kind}-cert-v01@openssh.com`),
])

/** The full name of a kind of key. */
export function kindOf(enc: Value): string {
  const kind = SHORT_NAMES[str(enc)] ?? str(enc)
  if (!KINDS.has(kind)) throw failure(`Incorrect encryption key type '${str(enc)}'.`)
  return kind
}

/** Bytes in pairs of digits; undefined for a key that is no base64. */
export function fingerprint(key: string, hashType: Value): string | undefined {
  const name = truthy(hashType) ? str(hashType).toLowerCase() : 'sha256'
  if (!getHashes().includes(name)) throw failure(`The fingerprint_hash_type ${name} is not supported.`)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(key) || key.length % 4 !== 0) return undefined
  const digits = createHash(name).update(Buffer.from(key, 'base64')).digest('hex')
  return digits.match(/../g)!.join(':')
}

export function authLine(key: string, enc: string, comment: Value, options: Value): string {
  const list = truthy(options)
    ? `${(Array.isArray(options) ? (options as Value[]).map((option) => str(option)) : [...str(options)]).join(',')} `
    : ''
  return `${list}${enc} ${key} ${str(comment)}\n`
}

/** The lines of a file that are not empty, without the space around them. */
export const linesOf = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => strip(line))
    .filter((line) => line !== '')

export interface KnownKey {
  enc: string
  comment: string
  options: string[]
  fingerprint: string
}

/** The keys of a file, by key. */
export async function keysIn(ctx: FunctionContext, path: string, hashType: Value): Promise<Map<string, KnownKey>> {
  const keys = new Map<string, KnownKey>()
  let text: string
  try {
    text = decodeBytes(await ctx.host.read(path))
  } catch (error) {
    if (isHostError(error)) throw failure(`Problem reading ssh key file ${path}`)
    throw error
  }
  for (const line of linesOf(text)) {
    const parts = line.startsWith('#') ? undefined : authorizedKey(line)
    const [enc, key, ...comment] = parts === undefined ? [] : parts.rest.trim().split(/\s+/)
    if (parts === undefined || enc === undefined || key === undefined) continue
    const print = fingerprint(key, hashType)
    if (print === undefined) continue
    const options = parts.options === '' ? [] : parts.options.split(',')
    keys.set(key, { enc, comment: comment.join(' '), options, fingerprint: print })
  }
  return keys
}
