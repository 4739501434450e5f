// Writes a packed dict with many entries in the format of `nested`. Plain entries, such as those of a list of jobs, are
// written from their bytes: dicts of texts and of lists of texts, all in printable ASCII. Other entries are unpacked.
import { decodeMsgpack, PackedCursor, type Value } from '../data/mod.ts'
import type { Palette } from './palette.ts'
import { margin } from './text.ts'

export interface NestedStyle {
  colors: Palette
  /** The colour of keys and marks of structure. */
  keyColor: string
  indent: number
  prefix: string
  /** Return the lines of a value that is not plain. */
  lines(value: Value, indent: number): readonly string[]
}

/**
 * Return the lines of the entries of a packed dict as pieces of UTF-8, each of whole lines; undefined where the keys are not plain,
 * or not in order.
 */
export const packedNested = (bytes: Uint8Array, style: NestedStyle): Buffer[] | undefined =>
  new PackedNested(bytes, style).written()

/** Bytes of a piece. */
const CHUNK = 1 << 20

/** Longer texts are copied by a call, which costs more than the bytes of a short one. */
const SHORT = 48

/** Greatest number of keys of a plain entry. */
const MOST_KEYS = 16

/** The layout of entries with the same keys. */
interface Shape {
  /** The joined keys in their original order. */
  keys: Buffer
  /** Indexes of the keys in display order. */
  order: readonly number[]
  /** The line of each key, in that order. */
  lines: readonly Buffer[]
}

class PackedNested {
  private readonly cursor: PackedCursor
  private readonly style: NestedStyle
  private readonly pieces: Buffer[] = []
  private buffer = Buffer.allocUnsafe(CHUNK)
  private at = 0
  private shape: Shape | undefined
  private readonly keyFrom = new Int32Array(MOST_KEYS)
  private readonly keyTo = new Int32Array(MOST_KEYS)
  private readonly valueAt = new Int32Array(MOST_KEYS)
  private readonly key: Buffer
  private readonly mark: Buffer
  private readonly line: Buffer
  private readonly item: Buffer
  private readonly keyEnd: Buffer
  private readonly lineEnd: Buffer

  constructor(bytes: Uint8Array, style: NestedStyle) {
    this.cursor = new PackedCursor(bytes)
    this.style = style
    const { colors, keyColor, indent, prefix } = style
    this.key = Buffer.from(margin(indent) + keyColor + prefix)
    this.mark = Buffer.from(`${margin(indent + 4)}${keyColor}----------${colors.ENDC}\n`)
    this.line = Buffer.from(margin(indent + 8) + colors.GREEN)
    this.item = Buffer.from(`${margin(indent + 8)}${colors.GREEN}- `)
    this.keyEnd = Buffer.from(`${colors.ENDC}:\n`)
    this.lineEnd = Buffer.from(`${colors.ENDC}\n`)
  }

  written(): Buffer[] | undefined {
    const { cursor } = this
    const count = cursor.map() ?? 0
    let [from, to] = [-1, -1]
    for (let i = 0; i < count; i++) {
      const key = cursor.textStart()
      if (key < 0 || key === cursor.at || (from >= 0 && !this.isBehind(from, to, key))) return undefined
      from = key
      to = cursor.at
      if (!this.shown(this.key, from, to, this.keyEnd)) return undefined
      this.entry()
      if (this.at > CHUNK / 2) this.flush()
    }
    this.flush()
    return this.pieces
  }

  /** Return whether the key that the cursor passed is behind another one in their order. */
  private isBehind(from: number, to: number, key: number): boolean {
    const { bytes, at } = this.cursor
    let [before, after] = [from, key]
    while (before < to && after < at && bytes[before] === bytes[after]) {
      before++
      after++
    }
    return after < at && (before === to || bytes[before]! < bytes[after]!)
  }

  /** Write the value of an entry. */
  private entry(): void {
    const { cursor, at } = this
    const begin = cursor.at
    if (this.plainDict()) return
    this.at = at
    cursor.at = begin
    cursor.skip()
    const value = decodeMsgpack(cursor.bytes.subarray(begin, cursor.at), { dialect: 'bus' })
    for (const line of this.style.lines(value, this.style.indent + 4)) this.put(Buffer.from(`${line}\n`))
  }

  /** Write a plain dict; return false for any other value, which may then be written partly. */
  private plainDict(): boolean {
    const { cursor, keyFrom, keyTo, valueAt } = this
    const count = cursor.map()
    if (count === undefined || count > MOST_KEYS) return false
    for (let i = 0; i < count; i++) {
      const from = cursor.textStart()
      if (from < 0) return false
      keyFrom[i] = from
      keyTo[i] = valueAt[i] = cursor.at
      cursor.skip()
    }
    const end = cursor.at
    const shape = this.shape && this.hasKeys(this.shape, count) ? this.shape : this.shapeOf(count)
    if (shape === undefined) return false
    this.shape = shape
    this.put(this.mark)
    for (let i = 0; i < count; i++) {
      this.put(shape.lines[i]!)
      cursor.at = valueAt[shape.order[i]!]!
      if (!this.plainValue()) return false
    }
    cursor.at = end
    return true
  }

  private hasKeys({ keys, order }: Shape, count: number): boolean {
    if (order.length !== count) return false
    const { keyFrom, keyTo } = this
    const { bytes } = this.cursor
    let at = 0
    for (let i = 0; i < count; i++) {
      const to = keyTo[i]!
      for (let j = keyFrom[i]!; j < to; j++) if (bytes[j] !== keys[at++]) return false
      // keys are joined by a zero byte, which no plain key contains
      if (keys[at++] !== 0) return false
    }
    return true
  }

  /** Return the shape of the keys at hand; undefined where these are not plain. */
  private shapeOf(count: number): Shape | undefined {
    const { keyColor, colors, indent } = this.style
    const names = Array.from({ length: count }, (_, i) =>
      this.cursor.bytes.toString('latin1', this.keyFrom[i]!, this.keyTo[i]!),
    )
    if (!names.every((name) => PLAIN.test(name)) || new Set(names).size !== count) return undefined
    const order = names.map((_, index) => index).sort((a, b) => (names[a]! < names[b]! ? -1 : 1))
    const lines = order.map((index) =>
      Buffer.from(`${margin(indent + 4)}${keyColor}${names[index]!}${colors.ENDC}:\n`, 'latin1'),
    )
    return { keys: Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1'), order, lines }
  }

  private plainValue(): boolean {
    const { cursor } = this
    const from = cursor.textStart()
    if (from >= 0) return this.shown(this.line, from, cursor.at, this.lineEnd)
    const count = cursor.list()
    if (count === undefined) return false
    for (let i = 0; i < count; i++) {
      const item = cursor.textStart()
      if (item < 0 || !this.shown(this.item, item, cursor.at, this.lineEnd)) return false
    }
    return true
  }

  /** Write a line with a text of the packed bytes, none for an empty text; return false where the text is not plain. */
  private shown(before: Buffer, from: number, to: number, after: Buffer): boolean {
    if (from === to) return true
    const { bytes } = this.cursor
    for (let i = from; i < to; i++) if (bytes[i]! < 0x20 || bytes[i]! > 0x7e) return false
    this.put(before)
    this.put(bytes, from, to)
    this.put(after)
    return true
  }

  private put(bytes: Buffer, from = 0, to: number = bytes.length): void {
    const size = to - from
    if (this.at + size > this.buffer.length) this.grow(size)
    const { buffer, at } = this
    if (size > SHORT) bytes.copy(buffer, at, from, to)
    else for (let i = 0; i < size; i++) buffer[at + i] = bytes[from + i]!
    this.at += size
  }

  private grow(size: number): void {
    const larger = Buffer.allocUnsafe(this.buffer.length * 2 + size)
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
  }

  private flush(): void {
    if (this.at === 0) return
    this.pieces.push(this.buffer.subarray(0, this.at))
    // the rest of the memory is for the next piece
    this.buffer = this.buffer.length - this.at < CHUNK / 2 ? Buffer.allocUnsafe(CHUNK) : this.buffer.subarray(this.at)
    this.at = 0
  }
}

/** Text of one line that is shown as it is. */
const PLAIN = /^[\x20-\x7e]+$/
