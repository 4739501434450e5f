// Reads an XML document into elements, with expat's errors and their places. Document types are skipped and entities
// are the five of XML alone, so no document can make us fetch a file or grow without end.
import { PyError } from '../errors.ts'
import type { XmlElement } from './element.ts'

const NAME_START =
  'A-Z_a-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd'
const NAME_REST = `[${NAME_START}\\-.0-9\\xb7\\u0300-\\u036f\\u203f\\u2040]*`
/** A name with at most one prefix. */
const NAME = new RegExp(`[${NAME_START}]${NAME_REST}(?::[${NAME_START}]${NAME_REST})?`, 'y')
const SPACE = /[ \t\r\n]*/y
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const DEEPEST = 5000
/** An element needs far more memory than its text. */
const MOST_ELEMENTS = 2_000_000

class Reader {
  private readonly text: string
  private at = 0
  private readonly open: XmlElement[] = []
  private root: XmlElement | undefined
  private elements = 0

  constructor(text: string) {
    this.text = text
  }

  document(): XmlElement {
    while (this.at < this.text.length) {
      if (this.text[this.at] === '<') this.markup()
      else if (this.open.length > 0) this.characters()
      else this.outside()
    }
    if (this.root === undefined || this.open.length > 0) throw this.error('no element found', this.text.length)
    return this.root
  }

  /** Between and around top-level elements only spaces are allowed. */
  private outside(): void {
    const start = this.at
    this.take(SPACE)
    if (this.at > start) return
    throw this.error(this.root === undefined ? 'syntax error' : 'junk after document element', start)
  }

  private markup(): void {
    const rest = this.text.slice(this.at, this.at + 9)
    if (rest.startsWith('<!--')) this.comment()
    else if (rest === '<![CDATA[' && this.open.length > 0) this.verbatim()
    else if (rest === '<!DOCTYPE' && this.root === undefined) this.documentType()
    else if (rest.startsWith('<?')) this.instruction()
    else if (rest.startsWith('</')) this.endTag()
    else this.startTag()
  }

  private comment(): void {
    const end = this.text.indexOf('--', this.at + 4)
    if (end < 0) throw this.error('unclosed token', this.at)
    if (this.text[end + 2] !== '>') throw this.invalid(end + 2)
    this.at = end + 3
  }

  private verbatim(): void {
    const end = this.text.indexOf(']]>', this.at)
    if (end < 0) throw this.error('unclosed CDATA section', this.at)
    this.append(this.text.slice(this.at + 9, end))
    this.at = end + 3
  }

  private instruction(): void {
    if (/^<\?xml[ \t\r\n]/.test(this.text.slice(this.at, this.at + 6)) && this.at > 0) {
      throw this.error('XML or text declaration not at start of entity', this.at)
    }
    const end = this.text.indexOf('?>', this.at)
    if (end < 0) throw this.error('unclosed token', this.at)
    this.at = end + 2
  }

  private documentType(): void {
    let depth = 0
    for (let i = this.at; i < this.text.length; i++) {
      const char = this.text[i]!
      if (char === '[') depth++
      else if (char === ']') depth--
      else if (char === '>' && depth === 0) {
        this.at = i + 1
        return
      }
    }
    throw this.error('unclosed token', this.at)
  }

  private startTag(): void {
    const start = this.at++
    if (this.root !== undefined && this.open.length === 0) throw this.error('junk after document element', start)
    const element: XmlElement = { name: this.name(start), attributes: new Map(), children: [] }
    for (;;) {
      const before = this.at
      this.take(SPACE)
      const char = this.next(start)
      if (char === '>' || char === '/') break
      if (this.at === before) throw this.invalid(this.at)
      this.attribute(element, start)
    }
    const empty = this.text[this.at] === '/'
    if (empty) this.at++
    if (this.next(start) !== '>') throw this.invalid(this.at)
    this.at++
    this.add(element, empty, start)
  }

  private add(element: XmlElement, empty: boolean, start: number): void {
    const parent = this.open.at(-1)
    if (parent) parent.children.push(element)
    else this.root = element
    if (this.open.length >= DEEPEST || ++this.elements > MOST_ELEMENTS) throw this.error('out of memory', start)
    this.open.push(element)
    this.checkPrefixes(element, start)
    if (empty) this.open.pop()
  }

  private checkPrefixes({ name, attributes }: XmlElement, start: number): void {
    for (const qualified of [name, ...attributes.keys()]) {
      const [prefix, local] = qualified.split(':') as [string, string?]
      if (local === undefined || prefix === 'xml' || prefix === 'xmlns') continue
      if (!this.open.some((element) => element.attributes.has(`xmlns:${prefix}`))) {
        throw this.error('unbound prefix', start)
      }
    }
  }

  private attribute(element: XmlElement, start: number): void {
    const nameAt = this.at
    const name = this.name(start)
    this.take(SPACE)
    if (this.next(start) !== '=') throw this.invalid(this.at)
    this.at++
    this.take(SPACE)
    const mark = this.next(start)
    if (mark !== '"' && mark !== "'") throw this.invalid(this.at)
    this.at++
    let value = ''
    for (let char = this.next(start); char !== mark; char = this.next(start)) {
      if (char === '<') throw this.invalid(this.at)
      if (char === '&') value += this.reference()
      else {
        value += /[\t\r\n]/.test(char) ? ' ' : char
        this.at += char === '\r' && this.text[this.at + 1] === '\n' ? 2 : 1
      }
    }
    this.at++
    if (element.attributes.has(name)) throw this.error('duplicate attribute', nameAt)
    element.attributes.set(name, value)
  }

  private endTag(): void {
    const start = this.at
    const element = this.open.at(-1)
    if (element === undefined) throw this.invalid(start + 1)
    this.at += 2
    const nameAt = this.at
    const name = this.name(start)
    this.take(SPACE)
    if (this.next(start) !== '>') throw this.invalid(this.at)
    if (name !== element.name) throw this.error('mismatched tag', nameAt)
    this.at++
    this.open.pop()
  }

  private characters(): void {
    const start = this.at
    while (this.at < this.text.length && this.text[this.at] !== '<' && this.text[this.at] !== '&') {
      const char = this.text[this.at]!
      if (FORBIDDEN.test(char)) throw this.invalid(this.at)
      if (char === '>' && this.text.endsWith(']]', this.at)) throw this.invalid(this.at)
      this.at++
    }
    if (this.at > start) this.append(this.text.slice(start, this.at).replace(/\r\n?/g, '\n'))
    if (this.text[this.at] === '&') this.append(this.reference())
  }

  /** `&amp;`, `&#65;` or `&#x41;`. */
  private reference(): string {
    const start = this.at++
    const number = /#(?:x([0-9A-Fa-f]+)|([0-9]+))/y
    number.lastIndex = this.at
    const digits = number.exec(this.text)
    const name = digits === null ? this.name(start) : ''
    if (digits) this.at += digits[0].length
    if (this.next(start) !== ';') throw this.invalid(this.at)
    this.at++
    if (digits === null) {
      const known = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
      if (known === undefined) throw this.error('undefined entity', start)
      return known
    }
    const code = digits[1] === undefined ? Number(digits[2]) : Number.parseInt(digits[1], 16)
    const char = code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\0'
    if (FORBIDDEN.test(char) || /^[\ud800-\udfff]$/.test(char)) {
      throw this.error('reference to invalid character number', start)
    }
    return char
  }

  private append(text: string): void {
    const { children } = this.open.at(-1)!
    const last = children.at(-1)
    if (typeof last === 'string') children[children.length - 1] = last + text
    else children.push(text)
  }

  private name(tokenStart: number): string {
    this.next(tokenStart)
    const name = this.take(NAME)
    if (name === '') throw this.invalid(this.at)
    return name
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.at += found.length
    return found
  }

  /** The character ahead; the end of the text inside a token is an error at the token's start. */
  private next(tokenStart: number): string {
    const char = this.text[this.at]
    if (char === undefined) throw this.error('unclosed token', tokenStart)
    if (FORBIDDEN.test(char)) throw this.invalid(this.at)
    return char
  }

  private invalid(at: number): PyError {
    return this.error('not well-formed (invalid token)', at)
  }

  private error(reason: string, at: number): PyError {
    const before = this.text.slice(0, at)
    const line = before.split('\n').length
    const column = at - (before.lastIndexOf('\n') + 1)
    return new PyError('ValueError', `${reason}: line ${line}, column ${column}`)
  }
}

export function parseXml(text: string): XmlElement {
  return new Reader(text).document()
}
