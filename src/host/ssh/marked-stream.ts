// Splits a stream into answers. An answer ends with a mark: an unpredictable token, some words and a semicolon. The
// data before it is passed on as it arrives, except for a tail that may be the beginning of a mark.

/** First character of tokens: seldom in any output, so that hardly anything has to be held back. */
const FIRST = 0x1e

/** The words of a mark are short. */
const MOST_WORDS = 256

export const newToken = (hex: string): string => String.fromCharCode(FIRST) + hex

export class MarkedStream {
  private readonly token: Buffer
  private readonly onData: (piece: Buffer) => void
  private readonly onMark: (words: string[]) => void
  private rest: Buffer = Buffer.alloc(0)

  constructor(token: string, onData: (piece: Buffer) => void, onMark: (words: string[]) => void) {
    this.token = Buffer.from(token)
    this.onData = onData
    this.onMark = onMark
  }

  feed(piece: Buffer): void {
    let data = this.rest.length > 0 ? Buffer.concat([this.rest, piece]) : piece
    for (;;) {
      const at = data.indexOf(this.token)
      if (at < 0) break
      if (at > 0) this.onData(data.subarray(0, at))
      data = data.subarray(at)
      const end = data.indexOf(';')
      if (end < 0) {
        if (data.length > MOST_WORDS) throw new Error('a mark of the shell has no end')
        this.rest = Buffer.from(data)
        return
      }
      this.onMark(data.toString('utf8', this.token.length, end).trim().split(' '))
      data = data.subarray(end + 1)
    }
    const kept = this.beginningAtEnd(data)
    if (kept > 0) this.onData(data.subarray(0, kept))
    this.rest = Buffer.from(data.subarray(kept))
  }

  /** Return where the beginning of a token starts at the end of some bytes. */
  private beginningAtEnd(data: Buffer): number {
    for (
      let at = data.indexOf(FIRST, Math.max(0, data.length - this.token.length));
      at >= 0;
      at = data.indexOf(FIRST, at + 1)
    ) {
      if (data.subarray(at).equals(this.token.subarray(0, data.length - at))) return at
    }
    return data.length
  }
}
