// Values of arguments in typed form: JSON, or the short YAML of Salt's command line.

const WORDS: Readonly<Record<string, unknown>> = { none: null, null: null, '~': null }
const YES = /^(?:true|yes|on)$/i
const NO = /^(?:false|no|off)$/i
const NUMBER = /^[-+]?(?:\d+|\d*\.\d+|\d+\.\d*)(?:e[-+]?\d+)?$/i

/** Read a plain word: a truth, nothing, a number, or the word itself. */
function plain(word: string): unknown {
  if (YES.test(word)) return true
  if (NO.test(word)) return false
  if (Object.hasOwn(WORDS, word.toLowerCase())) return WORDS[word.toLowerCase()]
  // numbers with leading zeros are octal in YAML; users mean modes and ids, so they stay text
  if (NUMBER.test(word) && !/^[-+]?0\d/.test(word)) return Number(word)
  return word
}

/** Reads lists and mappings in brackets. */
class Flow {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  /** Read the whole text; throw where it is no value. */
  whole(): unknown {
    const value = this.value(0)
    this.space()
    if (this.at < this.text.length) throw new SyntaxError(`unexpected '${this.text[this.at]}'`)
    return value
  }

  private space(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
  }

  private takes(character: string): boolean {
    this.space()
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  private value(depth: number): unknown {
    if (depth > 50) throw new SyntaxError('too deep')
    if (this.takes('[')) return this.list(depth)
    if (this.takes('{')) return this.mapping(depth)
    return this.scalar()
  }

  private list(depth: number): unknown[] {
    const items: unknown[] = []
    while (!this.takes(']')) {
      if (items.length > 0 && !this.takes(',')) throw new SyntaxError("a list needs ',' or ']'")
      if (items.length > 0 && this.takes(']')) break
      items.push(this.value(depth + 1))
    }
    return items
  }

  private mapping(depth: number): Record<string, unknown> {
    const found: [string, unknown][] = []
    while (!this.takes('}')) {
      if (found.length > 0 && !this.takes(',')) throw new SyntaxError("a mapping needs ',' or '}'")
      if (found.length > 0 && this.takes('}')) break
      const key = this.word()
      if (!this.takes(':')) throw new SyntaxError("a key needs ':' behind it")
      found.push([key.text, this.value(depth + 1)])
    }
    return Object.fromEntries(found)
  }

  private scalar(): unknown {
    const { text, isQuoted } = this.word()
    return isQuoted ? text : plain(text)
  }

  private word(): { text: string; isQuoted: boolean } {
    this.space()
    const rest = this.text.slice(this.at)
    const quoted = /^"(?:[^"\\]|\\.)*"/s.exec(rest) ?? /^'(?:[^']|'')*'/s.exec(rest)
    const [word = ''] = quoted ?? /^(?:[^,\]}:[{]|:(?=\S))+/.exec(rest) ?? []
    if (word.trim() === '') throw new SyntaxError('a value is missing')
    this.at += word.length
    return quoted ? { text: unquoted(word), isQuoted: true } : { text: word.trim(), isQuoted: false }
  }
}

const unquoted = (text: string): string =>
  text.startsWith('"') ? JSON.parse(text) : text.slice(1, -1).replaceAll("''", "'")

/** Parse a value like Salt's command line: JSON, YAML in brackets, a number, a boolean, or else a text. */
export function parseValue(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '' || text.includes('\n')) return text
  try {
    if (/^[[{"']/.test(trimmed)) return new Flow(trimmed).whole()
  } catch {
    // brackets of a text
    return text
  }
  return plain(trimmed) === trimmed ? text : plain(trimmed)
}

/** Write a value so that it is read as the same value. */
export function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value === null) return 'None'
  if (typeof value !== 'string') return JSON.stringify(value)
  return parseValue(value) === value ? value : JSON.stringify(value)
}

/** Part a line into words as a shell does. */
export function shellWords(line: string): string[] {
  const words: string[] = []
  const parts = /((?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)|['"]\S*/gs
  for (const [word] of line.matchAll(parts)) {
    words.push(
      word.replace(/\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs, (_, escaped?: string, single?: string, double?: string) =>
        escaped !== undefined ? escaped : single !== undefined ? single : (double ?? '').replace(/\\(["\\$`])/g, '$1'),
      ),
    )
  }
  return words
}
