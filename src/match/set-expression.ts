// Evaluates a compound target on the master: sets of ids joined by `&`, `|` and `-`, parsed as the Python expression
// that Salt builds from them. Undefined stands for Python's error; the target then matches nothing.

export type SetTerm = string | ReadonlySet<string>

/** Nesting depth at which Python's tokenizer fails. */
const DEEPEST = 199

class Malformed extends Error {}

/** Empty parentheses are an empty tuple: an empty set, but no valid operand. */
type Found = ReadonlySet<string> | 'tuple'

type Join = (left: ReadonlySet<string>, right: ReadonlySet<string>) => Set<string>

/** Loosest first. */
const JOINS: ReadonlyArray<readonly [string, Join]> = [
  ['|', (left, right) => new Set([...left, ...right])],
  ['&', (left, right) => new Set([...left].filter((id) => right.has(id)))],
  ['-', (left, right) => new Set([...left].filter((id) => !right.has(id)))],
]

class Reader {
  private at = 0
  private depth = 0
  private readonly terms: readonly SetTerm[]

  constructor(terms: readonly SetTerm[]) {
    this.terms = terms
  }

  whole(): ReadonlySet<string> {
    const found = this.joined(0)
    if (this.at < this.terms.length) throw new Malformed()
    return found === 'tuple' ? new Set() : found
  }

  private joined(level: number): Found {
    const [operator, join] = JOINS[level] ?? []
    if (operator === undefined || join === undefined) return this.operand()
    let found = this.joined(level + 1)
    while (this.terms[this.at] === operator) {
      this.at++
      const right = this.joined(level + 1)
      if (found === 'tuple' || right === 'tuple') throw new Malformed()
      found = join(found, right)
    }
    return found
  }

  private operand(): Found {
    const term = this.terms[this.at++]
    if (typeof term === 'object') return this.terms[this.at] === '(' ? this.malformed() : term
    if (term !== '(' || ++this.depth > DEEPEST) return this.malformed()
    const found = this.terms[this.at] === ')' ? 'tuple' : this.joined(0)
    if (this.terms[this.at++] !== ')') return this.malformed()
    this.depth--
    // Python would call it
    return this.terms[this.at] === '(' ? this.malformed() : found
  }

  private malformed(): never {
    throw new Malformed()
  }
}

export function setOf(terms: readonly SetTerm[]): ReadonlySet<string> | undefined {
  try {
    return new Reader(terms).whole()
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
