// Output with the few facts that decide where spaces and line breaks go.

export class Writer {
  private out = ''
  private readonly lineBreak: string
  readonly width: number
  column = 0
  /** The current indentation, -1 before the first collection. */
  indent = -1
  /** Whether a blank, or the start of a line, was written last. */
  whitespace = true
  /** Whether this line has only indentation and `-`, `?`, `:`. */
  indention = true

  constructor(lineBreak: string, width: number) {
    this.lineBreak = lineBreak
    this.width = width
  }

  get text(): string {
    return this.out
  }

  /** Write text without a line break that is `columns` wide. */
  put(text: string, columns = text.length): void {
    this.out += text
    this.column += columns
  }

  /** Writes a line feed as the chosen line break, any other break as it is. */
  putBreak(char = '\n'): void {
    this.out += char === '\n' ? this.lineBreak : char
    this.column = 0
  }

  writeIndent(): void {
    const indent = Math.max(this.indent, 0)
    if (!this.indention || this.column > indent || (this.column === indent && !this.whitespace)) this.putBreak()
    if (this.column < indent) this.put(' '.repeat(indent - this.column))
    this.whitespace = true
    this.indention = true
  }

  writeIndicator(text: string, needsSpace: boolean, isSpace = false, isIndention = false): void {
    if (needsSpace && !this.whitespace) this.put(' ')
    this.put(text)
    this.whitespace = isSpace
    this.indention = this.indention && isIndention
  }

  /** After content, a space must precede the next text. */
  endContent(): void {
    this.whitespace = false
    this.indention = false
  }
}
