// The source lines of a rendered text, so that an error in an SLS names the line of the file instead of the rendered
// text.

export class LineMap {
  private starts = new Int32Array(512)
  private count = 0
  /** The last searched text, and the ends of its lines. */
  private searched: { text: string; ends: readonly number[] } | undefined

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
    const ends = this.lineEnds(text)
    if (line - 1 > ends.length) return line
    let offset = line > 1 ? ends[line - 2]! + 1 : 0
    // blanks before the first visible character often belong to the tag of the line above
    while (offset < text.length && (text[offset] === ' ' || text[offset] === '\t')) offset++
    return this.at(ends, offset)
  }

  /** Return the ends of the lines of a text; computed once per text. */
  private lineEnds(text: string): readonly number[] {
    if (this.searched?.text !== text) {
      const ends: number[] = []
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at)
      this.searched = { text, ends }
    }
    return this.searched.ends
  }

  private at(ends: readonly number[], offset: number): number {
    const pieces = placeOf(offset + 1, this.count / 2, (index) => this.starts[index * 2]!)
    if (pieces === 0) return 1
    const start = this.starts[pieces * 2 - 2]!
    const line = this.starts[pieces * 2 - 1]!
    // newlines inside one piece of literal text are newlines of the template too
    const endsBefore = (limit: number): number => placeOf(limit, ends.length, (index) => ends[index]!)
    return line + Math.max(0, endsBefore(offset) - endsBefore(start))
  }
}

/** Return how many of the values, which grow, are smaller than a limit. */
function placeOf(limit: number, count: number, valueAt: (index: number) => number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (valueAt(middle) < limit) low = middle + 1
    else high = middle
  }
  return low
}
