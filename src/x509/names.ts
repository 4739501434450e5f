// Distinguished names: from options to bytes and back, and as text (RFC 4514).
import { type Dict, failure, misuse, str, typeError, type Value, valueError } from '../data/mod.ts'
import { type Bytes, DER_TAG, type DerNode, oid, sequence, set, text } from './der.ts'
import { NAME_ATTRIBUTES, RFC4514_NAMES } from './oids.ts'

export interface Attribute {
  oid: string
  value: string
}

/** A name is a list of sets of attributes, mostly of one each. */
export type DistinguishedName = Attribute[][]

const TYPES: Readonly<Record<string, number>> = {
  '2.5.4.6': DER_TAG.printable,
  '1.3.6.1.4.1.311.60.2.1.3': DER_TAG.printable,
  '2.5.4.5': DER_TAG.printable,
  '2.5.4.46': DER_TAG.printable,
  '1.2.840.113549.1.9.1': DER_TAG.ia5,
  '0.9.2342.19200300.100.1.25': DER_TAG.ia5,
}

export const encodeName = (name: DistinguishedName): Bytes =>
  sequence(
    ...name.map((part) =>
      set(...part.map(({ oid: kind, value }) => sequence(oid(kind), text(TYPES[kind] ?? DER_TAG.utf8, value)))),
    ),
  )

export const decodeName = (node: DerNode): DistinguishedName =>
  node.children.map((part) =>
    part.children.map((attribute) => ({ oid: attribute.child(0).oid, value: attribute.child(1).text })),
  )

function attribute(kind: string, value: Value): Attribute {
  if (typeof value !== 'string') throw typeError('value argument must be a str')
  if (kind === NAME_ATTRIBUTES.C && Buffer.byteLength(value) !== 2) {
    throw valueError('Country name must be a 2 character country code')
  }
  if (value === '') throw valueError('Value cannot be an empty string')
  return { oid: kind, value }
}

const NAME_OF = new Map(Object.entries(RFC4514_NAMES).map(([name, kind]) => [kind, name]))

function escaped(value: string): string {
  const inner = value.replace(/[\\"+,;<>]/g, '\\$&').replaceAll('\0', '\\00')
  const start = /^[# ]/.test(inner) ? `\\${inner}` : inner
  return start.endsWith(' ') ? `${start.slice(0, -1)}\\ ` : start
}

export const partText = (part: readonly Attribute[]): string =>
  part.map(({ oid: kind, value }) => `${NAME_OF.get(kind) ?? kind}=${escaped(value)}`).join('+')

/** The last part comes first. */
export const nameText = (name: DistinguishedName): string => [...name].reverse().map(partText).join(',')

const ATTRIBUTE =
  /(?<kind>[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)=(?<value>(?:\\(?:[\\ "#+,;<=>]|[\da-fA-F]{2})|[^\\"+,;<>\0])*)/y

function parse(source: string): DistinguishedName {
  const name: DistinguishedName = []
  if (source === '') return name
  let part: Attribute[] = []
  for (let at = 0; ; ) {
    ATTRIBUTE.lastIndex = at
    const match = ATTRIBUTE.exec(source)
    const kind = match?.groups?.['kind']
    const known = kind === undefined ? undefined : (RFC4514_NAMES[kind] ?? (/^\d/.test(kind) ? kind : undefined))
    if (!match || known === undefined) throw valueError('invalid name')
    part.push(attribute(known, unescaped(match.groups?.['value'] ?? '')))
    at = ATTRIBUTE.lastIndex
    if (source[at] === '+') at++
    else {
      name.push(part)
      part = []
      if (at === source.length) return name.reverse()
      if (source[at++] !== ',') throw valueError('invalid name')
    }
  }
}

function unescaped(value: string): string {
  const bytes = value.replace(/\\([\da-fA-F]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  return bytes.replace(/\\([\\ "#+,;<=>])/g, '$1')
}

function parsed(source: string, complaint: string): DistinguishedName {
  try {
    return parse(source)
  } catch (error) {
    if (error instanceof Error && error.name === 'ValueError') throw failure(complaint)
    throw error
  }
}

/** One part of a name out of its text. */
export function relativeName(source: Value): Attribute[] {
  const name = parsed(str(source), `Failed parsing rdn string: ${str(source)}`)
  if (name.length > 1) {
    throw misuse('Specified string is not a Relative Distinguished Name, but a Distinguished Name.')
  }
  return name[0] ?? []
}

/** A name as users write it: a text, a list of texts, or a dict. */
export function nameFrom(value: Value): DistinguishedName {
  if (typeof value === 'string') return parsed(value, 'Failed parsing rfc4514 dirName string')
  if (Array.isArray(value)) return (value as Value[]).map(relativeName)
  if (!(value instanceof Map)) {
    throw misuse('Need string, list or dict to parse distinguished names')
  }
  return Object.entries(NAME_ATTRIBUTES)
    .filter(([short]) => value.has(short))
    .map(([short, kind]) => [attribute(kind, (value as Dict).get(short)!)])
}
