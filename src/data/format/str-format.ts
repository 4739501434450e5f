// `'{} {name!r:>{width}}'.format(…)`, with the rules of Python's string.Formatter, which Jinja's sandbox uses in place
// of str.format itself. Attributes and items are the caller's to look up.
import { PyError, valueError } from '../errors.ts'
import { repr, str } from '../repr.ts'
import type { Value } from '../value.ts'
import { ascii } from './ascii.ts'
import { parseTemplate, type ReplacementField } from './parse-template.ts'
import { format } from './spec.ts'

export interface FormatSource {
  positional: readonly Value[]
  /** Return the keyword argument with this name; throw KeyError if it is missing. */
  named(name: string): Value
  getAttr(object: Value, name: string): Value
  getItem(object: Value, key: string | number): Value
  /** Replaces `format(value, spec)`, as Markup does. */
  formatField?(value: Value, spec: string): string
}

export function formatTemplate(template: string, source: FormatSource): string {
  return new TemplateFormatter(source).expand(template, 2)
}

class TemplateFormatter {
  private readonly source: FormatSource
  /** The next automatic number, or false once a number was given by hand. */
  private auto: number | false = 0

  constructor(source: FormatSource) {
    this.source = source
  }

  expand(template: string, depth: number): string {
    if (depth < 0) throw valueError('Max string recursion exceeded')
    let out = ''
    for (const { literal, field } of parseTemplate(template)) {
      out += literal
      if (field !== undefined) out += this.field(field, depth)
    }
    return out
  }

  private field({ name, conversion, spec }: ReplacementField, depth: number): string {
    const value = converted(this.lookUp(this.numbered(name)), conversion)
    const expanded = this.expand(spec, depth - 1)
    return this.source.formatField?.(value, expanded) ?? format(value, expanded)
  }

  private numbered(name: string): string {
    if (name === '') {
      if (this.auto === false) throw manualToAuto()
      return String(this.auto++)
    }
    if (/^\d+$/.test(name)) {
      if (this.auto) throw manualToAuto()
      this.auto = false
    }
    return name
  }

  private lookUp(name: string): Value {
    const first = /^[^.[]*/.exec(name)![0]
    const index = numberIn(first)
    let value = index === undefined ? this.source.named(first) : this.argument(index)
    for (const [isAttribute, key] of accessors(name.slice(first.length))) {
      value = isAttribute ? this.source.getAttr(value, String(key)) : this.source.getItem(value, key)
    }
    return value
  }

  private argument(index: number): Value {
    const value = this.source.positional[index]
    if (value === undefined) throw new PyError('IndexError', 'tuple index out of range')
    return value
  }
}

const manualToAuto = (): PyError =>
  valueError('cannot switch from manual field specification to automatic field numbering')

function numberIn(text: string): number | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined
  if (BigInt(text) > 9223372036854775807n) throw valueError('Too many decimal digits in format string')
  return Number(text)
}

/** The `.name` and `[key]` parts of a field's name. */
function* accessors(path: string): Generator<[isAttribute: boolean, key: string | number]> {
  let at = 0
  while (at < path.length) {
    const isAttribute = path[at] === '.'
    if (!isAttribute && path[at] !== '[') {
      throw valueError("Only '.' or '[' may follow ']' in format field specifier")
    }
    at++
    const end = isAttribute ? nextAccessor(path, at) : path.indexOf(']', at)
    if (end < 0) throw valueError("Missing ']' in format string")
    const key = path.slice(at, end)
    if (key === '') throw valueError('Empty attribute in format string')
    at = isAttribute ? end : end + 1
    yield [isAttribute, isAttribute ? key : (numberIn(key) ?? key)]
  }
}

function nextAccessor(path: string, from: number): number {
  const distance = path.slice(from).search(/[.[]/)
  return distance < 0 ? path.length : from + distance
}

function converted(value: Value, conversion: string): Value {
  switch (conversion) {
    case '':
      return value
    case 's':
      return str(value)
    case 'r':
      return repr(value)
    case 'a':
      return ascii(value)
    default:
      throw valueError(`Unknown conversion specifier ${conversion}`)
  }
}
