// Parses tokens to a syntax tree: the statements, with Jinja's messages for syntax errors.
import { didYouMean } from '../base/mod.ts'
import { quote } from '../data/mod.ts'
import type * as ast from './ast.ts'
import { JinjaError } from './errors.ts'
import { tokenize } from './lexer.ts'
import type { Delimiters } from './options.ts'
import { ExpressionParser } from './parse-expression.ts'
import { describeTest, TokenStream, type TokenTest } from './token-stream.ts'

export function parse(source: string, options: Delimiters): ast.Template {
  return { body: new Parser(new TokenStream(tokenize(source, options))).parseTemplate() }
}

type StatementParser = (parser: Parser) => ast.Stmt | ast.Stmt[]

class Parser extends ExpressionParser {
  private readonly openTags: string[] = []
  private readonly awaited: Array<readonly TokenTest[]> = []
  private hidden = 0

  parseTemplate(): ast.Stmt[] {
    return this.parseBody()
  }

  /** Statements and text up to one of the end tags, or to the end of the template. */
  private parseBody(endTokens?: readonly TokenTest[]): ast.Stmt[] {
    const body: ast.Stmt[] = []
    let nodes: ast.Expr[] = []
    const flush = (): void => {
      if (nodes.length) body.push({ type: 'Output', line: nodes[0]!.line, nodes })
      nodes = []
    }
    if (endTokens) this.awaited.push(endTokens)
    for (;;) {
      const token = this.stream.current
      if (token.type === 'data') {
        this.stream.next()
        nodes.push({ type: 'TemplateData', line: token.line, text: token.value as string })
      } else if (token.type === 'variable_begin') {
        this.stream.next()
        nodes.push(this.parseTuple())
        this.stream.expect('variable_end')
      } else if (token.type === 'block_begin') {
        flush()
        this.stream.next()
        if (endTokens && this.stream.isAny(endTokens)) break
        const statement = this.nested(() => this.parseStatement())
        if (Array.isArray(statement)) body.push(...statement)
        else body.push(statement)
        this.stream.expect('block_end')
      } else break
    }
    flush()
    if (endTokens) this.awaited.pop()
    return body
  }

  private parseStatement(): ast.Stmt | ast.Stmt[] {
    const token = this.stream.current
    if (token.type !== 'name') this.fail('tag name expected', token.line)
    const name = token.value as string
    const parseTag = STATEMENTS.get(name)
    if (!parseTag) {
      // the unknown tag itself is no open block
      return this.failUnknownTag(name, token.line)
    }
    this.openTags.push(name)
    const statement = parseTag(this)
    this.openTags.pop()
    return statement
  }

  private failUnknownTag(name: string | undefined, line: number, endTokens?: readonly TokenTest[]): never {
    const stack = endTokens ? [...this.awaited, endTokens] : this.awaited
    const innermost = stack.at(-1)
    const looking = innermost?.map((test) => quote(describeTest(test))).join(' or ')
    const message = [name === undefined ? 'Unexpected end of template.' : `Encountered unknown tag ${quote(name)}.`]
    if (looking) {
      const expected = stack.some((tests) => tests.some((test) => describeTest(test) === name))
      message.push(
        expected
          ? `You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${looking}.`
          : `Jinja was looking for the following tags: ${looking}.`,
      )
    }
    const open = this.openTags.at(-1)
    if (open !== undefined) message.push(`The innermost block that needs to be closed is ${quote(open)}.`)
    return this.fail(message.join(' '), line, name === undefined ? undefined : this.closeTags(name, innermost ?? []))
  }

  private closeTags(name: string, awaited: readonly TokenTest[]): string | undefined {
    return didYouMean(name, [...awaited.map(describeTest), ...STATEMENTS.keys()])
  }

  parseStatements(endTokens: readonly TokenTest[], dropNeedle = false): ast.Stmt[] {
    this.stream.skipIf('colon')
    this.stream.expect('block_end')
    const body = this.parseBody(endTokens)
    if (this.stream.is('eof')) this.failUnknownTag(undefined, this.stream.current.line, endTokens)
    if (dropNeedle) this.stream.next()
    return body
  }

  /** A name no template can use. */
  hiddenName(): string {
    return `_salt_${this.hidden++} `
  }

  parseTarget(options: { namespace?: boolean; endRules?: readonly TokenTest[] } = {}): ast.Target {
    const { namespace = false, endRules = [] } = options
    const target = this.parseTuple({ simplified: true, namespace, endRules })
    return this.assignable(target, 'store')
  }

  parseTargetName(ctx: 'store' | 'param' = 'store'): ast.Name {
    const { line } = this.stream.current
    const target: ast.Name = { type: 'Name', line, name: this.stream.expectName(), ctx }
    this.assignable(target, ctx)
    return target
  }

  assignable(target: ast.Expr, ctx: 'store' | 'param'): ast.Target {
    if (target.type === 'Name' && !RESERVED.has(target.name)) {
      target.ctx = ctx
      return target
    }
    if (target.type === 'Tuple') {
      for (const item of target.items) if (!this.isAssignable(item)) this.refuse(target)
      for (const item of target.items) this.assignable(item, ctx)
      target.ctx = ctx
      return target
    }
    if (target.type === 'NamespaceRef') return target
    return this.refuse(target)
  }

  private isAssignable(target: ast.Expr): boolean {
    if (target.type === 'Name') return !RESERVED.has(target.name)
    if (target.type === 'NamespaceRef') return true
    return target.type === 'Tuple' && target.items.every((item) => this.isAssignable(item))
  }

  private refuse(target: ast.Expr): never {
    return this.fail(`can't assign to ${quote(target.type.toLowerCase())}`, target.line)
  }

  parseFor(): ast.For {
    const { line } = this.stream.next()
    const target = this.parseTarget({ endRules: ['name:in'] })
    this.stream.expect('name:in')
    const iter = this.parseTuple({ withCondexpr: false, endRules: ['name:recursive'] })
    const test = this.stream.skipIf('name:if') ? this.parseExpression() : undefined
    const recursive = this.stream.skipIf('name:recursive')
    const body = this.parseStatements(['name:endfor', 'name:else'])
    const otherwise = this.stream.next().value === 'endfor' ? [] : this.parseStatements(['name:endfor'], true)
    return { type: 'For', line, target, iter, test, recursive, body, otherwise }
  }

  parseIf(): ast.If {
    const { line } = this.stream.next()
    const result: ast.If = { type: 'If', line, test: this.parseCondition(), body: [], elifs: [], otherwise: [] }
    let branch = result
    for (;;) {
      branch.body = this.parseStatements(['name:elif', 'name:else', 'name:endif'])
      const { value, line: branchLine } = this.stream.next()
      if (value === 'elif') {
        branch = { type: 'If', line: branchLine, test: this.parseCondition(), body: [], elifs: [], otherwise: [] }
        result.elifs.push(branch)
        continue
      }
      if (value === 'else') result.otherwise = this.parseStatements(['name:endif'], true)
      return result
    }
  }

  private parseCondition(): ast.Expr {
    return this.parseTuple({ withCondexpr: false })
  }

  parseWith(): ast.With {
    const { line } = this.stream.next()
    const targets: ast.Target[] = []
    const values: ast.Expr[] = []
    while (!this.stream.is('block_end')) {
      if (targets.length) this.stream.expect('comma')
      targets.push(this.assignable(this.parseTarget(), 'param'))
      this.stream.expect('assign')
      values.push(this.parseExpression())
    }
    return { type: 'With', line, targets, values, body: this.parseStatements(['name:endwith'], true) }
  }

  parseBlock(): ast.Block {
    const { line } = this.stream.next()
    const name = this.stream.expectName()
    const scoped = this.stream.skipIf('name:scoped')
    const required = this.stream.skipIf('name:required')
    if (this.stream.is('sub')) {
      this.fail(
        'Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.',
      )
    }
    const body = this.parseStatements(['name:endblock'], true)
    if (required && !body.every(isBlank)) this.fail('Required blocks can only contain comments or whitespace')
    this.stream.skipIf(`name:${name}`)
    return { type: 'Block', line, name, scoped, required, body }
  }

  parseExtends(): ast.Extends {
    const { line } = this.stream.next()
    return { type: 'Extends', line, template: this.parseExpression() }
  }

  /** Parse `with context` or `without context`, if present. */
  private parseContextWord(): boolean | undefined {
    const { stream } = this
    if (!stream.isAny(['name:with', 'name:without']) || !stream.is('name:context', stream.ahead)) return undefined
    const given = stream.next().value === 'with'
    stream.next()
    return given
  }

  parseInclude(): ast.Include {
    const { line } = this.stream.next()
    const template = this.parseExpression()
    let ignoreMissing = false
    if (this.stream.is('name:ignore') && this.stream.is('name:missing', this.stream.ahead)) {
      ignoreMissing = true
      this.stream.next()
      this.stream.next()
    }
    return { type: 'Include', line, template, ignoreMissing, withContext: this.parseContextWord() ?? true }
  }

  parseImport(): ast.Import {
    const { line } = this.stream.next()
    const template = this.parseExpression()
    this.stream.expect('name:as')
    const target = this.parseTargetName().name
    return { type: 'Import', line, template, target, withContext: this.parseContextWord() ?? false }
  }

  parseFrom(): ast.FromImport {
    const { line } = this.stream.next()
    const template = this.parseExpression()
    this.stream.expect('name:import')
    const names: ast.FromImport['names'] = []
    let withContext: boolean | undefined
    for (;;) {
      if (names.length) this.stream.expect('comma')
      if (!this.stream.is('name')) this.stream.expect('name')
      withContext = this.parseContextWord()
      if (withContext !== undefined) break
      const { name, line: nameLine } = this.parseTargetName()
      if (name.startsWith('_')) {
        throw new JinjaError('TemplateAssertionError', 'names starting with an underline can not be imported', {
          at: { line: nameLine },
        })
      }
      names.push({ name, alias: this.stream.skipIf('name:as') ? this.parseTargetName().name : name })
      withContext = this.parseContextWord()
      if (withContext !== undefined || !this.stream.is('comma')) break
    }
    return { type: 'FromImport', line, template, names, withContext: withContext ?? false }
  }

  private parseSignature(): { args: ast.Name[]; defaults: ast.Expr[] } {
    const args: ast.Name[] = []
    const defaults: ast.Expr[] = []
    this.stream.expect('lparen')
    while (!this.stream.is('rparen')) {
      if (args.length) this.stream.expect('comma')
      const arg = this.parseTargetName('param')
      if (this.stream.skipIf('assign')) defaults.push(this.parseExpression())
      else if (defaults.length) this.fail('non-default argument follows default argument')
      args.push(arg)
    }
    this.stream.expect('rparen')
    return { args, defaults }
  }

  parseMacro(): ast.Macro {
    const { line } = this.stream.next()
    const { name } = this.parseTargetName()
    const signature = this.parseSignature()
    return { type: 'Macro', line, name, ...signature, body: this.parseStatements(['name:endmacro'], true) }
  }

  parseCallBlock(): ast.CallBlock {
    const { line } = this.stream.next()
    const signature = this.stream.is('lparen') ? this.parseSignature() : { args: [], defaults: [] }
    const call = this.parseExpression()
    if (call.type !== 'Call') return this.fail('expected call', line)
    return { type: 'CallBlock', line, call, ...signature, body: this.parseStatements(['name:endcall'], true) }
  }

  parseFilterBlock(): ast.FilterBlock {
    const { line } = this.stream.next()
    const filter = this.parseFilter(undefined, true)!
    return { type: 'FilterBlock', line, filter, body: this.parseStatements(['name:endfilter'], true) }
  }

  parseSet(): ast.Assign | ast.AssignBlock {
    const { line } = this.stream.next()
    const target = this.parseTarget({ namespace: true })
    if (this.stream.skipIf('assign')) return { type: 'Assign', line, target, node: this.parseTuple() }
    const filter = this.parseFilter(undefined)
    return { type: 'AssignBlock', line, target, filter, body: this.parseStatements(['name:endset'], true) }
  }

  parsePrint(): ast.Output {
    const { line } = this.stream.next()
    const nodes: ast.Expr[] = []
    while (!this.stream.is('block_end')) {
      if (nodes.length) this.stream.expect('comma')
      nodes.push(this.parseExpression())
    }
    return { type: 'Output', line, nodes }
  }

  parseDo(): ast.ExprStmt {
    const { line } = this.stream.next()
    return { type: 'ExprStmt', line, node: this.parseTuple() }
  }

  parseAutoescape(): ast.AutoEscape {
    const { line } = this.stream.next()
    const value = this.parseExpression()
    return { type: 'AutoEscape', line, value, body: this.parseStatements(['name:endautoescape'], true) }
  }

  parseLoopControl(): ast.LoopControl {
    const { value, line } = this.stream.next()
    return { type: value === 'break' ? 'Break' : 'Continue', line }
  }

  /** `load_yaml as x … endload`: the body is rendered, then read. */
  parseLoad(): ast.Stmt[] {
    const { value: filterName, line } = this.stream.next()
    this.stream.expect('name:as')
    const target = this.parseTarget()
    const name = this.hiddenName()
    const body = this.parseStatements(['name:endload'], true)
    const macro: ast.Macro = { type: 'Macro', line, name, args: [], defaults: [], body }
    const call: ast.Call = { ...noArguments(), type: 'Call', line, node: { type: 'Name', line, name, ctx: 'load' } }
    const node: ast.Filter = { ...noArguments(), type: 'Filter', line, node: call, name: filterName as string }
    return [macro, { type: 'Assign', line, target, node }]
  }

  /** Parse `import_yaml 'file' as x`: an import whose text is parsed as data. */
  parseDataImport(): ast.Profile {
    const tag = this.stream.current.value as string
    const node = this.parseImport()
    const { line, target } = node
    const load: ast.Filter = {
      ...noArguments(),
      type: 'Filter',
      line,
      node: { type: 'Name', line, name: target, ctx: 'load' },
      name: tag.replace('import_', 'load_'),
    }
    const assign: ast.Assign = {
      type: 'Assign',
      line,
      target: { type: 'Name', line, name: target, ctx: 'store' },
      node: load,
    }
    return { type: 'Profile', line, label: node.template, source: tag, body: [node, assign] }
  }

  parseProfile(): ast.Profile {
    const { line } = this.stream.next()
    this.stream.expect('name:as')
    const label = this.parseExpression()
    return {
      type: 'Profile',
      line,
      label,
      source: 'profile block',
      body: this.parseStatements(['name:endprofile'], true),
    }
  }
}

const RESERVED = new Set(['true', 'false', 'none', 'True', 'False', 'None'])

const noArguments = (): ast.Arguments => ({ args: [], kwargs: [], dynArgs: undefined, dynKwargs: undefined })

function isBlank(statement: ast.Stmt): boolean {
  return (
    statement.type === 'Output' &&
    statement.nodes.every((node) => node.type === 'TemplateData' && node.text.trim() === '')
  )
}

const STATEMENTS: ReadonlyMap<string, StatementParser> = new Map<string, StatementParser>([
  ['for', (parser) => parser.parseFor()],
  ['if', (parser) => parser.parseIf()],
  ['block', (parser) => parser.parseBlock()],
  ['extends', (parser) => parser.parseExtends()],
  ['print', (parser) => parser.parsePrint()],
  ['macro', (parser) => parser.parseMacro()],
  ['include', (parser) => parser.parseInclude()],
  ['from', (parser) => parser.parseFrom()],
  ['import', (parser) => parser.parseImport()],
  ['set', (parser) => parser.parseSet()],
  ['with', (parser) => parser.parseWith()],
  ['autoescape', (parser) => parser.parseAutoescape()],
  ['call', (parser) => parser.parseCallBlock()],
  ['filter', (parser) => parser.parseFilterBlock()],
  ['do', (parser) => parser.parseDo()],
  ['break', (parser) => parser.parseLoopControl()],
  ['continue', (parser) => parser.parseLoopControl()],
  ['load_yaml', (parser) => parser.parseLoad()],
  ['load_json', (parser) => parser.parseLoad()],
  ['load_text', (parser) => parser.parseLoad()],
  ['import_yaml', (parser) => parser.parseDataImport()],
  ['import_json', (parser) => parser.parseDataImport()],
  ['import_text', (parser) => parser.parseDataImport()],
  ['profile', (parser) => parser.parseProfile()],
])
