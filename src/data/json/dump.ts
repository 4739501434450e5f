// Python's `json.dumps`, byte for byte: its separators and indents, its float texts, its way with keys that are no
// text, and its refusals.
import { Encoded } from '../encoded.ts'
import { PyError, typeError, valueError } from '../errors.ts'
import { isPlainObject } from '../plain.ts'
import { floatText } from '../repr.ts'
import { sortItems } from '../sequence.ts'
import { Float, PyObject, PyStr, typeName, type Value } from '../value.ts'

export interface DumpJsonOptions {
  /** Spaces per level, or the text that indents a level; null for everything on one line. */
  indent?: number | string | null
  sortKeys?: boolean
  /** Between items and behind keys; `, ` and `: `, or without the first space when indented. */
  separators?: readonly [item: string, key: string]
  /** Escape all characters beyond ASCII. Default: true, as in Python (Salt's own calls set false). */
  ensureAscii?: boolean
  /** Refuse NaN and the infinities. */
  allowNan?: boolean
  /** Leave out keys that cannot be text, instead of failing. */
  skipKeys?: boolean
  /** Returns a replacement for a value without a JSON form. */
  default?: (value: Value) => Value
}

/** Takes values and plain objects alike. */
export function dumpJson(value: unknown, options: DumpJsonOptions = {}): string {
  const writer = new JsonWriter(options)
  writer.write(value)
  return writer.text
}

/** Return `dumpJson` in UTF-8. The JSON of encoded values is copied. */
export function encodeJson(value: unknown, options: DumpJsonOptions = {}): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const writer = new JsonWriter(options, parts)
  writer.write(value)
  const end = utf8.encode(writer.text)
  return parts.length === 0 ? end : Buffer.concat([...parts, end])
}

const utf8 = new TextEncoder()

/** Python's stack ends near here. */
const DEEPEST = 990

/** Data is seldom this deep, and a circle always is: only from here on is it worth looking for one. */
const SUSPICIOUS = 64

class JsonWriter {
  text = ''
  private readonly itemSeparator: string
  private readonly keySeparator: string
  /** Undefined on one line. */
  private readonly indent: string | undefined
  private readonly ascii: boolean
  private readonly sortKeys: boolean
  private readonly options: DumpJsonOptions
  private readonly open = new Set<unknown>()
  /** Keys come again and again. */
  private readonly quotedKeys = new Map<string, string>()
  private depth = 0
  private newline = '\n'
  /** Output before `text`, if the result is bytes. */
  private readonly parts: Uint8Array[] | undefined

  constructor(options: DumpJsonOptions, parts?: Uint8Array[]) {
    const { indent = null, separators, ensureAscii = true, sortKeys = false } = options
    this.indent = indent === null ? undefined : typeof indent === 'string' ? indent : ' '.repeat(Math.max(0, indent))
    this.itemSeparator = separators?.[0] ?? (this.indent === undefined ? ', ' : ',')
    this.keySeparator = separators?.[1] ?? ': '
    this.ascii = ensureAscii
    this.sortKeys = sortKeys
    this.options = options
    this.parts = parts
  }

  write(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.text += this.quote(value)
        break
      case 'number':
        this.text += Number.isInteger(value) ? value + 0 : this.float(value)
        break
      case 'boolean':
        this.text += value ? 'true' : 'false'
        break
      case 'bigint':
        this.text += value
        break
      default:
        if (value === null) this.text += 'null'
        else this.object(value as Value)
    }
  }

  private object(value: Value): void {
    if (value instanceof Float) this.text += this.float(value.value)
    else if (value instanceof PyStr) this.text += this.quote(value.value)
    else {
      this.enter(value)
      this.container(value)
      if (--this.depth >= SUSPICIOUS) this.open.delete(value)
    }
  }

  private container(value: Value): void {
    if (Array.isArray(value)) {
      if (value.length === 0) this.text += '[]'
      else this.list(value)
    } else if (value instanceof Map) {
      if (value.size === 0) this.text += '{}'
      else this.dict(value)
    } else if (value instanceof Encoded) this.encoded(value)
    else if (isPlainObject(value)) this.container(new Map(Object.entries(value)) as Value)
    else if (this.options.default !== undefined) this.write(this.options.default(value))
    else throw typeError(`Object of type ${className(value)} is not JSON serializable`)
  }

  /** Copy the JSON of an encoded value, if the result is bytes and the options match. */
  private encoded(value: Encoded): void {
    const { ascii, indent, options, parts } = this
    const isSame = !ascii && indent === undefined && OF_ENCODED.every((name) => options[name] === undefined)
    const json = parts && isSame ? value.json : undefined
    if (!json) return this.write(value.unpack())
    parts!.push(utf8.encode(this.text), json)
    this.text = ''
  }

  private enter(value: unknown): void {
    if (this.depth++ < SUSPICIOUS) return
    if (this.open.has(value)) throw valueError('Circular reference detected')
    if (this.depth > DEEPEST) {
      throw new PyError('RecursionError', 'maximum recursion depth exceeded while encoding a JSON object')
    }
    this.open.add(value)
  }

  private list(list: readonly unknown[]): void {
    const outer = this.newline
    const between = this.begin('[')
    for (let i = 0; i < list.length; i++) {
      if (i > 0) this.text += between
      this.write(list[i])
    }
    this.end(']', outer)
  }

  private dict(map: ReadonlyMap<unknown, unknown>): void {
    const outer = this.newline
    const between = this.begin('{')
    let first = true
    for (const [key, item] of this.sortKeys ? sortedEntries(map) : map) {
      const name = typeof key === 'string' ? key : this.keyText(key as Value)
      if (name === undefined) continue
      if (first) first = false
      else this.text += between
      this.text += this.quotedKey(name)
      this.write(item)
    }
    this.end('}', outer)
  }

  private quotedKey(name: string): string {
    let quoted = this.quotedKeys.get(name)
    if (quoted === undefined) {
      quoted = this.quote(name) + this.keySeparator
      this.quotedKeys.set(name, quoted)
    }
    return quoted
  }

  /** Begin a level; return the separator of its items. */
  private begin(bracket: string): string {
    this.text += bracket
    if (this.indent === undefined) return this.itemSeparator
    this.newline += this.indent
    this.text += this.newline
    return this.itemSeparator + this.newline
  }

  private end(bracket: string, outer: string): void {
    if (this.indent !== undefined) this.text += outer
    this.newline = outer
    this.text += bracket
  }

  private keyText(key: Value): string | undefined {
    if (key === null) return 'null'
    if (typeof key === 'boolean') return key ? 'true' : 'false'
    if (typeof key === 'number') return Number.isInteger(key) ? String(key + 0) : this.float(key)
    if (typeof key === 'bigint') return key.toString()
    if (key instanceof Float) return this.float(key.value)
    if (key instanceof PyStr) return key.value
    if (this.options.skipKeys) return undefined
    throw typeError(`keys must be str, int, float, bool or None, not ${className(key)}`)
  }

  private float(n: number): string {
    if (Number.isFinite(n)) return floatText(n)
    if (this.options.allowNan === false) {
      // Python has two encoders, and only the indenting one names the number in the error
      const which = this.indent === undefined ? '' : `: ${floatText(n)}`
      throw valueError(`Out of range float values are not JSON compliant${which}`)
    }
    return Number.isNaN(n) ? 'NaN' : n > 0 ? 'Infinity' : '-Infinity'
  }

  private quote(text: string): string {
    if (this.ascii) return PLAIN_ASCII.test(text) ? `"${text}"` : JSON.stringify(text).replace(NOT_ASCII, escapeUnit)
    if (!SPECIAL.test(text)) return `"${text}"`
    // JSON.stringify would escape lone surrogates, which Python leaves unchanged
    return !HALF_PAIR.test(text) ? JSON.stringify(text) : `"${text.replace(CONTROL, escapeControl)}"`
  }
}

/** Options that the JSON of encoded values is made without. */
const OF_ENCODED = ['separators', 'sortKeys', 'allowNan', 'skipKeys', 'default'] as const

const PLAIN_ASCII = /^[ !#-[\]-~]*$/
const NOT_ASCII = /[^ -~]/g
const SPECIAL = /["\\\0-\x1f]/
const HALF_PAIR = /\p{Surrogate}/u
const CONTROL = /["\\\0-\x1f]/g

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const escapeControl = (char: string): string => JSON.stringify(char).slice(1, -1)

/** The bare name of the value's class, without its module. */
function className(value: Value): string {
  if (typeof value === 'object' && value !== null && !isKnown(value)) return (value as object).constructor.name
  const name = typeof value === 'function' || typeof value === 'undefined' ? typeof value : typeName(value)
  return name.slice(name.lastIndexOf('.') + 1)
}

const isKnown = (value: object): boolean =>
  value instanceof PyObject || Array.isArray(value) || value instanceof Map || value instanceof Uint8Array

function sortedEntries(map: ReadonlyMap<unknown, unknown>): Iterable<[unknown, unknown]> {
  // an entry is no value, but sorting looks only at the key
  const sorted = sortItems([...map] as unknown as Value[], (entry) => (entry as unknown as [Value])[0])
  return sorted as unknown as Array<[unknown, unknown]>
}
