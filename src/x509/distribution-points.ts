// Distribution points of revocation lists, and the scope of a list.
import { type Dict, misuse, str, truthy, type Value } from '../data/mod.ts'
import { type Bytes, DER_TAG, explicit, implicit, oid, sequence, text, tlv } from './der.ts'
import { extensionOption, isCritical, nameList, pairOf, readLine } from './extension-values.ts'
import { flagBits } from './flag-bits.ts'
import { generalNames } from './general-names.ts'
import { relativeName } from './names.ts'
import { REASON_BITS } from './oids.ts'

const namesOf = (value: Value): Bytes[] =>
  generalNames((Array.isArray(value) ? (value as Value[]) : [value]).map((item) => pairOf(str(item))))

/** Flags without their tag, for a context tag in its place. */
function reasonFlags(value: Value): Bytes {
  const wanted = (value as Value[]).map((reason) => str(reason))
  const unknown = wanted.find((reason) => reason === '' || !REASON_BITS.includes(reason))
  if (unknown !== undefined) throw misuse(`'${unknown}' is not a valid ReasonFlags`)
  return flagBits(REASON_BITS.map((reason) => wanted.includes(reason)))
}

function pointName(fullname: Value, relative: Value): Bytes[] {
  if (truthy(fullname)) return [explicit(0, explicit(0, ...namesOf(fullname)))]
  if (!truthy(relative)) return []
  const attributes = relativeName(relative).map(({ oid: kind, value }) =>
    sequence(oid(kind), text(DER_TAG.utf8, value)),
  )
  return [explicit(0, tlv(0xa1, ...attributes))]
}

function point(value: Value): Bytes {
  if (!(value instanceof Map)) {
    const [type, name] = value as unknown as [string, Value]
    return sequence(explicit(0, explicit(0, ...generalNames([[type, name]]))))
  }
  const reasons = extensionOption(value, 'reasons')
  const issuer = extensionOption(value, 'crlissuer')
  return sequence(
    ...pointName(extensionOption(value, 'fullname'), extensionOption(value, 'relativename')),
    ...(truthy(reasons) ? [implicit(1, reasonFlags(reasons))] : []),
    ...(truthy(issuer) ? [explicit(2, ...namesOf(issuer))] : []),
  )
}

export function distributionPoints(value: Value): [Bytes, boolean] {
  if (typeof value === 'string') {
    const { pairs, critical } = readLine(value)
    return [sequence(...pairs.map((pair) => point(pair))), critical]
  }
  const points = (value as Value[])
    .filter((item) => item !== 'critical')
    .map((item) => point(typeof item === 'string' ? (nameList([item]).names[0]! as Value) : item))
  return [sequence(...points), isCritical(value)]
}

export function issuingPoint(value: Value): [Bytes, boolean] {
  if (!(value instanceof Map)) throw misuse('issuingDistributionPoint must be a dictionary')
  const given: Dict = value
  const flag = (number: number, name: string): Bytes[] =>
    truthy(extensionOption(given, name) ?? false) ? [implicit(number, new Uint8Array([0xff]))] : []
  const reasons = extensionOption(given, 'onlysomereasons')
  const parts = [
    ...pointName(extensionOption(given, 'fullname'), extensionOption(given, 'relativename')),
    ...flag(1, 'onlyuser'),
    ...flag(2, 'onlyCA'),
    ...(truthy(reasons) ? [implicit(3, reasonFlags(reasons))] : []),
    ...flag(4, 'indirectCRL'),
    ...flag(5, 'onlyAA'),
  ]
  return [sequence(...parts), truthy(extensionOption(given, 'critical') ?? false)]
}
