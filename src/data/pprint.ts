// Python's `pprint.pformat` with its defaults: 80 columns, dicts sorted by key. A value that does not fit is split into
// lines, one item each; long text is split at spaces into lines.
import { order } from './compare.ts'
import { PyError } from './errors.ts'
import { NamedTuple } from './named-tuple.ts'
import { textLength } from './protocol.ts'
import { quote, repr } from './repr.ts'
import { PySet } from './set.ts'
import { SPACE, splitLines } from './text.ts'
import { OrderedDict, Tuple, typeName, type Value } from './value.ts'

const WIDTH = 80

/** About as deep as Python gets before its recursion limit. */
const DEEPEST = 450

/** `indent` is the number of columns per level. */
export function pformat(value: Value, indent = 1): string {
  const printer = new PrettyPrinter(indent)
  printer.print(value, 0, 0, 0)
  return printer.text
}

/** The position of a value: its column, and how many columns the closing brackets after its last line need. */
type Place = [column: number, behind: number]

class PrettyPrinter {
  text = ''
  private readonly indent: number
  /** The padding between the opening bracket and the first item. */
  private readonly lead: string
  private readonly open = new Set<Value>()

  constructor(indent: number) {
    this.indent = indent
    this.lead = ' '.repeat(Math.max(0, indent - 1))
  }

  print(value: Value, column: number, behind: number, depth: number): void {
    if (this.open.has(value)) {
      this.text += recursion(value)
      return
    }
    const line = this.oneLine(value)
    const spread = textLength(line) > WIDTH - column - behind ? this.spread(value, [column, behind], depth + 1) : false
    if (!spread) this.text += line
  }

  /** Prints over several lines; false when the value has only its one-line form. */
  private spread(value: Value, place: Place, depth: number): boolean {
    if (typeof value === 'string') {
      this.texts(textChunks(value, place, depth), place[0], depth)
      return true
    }
    if (value instanceof Uint8Array) {
      this.texts(byteChunks(value, place, depth), place[0], depth)
      return true
    }
    const body = this.bodyOf(value, place, depth)
    if (body === undefined) return false
    this.open.add(value)
    body()
    this.open.delete(value)
    return true
  }

  private bodyOf(value: Value, [column, behind]: Place, depth: number): (() => void) | undefined {
    if (value instanceof OrderedDict && value.size > 0) {
      const items = [...value].map(([key, item]) => Tuple.of(key, item))
      return () => this.wrapped('OrderedDict(', ')', () => this.print(items, column + 12, behind + 1, depth))
    }
    if (value instanceof Map && value.size > 0) return () => this.dict(value, [column, behind], depth)
    if (value instanceof NamedTuple) return undefined
    if (value instanceof Tuple) {
      const close = value.length === 1 ? ',)' : ')'
      return () => this.wrapped('(', close, () => this.items(value, column, behind + close.length, depth))
    }
    if (Array.isArray(value)) {
      return () => this.wrapped('[', ']', () => this.items(value, column, behind + 1, depth))
    }
    if (value instanceof PySet && value.len() > 0) {
      const name = value.typeName
      const [open, close, at] = name === 'set' ? ['{', '}', column] : [`${name}({`, '})', column + name.length + 1]
      const items = safeSort([...value.values()], (item) => item)
      return () => this.wrapped(open, close, () => this.items(items, at, behind + close.length, depth))
    }
    return undefined
  }

  private wrapped(open: string, close: string, body: () => void): void {
    this.text += open
    body()
    this.text += close
  }

  private items(items: readonly Value[], column: number, behind: number, depth: number): void {
    const at = column + this.indent
    this.text += this.lead
    items.forEach((item, i) => {
      if (i > 0) this.newLine(',', at)
      this.print(item, at, i === items.length - 1 ? behind : 1, depth)
    })
  }

  private dict(map: Map<Value, Value>, [column, behind]: Place, depth: number): void {
    const at = column + this.indent
    this.text += `{${this.lead}`
    sortedEntries(map).forEach(([key, item], i) => {
      if (i > 0) this.newLine(',', at)
      const label = this.oneLine(key)
      this.text += `${label}: `
      this.print(item, at + textLength(label) + 2, i === map.size - 1 ? behind + 1 : 1, depth)
    })
    this.text += '}'
  }

  /** Write the parts of one long text; at the outermost level, parentheses join them into one expression. */
  private texts(chunks: string[], column: number, depth: number): void {
    const outermost = depth === 1 && chunks.length > 1
    if (outermost) this.text += '('
    chunks.forEach((chunk, i) => {
      if (i > 0) this.newLine('', column + (outermost ? 1 : 0))
      this.text += chunk
    })
    if (outermost) this.text += ')'
  }

  private newLine(end: string, column: number): void {
    this.text += `${end}\n${' '.repeat(column)}`
  }

  /** Return the repr, with plain dicts sorted and recursive references marked. */
  private oneLine(value: Value): string {
    if (value instanceof OrderedDict || value instanceof NamedTuple) return repr(value)
    if (!Array.isArray(value) && !(value instanceof Map)) return repr(value)
    if (this.open.has(value)) return recursion(value)
    if (this.open.size > DEEPEST) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
    this.open.add(value)
    const text = this.oneLineOf(value)
    this.open.delete(value)
    return text
  }

  private oneLineOf(value: Value[] | Map<Value, Value>): string {
    if (value instanceof Map) {
      const entries = sortedEntries(value).map(([key, item]) => `${this.oneLine(key)}: ${this.oneLine(item)}`)
      return `{${entries.join(', ')}}`
    }
    const items = value.map((item) => this.oneLine(item)).join(', ')
    if (!(value instanceof Tuple)) return `[${items}]`
    return value.length === 1 ? `(${items},)` : `(${items})`
  }
}

function recursion(value: Value): string {
  return `<Recursion on ${typeName(value)} with id=139872145408000>`
}

function sortedEntries(map: Map<Value, Value>): [Value, Value][] {
  return safeSort([...map], ([key]) => key)
}

/** Sort values that may not be comparable: those are sorted by type name. */
function safeSort<T>(items: T[], keyOf: (item: T) => Value): T[] {
  return items.sort((a, b) => safeOrder(keyOf(a), keyOf(b)))
}

function safeOrder(a: Value, b: Value): number {
  const result = tryOrder(a, b)
  if (result !== undefined) return Number.isNaN(result) ? 0 : result
  const [x, y] = [typeName(a), typeName(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

function tryOrder(a: Value, b: Value): number | undefined {
  try {
    return order(a, b)
  } catch (error) {
    if (error instanceof PyError && error.code === 'TypeError') return undefined
    throw error
  }
}

const PARTS = new RegExp(`[^${SPACE}]*[${SPACE}]*`, 'g')

/** The quoted parts of a text: its lines, and lines that are too long cut behind runs of spaces. */
function textChunks(text: string, [column, behind]: Place, depth: number): string[] {
  if (text === '') return ["''"]
  const outer = depth === 1 ? 1 : 0
  const width = WIDTH - column - outer
  const last = width - behind - outer
  const lines = splitLines(text, true)
  return lines.flatMap((line, i) => {
    const lastLine = i === lines.length - 1
    const whole = quote(line)
    if (textLength(whole) <= (lastLine ? last : width)) return [whole]
    return fill(line.match(PARTS)!.slice(0, -1), (isLast) => (isLast && lastLine ? last : width), quote)
  })
}

const BYTES_AT_ONCE = 4

function byteChunks(bytes: Uint8Array, [column, behind]: Place, depth: number): string[] {
  if (bytes.length <= BYTES_AT_ONCE) return [repr(bytes)]
  const outer = depth === 1 ? 1 : 0
  const width = WIDTH - column - outer
  // Python keeps room for the closing marks only behind a last group that is not full
  const last = bytes.length % BYTES_AT_ONCE === 0 ? width : width - behind - outer
  const parts: string[] = []
  for (let i = 0; i < bytes.length; i += BYTES_AT_ONCE) {
    parts.push(Buffer.from(bytes.subarray(i, i + BYTES_AT_ONCE)).toString('latin1'))
  }
  return fill(
    parts,
    (isLast) => (isLast ? last : width),
    (text) => repr(new Uint8Array(Buffer.from(text, 'latin1'))),
  )
}

/** Join parts into chunks whose printed form fits the width. */
function fill(parts: string[], widthFor: (isLast: boolean) => number, print: (text: string) => string): string[] {
  const chunks: string[] = []
  let current = ''
  parts.forEach((part, i) => {
    if (textLength(print(current + part)) > widthFor(i === parts.length - 1)) {
      if (current) chunks.push(print(current))
      current = part
    } else current += part
  })
  if (current) chunks.push(print(current))
  return chunks
}
