// Parses JMESPath by operator precedence and compiles in one pass: every node is a function from value to value.
// Precedence and the tokens that end a projection follow the Python library, including its leniency (commas may be
// missing, a slice after an index does not project).
import { PyError } from '../errors.ts'
import { quote, str } from '../repr.ts'
import type { Value } from '../value.ts'
import type { Evaluate } from './evaluate.ts'
import * as evaluate from './evaluate.ts'
import { callJmespathFunction } from './functions.ts'
import { type JmespathToken, type JmespathTokenType, jmespathTokens } from './lexer.ts'

const BINDING: Readonly<Partial<Record<JmespathTokenType, number>>> = {
  pipe: 1,
  or: 2,
  and: 3,
  eq: 5,
  gt: 5,
  lt: 5,
  gte: 5,
  lte: 5,
  ne: 5,
  flatten: 9,
  star: 20,
  filter: 21,
  dot: 40,
  not: 45,
  lbrace: 50,
  lbracket: 55,
  lparen: 60,
}

const bindingOf = (type: JmespathTokenType): number => BINDING[type] ?? 0

/** A token that binds less than this ends a projection. */
const PROJECTION_STOP = 10
const DEEPEST = 400

interface Node {
  run: Evaluate
  /** The name of a plain field, which a following parenthesis makes a function. */
  field?: string
  /** An index or slice, to which another one is appended without a projection. */
  indexed?: boolean
}

class Parser {
  private readonly expression: string
  private readonly tokens: JmespathToken[]
  private at = 0
  private depth = 0

  constructor(expression: string) {
    this.expression = expression
    this.tokens = jmespathTokens(expression)
  }

  parse(): Evaluate {
    const { run } = this.operand(0)
    const rest = this.token
    if (rest.type !== 'eof') throw this.error(rest, `Unexpected token: ${str(rest.value)}`)
    return run
  }

  private get token(): JmespathToken {
    return this.tokens[this.at]!
  }

  private get type(): JmespathTokenType {
    return this.token.type
  }

  private operand(binding: number): Node {
    if (++this.depth > DEEPEST) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
    const token = this.token
    this.at++
    let left = this.first(token)
    while (binding < bindingOf(this.type)) left = this.further(left)
    this.depth--
    return left
  }

  /** A token that begins an expression. */
  private first(token: JmespathToken): Node {
    switch (token.type) {
      case 'literal':
        return { run: () => token.value }
      case 'unquoted_identifier':
        return { run: evaluate.field(token.value as string), field: token.value as string }
      case 'quoted_identifier':
        if (this.type === 'lparen') {
          throw this.error({ ...this.token, start: 0 }, 'Quoted identifier not allowed for function names.')
        }
        return { run: evaluate.field(token.value as string), field: token.value as string }
      case 'current':
        return { run: evaluate.identity }
      case 'star': {
        const right = this.type === 'rbracket' ? evaluate.identity : this.projected(bindingOf('star'))
        return { run: evaluate.projectValues(evaluate.identity, right) }
      }
      case 'filter':
        return this.filtered(evaluate.identity)
      case 'flatten':
        return this.flattened(evaluate.identity)
      case 'lbrace':
        return this.selectDict()
      case 'lbracket':
        return this.bracket()
      case 'lparen': {
        const inner = this.operand(0)
        this.expect('rparen')
        return inner
      }
      case 'not':
        return { run: evaluate.not(this.operand(bindingOf('not')).run) }
      case 'expref':
        return { run: evaluate.reference(this.operand(0).run) }
      case 'eof':
        throw this.incomplete()
      default:
        throw this.error(token, 'invalid token')
    }
  }

  /** A token that goes on from an expression. */
  private further(left: Node): Node {
    const token = this.token
    this.at++
    switch (token.type) {
      case 'dot':
        return this.member(left)
      case 'pipe':
        return { run: evaluate.chain(left.run, this.operand(bindingOf('pipe')).run) }
      case 'or':
        return { run: evaluate.or(left.run, this.operand(bindingOf('or')).run) }
      case 'and':
        return { run: evaluate.and(left.run, this.operand(bindingOf('and')).run) }
      case 'eq':
      case 'ne':
      case 'lt':
      case 'lte':
      case 'gt':
      case 'gte':
        return { run: evaluate.comparator(token.type, left.run, this.operand(bindingOf(token.type)).run) }
      case 'flatten':
        return this.flattened(left.run)
      case 'filter':
        return this.filtered(left.run)
      case 'lbracket':
        return this.subscript(left)
      case 'lparen':
        return this.call(left)
      default:
        throw this.error(token, 'invalid token')
    }
  }

  private member(left: Node): Node {
    if (this.type !== 'star') return { run: evaluate.chain(left.run, this.afterDot(bindingOf('dot'))) }
    this.at++
    return { run: evaluate.projectValues(left.run, this.projected(bindingOf('dot'))) }
  }

  private call(left: Node): Node {
    const name = left.field
    if (name === undefined) {
      const before = this.tokens[this.at - 2]!
      throw this.error(before, `Invalid function name '${str(before.value)}'`)
    }
    const args: Evaluate[] = []
    while (this.type !== 'rparen') {
      args.push(this.operand(0).run)
      if (this.type === 'comma') this.at++
    }
    this.at++
    const run = (value: Value): Value => {
      return callJmespathFunction(
        name,
        args.map((arg) => arg(value)),
      )
    }
    return { run }
  }

  private filtered(left: Evaluate): Node {
    const condition = this.operand(0).run
    this.expect('rbracket')
    const right = this.type === 'flatten' ? evaluate.identity : this.projected(bindingOf('filter'))
    return { run: evaluate.projectWhere(left, right, condition) }
  }

  private flattened(left: Evaluate): Node {
    return { run: evaluate.project(evaluate.flatten(left), this.projected(bindingOf('flatten'))) }
  }

  /** `[` at the beginning: an index, a slice, a projection or a list of expressions. */
  private bracket(): Node {
    if (this.type === 'number' || this.type === 'colon') return this.indexOrSlice(evaluate.identity)
    if (this.type === 'star' && this.tokens[this.at + 1]!.type === 'rbracket') {
      this.at += 2
      return { run: evaluate.project(evaluate.identity, this.projected(bindingOf('star'))) }
    }
    return this.selectList()
  }

  private subscript(left: Node): Node {
    if (this.type === 'number' || this.type === 'colon') {
      if (left.indexed) return { run: evaluate.chain(left.run, this.index().run), indexed: true }
      return this.indexOrSlice(left.run)
    }
    this.expect('star')
    this.expect('rbracket')
    return { run: evaluate.project(left.run, this.projected(bindingOf('star'))) }
  }

  private indexOrSlice(left: Evaluate): Node {
    const { run, slice } = this.index()
    const both = evaluate.chain(left, run)
    if (!slice) return { run: both, indexed: true }
    return { run: evaluate.project(both, this.projected(bindingOf('star'))) }
  }

  private index(): { run: Evaluate; slice: boolean } {
    if (this.type === 'colon' || this.tokens[this.at + 1]!.type === 'colon') return { run: this.slice(), slice: true }
    const index = this.token.value as number | bigint
    this.at++
    this.expect('rbracket')
    return { run: evaluate.index(index), slice: false }
  }

  private slice(): Evaluate {
    const parts: Value[] = [null, null, null]
    let part = 0
    while (this.type !== 'rbracket') {
      if (this.type === 'colon' && part < 2) part++
      else if (this.type === 'number') parts[part] = this.token.value
      else throw this.error(this.token, 'syntax error')
      this.at++
    }
    this.at++
    return evaluate.slice(parts[0]!, parts[1]!, parts[2]!)
  }

  private selectList(): Node {
    const items = [this.operand(0).run]
    while (this.type !== 'rbracket') {
      this.expect('comma')
      items.push(this.operand(0).run)
    }
    this.at++
    return { run: evaluate.selectList(items) }
  }

  private selectDict(): Node {
    const entries: Array<[string, Evaluate]> = []
    for (;;) {
      const key = this.token
      this.expect('quoted_identifier', 'unquoted_identifier')
      this.expect('colon')
      entries.push([key.value as string, this.operand(0).run])
      if (this.type === 'comma') this.at++
      else if (this.type === 'rbrace') {
        this.at++
        return { run: evaluate.selectDict(entries) }
      }
    }
  }

  /** Parse the expression that a projection applies to each element. */
  private projected(binding: number): Evaluate {
    const { type } = this
    if (bindingOf(type) < PROJECTION_STOP) return evaluate.identity
    if (type === 'lbracket' || type === 'filter') return this.operand(binding).run
    if (type !== 'dot') throw this.error(this.token, 'syntax error')
    this.at++
    return this.afterDot(binding)
  }

  private afterDot(binding: number): Evaluate {
    switch (this.type) {
      case 'quoted_identifier':
      case 'unquoted_identifier':
      case 'star':
        return this.operand(binding).run
      case 'lbracket':
        this.at++
        return this.selectList().run
      case 'lbrace':
        this.at++
        return this.selectDict().run
      default: {
        const allowed = "['quoted_identifier', 'unquoted_identifier', 'lbracket', 'lbrace']"
        throw this.error(this.token, `Expecting: ${allowed}, got: ${this.type}`)
      }
    }
  }

  private expect(...types: JmespathTokenType[]): void {
    if (types.includes(this.type)) {
      this.at++
      return
    }
    if (this.type === 'eof') throw this.incomplete()
    const wanted = types.length === 1 ? types[0] : `[${types.map(quote).join(', ')}]`
    throw this.error(this.token, `Expecting: ${wanted}, got: ${this.type}`)
  }

  private incomplete(): PyError {
    const pointer = `${' '.repeat(this.tokens.at(-1)!.start + 1)}^`
    const text = `Invalid jmespath expression: Incomplete expression:\n"${this.expression}"\n${pointer}`
    return new PyError('ValueError', text)
  }

  private error({ start, value, type }: JmespathToken, reason: string): PyError {
    const where = `Parse error at column ${start}, token "${str(value)}" (${type.toUpperCase()})`
    const pointer = `${' '.repeat(start + 1)}^`
    return new PyError('ValueError', `${reason}: ${where}, for expression:\n"${this.expression}"\n${pointer}`)
  }
}

export function compile(expression: string): Evaluate {
  return new Parser(expression).parse()
}
