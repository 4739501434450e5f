// The fields of a certificate, from the options of ssh_pki.create_certificate.
import { randomBytes } from 'node:crypto'
import { type Dict, failure, isInt, misuse, PyError, str, truthy, type Value } from '../../../../data/mod.ts'
import type { CertificateFields } from '../format/certificate.ts'
import type { PublicKey } from '../format/public-key.ts'
import { textsOf } from './policy.ts'
import { privateKey, publicKey, type Reader } from './sources.ts'
import { instantOf, secondsOf } from './times.ts'

type Options = ReadonlyMap<string, Value>

const KNOWN = new Set(
  [
    'signing_private_key signing_private_key_passphrase signing_public_key cert_type valid_principals all_principals',
    'public_key private_key private_key_passphrase serial_number key_id not_before not_after ttl critical_options',
    'extensions copypath',
  ].flatMap((line) => line.split(' ')),
)

const MOST = 1n << 64n

function serialOf(given: Value): bigint {
  if (given === null) return randomBytes(8).readBigUInt64BE() >> 1n
  const digits = typeof given === 'string' ? given.replaceAll(':', '') : ''
  const isHex = digits.length % 2 === 0 && /^[\da-f]+$/i.test(digits)
  if (!isInt(given) && !isHex) throw failure(`Could not parse serial number ${str(given)}`)
  const serial = isInt(given) ? BigInt(given) : BigInt(`0x${digits}`)
  if (serial < 0n || serial >= MOST) throw new PyError('ValueError', 'serial must be between 0 and 2**64')
  return serial
}

/** Return names with texts; false values are dropped, and True has no value. */
function namedTexts(value: Value | undefined): Map<string, string> {
  const found = new Map<string, string>()
  if (value === undefined || !truthy(value)) return found
  if (!(value instanceof Map)) throw new PyError('TypeError', 'critical_options and extensions must be mappings')
  for (const [name, held] of value as Dict) if (truthy(held)) found.set(str(name), held === true ? '' : str(held))
  return found
}

async function keyOf(ctx: Reader, options: Options): Promise<PublicKey> {
  const own = options.get('private_key') ?? null
  if (truthy(own)) return (await privateKey(ctx, own, options.get('private_key_passphrase') ?? null)).public
  const half = options.get('public_key') ?? null
  if (truthy(half)) return publicKey(ctx, half)
  throw misuse('Need public_key or private_key to derive public key to sign')
}

function principalsOf(options: Options): string[] {
  const principals = textsOf(options.get('valid_principals'))
  if (principals.length > 0) return principals
  if (truthy(options.get('all_principals') ?? null)) return []
  throw misuse('Must either set all_principals to true or specify principals to allow')
}

const DAY = 86_400
const TIMES = { user: DAY, host: 30 * DAY } as const

/** Return the seconds of a time in the form of a certificate. */
function instant(seconds: number): bigint {
  if (seconds >= 0 && Number.isFinite(seconds)) return BigInt(Math.floor(seconds))
  throw new PyError('ValueError', 'The validity of a certificate must be after 1970')
}

/** Check the options, and return the requested fields. */
export async function planCertificate(ctx: Reader, options: Options, now: number): Promise<CertificateFields> {
  const unknown = [...options.keys()].find((name) => !KNOWN.has(name))
  if (unknown !== undefined) {
    throw new PyError('TypeError', `build_crt() got an unexpected keyword argument '${unknown}'`)
  }
  const given = (name: string): Value => options.get(name) ?? null
  const type = given('cert_type')
  if (type !== 'user' && type !== 'host') {
    throw misuse(`Cert type needs to be either \`user\` or \`host\`, got '${str(type)}'`)
  }
  const end = given('not_after')
  const validAfter = instant(truthy(given('not_before')) ? instantOf(given('not_before')) : now)
  const validBefore = instant(truthy(end) ? instantOf(end) : now + (secondsOf(given('ttl')) ?? TIMES[type]))
  if (validAfter > validBefore) throw new PyError('ValueError', 'valid_before must be greater than valid_after')
  return {
    ...{ type, serial: serialOf(given('serial_number')), key: await keyOf(ctx, options) },
    ...{ keyId: given('key_id') === null ? '' : str(given('key_id')), principals: principalsOf(options) },
    ...{ validAfter, validBefore },
    criticalOptions: namedTexts(options.get('critical_options')),
    extensions: namedTexts(options.get('extensions')),
  }
}
