// Where the lines of a rendered text came from, so that an error in an SLS names the line of the file and not of the
// text that Jinja made of it.

export class LineMap {
  private starts = new Int32Array(512)
  private count = 0

  /** Notes that from `offset` on the text was written by that line of the template. Offsets only grow. */
  add(offset: number, line: number): void {
    if (this.count === this.starts.length) {
      const larger = new Int32Array(this.count * 2)
      larger.set(this.starts)
      this.starts = larger
    }
    this.starts[this.count++] = offset
    this.starts[this.count++] = line
  }

  /** The template line that wrote the given line of the text; both count from 1. */
  lineOf(text: string, line: number): number {
    let offset = 0
    for (let i = 1; i < line; i++) {
      offset = text.indexOf('\n', offset) + 1
      if (offset === 0) return line
    }
    // blanks before the first visible character often belong to the tag of the line above
    while (offset < text.length && (text[offset] === ' ' || text[offset] === '\t')) offset++
    return this.at(text, offset)
  }

  private at(text: string, offset: number): number {
    let low = 0
    let high = this.count / 2
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.starts[middle * 2]! <= offset) low = middle + 1
      else high = middle
    }
    if (low === 0) return 1
    const start = this.starts[low * 2 - 2]!
    const line = this.starts[low * 2 - 1]!
    // newlines inside one piece of literal text are newlines of the template too
    let further = 0
    for (let at = text.indexOf('\n', start); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) further++
    return line + further
  }
}
