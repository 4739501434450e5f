// Evaluates a compound target from the results of its matchers: the words `and`, `or`, `not`, parentheses and results,
// parsed as the Python expression that Salt builds from them. Undefined stands for Python's error; Salt then treats the
// target as not matching.

/** An operator, or an answer. */
export type Term = string | boolean

/** Nesting depth at which Python's tokenizer fails. */
const DEEPEST = 199

class Malformed extends Error {}

/** `True (False)`: Python calls the first operand, which fails only when it is reached. */
type Node = () => boolean

class Reader {
  private at = 0
  private depth = 0
  private readonly terms: readonly Term[]

  constructor(terms: readonly Term[]) {
    this.terms = terms
  }

  whole(): Node {
    const node = this.or()
    if (this.at < this.terms.length) throw new Malformed()
    return node
  }

  private take(term: Term): boolean {
    if (this.terms[this.at] !== term) return false
    this.at++
    return true
  }

  private or(): Node {
    const operands = [this.and()]
    while (this.take('or')) operands.push(this.and())
    return operands.length === 1 ? operands[0]! : () => operands.some((operand) => operand())
  }

  private and(): Node {
    const operands = [this.not()]
    while (this.take('and')) operands.push(this.not())
    return operands.length === 1 ? operands[0]! : () => operands.every((operand) => operand())
  }

  private not(): Node {
    let negated = false
    while (this.take('not')) negated = !negated
    const operand = this.called()
    return negated ? () => !operand() : operand
  }

  private called(): Node {
    const operand = this.atom()
    if (this.terms[this.at] !== '(') return operand
    while (this.terms[this.at] === '(') this.group()
    return () => {
      throw new Malformed()
    }
  }

  private atom(): Node {
    const term = this.terms[this.at]
    if (term === '(') return this.group()
    if (typeof term !== 'boolean') throw new Malformed()
    this.at++
    return () => term
  }

  /** Empty parentheses are an empty tuple, which is false. */
  private group(): Node {
    if (++this.depth > DEEPEST) throw new Malformed()
    this.at++
    const node = this.terms[this.at] === ')' ? () => false : this.or()
    if (!this.take(')')) throw new Malformed()
    this.depth--
    return node
  }
}

export function truthOf(terms: readonly Term[]): boolean | undefined {
  try {
    return new Reader(terms).whole()()
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
