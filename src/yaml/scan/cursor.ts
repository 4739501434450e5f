// A place in the text. Columns and indexes count code points as libyaml does, while the text is UTF-16: the start of
// the line is moved on by one for every surrogate pair that was passed, so that a column stays one subtraction.
import { markedError } from '../errors.ts'
import { isBlankz } from './chars.ts'
import type { Source } from './source.ts'

export class Cursor {
  readonly text: string
  readonly source: string
  private readonly wide: boolean
  pos = 0
  line = 0
  /** The position of column 0, shifted by surrogate pairs in this line. */
  protected lineStart = 0
  /** All surrogate pairs passed. */
  private pairs = 0

  constructor(source: Source) {
    this.text = source.text
    this.source = source.name
    this.wide = source.wide
  }

  get column(): number {
    return this.pos - this.lineStart
  }

  get index(): number {
    return this.pos - this.pairs
  }

  /** Goes on to `pos` on the same line. */
  moveTo(pos: number): void {
    if (this.wide) {
      for (let i = this.pos; i < pos; i++) {
        if ((this.text.charCodeAt(i) & 0xfc00) === 0xd800) {
          this.lineStart++
          this.pairs++
        }
      }
    }
    this.pos = pos
  }

  /** Consume a line break and return its text in a scalar. */
  newLine(): string {
    const c = this.text.charCodeAt(this.pos)
    this.pos += c === 13 && this.text.charCodeAt(this.pos + 1) === 10 ? 2 : 1
    this.line++
    this.lineStart = this.pos
    return c === 0x2028 ? '\u2028' : c === 0x2029 ? '\u2029' : '\n'
  }

  skipBlanks(): void {
    const { text } = this
    let c = text.charCodeAt(this.pos)
    while (c === 32 || c === 9) c = text.charCodeAt(++this.pos)
  }

  /** Whether `---` or `...` is at the start of this line. */
  atDocumentMark(): boolean {
    if (this.pos !== this.lineStart) return false
    const { text, pos } = this
    const c = text.charCodeAt(pos)
    if ((c !== 45 && c !== 46) || text.charCodeAt(pos + 1) !== c || text.charCodeAt(pos + 2) !== c) return false
    return isBlankz(text.charCodeAt(pos + 3))
  }

  /** A scanner error at this place, with the place where the thing being scanned began. */
  fail(context: string | undefined, startLine: number, startColumn: number, problem: string, hint?: string): never {
    throw markedError('ScannerError', {
      source: this.source,
      context,
      contextMark: context === undefined ? undefined : { line: startLine, column: startColumn },
      problem,
      problemMark: { line: this.line, column: this.column },
      hint,
    })
  }
}
