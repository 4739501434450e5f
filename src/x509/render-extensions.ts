// Extensions in reports.
import { type Dict, int, type Value } from '../data/mod.ts'
import { type DerNode, decode } from './der.ts'
import type { CertificateExtension } from './documents.ts'
import { flagsIn } from './flag-bits.ts'
import { generalNameText, generalNameValue } from './general-names.ts'
import { partText } from './names.ts'
import { ACCESS_METHODS, ENTRY_EXTENSIONS, EXTENSIONS, PURPOSE_NAMES, REASON_BITS, REASONS } from './oids.ts'
import { shownTime } from './shown-time.ts'

type Facts = Record<string, Value>
type Renderer = (value: DerNode) => Facts

/** Bytes in capital digits, with colons. */
export function prettyHex(bytes: Uint8Array | string): string {
  const digits = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('hex')
  return (digits.length % 2 === 1 ? `0${digits}` : digits).match(/../g)?.join(':').toUpperCase() ?? ''
}

export const decimalToHex = (number: bigint): string => prettyHex(number.toString(16))

const names = (node: DerNode | undefined): Value[] => (node?.children ?? []).map(generalNameText)
const tagged = (node: DerNode, number: number): DerNode | undefined =>
  node.children.find((child) => child.context === number)
const wholeOf = (node: DerNode): Value => int(node.integer)

const basicConstraints: Renderer = (value) => {
  const ca = value.children.some((child) => child.tag === 1 && child.boolean)
  const length = value.children.find((child) => child.tag === 2)
  return { ca, pathlen: length ? wholeOf(length) : null }
}

const keyUsage: Renderer = ({ content }) => {
  const [signature, repudiation, key, data, agreement, certificate, crl, encipher, decipher] = flagsIn(content, 9) as [
    ...boolean[],
  ]
  return {
    ...{ cRLSign: crl!, dataEncipherment: data!, decipherOnly: agreement! && decipher! },
    ...{ digitalSignature: signature!, encipherOnly: agreement! && encipher!, keyAgreement: agreement! },
    ...{ keyCertSign: certificate!, keyEncipherment: key!, nonRepudiation: repudiation! },
  }
}

const authorityKey: Renderer = (value) => {
  const id = tagged(value, 0)
  const issuer = names(tagged(value, 1))
  const serial = tagged(value, 2)
  return {
    keyid: id ? prettyHex(id.content) : null,
    issuer: issuer.length > 0 ? issuer : null,
    issuer_sn: serial ? decimalToHex(serial.integer) : null,
  }
}

const METHOD_NAMES = new Map(Object.entries(ACCESS_METHODS).map(([name, oid]) => [oid, name]))

const infoAccess: Renderer = (value) => ({
  value: value.children.map((item) => {
    const method = item.child(0).oid
    return new Map([[METHOD_NAMES.get(method) ?? method, generalNameValue(item.child(1))]])
  }),
})

const reasonsIn = (node: DerNode | undefined): Value[] =>
  node ? REASON_BITS.filter((_, index) => flagsIn(node.content, REASON_BITS.length)[index]).sort() : []

/** Full name and relative name of a point. */
function pointName(node: DerNode | undefined): { fullname: Value[]; relativename: Value } {
  const name = node?.children[0]
  const relative = name?.context === 1 ? name.children : undefined
  const attributes = relative?.map((item) => ({ oid: item.child(0).oid, value: item.child(1).text }))
  return {
    fullname: name?.context === 0 ? names(name) : [],
    relativename: attributes ? partText(attributes) : null,
  }
}

const points: Renderer = (value) => ({
  value: value.children.map((point) => {
    const { fullname, relativename } = pointName(tagged(point, 0))
    const reasons = reasonsIn(tagged(point, 1))
    return new Map<Value, Value>(
      Object.entries({ crlissuer: names(tagged(point, 2)), fullname, reasons, relativename }),
    )
  }),
})

const issuingPoint: Renderer = (value) => {
  const flag = (number: number): boolean => tagged(value, number)?.boolean ?? false
  const { fullname, relativename } = pointName(tagged(value, 0))
  return {
    ...{ fullname, onysomereasons: reasonsIn(tagged(value, 3)), relativename, onlyuser: flag(1), onlyCA: flag(2) },
    ...{ onlyAA: flag(5), indirectCRL: flag(4) },
  }
}

function policy(node: DerNode): Dict {
  const qualifiers = (node.children[1]?.children ?? []).map((item): Dict => {
    const body = item.child(1)
    if (item.child(0).oid === '1.3.6.1.5.5.7.2.1') return new Map([['practice_statement', body.text]])
    const reference = body.children.find((child) => child.tag === 0x30)
    const words = body.children.find((child) => child.tag !== 0x30)
    return new Map<Value, Value>([
      ['organizataion', reference?.child(0).text ?? null],
      ['notice_numbers', reference?.child(1).children.map(wholeOf) ?? null],
      ['explicit_text', words?.text ?? null],
    ])
  })
  return new Map([[node.child(0).oid, qualifiers]])
}

const FEATURES: Readonly<Record<string, string>> = { 5: 'status_request', 17: 'status_request_v2' }
const number: Renderer = (value) => ({ value: wholeOf(value) })
const altNames: Renderer = (value) => ({ value: names(value) })
const constraint = (value: DerNode, index: number): Value => {
  const node = tagged(value, index)
  return node ? wholeOf(node) : null
}
const subtree = (node: DerNode | undefined): Value[] =>
  (node?.children ?? []).map((tree) => generalNameText(tree.child(0)))

const RENDERERS: Readonly<Record<string, Renderer>> = {
  basicConstraints,
  keyUsage,
  extendedKeyUsage: (value) => ({ value: value.children.map(({ oid }) => PURPOSE_NAMES.get(oid) ?? oid) }),
  subjectKeyIdentifier: (value) => ({ value: prettyHex(value.content) }),
  authorityKeyIdentifier: authorityKey,
  issuerAltName: altNames,
  certificateIssuer: altNames,
  authorityInfoAccess: infoAccess,
  subjectAltName: altNames,
  crlDistributionPoints: points,
  freshestCRL: points,
  issuingDistributionPoint: issuingPoint,
  certificatePolicies: (value) => ({ value: value.children.map(policy) }),
  policyConstraints: (value) => ({
    inhibitPolicyMapping: constraint(value, 1),
    requireExplicitPolicy: constraint(value, 0),
  }),
  inhibitAnyPolicy: number,
  nameConstraints: (value) => ({ excluded: subtree(tagged(value, 1)), permitted: subtree(tagged(value, 0)) }),
  noCheck: () => ({ value: true }),
  tlsfeature: (value) => ({ value: value.children.map((item) => FEATURES[String(item.integer)] ?? '') }),
  cRLNumber: number,
  deltaCRLIndicator: number,
  CRLReason: (value) => ({ value: REASONS[Number(value.integer)] ?? '' }),
  invalidityDate: (value) => ({ value: shownTime(value.time) }),
}

function render(table: Readonly<Record<string, string>>, extensions: readonly CertificateExtension[]): Dict {
  const rendered: Dict = new Map()
  for (const [name, oid] of Object.entries(table)) {
    const extension = extensions.find((held) => held.oid === oid)
    const show = RENDERERS[name]
    if (extension === undefined || show === undefined) continue
    const facts = { critical: extension.critical, ...show(decode(extension.value)) }
    rendered.set(name, new Map(Object.entries(facts)))
  }
  return rendered
}

export const renderExtensions = (extensions: readonly CertificateExtension[]): Dict => render(EXTENSIONS, extensions)
export const renderEntryExtensions = (extensions: readonly CertificateExtension[]): Dict =>
  render(ENTRY_EXTENSIONS, extensions)
