// The default outputter: keys in order, each value indented below its key, items of lists behind dashes.
import { recover } from '../base/mod.ts'
import {
  type Dict,
  decodeBytes,
  EncodedDict,
  equals,
  isNumeric,
  OrderedDict,
  PyError,
  repr,
  sorted,
  splitLines,
  str,
  textLength,
  textOf,
  truthy,
  type Value,
} from '../data/mod.ts'
import { packedNested } from './nested-packed.ts'
import { getOr, type Outputter, type Screen, screenFlag } from './outputter.ts'
import { settledData } from './settle.ts'
import { margin, needSpaces, stripEscapes } from './text.ts'

export const nested: Outputter = (data, screen) => {
  const writer = writerFor(screen)
  writer.write(data, indentOf(screen), '')
  return writer.finished()
}

/**
 * Return the text of an encoded dict and a line end as pieces of UTF-8; undefined where the text has to be made in one piece. The text
 * of a large dict costs less if it is never a string.
 */
export function nestedPieces(dict: EncodedDict, screen: Screen): readonly Buffer[] | undefined {
  if (indentOf(screen) !== 0) return undefined
  const pieces = writerFor(screen).packed(dict, 0, '')
  // blanks at the end of a text are not printed
  const last = pieces?.at(-1)?.at(-2) ?? SPACE
  return last > SPACE ? pieces : undefined
}

const SPACE = 0x20

const writerFor = (screen: Screen): NestedWriter =>
  new NestedWriter(screen, !equals(getOr(screen.kwargs, '_retcode', 0), 0))

function indentOf({ kwargs, opts }: Screen): number {
  const asked = getOr(kwargs, 'nested_indent', 0)
  return needSpaces(truthy(asked) ? asked : getOr(opts, 'nested_indent', 0))
}

/** Text of one line that is shown as it is. */
const PLAIN = /^[\x20-\x7e]+$/

class NestedWriter {
  private lines: string[] = []
  private readonly colors: Screen['colors']
  private readonly stripColors: boolean
  /** Marks of structure are red when the function failed. */
  private readonly keyColor: string
  private readonly itemColor: string

  constructor(screen: Screen, failed: boolean) {
    this.colors = screen.colors
    this.stripColors = screenFlag(screen, 'strip_colors', true)
    this.keyColor = failed ? screen.colors.RED : screen.colors.CYAN
    this.itemColor = failed ? screen.colors.RED : screen.colors.GREEN
  }

  /** Return all that was written. */
  finished(): string {
    return this.lines.join('\n')
  }

  write(given: Value, indent: number, prefix: string): void {
    const value = given instanceof Uint8Array ? readable(given) : given
    const text = textOf(value)
    if (text !== undefined) this.text(text, indent, prefix)
    else if (value === null || isNumeric(value)) this.line(indent, this.colors.LIGHT_YELLOW, prefix + repr(value))
    else if (Array.isArray(value)) this.list(value, indent)
    else if (value instanceof Map) this.dict(value, indent, prefix)
    else if (value instanceof EncodedDict) this.encoded(value, indent, prefix)
  }

  private line(indent: number, color: string, text: string, suffix = ''): void {
    this.lines.push(margin(indent) + color + text + this.colors.ENDC + suffix)
  }

  private text(text: string, indent: number, prefix: string): void {
    if (PLAIN.test(text)) {
      this.line(indent, this.colors.GREEN, prefix + text)
      return
    }
    let before = prefix
    for (const line of splitLines(text)) {
      this.line(indent, this.colors.GREEN, before + this.shown(line))
      before = margin(textLength(prefix))
    }
  }

  private shown(text: string): string {
    return this.stripColors && !PLAIN.test(text) ? stripEscapes(text) : text
  }

  private list(list: readonly Value[], indent: number): void {
    for (const item of list) {
      if (Array.isArray(item) || item instanceof Map) {
        this.line(indent, this.itemColor, '|_')
        this.write(item, indent + 2, item instanceof Map ? '' : '- ')
      } else this.write(item, indent, '- ')
    }
  }

  /** Write an encoded dict, most entries of which are never unpacked. */
  private encoded(dict: EncodedDict, indent: number, prefix: string): void {
    const pieces = this.packed(dict, indent, prefix)
    if (!pieces || pieces.length === 0) return this.dict(settledData(dict.unpack()) as Dict, indent, prefix)
    if (indent !== 0) this.line(indent, this.keyColor, '----------')
    this.lines.push(pieces.join('').slice(0, -1))
  }

  /** Return the lines of the entries of an encoded dict; undefined where it has to be unpacked. */
  packed(dict: EncodedDict, indent: number, prefix: string): readonly Buffer[] | undefined {
    const { colors, keyColor } = this
    const lines = (value: Value, at: number): readonly string[] => this.linesOf(value, at)
    return packedNested(dict.bytes, { colors, keyColor, indent, prefix, lines })
  }

  private linesOf(value: Value, indent: number): string[] {
    const outside = this.lines
    this.lines = []
    this.write(settledData(value), indent, '')
    const own = this.lines
    this.lines = outside
    return own
  }

  private dict(dict: Dict, indent: number, prefix: string): void {
    if (indent !== 0) this.line(indent, this.keyColor, '----------')
    for (const [key, value] of entriesInOrder(dict)) {
      this.line(indent, this.keyColor, prefix + this.shown(key), ':')
      this.write(value, indent + 4, '')
    }
  }
}

/** Return bytes as text; bytes that are not text are returned unchanged and not shown. */
function readable(bytes: Uint8Array): Value {
  return recover(
    (error) => error instanceof PyError && error.code === 'UnicodeDecodeError',
    bytes,
    () => decodeBytes(bytes),
  )
}

function entriesInOrder(dict: Dict): [key: string, value: Value][] {
  if (dict instanceof OrderedDict) return [...dict].map(([key, value]) => [str(key), value])
  const keys = [...dict.keys()]
  if (keys.every((key) => typeof key === 'string' && PLAIN.test(key)))
    return (keys as string[]).sort().map((key) => [key, dict.get(key)!])
  try {
    return sorted(dict).map((key) => [str(key), dict.get(key)!])
  } catch (error) {
    if (!(error instanceof PyError) || error.code !== 'TypeError') throw error
  }
  // keys of several types are sorted by their text; of equal texts the last one is shown
  const byText = new Map<Value, Value>([...dict].map(([key, value]) => [str(key), value]))
  return sorted(byText).map((key) => [key as string, byText.get(key)!])
}
