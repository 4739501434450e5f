// Builds extensions from options: identifier, criticality, and the encoded value.
import { createHash } from 'node:crypto'
import {
  contains,
  type Dict,
  failure,
  isInt,
  misuse,
  PyError,
  parseTime,
  str,
  truthy,
  type Value,
} from '../data/mod.ts'
import {
  type Bytes,
  boolean,
  DER_NULL,
  DER_TAG,
  decode,
  explicit,
  generalizedTime,
  implicit,
  integer,
  integerBytes,
  octets,
  oid,
  sequence,
  text,
  tlv,
} from './der.ts'
import { distributionPoints, issuingPoint } from './distribution-points.ts'
import type { CertificateExtension } from './documents.ts'
import { extensionOption, isCritical, nameList, readLine } from './extension-values.ts'
import { flagBits } from './flag-bits.ts'
import { checkedOid, generalName, generalNames } from './general-names.ts'
import { ACCESS_METHODS, ENTRY_EXTENSIONS, EXTENSIONS, KEY_PURPOSES, REASONS } from './oids.ts'

/** The subject of the certificate, and its signing authority. */
export interface Surroundings {
  /** The encoded public key of the subject. */
  subjectKey?: Bytes
  /** The authority's certificate, or at least its key. */
  authority?: { issuer: Bytes; serial: bigint; publicKey: Bytes; extensions: readonly CertificateExtension[] }
  authorityKey?: Bytes
}

type Built = [value: Bytes, critical: boolean]
type Builder = (value: Value, around: Surroundings) => Built

/** The hash of the key's bits, as RFC 5280 proposes. */
export const keyIdentifier = (publicKey: Bytes): Bytes =>
  new Uint8Array(createHash('sha1').update(decode(publicKey).child(1).bits).digest())

function basicConstraints(value: Value): Built {
  let ca: Value
  let length: Value
  let critical: boolean
  if (typeof value === 'string') {
    const line = readLine(value.toLowerCase())
    const found = new Map(line.pairs)
    if (!found.has('ca')) throw misuse("Invalid configuration for basicContraints: 'ca'")
    ca = found.get('ca') === 'true'
    length = found.has('pathlen') ? Number(found.get('pathlen')) : null
    critical = line.critical
  } else {
    const given = value as Dict
    if (!given.has('ca')) throw misuse("Undefined required key for basicConstraints: 'ca'")
    ca = given.get('ca')!
    length = extensionOption(given, 'pathlen')
    critical = truthy(extensionOption(given, 'critical') ?? false)
  }
  if (typeof ca !== 'boolean') throw misuse('ca must be a boolean value')
  if (length !== null && !ca) throw misuse('path_length must be None when ca is False')
  if (length !== null && (!isInt(length) || length < 0)) {
    throw misuse('path_length must be a non-negative integer or None')
  }
  return [sequence(...(ca ? [boolean(true)] : []), ...(length === null ? [] : [integer(length as number)])), critical]
}

const KEY_USAGES = [
  ...['digitalSignature', 'nonRepudiation', 'keyEncipherment', 'dataEncipherment', 'keyAgreement'],
  ...['keyCertSign', 'cRLSign', 'encipherOnly', 'decipherOnly'],
]

function keyUsage(value: Value): Built {
  const flags = KEY_USAGES.map((usage) => contains(value, usage))
  if (!flags[4] && (flags[7] || flags[8])) {
    throw misuse('encipher_only and decipher_only can only be true when key_agreement is true')
  }
  return [tlv(DER_TAG.bitString, flagBits(flags)), contains(value, 'critical')]
}

function extendedKeyUsage(value: Value): Built {
  const line = typeof value === 'string' ? readLine(value) : undefined
  const list = line ? line.pairs.map(([name]) => name) : Array.isArray(value) ? (value as Value[]) : [value]
  const usages = list
    .filter((usage) => usage !== 'critical')
    .map((usage) => KEY_PURPOSES[str(usage)] ?? checkedOid(str(usage)))
  return [sequence(...usages.map(oid)), line?.critical ?? isCritical(value)]
}

function hexBytes(value: string): Bytes {
  const digits = value.replaceAll(':', '')
  if (!/^(?:[\da-f]{2})*$/i.test(digits)) throw misuse('Value must be precomputed hash')
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

function subjectKeyIdentifier(value: Value, { subjectKey }: Surroundings): Built {
  if (isCritical(value)) throw misuse('subjectKeyIdentifier must be marked as non-critical')
  if (value === 'hash' && subjectKey) return [octets(keyIdentifier(subjectKey)), false]
  const bytes = typeof value === 'string' ? hexBytes(value) : value
  if (!(bytes instanceof Uint8Array)) throw misuse('Value must be a (hex-)digest or pubkey')
  return [octets(bytes), false]
}

function authorityKeyIdentifier(value: Value, { authority, authorityKey }: Surroundings): Built {
  if (isCritical(value)) throw misuse('authorityKeyIdentifier must be marked as non-critical')
  if (!authority && !authorityKey) {
    throw failure('Need CA certificate or CA pubkey to calculate authorityKeyIdentifier')
  }
  const wanted = new Map<string, Value>(
    typeof value === 'string' ? readLine(value).pairs : [...(value as Dict)].map(([key, word]) => [str(key), word]),
  )
  const own = authority?.extensions.find((extension) => extension.oid === EXTENSIONS['subjectKeyIdentifier'])
  const key = authority?.publicKey ?? authorityKey!
  const id = wanted.has('keyid') ? (own ? decode(own.value).content : keyIdentifier(key)) : undefined
  const parts = id === undefined ? [] : [implicit(0, id)]
  if (wanted.get('issuer') === 'always' || (wanted.has('issuer') && id === undefined)) {
    if (authority) parts.push(explicit(1, explicit(4, authority.issuer)), implicit(2, integerBytes(authority.serial)))
    else if (wanted.get('issuer') === 'always') {
      throw failure('Could not add authority_cert_issuer and authority_cert_serial_number, but was set to always.')
    }
  }
  return [sequence(...parts), false]
}

const alternativeNames: Builder = (value) => {
  const { names, critical } = nameList(value)
  return [sequence(...generalNames(names)), critical]
}

const NO_ALT_NAMES = "No <class 'cryptography.x509.extensions.SubjectAlternativeName'> extension was found"

/** `issuer:copy` inserts the alternative names of the authority. */
const issuerNames: Builder = (value, { authority }) => {
  const { names, critical } = nameList(value)
  const copies = names.some(([type, name]) => type === 'issuer' && name === 'copy')
  const own = authority?.extensions.find((extension) => extension.oid === EXTENSIONS['subjectAltName'])
  if (copies && !authority) throw failure('Need CA certificate to copy to issuerAltName')
  if (copies && !own) throw failure(NO_ALT_NAMES)
  const copied = copies ? decode(own!.value).children.map(({ raw }) => raw) : []
  const further = copies ? names.filter(([type]) => type !== 'issuer') : names
  return [sequence(...copied, ...generalNames(further)), critical]
}

function authorityInfoAccess(value: Value): Built {
  const pairs: [string, string][] =
    typeof value === 'string'
      ? value
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== 'critical')
          .map((item) => item.split(';') as [string, string])
      : (Array.isArray(value) ? (value as Value[]) : [value]).flatMap((item) =>
          item instanceof Map
            ? [...item]
                .filter(([key]) => key !== 'critical')
                .map(([key, name]): [string, string] => [str(key), str(name)])
            : [],
        )
  const descriptions = pairs.map(([method, location]) => {
    const known = ACCESS_METHODS[method]
    if (known === undefined && (!/^[012]/.test(method) || /[^\d.]/.test(method))) {
      throw failure(`Unknown access OID: ${method}`)
    }
    const colon = location.indexOf(':')
    return sequence(oid(known ?? method), generalName(location.slice(0, colon), location.slice(colon + 1)))
  })
  return [sequence(...descriptions), false]
}

function certificatePolicies(value: Value): Built {
  if (typeof value === 'string') {
    const ids = value.split(',').map((item) => item.trim())
    const policies = ids.filter((id) => id !== 'critical').map((id) => sequence(oid(checkedOid(id))))
    return [sequence(...policies), value.startsWith('critical')]
  }
  const given = value as Dict
  const policies = [...given]
    .filter(([id]) => id !== 'critical')
    .map(([id, qualifiers]) =>
      sequence(oid(checkedOid(str(id))), sequence(...(qualifiers as Value[]).flatMap(qualifier))),
    )
  return [sequence(...policies), truthy(extensionOption(given, 'critical') ?? false)]
}

/** Return the URL of the practice statement, or a notice to users. */
function qualifier(value: Value): Bytes[] {
  if (typeof value === 'string') return [sequence(oid('1.3.6.1.5.5.7.2.1'), text(DER_TAG.ia5, value))]
  const notice = value as Dict
  const numbers = extensionOption(notice, 'noticeNumbers')
  if (!truthy(numbers)) return []
  const organization = text(DER_TAG.utf8, str(extensionOption(notice, 'organization')))
  const reference = sequence(organization, sequence(...(numbers as number[]).map((number) => integer(number))))
  const words = extensionOption(notice, 'text')
  const body = sequence(reference, ...(words === null ? [] : [text(DER_TAG.utf8, str(words))]))
  return [sequence(oid('1.3.6.1.5.5.7.2.2'), body)]
}

function policyConstraints(value: Value): Built {
  const line = typeof value === 'string' ? readLine(value) : undefined
  const given = line ? new Map<Value, Value>(line.pairs) : (value as Dict)
  const parts = ['requireExplicitPolicy', 'inhibitPolicyMapping'].flatMap((name, index) =>
    given.has(name) ? [implicit(index, integerBytes(Number(given.get(name))))] : [],
  )
  if (parts.length === 0) {
    throw misuse('At least one of require_explicit_policy and inhibit_policy_mapping must not be None')
  }
  return [sequence(...parts), line?.critical ?? isCritical(value)]
}

function inhibitAnyPolicy(value: Value): Built {
  if (isInt(value)) return [integer(value), false]
  if (typeof value === 'string') {
    const { pairs, critical } = readLine(value)
    return [integer(Number(pairs[0]![0])), critical]
  }
  const count = extensionOption(value as Dict, 'value')
  if (count === null) throw misuse("Undefined required key for inhibitAnyPolicy: 'value'")
  return [integer(count as number), isCritical(value)]
}

function nameConstraints(value: Value): Built {
  const scopes = ['permitted', 'excluded'].map((scope): [string, Value][] => {
    if (typeof value === 'string') {
      const items = value.split(',').map((item) => item.trim().split(';'))
      return items.filter(([name]) => name === scope).map(([, name = '']) => nameList([name]).names[0]!)
    }
    return nameList(extensionOption(value as Dict, scope) ?? []).names
  })
  if (scopes.every((names) => names.length === 0)) throw misuse('nameConstraints needs at least one definition')
  const trees = scopes.flatMap((names, index) =>
    names.length === 0 ? [] : [explicit(index, ...generalNames(names).map((name) => sequence(name)))],
  )
  return [sequence(...trees), isCritical(value)]
}

const FEATURES: Readonly<Record<string, number>> = { status_request: 5, status_request_v2: 17 }

function tlsFeature(value: Value): Built {
  const list = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : (value as Value[])
  const numbers = list
    .filter((item) => item !== 'critical')
    .map((item) => {
      const number = FEATURES[str(item)]
      if (number === undefined) throw new PyError('AttributeError', str(item))
      return integer(number)
    })
  return [sequence(...numbers), contains(list, 'critical')]
}

function crlNumber(value: Value): Built {
  if (!/^\s*-?\d+\s*$/.test(str(value))) {
    throw misuse('cRLNumber must be an integer and must be marked as non-critical')
  }
  return [integer(BigInt(str(value).trim())), false]
}

function deltaIndicator(value: Value): Built {
  const numbers = str(value).match(/\d+/g) ?? []
  if (numbers.length !== 1) {
    throw misuse('deltaCRLIndicator must contain a single integer pointing to a cRLNumber')
  }
  return [integer(BigInt(numbers[0]!)), str(value).includes('critical')]
}

function crlReason(value: Value): Built {
  const line = typeof value === 'string' ? readLine(value) : undefined
  const list = line ? line.pairs.map(([name]) => name) : (value as Value[]).map((item) => str(item))
  const reason = list.find((item) => item !== 'critical') ?? ''
  const code = REASONS.indexOf(reason)
  if (reason === '' || code < 0) throw misuse(`'${reason}' is not a valid ReasonFlags`)
  return [integer(code, DER_TAG.enumerated), line?.critical ?? isCritical(value)]
}

function invalidityDate(value: Value): Built {
  if (typeof value !== 'string') throw misuse('invalidityDate must be a string')
  const critical = value.startsWith('critical')
  const shown = critical ? value.slice(value.indexOf(' ') + 1) : value
  const moment = parseTime(shown, '%Y-%m-%d %H:%M:%S')
  if (moment === undefined) throw misuse(`time data '${shown}' does not match format '%Y-%m-%d %H:%M:%S'`)
  return [generalizedTime(new Date(moment.epoch * 1000)), critical]
}

const unsupported =
  (name: string): Builder =>
  () => {
    throw misuse(`${name} is currently not implemented.`)
  }

const BUILDERS: Readonly<Record<string, Builder>> = {
  basicConstraints,
  keyUsage,
  extendedKeyUsage,
  subjectKeyIdentifier,
  authorityKeyIdentifier,
  issuerAltName: issuerNames,
  certificateIssuer: issuerNames,
  authorityInfoAccess,
  subjectAltName: alternativeNames,
  crlDistributionPoints: (value) => distributionPoints(value),
  freshestCRL: (value) => [distributionPoints(value)[0], false],
  issuingDistributionPoint: (value) => issuingPoint(value),
  certificatePolicies,
  policyConstraints,
  inhibitAnyPolicy,
  nameConstraints,
  noCheck: (value) => [DER_NULL, str(value).includes('critical')],
  tlsfeature: tlsFeature,
  nsComment: unsupported('nsComment'),
  nsCertType: unsupported('nsCertType'),
  cRLNumber: crlNumber,
  deltaCRLIndicator: deltaIndicator,
  CRLReason: crlReason,
  invalidityDate,
}

export function buildExtension(name: string, value: Value, around: Surroundings = {}): CertificateExtension {
  const build = BUILDERS[name]
  if (build === undefined) throw failure(`Unknown extension ${name}`)
  const [encoded, critical] = build(value, around)
  return { oid: EXTENSIONS[name] ?? ENTRY_EXTENSIONS[name]!, critical, value: encoded }
}
