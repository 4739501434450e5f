// The distinguished encoding of ASN.1, as far as certificates need it: values to bytes, and bytes to a tree.
import { valueError } from '../data/mod.ts'

export type Bytes = Uint8Array

const CONSTRUCTED = 0x20
const CONTEXT = 0x80

export const DER_TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8: 0x0c,
  printable: 0x13,
  ia5: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

const concat = (parts: readonly Bytes[]): Bytes => new Uint8Array(Buffer.concat(parts))

function length(size: number): number[] {
  if (size < 0x80) return [size]
  const digits: number[] = []
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest & 0xff)
  return [0x80 | digits.length, ...digits]
}

/** A tag, its length and its content. */
export function tlv(tag: number, ...content: readonly Bytes[]): Bytes {
  const body = concat(content)
  return concat([new Uint8Array([tag, ...length(body.length)]), body])
}

export const sequence = (...items: readonly Bytes[]): Bytes => tlv(DER_TAG.sequence, ...items)
export const octets = (bytes: Bytes): Bytes => tlv(DER_TAG.octetString, bytes)
export const bits = (bytes: Bytes, unused = 0): Bytes => tlv(DER_TAG.bitString, new Uint8Array([unused]), bytes)
export const boolean = (value: boolean): Bytes => tlv(DER_TAG.boolean, new Uint8Array([value ? 0xff : 0]))
export const DER_NULL = tlv(DER_TAG.null)
export const text = (tag: number, value: string): Bytes => tlv(tag, new Uint8Array(Buffer.from(value, 'utf8')))

/** A set has its members in the order of their encodings. */
export const set = (...items: readonly Bytes[]): Bytes => tlv(DER_TAG.set, ...[...items].sort(Buffer.compare))

/** Return `[n]` around a whole value, or in place of its own tag. */
export const explicit = (n: number, ...content: readonly Bytes[]): Bytes => tlv(CONTEXT | CONSTRUCTED | n, ...content)
export const implicit = (n: number, content: Bytes): Bytes => tlv(CONTEXT | n, content)

/** The two's complement of a number in as few bytes as possible. */
export function integerBytes(value: number | bigint): Bytes {
  const n = BigInt(value)
  const magnitude = n < 0n ? -n - 1n : n
  let digits = magnitude.toString(16)
  if (digits.length % 2 === 1) digits = `0${digits}`
  const bytes = [...Buffer.from(digits, 'hex')]
  if (bytes[0]! >= 0x80) bytes.unshift(0)
  return new Uint8Array(n < 0n ? bytes.map((byte) => byte ^ 0xff) : bytes)
}

export const integer = (value: number | bigint, tag: number = DER_TAG.integer): Bytes => tlv(tag, integerBytes(value))

export function oidBytes(dotted: string): Bytes {
  const arcs = dotted.split('.').map(BigInt)
  const [first = 0n, second = 0n, ...rest] = arcs
  const bytes = [first * 40n + second, ...rest].flatMap((arc) => {
    const digits = [Number(arc & 0x7fn)]
    for (let left = arc >> 7n; left > 0n; left >>= 7n) digits.unshift(Number(left & 0x7fn) | 0x80)
    return digits
  })
  return new Uint8Array(bytes)
}

export const oid = (dotted: string): Bytes => tlv(DER_TAG.oid, oidBytes(dotted))

/** Up to 2049 with two digits of the year, later with four. */
export function time(date: Date): Bytes {
  const digits = `${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`
  return date.getUTCFullYear() < 2050 ? text(DER_TAG.utcTime, digits.slice(2)) : generalizedTime(date)
}

export const generalizedTime = (date: Date): Bytes =>
  text(DER_TAG.generalizedTime, `${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`)

/** Bytes of an object identifier. Each arc is a number of any size, which takes time in proportion to its square. */
const LONGEST_OID = 256

/** An encoded value; `children` are those of a constructed one. */
export class DerNode {
  readonly tag: number
  readonly content: Bytes
  /** The bytes with tag and length. */
  readonly raw: Bytes
  private parsed: DerNode[] | undefined

  constructor(tag: number, content: Bytes, raw: Bytes) {
    this.tag = tag
    this.content = content
    this.raw = raw
  }

  get children(): DerNode[] {
    this.parsed ??= readAll(this.content)
    return this.parsed
  }

  /** The number of a context tag, or undefined. */
  get context(): number | undefined {
    return (this.tag & 0xc0) === CONTEXT ? this.tag & 0x1f : undefined
  }

  child(index: number): DerNode {
    const found = this.children[index]
    if (found === undefined) throw malformed()
    return found
  }

  get integer(): bigint {
    const n = BigInt(`0x${Buffer.from(this.content).toString('hex') || '0'}`)
    return (this.content[0] ?? 0) < 0x80 ? n : n - (1n << BigInt(this.content.length * 8))
  }

  get oid(): string {
    if (this.content.length > LONGEST_OID) throw malformed()
    const arcs: bigint[] = []
    let arc = 0n
    for (const byte of this.content) {
      arc = (arc << 7n) | BigInt(byte & 0x7f)
      if (byte < 0x80) {
        arcs.push(arc)
        arc = 0n
      }
    }
    const first = arcs[0] ?? 0n
    const top = first < 40n ? 0n : first < 80n ? 1n : 2n
    return [top, first - top * 40n, ...arcs.slice(1)].join('.')
  }

  get text(): string {
    return Buffer.from(this.content).toString('utf8')
  }

  /** The bits of a bit string as bytes. */
  get bits(): Bytes {
    return this.content.subarray(1)
  }

  get boolean(): boolean {
    return this.content[0] !== 0
  }

  get time(): Date {
    const century = this.tag === DER_TAG.utcTime ? (Number(this.text.slice(0, 2)) < 50 ? '20' : '19') : ''
    const [, year, month, day, hour, minute, second] =
      /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?/.exec(century + this.text) ?? []
    if (year === undefined) throw malformed()
    const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second ?? '00'}Z`)
    if (Number.isNaN(date.getTime())) throw malformed()
    return date
  }
}

const malformed = (): Error => valueError('error parsing asn1 value')

function readOne(bytes: Bytes, at: number): DerNode {
  const tag = bytes[at]
  let size = bytes[at + 1]
  if (tag === undefined || size === undefined) throw malformed()
  let start = at + 2
  if (size >= 0x80) {
    const count = size & 0x7f
    if (count === 0 || count > 4) throw malformed()
    size = 0
    for (let index = 0; index < count; index++) size = size * 256 + (bytes[start + index] ?? 0)
    start += count
  }
  if (start + size > bytes.length) throw malformed()
  return new DerNode(tag, bytes.subarray(start, start + size), bytes.subarray(at, start + size))
}

function readAll(bytes: Bytes): DerNode[] {
  const nodes: DerNode[] = []
  for (let at = 0; at < bytes.length; ) {
    const node = readOne(bytes, at)
    nodes.push(node)
    at += node.raw.length
  }
  return nodes
}

/** Decode the single value in the bytes. */
export function decode(bytes: Bytes): DerNode {
  const node = readOne(bytes, 0)
  if (node.raw.length !== bytes.length) throw malformed()
  return node
}

export const sameBytes = (a: Bytes, b: Bytes): boolean => Buffer.compare(a, b) === 0
