// Alternative names of certificates: in users' form, in Vault's form, and in certificates.
import { isA, recover } from '../../../base/mod.ts'
import { ipAddress, isDict, isList, misuse, PyError, str, type Value } from '../../../data/mod.ts'
import { items } from './asking.ts'

const TYPES = new Set(['DNS', 'EMAIL', 'IP', 'URI'])

interface AltName {
  /** DNS, EMAIL, IP, URI, or the number of another kind of name. */
  type: string
  value: string
}

function typeOf(given: string): string {
  const type = given.toUpperCase()
  if (TYPES.has(type) || /^\d+(\.\d+)+$/.test(type)) return type
  throw misuse(`Invalid SAN type '${type}', valid: DNS, EMAIL, IP, URI, <OID>`)
}

/**
 * Parse names: a dict of types with a value or a list each, a list of `type:value`, or such items separated by commas.
 * An item without a type is a host name or an e-mail address.
 */
export function readAltNames(given: Value): AltName[] {
  if (isDict(given)) {
    return [...given].flatMap(([type, values]) =>
      (isList(values) ? values : [values]).map((value) => ({ type: typeOf(str(type)), value: str(value) })),
    )
  }
  return (items(given) ?? []).map((item) => {
    const [first = '', ...rest] = str(item).split(':')
    if (rest.length > 0) return { type: typeOf(first), value: rest.join(':') }
    return { type: first.includes('@') ? 'EMAIL' : 'DNS', value: first }
  })
}

/** Return names as fields of a request to Vault. */
export function altNameFields(names: readonly AltName[]): Record<string, Value> {
  const of = (...types: string[]): string =>
    names
      .filter(({ type }) => types.includes(type))
      .map(({ value }) => value)
      .join(',')
  const others = otherNames(names).map(({ type, value }) => `${type};UTF8:${value}`)
  return { alt_names: of('DNS', 'EMAIL'), ip_sans: of('IP'), uri_sans: of('URI'), other_sans: others.join(',') }
}

export const otherNames = (names: readonly AltName[]): AltName[] => names.filter(({ type }) => !TYPES.has(type))

/** Return names in the form of `x509.create_csr`. */
export const requestNames = (names: readonly AltName[]): string[] =>
  names.filter(({ type }) => TYPES.has(type)).map(({ type, value }) => `${type}:${value}`)

/** Return a name in a canonical form for comparison. For some kinds of names, certificates show only the kind. */
export function comparedName({ type, value }: AltName): string {
  if (!TYPES.has(type)) return `other:${type}`
  if (type !== 'IP') return `${type.toLowerCase()}:${value}`
  return recover(isA(PyError), `ip:${value}`, () => `ip:${ipAddress(value).toString()}`)
}

/** Return a name of a certificate, as `x509` shows it, in that form. */
export function shownName(shown: string): string {
  const other = /^<OtherName\(type_id=([\d.]*)\)>$/.exec(shown)
  if (other) return `other:${other[1]}`
  const [type = '', ...rest] = shown.split(':')
  return comparedName({ type: type === 'mail' ? 'EMAIL' : type.toUpperCase(), value: rest.join(':') })
}
