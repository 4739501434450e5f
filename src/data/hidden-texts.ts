// Texts that must be masked. They are found by their first characters, so that the time for a line does not depend on
// the number of texts.
import { HIDDEN } from './secret-texts.ts'

const PREFIX = 4
/** The oldest texts are forgotten beyond this number. */
const MOST = 50_000

/** A secret such as `default` or `postgres` is masked only as a whole word, not in `postgresql`. */
const PLAIN_WORD = /^\p{L}{1,11}$/u
const LETTER = /\p{L}/u
/**
 * Text that ends with a letter but is not part of the following word: escapes of JSON, Python, URLs and terminals, and
 * an option with its value, such as `-psecret`.
 */
const NO_WORD_BEFORE =
  /(?:\\(?:[abefnrtv]|x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8})|%[\da-f]{2}|\u001b\[[\d;]*[a-z]|(?:^|[^\p{L}\d])-[a-z])$/iu
const LONGEST_BEFORE = 20

/** Whether a hidden text at a position of a text must be masked. */
function isHiddenAt(text: string, hidden: string, at: number): boolean {
  if (!text.startsWith(hidden, at)) return false
  if (!PLAIN_WORD.test(hidden)) return true
  if (LETTER.test(text[at + hidden.length] ?? '')) return false
  return !LETTER.test(text[at - 1] ?? '') || NO_WORD_BEFORE.test(text.slice(Math.max(0, at - LONGEST_BEFORE), at))
}

export class HiddenTexts {
  private readonly known = new Set<string>()
  private readonly byPrefix = new Map<string, string[]>()

  add(texts: Iterable<string>): void {
    for (const text of texts) {
      if (text.length < PREFIX || this.known.has(text)) continue
      this.known.add(text)
      const prefix = text.slice(0, PREFIX)
      const bucket = this.byPrefix.get(prefix)
      if (!bucket) this.byPrefix.set(prefix, [text])
      // longer texts first, so that none shows the end of another
      else bucket.splice(bucket.findIndex((other) => other.length < text.length) >>> 0, 0, text)
      if (this.known.size > MOST) this.forget(this.known.values().next().value!)
    }
  }

  get size(): number {
    return this.known.size
  }

  /** Return the hidden texts that a text has in it. */
  within(text: string): string[] {
    const found: string[] = []
    this.find(text, (hidden) => found.push(hidden))
    return found
  }

  mask(text: string): string {
    if (this.known.size === 0) return text
    let shown = ''
    let from = 0
    this.find(text, (hidden, at) => {
      shown += text.slice(from, at) + HIDDEN
      from = at + hidden.length
    })
    return from === 0 ? text : shown + text.slice(from)
  }

  /** Report each hidden text in a text, in order. */
  private find(text: string, tell: (hidden: string, at: number) => void): void {
    for (let at = 0; at <= text.length - PREFIX; ) {
      const found = this.byPrefix.get(text.slice(at, at + PREFIX))?.find((hidden) => isHiddenAt(text, hidden, at))
      if (found !== undefined) tell(found, at)
      at += found?.length ?? 1
    }
  }

  private forget(text: string): void {
    this.known.delete(text)
    const prefix = text.slice(0, PREFIX)
    const rest = this.byPrefix.get(prefix)!.filter((other) => other !== text)
    if (rest.length > 0) this.byPrefix.set(prefix, rest)
    else this.byPrefix.delete(prefix)
  }
}
