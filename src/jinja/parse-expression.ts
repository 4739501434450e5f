// Expressions, by descent through Jinja's levels of precedence.
import { float, quote, type Value } from '../data/mod.ts'
import type * as ast from './ast.ts'
import { JinjaError } from './errors.ts'
import type { JinjaToken } from './lexer.ts'
import { describeToken, type TokenStream, type TokenTest } from './token-stream.ts'

const CONSTANTS = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

const COMPARISONS = new Set<string>(['eq', 'ne', 'lt', 'lteq', 'gt', 'gteq'])
const TEST_ARGUMENT_STARTS = new Set<string>(['name', 'string', 'integer', 'float', 'lparen', 'lbracket', 'lbrace'])

/** Nesting beyond this is refused: the text was not written by a person, and the stack is finite. */
const DEEPEST = 180

interface TupleOptions {
  /** Allow only names and attributes, as in the target of an assignment. */
  simplified?: boolean
  /** Whether `name.attribute` is a reference into a namespace, as in the target of `set`. */
  namespace?: boolean
  withCondexpr?: boolean
  endRules?: readonly TokenTest[]
  explicitParentheses?: boolean
}

export abstract class ExpressionParser {
  protected readonly stream: TokenStream
  private depth = 0

  constructor(stream: TokenStream) {
    this.stream = stream
  }

  fail(message: string, line = this.stream.current.line, hint?: string): never {
    throw new JinjaError('TemplateSyntaxError', message, { at: { line }, hint })
  }

  /** Runs a parser one level deeper. */
  protected nested<T>(parse: () => T): T {
    if (++this.depth > DEEPEST) this.fail('Expressions and blocks are nested too deeply')
    const result = parse()
    this.depth--
    return result
  }

  parseExpression(withCondexpr = true): ast.Expr {
    return this.nested(() => (withCondexpr ? this.parseCondExpr() : this.parseOr()))
  }

  private parseCondExpr(): ast.Expr {
    let { line } = this.stream.current
    let expr = this.parseOr()
    while (this.stream.skipIf('name:if')) {
      const test = this.parseOr()
      const otherwise = this.stream.skipIf('name:else') ? this.nested(() => this.parseCondExpr()) : undefined
      expr = { type: 'CondExpr', line, test, chosen: expr, otherwise }
      line = this.stream.current.line
    }
    return expr
  }

  private parseOr(): ast.Expr {
    let { line } = this.stream.current
    let left = this.parseAnd()
    while (this.stream.skipIf('name:or')) {
      left = { type: 'Or', line, left, right: this.parseAnd() }
      line = this.stream.current.line
    }
    return left
  }

  private parseAnd(): ast.Expr {
    let { line } = this.stream.current
    let left = this.parseNot()
    while (this.stream.skipIf('name:and')) {
      left = { type: 'And', line, left, right: this.parseNot() }
      line = this.stream.current.line
    }
    return left
  }

  private parseNot(): ast.Expr {
    if (!this.stream.is('name:not')) return this.parseCompare()
    const { line } = this.stream.next()
    return { type: 'Not', line, node: this.nested(() => this.parseNot()) }
  }

  private parseCompare(): ast.Expr {
    const { line } = this.stream.current
    const expr = this.parseSum()
    const ops: ast.Compare['ops'] = []
    for (;;) {
      const { type } = this.stream.current
      if (COMPARISONS.has(type)) {
        this.stream.next()
        ops.push({ op: type as ast.CompareOp, expr: this.parseSum() })
      } else if (this.stream.skipIf('name:in')) ops.push({ op: 'in', expr: this.parseSum() })
      else if (this.stream.is('name:not') && this.stream.is('name:in', this.stream.ahead)) {
        this.stream.next()
        this.stream.next()
        ops.push({ op: 'notin', expr: this.parseSum() })
      } else break
    }
    return ops.length ? { type: 'Compare', line, expr, ops } : expr
  }

  private binary(operand: () => ast.Expr, operators: readonly ast.BinaryOp[]): ast.Expr {
    let { line } = this.stream.current
    let left = operand()
    while ((operators as readonly string[]).includes(this.stream.current.type)) {
      const op = this.stream.next().type as ast.BinaryOp
      left = { type: 'Binary', line, op, left, right: operand() }
      line = this.stream.current.line
    }
    return left
  }

  private parseSum(): ast.Expr {
    return this.binary(() => this.parseConcat(), ['add', 'sub'])
  }

  private parseConcat(): ast.Expr {
    const { line } = this.stream.current
    const nodes = [this.parseProduct()]
    while (this.stream.skipIf('tilde')) nodes.push(this.parseProduct())
    return nodes.length === 1 ? nodes[0]! : { type: 'Concat', line, nodes }
  }

  private parseProduct(): ast.Expr {
    return this.binary(() => this.parsePower(), ['mul', 'div', 'floordiv', 'mod'])
  }

  private parsePower(): ast.Expr {
    return this.binary(() => this.parseUnary(), ['pow'])
  }

  protected parseUnary(withFilter = true): ast.Expr {
    const { type, line } = this.stream.current
    let node: ast.Expr
    if (type === 'sub' || type === 'add') {
      this.stream.next()
      const operand = this.nested(() => this.parseUnary(false))
      node = { type: type === 'sub' ? 'Neg' : 'Pos', line, node: operand }
    } else node = this.parsePrimary()
    node = this.parsePostfix(node)
    return withFilter ? this.parseFilterExpr(node) : node
  }

  parsePrimary(namespace = false): ast.Expr {
    const token = this.stream.current
    const { line } = token
    switch (token.type) {
      case 'name': {
        this.stream.next()
        const name = token.value as string
        const constant = CONSTANTS.get(name)
        if (constant !== undefined) return { type: 'Const', line, value: constant }
        if (namespace && this.stream.skipIf('dot')) {
          return { type: 'NamespaceRef', line, name, attr: this.stream.expectName() }
        }
        return { type: 'Name', line, name, ctx: 'load' }
      }
      case 'string':
        return { type: 'Const', line, value: this.adjacentStrings() }
      case 'integer':
        return { type: 'Const', line, value: this.stream.next().value as Value }
      case 'float':
        return { type: 'Const', line, value: float(this.stream.next().value as number) }
      case 'lparen': {
        this.stream.next()
        const node = this.parseTuple({ explicitParentheses: true })
        this.stream.expect('rparen')
        return node
      }
      case 'lbracket':
        return this.parseList()
      case 'lbrace':
        return this.parseDict()
      default:
        return this.fail(`unexpected ${quote(describeToken(token))}`, line)
    }
  }

  private adjacentStrings(): string {
    let text = ''
    while (this.stream.is('string')) text += this.stream.next().value as string
    return text
  }

  parseTuple(options: TupleOptions = {}): ast.Expr {
    const {
      simplified = false,
      namespace = false,
      withCondexpr = true,
      endRules = [],
      explicitParentheses = false,
    } = options
    const { line } = this.stream.current
    const parse = (): ast.Expr => (simplified ? this.parsePrimary(namespace) : this.parseExpression(withCondexpr))
    const items: ast.Expr[] = []
    let isTuple = false
    return this.nested((): ast.Expr => {
      for (;;) {
        if (items.length) this.stream.expect('comma')
        if (this.isTupleEnd(endRules)) break
        items.push(parse())
        if (!this.stream.is('comma')) break
        isTuple = true
      }
      if (!isTuple && items.length) return items[0]!
      if (!isTuple && !explicitParentheses) {
        this.fail(`Expected an expression, got ${quote(describeToken(this.stream.current))}`)
      }
      return { type: 'Tuple', line, items, ctx: 'load' }
    })
  }

  private isTupleEnd(endRules: readonly TokenTest[]): boolean {
    const { type } = this.stream.current
    return type === 'variable_end' || type === 'block_end' || type === 'rparen' || this.stream.isAny(endRules)
  }

  private parseList(): ast.Expr {
    const { line } = this.stream.expect('lbracket')
    const items: ast.Expr[] = []
    while (!this.stream.is('rbracket')) {
      if (items.length) this.stream.expect('comma')
      if (this.stream.is('rbracket')) break
      items.push(this.parseExpression())
    }
    this.stream.expect('rbracket')
    return { type: 'List', line, items }
  }

  private parseDict(): ast.Expr {
    const { line } = this.stream.expect('lbrace')
    const pairs: ast.DictNode['pairs'] = []
    while (!this.stream.is('rbrace')) {
      if (pairs.length) this.stream.expect('comma')
      if (this.stream.is('rbrace')) break
      const key = this.parseExpression()
      this.stream.expect('colon')
      pairs.push({ key, value: this.parseExpression() })
    }
    this.stream.expect('rbrace')
    return { type: 'Dict', line, pairs }
  }

  parsePostfix(start: ast.Expr): ast.Expr {
    let node = start
    for (;;) {
      if (this.stream.is('dot') || this.stream.is('lbracket')) node = this.parseSubscript(node)
      else if (this.stream.is('lparen')) node = this.parseCall(node)
      else return node
    }
  }

  private parseFilterExpr(start: ast.Expr): ast.Expr {
    let node = start
    for (;;) {
      if (this.stream.is('pipe')) node = this.parseFilter(node)!
      else if (this.stream.is('name:is')) node = this.parseTest(node)
      else if (this.stream.is('lparen')) node = this.parseCall(node)
      else return node
    }
  }

  private parseSubscript(node: ast.Expr): ast.Expr {
    const { type, line } = this.stream.next()
    if (type === 'dot') {
      const attr = this.stream.next()
      if (attr.type === 'name') return { type: 'Getattr', line, node, attr: attr.value as string }
      if (attr.type !== 'integer') this.fail('expected name or number', attr.line)
      return { type: 'Getitem', line, node, arg: { type: 'Const', line: attr.line, value: attr.value as Value } }
    }
    const args: ast.Expr[] = []
    while (!this.stream.is('rbracket')) {
      if (args.length) this.stream.expect('comma')
      args.push(this.parseSubscripted())
    }
    this.stream.expect('rbracket')
    const arg: ast.Expr = args.length === 1 ? args[0]! : { type: 'Tuple', line, items: args, ctx: 'load' }
    return { type: 'Getitem', line, node, arg }
  }

  private parseSubscripted(): ast.Expr {
    const { line } = this.stream.current
    let start: ast.Expr | undefined
    if (!this.stream.is('colon')) {
      start = this.parseExpression()
      if (!this.stream.is('colon')) return start
    }
    this.stream.next()
    const bound = (): ast.Expr | undefined =>
      this.stream.isAny(['colon', 'rbracket', 'comma']) ? undefined : this.parseExpression()
    const stop = bound()
    const step = this.stream.skipIf('colon') ? bound() : undefined
    return { type: 'Slice', line, start, stop, step }
  }

  private parseArguments(): ast.Arguments {
    const { line } = this.stream.expect('lparen')
    const result: ast.Arguments = { args: [], kwargs: [], dynArgs: undefined, dynKwargs: undefined }
    const ensure = (ok: boolean): void => {
      if (!ok) this.fail('invalid syntax for function call expression', line)
    }
    let first = true
    while (!this.stream.is('rparen')) {
      if (!first) {
        this.stream.expect('comma')
        if (this.stream.is('rparen')) break
      }
      first = false
      if (this.stream.is('mul')) {
        ensure(!result.dynArgs && !result.dynKwargs)
        this.stream.next()
        result.dynArgs = this.parseExpression()
      } else if (this.stream.is('pow')) {
        ensure(!result.dynKwargs)
        this.stream.next()
        result.dynKwargs = this.parseExpression()
      } else if (this.stream.is('name') && this.stream.is('assign', this.stream.ahead)) {
        ensure(!result.dynKwargs)
        const key = this.stream.expectName()
        this.stream.next()
        result.kwargs.push({ key, value: this.parseExpression() })
      } else {
        ensure(!result.dynArgs && !result.dynKwargs && !result.kwargs.length)
        result.args.push(this.parseExpression())
      }
    }
    this.stream.expect('rparen')
    return result
  }

  parseCall(node: ast.Expr): ast.Call {
    const { line } = this.stream.current
    return { type: 'Call', line, node, ...this.parseArguments() }
  }

  private dottedName(): JinjaToken & { value: string } {
    const token = this.stream.expect('name')
    let name = token.value as string
    while (this.stream.skipIf('dot')) name += `.${this.stream.expectName()}`
    return { ...token, value: name }
  }

  /** Parse a chain of filters; with `inline` the first one has no pipe before it, as in a filter block. */
  parseFilter(start: ast.Expr | undefined, inline = false): ast.Filter | undefined {
    let node = start as ast.Filter | undefined
    let bare = inline
    while (this.stream.is('pipe') || bare) {
      if (!bare) this.stream.next()
      bare = false
      const { value: name, line } = this.dottedName()
      node = { type: 'Filter', line, node, name, ...(this.stream.is('lparen') ? this.parseArguments() : NO_ARGUMENTS) }
    }
    return node
  }

  private parseTest(node: ast.Expr): ast.Expr {
    const { line } = this.stream.next()
    const negated = this.stream.skipIf('name:not')
    const { value: name } = this.dottedName()
    let given: ast.Arguments = NO_ARGUMENTS
    if (this.stream.is('lparen')) given = this.parseArguments()
    else if (
      TEST_ARGUMENT_STARTS.has(this.stream.current.type) &&
      !this.stream.isAny(['name:else', 'name:or', 'name:and'])
    ) {
      if (this.stream.is('name:is')) this.fail('You cannot chain multiple tests with is')
      given = { ...NO_ARGUMENTS, args: [this.parsePostfix(this.nested(() => this.parsePrimary()))] }
    }
    const test: ast.Test = { type: 'Test', line, node, name, ...given }
    return negated ? { type: 'Not', line, node: test } : test
  }
}

const NO_ARGUMENTS: ast.Arguments = { args: [], kwargs: [], dynArgs: undefined, dynKwargs: undefined }
