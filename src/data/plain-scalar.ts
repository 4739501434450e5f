// Parses a single YAML 1.1 scalar like Salt's parts of a key path. Text that YAML would parse as a collection, a tag or
// an anchor cannot be a key and stays text.
import { float, int, type Value } from './value.ts'

const WORDS = new Map<string, Value>([
  ['~', null],
  ['None', null],
])
for (const [names, value] of [
  ['null', null],
  ['yes true on', true],
  ['no false off', false],
] as const) {
  for (const name of names.split(' ')) {
    WORDS.set(name, value).set(name.toUpperCase(), value)
    WORDS.set(name[0]!.toUpperCase() + name.slice(1), value)
  }
}
for (const name of ['inf', 'Inf', 'INF']) {
  WORDS.set(`.${name}`, Number.POSITIVE_INFINITY).set(`+.${name}`, Number.POSITIVE_INFINITY)
  WORDS.set(`-.${name}`, Number.NEGATIVE_INFINITY)
}

const INT = /^[-+]?(?:0b[01_]*[01][01_]*|0x[\da-fA-F_]*[\da-fA-F][\da-fA-F_]*|0[0-7_]*|[1-9][\d_]*)$/
const FLOAT = /^(?:[-+]?\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]\d+)?$/
const BASE_60 = /^[-+]?(?:[1-9][\d_]*(?::[0-5]?\d)+|\d[\d_]*(?::[0-5]?\d)+(\.[\d_]*))$/
const INDICATOR = /^(?:[[\]{},&*!|>%@`#]|[-?:](?: |$))|: |:$| #/

/** Return the value of one part of a key path; the part itself if YAML would not convert it. */
export function loadKeyPart(part: string): Value {
  if (part === 'None') return null
  if (/[\t\r\n]/.test(part) || (part.includes('_') && /^[\d_]+$/.test(part.trim()))) return part
  const comment = /(?<= )#.*$/.exec(part)
  const text = (comment === null ? part : part.slice(0, comment.index)).replace(/^ +| +$/g, '')
  const value = scalar(text)
  if (part.includes('#') && (typeof value === 'string' || value === null)) return part
  if (value !== text) return value
  return text === '' || INDICATOR.test(text) ? part : text
}

function scalar(text: string): Value {
  const quoted = /^'((?:[^']|'')*)'$|^"([^"\\]*)"$/.exec(text)
  if (quoted !== null) return quoted[2] ?? quoted[1]!.replaceAll("''", "'")
  const word = WORDS.get(text)
  if (word !== undefined) return word
  if (INT.test(text)) return intOf(text.replaceAll('_', ''))
  if (FLOAT.test(text)) return float(Number(text.replaceAll('_', '')))
  const base60 = BASE_60.exec(text)
  return base60 === null ? text : sexagesimal(text.replaceAll('_', ''), base60[1] !== undefined)
}

/** Salt ignores leading zeros, but after a sign they still mean octal. */
function intOf(text: string): Value {
  const [, sign, prefix, digits] = /^([-+]?)(0b|0x|0(?=\d))?(.+)$/.exec(text)!
  let size: bigint
  if (prefix === undefined || (prefix === '0' && sign === '')) size = BigInt(digits!)
  else size = BigInt((prefix === '0' ? '0o' : prefix) + digits)
  return int(sign === '-' ? -size : size)
}

function sexagesimal(text: string, fractional: boolean): Value {
  const parts = text.replace(/^[-+]/, '').split(':')
  const size = parts.reduce((sum, part) => sum * 60 + Number(part), 0)
  const value = text.startsWith('-') ? -size : size
  return fractional ? float(value) : value
}
