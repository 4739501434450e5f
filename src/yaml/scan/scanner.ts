// Text to tokens, in libyaml's model: indentation becomes block tokens, and a scalar may turn out to be a key only when
// its `:` is met, so tokens wait in a queue into which KEY is put behind the fact. Errors come in libyaml's order.
import { scanBlock, skipComment } from './block.ts'
import { isBlankz, isBreak } from './chars.ts'
import { Cursor } from './cursor.ts'
import { scanDirective } from './directive.ts'
import { scanPlain } from './plain.ts'
import { scanAnchor, scanTag } from './properties.ts'
import { scanQuoted } from './quoted.ts'
import type { Source } from './source.ts'
import * as T from './token.ts'
import { Token } from './token.ts'

/** A key that is not marked with `?` stays on one line and within so many characters. */
const LONGEST_KEY = 1024
const NO_KEY = -1

const PLAIN = 0
const FLOW = 1
const CONTENT = 2
const INDICATOR = 3

/** The token that an ASCII character begins. A tab comes here only where it may not indent. */
const STARTS = new Uint8Array(128)
for (const c of ',[]{}') STARTS[c.charCodeAt(0)] = FLOW
for (const c of '\'"*&!|>@`\t') STARTS[c.charCodeAt(0)] = CONTENT
for (const c of '\0%-.?:') STARTS[c.charCodeAt(0)] = INDICATOR

/** A typical key: plain, of ordinary letters, with its `:` on the same line. Other keys are scanned by character. */
const PLAIN_KEY = /[A-Za-z0-9_/](?:[\w ./-]*[\w./-])?:(?=[ \n])/y

export class Scanner extends Cursor {
  /** Waiting tokens are between head and end: emptying the array would release and reallocate its memory. */
  private readonly queue: Token[] = []
  private head = 0
  private end = 0
  private ready = false
  /** The number of the token at the queue's head. */
  private taken = 0

  private indent = -1
  private readonly indents: number[] = []
  private flowLevel = 0

  private keyAllowed = true
  /** Per flow level: the number of the token that may begin a key, and its position. */
  private readonly keyToken: number[] = [NO_KEY]
  private readonly keyLine: number[] = [0]
  private readonly keyColumn: number[] = [0]
  private readonly keyIndex: number[] = [0]
  /** Whether the possible key outside of flow is required, because nothing else is allowed at its column. */
  private keyRequired = false

  constructor(source: Source) {
    super(source)
  }

  /** The next token, left in the queue. */
  peek(): Token {
    if (!this.ready) this.fillQueue()
    return this.queue[this.head]!
  }

  /** Takes the token that peek gave. */
  skip(): void {
    this.head++
    this.taken++
    this.ready = false
  }

  private fillQueue(): void {
    for (;;) {
      if (this.head === this.end) {
        this.head = 0
        this.end = 0
      } else if (!this.headMayBecomeKey()) break
      this.fetch()
    }
    this.ready = true
  }

  /** Possible keys are in the order of their tokens, so the first that still is one decides. */
  private headMayBecomeKey(): boolean {
    for (let level = 0; level <= this.flowLevel; level++) {
      const token = this.keyToken[level]!
      if (token === NO_KEY) continue
      if (this.isKeyStale(level)) {
        this.forgetKey(level)
        continue
      }
      return token === this.taken
    }
    return false
  }

  private isKeyStale(level: number): boolean {
    return this.keyLine[level]! < this.line || this.keyIndex[level]! + LONGEST_KEY < this.index
  }

  /** Drop the possible key of a level; throw if it was required. */
  private forgetKey(level: number): void {
    if (this.keyToken[level] === NO_KEY) return
    if (level === 0 && this.keyRequired) {
      const [line, column] = [this.keyLine[0]!, this.keyColumn[0]!]
      this.fail('while scanning a simple key', line, column, "could not find expected ':'")
    }
    this.keyToken[level] = NO_KEY
  }

  /** Notes that a key may begin here. */
  private saveKey(): void {
    if (!this.keyAllowed) return
    const level = this.flowLevel
    this.forgetKey(level)
    if (level === 0) this.keyRequired = this.indent === this.column
    this.keyToken[level] = this.taken + this.end - this.head
    this.keyLine[level] = this.line
    this.keyColumn[level] = this.column
    this.keyIndex[level] = this.index
  }

  /** Puts the next token, and the block tokens that its column asks for, into the queue. */
  private fetch(): void {
    this.skipToToken()
    if (this.keyToken[0] !== NO_KEY && this.isKeyStale(0)) this.forgetKey(0)
    if (this.flowLevel === 0) this.closeBlocks(this.column)
    const c = this.text.charCodeAt(this.pos)
    const kind = c < 128 ? STARTS[c]! : PLAIN
    if (kind === PLAIN) {
      if (!this.fetchPlainKey()) this.fetchPlain()
    } else if (kind === FLOW) this.fetchFlowIndicator(c)
    else if (kind === CONTENT) this.fetchContent(c)
    else this.fetchIndicator(c)
  }

  /** Fetch a token that is an indicator only by its context: the next character or the position. */
  private fetchIndicator(c: number): void {
    const followed = isBlankz(this.text.charCodeAt(this.pos + 1))
    if (c === 0) this.fetchStreamEnd()
    else if (c === 37 && this.column === 0) this.fetchDirective()
    else if ((c === 45 || c === 46) && this.atDocumentMark()) {
      this.fetchDocumentMark(c === 45 ? T.DOCUMENT_START : T.DOCUMENT_END)
    } else if (c === 45 && followed) this.fetchBlockEntry()
    else if (c === 63 && (followed || this.flowLevel > 0)) this.fetchKey()
    else if (c === 58 && (followed || this.flowLevel > 0)) this.fetchValue()
    else if (c === 37) this.refuse()
    else this.fetchPlain()
  }

  private fetchFlowIndicator(c: number): void {
    if (c === 44) this.fetchFlowEntry()
    else if (c === 91) this.fetchFlowStart(T.FLOW_SEQUENCE_START)
    else if (c === 123) this.fetchFlowStart(T.FLOW_MAPPING_START)
    else this.fetchFlowEnd(c === 93 ? T.FLOW_SEQUENCE_END : T.FLOW_MAPPING_END)
  }

  /** Anchors, tags, and scalars that are not plain. */
  private fetchContent(c: number): void {
    if (c === 39 || c === 34) this.fetchQuoted(c)
    else if (c === 42) this.fetchAnchor(T.ALIAS)
    else if (c === 38) this.fetchAnchor(T.ANCHOR)
    else if (c === 33) this.fetchTag()
    else if ((c === 124 || c === 62) && this.flowLevel === 0) this.fetchBlockScalar()
    else this.refuse()
  }

  private refuse(): never {
    const char = this.text[this.pos]!
    this.fail(
      'while scanning for the next token',
      this.line,
      this.column,
      'found character that cannot start any token',
      char === '\t' ? 'Indent with spaces, not tabs' : `Quote a value that begins with '${char}'`,
    )
  }

  /** Skip blanks, comments and line breaks. A tab counts as a blank only where no key is allowed. */
  private skipToToken(): void {
    const { text } = this
    for (;;) {
      let c = text.charCodeAt(this.pos)
      if (c === 0xfeff && this.column === 0) c = text.charCodeAt(++this.pos)
      while (c === 32 || (c === 9 && (this.flowLevel > 0 || !this.keyAllowed))) c = text.charCodeAt(++this.pos)
      if (c === 35) {
        skipComment(this)
        c = text.charCodeAt(this.pos)
      }
      if (!isBreak(c)) return
      this.newLine()
      if (this.flowLevel === 0) this.keyAllowed = true
    }
  }

  private add(token: Token): void {
    this.queue[this.end++] = token
  }

  private push(type: number): void {
    this.add(new Token(type, this.line, this.column))
  }

  /** Queues the indicator here, one character wide, and passes it. */
  private pushIndicator(type: number): void {
    this.add(new Token(type, this.line, this.column, 1))
    this.pos++
  }

  /** Insert a token before the token with this number. */
  private insert(number: number, token: Token): void {
    const at = this.head + number - this.taken
    for (let i = this.end++; i > at; i--) this.queue[i] = this.queue[i - 1]!
    this.queue[at] = token
  }

  /** Ends the blocks that are indented deeper than the column. */
  private closeBlocks(column: number): void {
    while (this.indent > column) {
      this.push(T.BLOCK_END)
      this.indent = this.indents.pop()!
    }
  }

  /** Begins a block collection here if this column is a deeper one. */
  private openBlock(type: number): void {
    if (this.indent >= this.column) return
    this.indents.push(this.indent)
    this.indent = this.column
    this.push(type)
  }

  private fetchStreamEnd(): void {
    if (this.column !== 0) {
      this.line++
      this.lineStart = this.pos
    }
    this.leaveBlocks()
    this.push(T.STREAM_END)
  }

  /** At the end, a directive or a document marker, close everything outside of flow and allow no key. */
  private leaveBlocks(): void {
    if (this.flowLevel === 0) this.closeBlocks(-1)
    this.forgetKey(this.flowLevel)
    this.keyAllowed = false
  }

  private fetchDirective(): void {
    this.leaveBlocks()
    const { line, column } = this
    const directive = scanDirective(this)
    this.add(
      directive.kind === 'version'
        ? new Token(T.VERSION_DIRECTIVE, line, column, 0, directive.version)
        : new Token(T.TAG_DIRECTIVE, line, column, 0, directive.handle, directive.prefix),
    )
  }

  private fetchDocumentMark(type: number): void {
    this.leaveBlocks()
    this.push(type)
    this.pos += 3
  }

  private fetchFlowStart(type: number): void {
    this.saveKey()
    this.flowLevel++
    this.keyToken[this.flowLevel] = NO_KEY
    this.keyAllowed = true
    this.pushIndicator(type)
  }

  private fetchFlowEnd(type: number): void {
    this.forgetKey(this.flowLevel)
    if (this.flowLevel > 0) this.flowLevel--
    this.keyAllowed = false
    this.pushIndicator(type)
  }

  private fetchFlowEntry(): void {
    this.forgetKey(this.flowLevel)
    this.keyAllowed = true
    this.pushIndicator(T.FLOW_ENTRY)
  }

  /** In flow a `-` is an error, which the parser reports because it knows the collection. */
  private fetchBlockEntry(): void {
    if (this.flowLevel === 0) {
      if (!this.keyAllowed) this.fail(undefined, 0, 0, 'block sequence entries are not allowed in this context')
      this.openBlock(T.BLOCK_SEQUENCE_START)
    }
    this.forgetKey(this.flowLevel)
    this.keyAllowed = true
    this.pushIndicator(T.BLOCK_ENTRY)
  }

  private fetchKey(): void {
    if (this.flowLevel === 0) {
      if (!this.keyAllowed) this.fail(undefined, 0, 0, 'mapping keys are not allowed in this context')
      this.openBlock(T.BLOCK_MAPPING_START)
    }
    this.forgetKey(this.flowLevel)
    this.keyAllowed = this.flowLevel === 0
    this.pushIndicator(T.KEY)
  }

  private fetchValue(): void {
    const level = this.flowLevel
    if (this.keyToken[level] !== NO_KEY && !this.isKeyStale(level)) this.turnIntoKey(level)
    else {
      if (level === 0) {
        if (!this.keyAllowed) {
          const hint = "Quote a value that holds ': ', or indent the key as its neighbours are"
          this.fail(undefined, 0, 0, 'mapping values are not allowed in this context', hint)
        }
        this.openBlock(T.BLOCK_MAPPING_START)
      }
      this.keyToken[level] = NO_KEY
      this.keyAllowed = level === 0
    }
    this.pushIndicator(T.VALUE)
  }

  /** The token that might have begun a key did so. */
  private turnIntoKey(level: number): void {
    const number = this.keyToken[level]!
    const line = this.keyLine[level]!
    const column = this.keyColumn[level]!
    this.insert(number, new Token(T.KEY, line, column))
    if (level === 0 && this.indent < column) {
      this.indents.push(this.indent)
      this.indent = column
      this.insert(number, new Token(T.BLOCK_MAPPING_START, line, column))
    }
    this.keyToken[level] = NO_KEY
    this.keyAllowed = false
  }

  private fetchAnchor(type: number): void {
    this.saveKey()
    this.keyAllowed = false
    const { line, column } = this
    this.add(new Token(type, line, column, 0, scanAnchor(this)))
  }

  private fetchTag(): void {
    this.saveKey()
    this.keyAllowed = false
    const { line, column } = this
    const { handle, suffix } = scanTag(this, this.flowLevel > 0)
    this.add(new Token(T.TAG, line, column, 0, handle, suffix))
  }

  private fetchBlockScalar(): void {
    this.forgetKey(0)
    this.keyAllowed = true
    const { line, column } = this
    this.add(new Token(T.SCALAR, line, column, 0, scanBlock(this, this.indent)))
  }

  private fetchQuoted(quote: 39 | 34): void {
    this.saveKey()
    this.keyAllowed = false
    const { line, column } = this
    this.add(new Token(T.SCALAR, line, column, 0, scanQuoted(this, quote)))
  }

  /** Fetch a typical key with one pattern; return false if there is none. */
  private fetchPlainKey(): boolean {
    if (!this.keyAllowed || this.flowLevel > 0) return false
    PLAIN_KEY.lastIndex = this.pos
    if (!PLAIN_KEY.test(this.text)) return false
    const colon = PLAIN_KEY.lastIndex - 1
    if (colon - this.pos > LONGEST_KEY) return false
    this.forgetKey(0)
    this.openBlock(T.BLOCK_MAPPING_START)
    const text = this.text.slice(this.pos, colon)
    this.add(new Token(T.PLAIN_KEY, this.line, this.column, text.length + 1, text, '', true))
    this.pos = colon + 1
    this.keyAllowed = false
    return true
  }

  private fetchPlain(): void {
    this.saveKey()
    this.keyAllowed = false
    const { line, column } = this
    const { text, endedOnNewLine } = scanPlain(this, this.flowLevel > 0, this.indent + 1)
    if (endedOnNewLine) this.keyAllowed = true
    this.add(new Token(T.SCALAR, line, column, 0, text, '', true))
  }
}
