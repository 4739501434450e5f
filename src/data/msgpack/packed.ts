// A value that stays as its received bytes: a minion's return goes from the wire to disk and listeners without being
// decoded. Only bytes that every decoder reads in the same way stay packed.
import { isUtf8 } from 'node:buffer'
import { Encoded } from '../encoded.ts'
import type { Value } from '../value.ts'
import { ENTRY_COST, keyCost, LIST_COST, MAPPING_COST } from './cost.ts'

/** Deeper data is decoded, which checks the nesting. */
const DEEPEST = 64

export class Packed extends Encoded {
  readonly typeName = 'packed'
  readonly bytes: Uint8Array
  /** The cost of decoding the bytes, in values. */
  readonly values: number
  private readonly read: (bytes: Uint8Array) => Value
  readonly json: Uint8Array | undefined

  constructor(bytes: Uint8Array, read: (bytes: Uint8Array) => Value, values: number, json?: Uint8Array) {
    super()
    this.bytes = bytes
    this.read = read
    this.values = values
    this.json = json
  }

  /** Return the same value with its JSON at hand. */
  withJson(json: Uint8Array): Packed {
    return new Packed(this.bytes, this.read, this.values, json)
  }

  unpack(): Value {
    return this.read(this.bytes)
  }
}

/** A long byte string in parts, which are joined only if a reader needs that. */
export class Pieces {
  readonly parts: readonly Uint8Array[]
  readonly length: number

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts
    this.length = parts.reduce((sum, part) => sum + part.length, 0)
  }
}

interface WalkLimits {
  /** Where the message ends. */
  end: number
  /** How many values it may contain, counted by their cost. */
  mostValues: number
}

/** The end of a value, and the cost of decoding it. */
export interface Walked {
  end: number
  values: number
}

/**
 * Walk over the value at a position. Return undefined unless the value is complete and has the same meaning in every
 * dialect: no bytes, no extensions, only valid text and hashable keys.
 */
export function walkPlain(bytes: Uint8Array, from: number, limits: WalkLimits): Walked | undefined {
  const walk = new PlainWalk(bytes, from, limits)
  return walk.value() ? { end: walk.at, values: limits.mostValues - walk.left + walk.keys } : undefined
}

/** Divisor of the cost of keys that only other processes decode: these may take longer. */
const UNREAD_KEYS = 16

/** Each step says whether it went well. */
class PlainWalk {
  at: number
  private readonly bytes: Uint8Array
  private readonly end: number
  /** How many values are left. */
  left: number
  /** The cost of setting the non-text keys, in values. */
  keys = 0
  private depth = 0

  constructor(bytes: Uint8Array, from: number, { end, mostValues }: WalkLimits) {
    this.bytes = bytes
    this.at = from
    this.end = end
    this.left = mostValues
  }

  value(): boolean {
    if (this.at >= this.end) return false
    const mark = this.bytes[this.at++]!
    if (mark < 0x80 || mark >= 0xe0) return true
    if (mark < 0x90) return this.map(mark & 0x0f)
    if (mark < 0xa0) return this.array(mark & 0x0f)
    if (mark < 0xc0) return this.text(mark & 0x1f)
    return this.marked(mark)
  }

  private marked(mark: number): boolean {
    switch (mark) {
      case 0xc0:
      case 0xc2:
      case 0xc3:
        return true
      case 0xca:
      case 0xce:
      case 0xd2:
        return this.skip(4)
      case 0xcb:
      case 0xcf:
      case 0xd3:
        return this.skip(8)
      case 0xcc:
      case 0xd0:
        return this.skip(1)
      case 0xcd:
      case 0xd1:
        return this.skip(2)
      default:
        return mark >= 0xd9 && this.sized(mark)
    }
  }

  private sized(mark: number): boolean {
    switch (mark) {
      case 0xd9:
        return this.text(this.size(1))
      case 0xda:
        return this.text(this.size(2))
      case 0xdb:
        return this.text(this.size(4))
      case 0xdc:
        return this.array(this.size(2))
      case 0xdd:
        return this.array(this.size(4))
      case 0xde:
        return this.map(this.size(2))
      default:
        return this.map(this.size(4))
    }
  }

  private skip(size: number): boolean {
    this.at += size
    return this.at <= this.end
  }

  /** Larger than possible if the message ends earlier. */
  private size(width: number): number {
    if (this.end - this.at < width) return Number.POSITIVE_INFINITY
    let size = 0
    for (let i = 0; i < width; i++) size = size * 256 + this.bytes[this.at++]!
    return size
  }

  private text(size: number): boolean {
    const from = this.at
    if (!this.skip(size)) return false
    const { bytes, at } = this
    for (let i = from; i < at; i++) if (bytes[i]! > 0x7f) return isUtf8(bytes.subarray(from, at))
    return true
  }

  private enter(cost: number): boolean {
    this.left -= cost
    return this.left >= 0 && ++this.depth <= DEEPEST
  }

  private array(count: number): boolean {
    if (!this.enter(count + LIST_COST)) return false
    for (let i = 0; i < count; i++) if (!this.value()) return false
    this.depth--
    return true
  }

  private map(count: number): boolean {
    if (!this.enter(ENTRY_COST * count + MAPPING_COST)) return false
    for (let i = 0; i < count; i++) {
      const mark = this.bytes[this.at] ?? 0
      if (isContainer(mark)) return false
      if (!isText(mark)) this.keys += keyCost(i)
      if (this.left < this.keys / UNREAD_KEYS || !this.value() || !this.value()) return false
    }
    this.depth--
    return true
  }
}

const isContainer = (mark: number): boolean => (mark >= 0x80 && mark < 0xa0) || (mark >= 0xdc && mark < 0xe0)
const isText = (mark: number): boolean => (mark >= 0xa0 && mark < 0xc0) || (mark >= 0xd9 && mark < 0xdc)
