// Plans certificates, requests and lists from options, and compares a plan with an existing document.
import { type KeyObject, randomBytes } from 'node:crypto'
import { type Dict, dictFrom, failure, isInt, misuse, str, truthy, type Value, valueError } from '../data/mod.ts'
import { buildExtension, type Surroundings } from './build-extensions.ts'
import { type Bytes, sameBytes } from './der.ts'
import {
  type Certificate,
  type CertificateExtension,
  type CertificatePlan,
  isSignedBy,
  publicBytes,
  type RequestPlan,
  type RevocationList,
  type RevocationPlan,
  type Revoked,
  type SigningRequest,
} from './documents.ts'
import { type DistinguishedName, encodeName, nameFrom, nameText } from './names.ts'
import { ENTRY_EXTENSIONS, EXTENSIONS, extensionName, LONG_NAMES, NAME_ATTRIBUTES } from './oids.ts'
import { decimalToHex } from './render-extensions.ts'
import { timeFrom } from './shown-time.ts'

export type Options = ReadonlyMap<string, Value>

const LIST_ONLY = new Set(['cRLNumber', 'deltaCRLIndicator', 'freshestCRL', 'issuingDistributionPoint'])
const LIST_EXTENSIONS = new Set([...LIST_ONLY, 'authorityKeyIdentifier', 'authorityInfoAccess', 'issuerAltName'])
const FORBIDDEN_IN_REQUESTS = new Set([
  ...['authorityInfoAccess', 'authorityKeyIdentifier', 'issuerAltName', 'crlDistributionPoints'],
])

/** The same options under their present names. */
export function withShortNames(options: Options): Map<string, Value> {
  const renamed = new Map<string, Value>(options)
  for (const [name, longNames] of Object.entries(LONG_NAMES)) {
    for (const long of longNames) {
      if (!renamed.has(long)) continue
      renamed.set(name, renamed.get(long)!)
      renamed.delete(long)
    }
  }
  return renamed
}

/** The rules of a policy under their present names: one under an old name would not be seen, and so not hold. */
function rulesOf(policy: Dict): Map<string, Value> {
  const rules = withShortNames(new Map([...policy].map(([key, value]): [string, Value] => [str(key), value])))
  if (rules.has('algorithm') && !rules.has('digest')) rules.set('digest', rules.get('algorithm')!)
  return rules
}

const hasCommonName = (parts: Value[]): boolean =>
  nameFrom(parts)
    .flat()
    .some(({ oid }) => oid === NAME_ATTRIBUTES.CN)

/** A policy overrides the request; the rest of the requested subject is kept. */
export function withPolicy(policy: Dict, given: Options): Map<string, Value> {
  const options = withShortNames(given)
  if (policy.size === 0) return options
  const rules = rulesOf(policy)
  const own = options.get('subject') ?? null
  const fixed = rules.get('subject')
  if (options.has('subject')) {
    if (Object.keys(NAME_ATTRIBUTES).some((name) => rules.has(name))) options.delete('subject')
    else if (fixed instanceof Map && own instanceof Map) rules.set('subject', new Map([...own, ...fixed]))
    else if (Array.isArray(fixed) && Array.isArray(own)) {
      const parts = own as Value[]
      // readers of the last common name must not get another one than the policy's
      const rest = hasCommonName(fixed as Value[]) ? parts.filter((part) => !hasCommonName([part])) : parts
      rules.set('subject', [...fixed, ...rest])
    }
  }
  // an end would outweigh the number of days
  if (rules.has('days_valid')) options.delete('not_after')
  for (const [key, value] of rules) options.set(key, value)
  return options
}

const SERIAL_BITS = 159

function serialNumber(value: Value): bigint {
  if (value === null) return BigInt(`0x${randomBytes(20).toString('hex')}`) >> 1n
  const serial = givenSerial(value)
  if (serial <= 0n) throw valueError('The serial number should be positive.')
  if (serial >> BigInt(SERIAL_BITS) > 0n) throw valueError('The serial number should not be more than 159 bits.')
  return serial
}

function givenSerial(value: Value): bigint {
  if (isInt(value)) return BigInt(value)
  const digits = str(value).replaceAll(':', '')
  if (digits.length % 2 !== 0 || !/^[\da-f]+$/i.test(digits)) {
    throw failure(`Could not parse serial number ${str(value)}`)
  }
  return BigInt(`0x${digits}`)
}

const nameOf = (options: Options): DistinguishedName => {
  const subject = options.get('subject') ?? null
  return nameFrom(truthy(subject) ? subject : new Map(options))
}

/** Return the time of signing in whole seconds. */
const inSeconds = (now: Date, days = 0): Date => new Date(Math.floor(now.getTime() / 1000) * 1000 + days * 86_400_000)

export interface CertificateParts {
  now: Date
  /** The authority's certificate; without it the certificate is signed by its own key. */
  authority?: Certificate | undefined
  publicKey: Bytes
  request?: SigningRequest | undefined
}

export function planCertificate(options: Options, parts: CertificateParts): CertificatePlan {
  const { now, authority, publicKey, request } = parts
  const subject = nameOf(options)
  const around: Surroundings = { subjectKey: publicKey, ...authorityFacts(authority, publicKey) }
  const wanted = Object.keys(EXTENSIONS).filter((name) => !LIST_ONLY.has(name))
  const extensions = wanted.flatMap((name): CertificateExtension[] => {
    const value = options.get(name) ?? null
    if (value !== null) return [buildExtension(name, value, around)]
    // requests may not speak for the authority
    const taken = FORBIDDEN_IN_REQUESTS.has(name) || options.has(name)
    return taken ? [] : (request?.extensions ?? []).filter(({ oid }) => oid === EXTENSIONS[name])
  })
  const fromRequest = new Set(request?.extensions ?? [])
  const notBefore = options.get('not_before') ?? null
  const notAfter = options.get('not_after') ?? null
  return {
    serial: serialNumber(options.get('serial_number') ?? null),
    issuer: authority?.subject ?? subject,
    subject,
    notBefore: truthy(notBefore) ? timeFrom(str(notBefore)) : inSeconds(now),
    notAfter: truthy(notAfter) ? timeFrom(str(notAfter)) : inSeconds(now, Number(options.get('days_valid') ?? 30)),
    publicKey,
    // extensions of the options come first
    extensions: [
      ...extensions.filter((extension) => !fromRequest.has(extension)),
      ...extensions.filter((extension) => fromRequest.has(extension)),
    ],
  }
}

function authorityFacts(authority: Certificate | undefined, ownKey: Bytes): Surroundings {
  if (authority === undefined) return { authorityKey: ownKey }
  const { issuer, serial, publicKey, extensions } = authority
  return { authority: { issuer: encodeName(issuer), serial, publicKey, extensions } }
}

export function planRequest(options: Options, key: KeyObject): RequestPlan {
  const around = { subjectKey: publicBytes(key) }
  const extensions = Object.keys(EXTENSIONS)
    .filter((name) => !LIST_ONLY.has(name) && !FORBIDDEN_IN_REQUESTS.has(name) && options.has(name))
    .map((name) => buildExtension(name, options.get(name)!, around))
  return { subject: nameOf(options), extensions }
}

export interface ListParts {
  now: Date
  authority?: Certificate | undefined
  includeExpired: boolean
  daysValid: number
  /** Entries, with certificates read already. */
  revoked: readonly { options: Options; certificate?: Certificate | undefined }[]
  extensions: Options
  warn(message: string): void
}

export function planRevocationList(parts: ListParts): RevocationPlan {
  const { now, authority } = parts
  const revoked = parts.revoked.flatMap(({ options, certificate }): Revoked[] => {
    const given = certificate?.serial ?? options.get('serial_number') ?? null
    if (!truthy(given)) throw misuse('Need serial_number or certificate')
    const ends =
      certificate?.notAfter ?? (options.has('not_after') ? timeFrom(str(options.get('not_after')!)) : undefined)
    if (ends !== undefined && !parts.includeExpired && now > ends) return []
    const date = options.get('revocation_date') ?? null
    return [
      {
        serial: serialNumber(given),
        date: date === null ? inSeconds(now) : timeFrom(str(date)),
        extensions: entryExtensions(options.get('extensions') ?? null, parts.warn),
      },
    ]
  })
  const around: Surroundings = authority ? authorityFacts(authority, authority.publicKey) : {}
  const extensions = [...parts.extensions].flatMap(([name, value]) => {
    if (LIST_EXTENSIONS.has(name)) return [buildExtension(name, value, around)]
    parts.warn(`Ignoring invalid CRL extension: ${name}`)
    return []
  })
  const issuer = authority?.subject ?? []
  return { issuer, lastUpdate: inSeconds(now), nextUpdate: inSeconds(now, parts.daysValid), revoked, extensions }
}

function entryExtensions(given: Value, warn: (message: string) => void): CertificateExtension[] {
  return [...(given instanceof Map ? given : [])].flatMap(([name, value]) => {
    if (str(name) in ENTRY_EXTENSIONS) return [buildExtension(str(name), value)]
    warn(`Ignoring invalid CRL entry extension: ${str(name)}`)
    return []
  })
}

const sameName = (a: DistinguishedName, b: DistinguishedName): boolean => sameBytes(encodeName(a), encodeName(b))
const isSame = (a: CertificateExtension, b: CertificateExtension): boolean =>
  a.critical === b.critical && sameBytes(a.value, b.value)

/** Names of extensions that are added, changed and removed; undefined when none are. */
function extensionChanges(
  held: readonly CertificateExtension[],
  wanted: readonly CertificateExtension[],
): Dict | undefined {
  const find = (
    list: readonly CertificateExtension[],
    { oid }: CertificateExtension,
  ): CertificateExtension | undefined => list.find((other) => other.oid === oid)
  const names = (list: readonly CertificateExtension[]): Value[] => list.map(({ oid }) => extensionName(oid))
  const added = wanted.filter((extension) => !find(held, extension))
  const changed = wanted.filter((extension) => {
    const before = find(held, extension)
    return before !== undefined && !isSame(before, extension)
  })
  const removed = held.filter((extension) => !find(wanted, extension))
  if (added.length + changed.length + removed.length === 0) return undefined
  return dictFrom({ added: names(added), changed: names(changed), removed: names(removed) })
}

const noteExtensions = (
  changes: Dict,
  held: readonly CertificateExtension[],
  wanted: readonly CertificateExtension[],
): Dict => {
  const found = extensionChanges(held, wanted)
  return found === undefined ? changes : changes.set('extensions', found)
}

export function certificateChanges(
  current: Certificate,
  plan: CertificatePlan,
  authorityKey: KeyObject | undefined,
  serial: Value,
): Dict {
  const changes: Dict = new Map()
  if (serial !== null && plan.serial !== current.serial) changes.set('serial_number', serial)
  if (!sameBytes(plan.publicKey, current.publicKey)) changes.set('private_key', true)
  if (authorityKey && !isSignedBy(current, authorityKey)) changes.set('signing_private_key', true)
  if (!sameName(plan.subject, current.subject)) changes.set('subject_name', nameText(plan.subject))
  if (!sameName(plan.issuer, current.issuer)) changes.set('issuer_name', nameText(plan.issuer))
  return noteExtensions(changes, current.extensions, plan.extensions)
}

export function requestChanges(current: SigningRequest, plan: RequestPlan): Dict {
  const changes: Dict = new Map()
  if (!sameName(plan.subject, current.subject)) changes.set('subject_name', nameText(plan.subject))
  return noteExtensions(changes, current.extensions, plan.extensions)
}

export function listChanges(current: RevocationList, plan: RevocationPlan, key: KeyObject): Dict {
  const changes: Dict = new Map()
  if (!sameName(plan.issuer, current.issuer)) changes.set('issuer_name', nameText(plan.issuer))
  if (!isSignedBy(current, key)) changes.set('public_key', true)
  const at = (list: readonly Revoked[], { serial }: Revoked): Revoked | undefined =>
    list.find((other) => other.serial === serial)
  const shown = (list: readonly Revoked[]): Value[] => list.map(({ serial }) => decimalToHex(serial))
  const added = plan.revoked.filter((entry) => !at(current.revoked, entry))
  const changed = plan.revoked.filter((entry) => {
    const before = at(current.revoked, entry)
    return before !== undefined && extensionChanges(before.extensions, entry.extensions) !== undefined
  })
  const removed = current.revoked.filter((entry) => !at(plan.revoked, entry))
  if (added.length + changed.length + removed.length > 0) {
    const found = { added: shown(added), changed: shown(changed), removed: shown(removed) }
    changes.set('revocations', new Map(Object.entries(found)))
  }
  return noteExtensions(changes, current.extensions, plan.extensions)
}
