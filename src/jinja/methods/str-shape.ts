// Methods that pad, strip or map the characters of a text.
import {
  center,
  type Dict,
  dictSet,
  getItem,
  isInt,
  PyError,
  strip,
  textLength,
  textOf,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { countArgument, namedTextArgument } from './arguments.ts'

function fillArgument(fill: Value): string {
  const char = textOf(fill)
  if (char === undefined) throw typeError(`The fill character must be a unicode character, not ${typeName(fill)}`)
  if (textLength(char) !== 1) throw typeError('The fill character must be exactly one character long')
  return char
}

export function justify(text: string, side: 'left' | 'right' | 'center', width: Value, fill: Value = ' '): string {
  const columns = countArgument(width)
  const char = fillArgument(fill)
  const room = columns - textLength(text)
  if (room <= 0) return text
  if (side === 'center') return center(text, columns, char)
  return side === 'left' ? text + char.repeat(room) : char.repeat(room) + text
}

export function zfill(text: string, width: Value): string {
  const room = countArgument(width) - textLength(text)
  if (room <= 0) return text
  const sign = /^[+-]/.test(text) ? text[0]! : ''
  return sign + '0'.repeat(room) + text.slice(sign.length)
}

export function expandtabs(text: string, size: Value = 8): string {
  const step = countArgument(size)
  if (step > 0x7fffffff || step < -0x80000000) {
    throw new PyError('OverflowError', 'Python int too large to convert to C int')
  }
  let out = ''
  let column = 0
  for (const char of text) {
    if (char === '\t') {
      const spaces = step > 0 ? step - (column % step) : 0
      out += ' '.repeat(spaces)
      column += spaces
    } else {
      out += char
      column = char === '\n' || char === '\r' ? 0 : column + 1
    }
  }
  return out
}

/** `strip`, `lstrip` or `rstrip`. */
export function stripSide(name: 'strip' | 'lstrip' | 'rstrip', text: string, chars: Value = null): string {
  const unwanted = chars === null ? undefined : textOf(chars)
  if (chars !== null && unwanted === undefined) throw typeError(`${name} arg must be None or str`)
  const stripped = strip(text, unwanted)
  if (name === 'strip' || stripped.length === text.length) return stripped
  if (stripped === '') return ''
  // the stripped text begins and ends with a kept character, so its position can be found from either end
  return name === 'lstrip'
    ? text.slice(leading(text, unwanted))
    : text.slice(0, leading(text, unwanted) + stripped.length)
}

function leading(text: string, chars: string | undefined): number {
  let at = 0
  for (const char of text) {
    if (strip(char, chars) !== '') break
    at += char.length
  }
  return at
}

export function maketrans(from: Value, to?: Value, drop?: Value): Dict {
  const table: Dict = new Map()
  if (to === undefined) {
    if (!(from instanceof Map)) throw typeError('if you give only one argument to maketrans it must be a dict')
    for (const [key, value] of from) dictSet(table, transKey(key), value)
    return table
  }
  const targets = [...namedTextArgument(to, 'maketrans() argument 2')]
  const dropped = drop === undefined ? '' : namedTextArgument(drop, 'maketrans() argument 3')
  const sources = textOf(from)
  if (sources === undefined) {
    throw typeError('first maketrans argument must be a string if there is a second argument')
  }
  if (textLength(sources) !== targets.length) {
    throw valueError('the first two maketrans arguments must have equal length')
  }
  let i = 0
  for (const char of sources) table.set(char.codePointAt(0)!, targets[i++]!.codePointAt(0)!)
  for (const char of dropped) table.set(char.codePointAt(0)!, null)
  return table
}

function transKey(key: Value): Value {
  if (typeof key === 'string') {
    if (textLength(key) !== 1) throw valueError('string keys in translate table must be of length 1')
    return key.codePointAt(0)!
  }
  if (isInt(key) || typeof key === 'boolean') return key
  throw typeError('keys in translate table must be strings or integers')
}

export function translate(text: string, table: Value): string {
  let out = ''
  for (const char of text) out += translateChar(char, table)
  return out
}

function translateChar(char: string, table: Value): string {
  let mapped: Value
  try {
    mapped = getItem(table, char.codePointAt(0)!)
  } catch (error) {
    if (error instanceof PyError && (error.code === 'KeyError' || error.code === 'IndexError')) return char
    throw error
  }
  if (mapped === null) return ''
  const replacement = textOf(mapped)
  if (replacement !== undefined) return replacement
  if (!isInt(mapped)) throw typeError('character mapping must return integer, None or str')
  if (mapped < 0 || mapped > 0x10ffff) throw valueError('character mapping must be in range(0x110000)')
  return String.fromCodePoint(Number(mapped))
}

/** `removeprefix` or `removesuffix`. */
export function removeAffix(name: 'removeprefix' | 'removesuffix', text: string, affix: Value): string {
  const unwanted = namedTextArgument(affix, `${name}() argument`)
  if (unwanted === '') return text
  if (name === 'removeprefix') return text.startsWith(unwanted) ? text.slice(unwanted.length) : text
  return text.endsWith(unwanted) ? text.slice(0, -unwanted.length) : text
}
