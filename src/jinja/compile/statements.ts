// Statements → JavaScript statements. Each template function keeps in `$l` the template line it is at, so that an
// error can name it; output is text appended to the buffer of the frame.
import { truthy } from '../../data/mod.ts'
import type * as ast from '../ast.ts'
import { findAll } from '../ast.ts'
import { analyze, declareTarget, type SymbolScope, undeclared } from '../symbols.ts'
import { ExpressionCompiler } from './expressions.ts'
import { type CodeFrame, type FunctionState, innerFrame } from './frame.ts'

/** The kind of function in an error's trace; blocks are not named there. */
export type TemplateFunctionKind = 'root' | 'macro' | 'block'

export class StatementCompiler extends ExpressionCompiler {
  protected extendsSeen = 0
  protected knownExtends = false
  /** The line of the innermost loop, for errors between two of its rounds. */
  private loopLine = 0
  private loopDepth = 0

  protected write(code: string): void {
    this.fn.lines.push(code)
  }

  /** Makes the code that follows report this template line. */
  protected mark(line: number): void {
    if (this.fn.line === line) return
    this.fn.line = line
    this.write(`$l=${line};`)
  }

  /** After branches or loops the line that was marked last is not known. */
  private forgetLine(): void {
    this.fn.line = -1
  }

  protected inFunction(write: () => void): FunctionState {
    const outer = this.fn
    const outerLoop = this.loopDepth
    this.loopDepth = 0
    this.fn = { lines: [], waits: false, temporaries: [], line: -1 }
    write()
    const written = this.fn
    this.fn = outer
    this.loopDepth = outerLoop
    return written
  }

  protected functionCode(params: string, line: number, kind: TemplateFunctionKind, fn: FunctionState): string {
    const temporaries = fn.temporaries.length ? `let ${fn.temporaries.join(',')};` : ''
    const body = fn.lines.join('\n')
    return `${fn.waits ? 'async ' : ''}function(${params}){let $l=${line};${temporaries}\ntry{\n${body}\n}catch(e){throw located(e,TPL,$l,${JSON.stringify(kind)})}}`
  }

  /** Declare the scope's variables with their initial values. */
  protected enter(scope: SymbolScope): void {
    const declared: string[] = []
    for (const [variable, load] of scope.loads) {
      if (load.from === 'context') declared.push(`${variable}=ctx.resolve(${JSON.stringify(load.name)})`)
      else if (load.from === 'alias') declared.push(`${variable}=${load.variable}`)
      else if (load.from === 'nothing') declared.push(variable)
    }
    if (declared.length) this.write(`let ${declared.join(',')};`)
  }

  protected body(nodes: readonly ast.Stmt[], frame: CodeFrame): void {
    for (const node of nodes) this.statement(node, frame)
  }

  private statement(node: ast.Stmt, frame: CodeFrame): void {
    switch (node.type) {
      case 'Output':
        return this.output(node, frame)
      case 'For':
        return this.for(node, frame)
      case 'If':
        return this.if(node, frame)
      case 'Macro':
        return this.macro(node, frame)
      case 'CallBlock':
        return this.callBlock(node, frame)
      case 'FilterBlock':
        return this.filterBlock(node, frame)
      case 'With':
        return this.with(node, frame)
      case 'Block':
        return this.block(node, frame)
      case 'Extends':
        return this.extends(node, frame)
      case 'Include':
        return this.include(node, frame)
      case 'Import':
        return this.import(node, frame)
      case 'FromImport':
        return this.fromImport(node, frame)
      case 'Assign':
        return this.assign(node, frame)
      case 'AssignBlock':
        return this.assignBlock(node, frame)
      case 'ExprStmt':
        this.mark(node.line)
        return this.write(`${this.expr(node.node, frame)};`)
      case 'AutoEscape':
        return this.autoEscape(node, frame)
      case 'Profile':
        return this.profile(node, frame)
      case 'Break':
      case 'Continue':
        return this.loopControl(node)
    }
  }

  /** Whether code that writes here is needed at all, and the condition under which it runs. */
  private silence(frame: CodeFrame): 'always' | 'maybe' | 'never' {
    if (!frame.silenced) return 'never'
    if (this.knownExtends) return 'always'
    return this.extendsSeen ? 'maybe' : 'never'
  }

  private output(node: ast.Output, frame: CodeFrame): void {
    const silence = this.silence(frame)
    if (silence === 'always') return
    if (silence === 'maybe') this.write('if(parent===undefined){')
    let parts: string[] = []
    let line = node.line
    const flush = (): void => {
      if (!parts.length) return
      this.mark(line)
      if (frame.offset) this.write(`if(M)M.add(${frame.offset},${line});`)
      this.write(`${frame.buffer}+=${parts.join('+')};`)
      parts = []
    }
    for (const item of node.nodes) {
      if (parts.length && item.line !== line && item.type !== 'TemplateData') flush()
      if (!parts.length || item.type !== 'TemplateData') line = item.line
      parts.push(this.outputItem(item, frame))
    }
    flush()
    if (silence === 'maybe') this.write('}')
  }

  private outputItem(item: ast.Expr, frame: CodeFrame): string {
    if (item.type === 'TemplateData') return JSON.stringify(item.text)
    return this.printed(this.expr(item, frame), frame)
  }

  private if(node: ast.If, frame: CodeFrame): void {
    const soft = { ...frame, soft: true }
    this.mark(node.line)
    this.write(`if(${this.condition(node.test, soft)}){`)
    this.body(node.body, soft)
    let open = 1
    for (const branch of node.elifs) {
      this.write('}else{')
      this.forgetLine()
      this.mark(branch.line)
      this.write(`if(${this.condition(branch.test, soft)}){`)
      this.body(branch.body, soft)
      open++
    }
    if (node.otherwise.length) {
      this.write('}else{')
      this.forgetLine()
      this.body(node.otherwise, soft)
    }
    this.write('}'.repeat(open))
    this.forgetLine()
  }

  /** Stores the value of a JavaScript expression in a target. */
  private store(target: ast.Target, value: string, frame: CodeFrame): void {
    if (target.type === 'Name') this.write(`${frame.scope.variable(target.name)}=${value};`)
    else if (target.type === 'NamespaceRef') {
      const variable = this.loadName(target.name, frame)
      this.write(`nsSet(${variable},${JSON.stringify(target.attr)},${value});`)
    } else {
      const items = this.temporary()
      this.write(`${items}=unpack(${value},${target.items.length});`)
      target.items.forEach((item, i) => {
        this.store(item as ast.Target, `${items}[${i}]`, frame)
      })
    }
  }

  private for(node: ast.For, frame: CodeFrame): void {
    for (const name of storedNames(node)) {
      if (name.name === 'loop') this.fail("Can't assign to special loop variable in for-loop target", name.line)
    }
    const loop = innerFrame(this.names, frame)
    const extended = node.recursive || undeclared(node.body, ['loop']).has('loop') || hasScopedBlock([node])
    const loopVariable = extended ? loop.scope.parameter('loop', this.names.fresh('l')) : undefined
    if (loopVariable) this.loopVariables.add(loopVariable)
    declareTarget(loop.scope, node.target)
    analyze(loop.scope, node.body)
    if (node.recursive) return this.recursiveFor(node, frame, loop, loopVariable!)
    this.mark(node.line)
    this.append(frame, this.loopCall(node, frame, loop, loopVariable))
    this.forgetLine()
  }

  /**
   * Compile a loop as a separate function: V8 optimizes small functions well, but not the huge code of a long template.
   */
  private loopCall(node: ast.For, frame: CodeFrame, loop: CodeFrame, loopVariable: string | undefined): string {
    const name = this.names.fresh('loop')
    const buffer = this.names.fresh('o')
    const offset = frame.offset && `${frame.offset}+${buffer}.length`
    const fn = this.inFunction(() => {
      this.write(`let ${buffer}='';`)
      this.rounds(node, { ...frame, buffer, offset }, { ...loop, buffer, offset }, 'items', loopVariable, '')
      this.write(`return ${buffer};`)
    })
    const temporaries = fn.temporaries.length ? `let ${fn.temporaries.join(',')};` : ''
    this.write(`${fn.waits ? 'async ' : ''}function ${name}(items){${temporaries}${fn.lines.join('\n')}}`)
    const call = `${name}(${this.expr(node.iter, frame)})`
    return fn.waits ? this.settle(call) : call
  }

  private recursiveFor(node: ast.For, frame: CodeFrame, loop: CodeFrame, loopVariable: string): void {
    const name = this.names.fresh('loop')
    const inner: CodeFrame = { ...loop, buffer: 'o', silenced: false, offset: undefined }
    const fn = this.inFunction(() => {
      this.write("let o='';")
      this.rounds(
        node,
        { ...frame, buffer: 'o', silenced: false, offset: undefined },
        inner,
        'reciter',
        loopVariable,
        `,${name},depth`,
      )
      this.write(`return ${this.captured('o', frame)};`)
    })
    this.mark(node.line)
    this.write(`const ${name}=${this.functionCode('reciter,depth', node.line, 'macro', fn)};`)
    const result = this.settle(`${name}(${this.expr(node.iter, frame)},0)`)
    this.append(frame, `text(${result})`)
  }

  /** Compile the loop itself. `recursion`: the argument that a recursive loop passes to its loop variable. */
  private rounds(
    node: ast.For,
    frame: CodeFrame,
    loop: CodeFrame,
    iterable: string,
    loopVariable: string | undefined,
    recursion: string,
  ): void {
    const item = this.names.fresh('i')
    const outerLine = this.loopLine
    this.loopLine = node.line
    this.loopDepth++
    const empty = node.otherwise.length ? this.names.fresh('e') : undefined
    if (empty) this.write(`let ${empty}=true;`)
    if (loopVariable) {
      const source = node.test ? this.filtered(node, frame, iterable) : iterable
      this.write(`const ${loopVariable}=new LoopContext(rt,${source}${recursion});`)
      this.write(`for(let ${item};(${item}=${loopVariable}.advance())!==undefined;){`)
    } else {
      this.write(`for(const ${item} of iterate(${iterable})){`)
      if (node.test) this.guard(node, frame, item, `{$l=${node.line};continue}`)
    }
    this.write('rt.tick();')
    this.declareParameters(loop.scope, loopVariable)
    this.enter(loop.scope)
    this.store(node.target, item, loop)
    this.forgetLine()
    this.body(node.body, loop)
    // as in Jinja, a round that ends in break or continue does not count for the else
    this.write(`${empty ? `${empty}=false;` : ''}$l=${node.line};}`)
    this.loopDepth--
    this.loopLine = outerLine
    this.forgetLine()
    if (empty) this.otherwise(node, frame, empty)
  }

  private otherwise(node: ast.For, frame: CodeFrame, empty: string): void {
    const otherwise = innerFrame(this.names, frame)
    analyze(otherwise.scope, node.otherwise)
    this.write(`if(${empty}){`)
    this.enter(otherwise.scope)
    this.body(node.otherwise, otherwise)
    this.write('}')
    this.forgetLine()
  }

  /** Compile the loop's own `if` in a separate scope, with `unwanted` for refused items. */
  private guard(node: ast.For, frame: CodeFrame, item: string, unwanted: string): void {
    const test = innerFrame(this.names, frame)
    declareTarget(test.scope, node.target)
    analyze(test.scope, [node.test!])
    this.write('{')
    this.declareParameters(test.scope)
    this.enter(test.scope)
    this.store(node.target, item, test)
    this.forgetLine()
    this.mark(node.test!.line)
    this.write(`if(!${this.condition(node.test!, test)})${unwanted}`)
    this.write('}')
    this.forgetLine()
  }

  /** The items that pass the loop's own `if`, gathered first: the loop variable counts only these. */
  private filtered(node: ast.For, frame: CodeFrame, iterable: string): string {
    const kept = this.names.fresh('f')
    const item = this.names.fresh('i')
    this.write(`const ${kept}=[];`)
    this.write(`for(const ${item} of iterate(${iterable})){rt.tick();`)
    this.guard(node, frame, item, 'continue;')
    this.write(`${kept}.push(${item});}`)
    return kept
  }

  private declareParameters(scope: SymbolScope, except?: string): void {
    const own = [...scope.loads].filter(([name, load]) => load.from === 'parameter' && name !== except)
    if (own.length) this.write(`let ${own.map(([name]) => name).join(',')};`)
  }

  private loopControl(node: ast.LoopControl): void {
    if (this.loopDepth === 0) this.fail(`'${node.type.toLowerCase()}' outside loop`, node.line)
    this.write(`{$l=${this.loopLine};${node.type.toLowerCase()}}`)
  }

  /** The function of a macro or call block, as the arguments of `new Macro`. */
  private macroValue(node: ast.Macro | ast.CallBlock, frame: CodeFrame): string {
    const name = node.type === 'Macro' ? node.name : null
    const inner: CodeFrame = { ...innerFrame(this.names, frame), buffer: 'o', silenced: false, offset: undefined }
    const { scope } = inner
    analyze(scope, node.args)
    const declared = node.args.map((arg) => arg.name)
    const special = undeclared(node.body, ['caller', 'kwargs', 'varargs'])
    if (special.has('caller') && declared.includes('caller')) this.checkExplicitCaller(node)
    const extra = ['caller', 'kwargs', 'varargs'].filter((word) => special.has(word) && !declared.includes(word))
    const params = [...declared.map((arg) => scope.variable(arg)), ...extra.map((word) => scope.parameter(word))]
    analyze(scope, [...node.defaults, ...node.body])
    const fn = this.inFunction(() => {
      this.write("let o='';")
      this.enter(scope)
      this.defaults(node, inner)
      this.body(node.body, inner)
      this.write('return o;')
    })
    const body = this.functionCode(params.join(','), node.line, 'macro', fn)
    const flags = JSON.stringify([...extra, ...(special.has('caller') ? ['caller'] : [])])
    return `new Macro(rt,${JSON.stringify(name)},${JSON.stringify(declared)},${flags},${body})`
  }

  private checkExplicitCaller(node: ast.Macro | ast.CallBlock): void {
    const at = node.args.findIndex((arg) => arg.name === 'caller')
    if (at >= node.args.length - node.defaults.length) return
    this.fail(
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
      node.line,
    )
  }

  private defaults(node: ast.Macro | ast.CallBlock, frame: CodeFrame): void {
    const outer = this.pendingParameters
    this.pendingParameters = new Set(node.args.map((arg) => frame.scope.variable(arg.name)))
    node.args.forEach((arg, i) => {
      const variable = frame.scope.variable(arg.name)
      const value = node.defaults[i - node.args.length + node.defaults.length]
      const code = value ? this.expr(value, frame) : `rt.notGiven(${JSON.stringify(arg.name)})`
      this.write(`if(${variable}===undefined)${variable}=${code};`)
      this.pendingParameters.delete(variable)
    })
    this.pendingParameters = outer
  }

  private macro(node: ast.Macro, frame: CodeFrame): void {
    const variable = frame.scope.variable(node.name)
    this.write(`${variable}=${this.macroValue(node, frame)};`)
    this.export(frame, [node.name])
  }

  /** Makes assignments at the top of a template visible to blocks, includes and importers. */
  private export(frame: CodeFrame, names: Iterable<string>): void {
    if (!frame.toplevel) return
    for (const name of names) {
      this.write(`ctx.set(${JSON.stringify(name)},${frame.scope.variable(name)},${!name.startsWith('_')});`)
    }
  }

  private callBlock(node: ast.CallBlock, frame: CodeFrame): void {
    const caller = this.names.fresh('c')
    this.write(`const ${caller}=${this.macroValue(node, frame)};`)
    this.mark(node.line)
    this.append(frame, `text(${this.call(node.call, frame, caller)})`)
  }

  /** Appends the text that the code makes; the buffer is read only after the code has run. */
  private append(frame: CodeFrame, code: string): void {
    const result = this.temporary()
    this.write(`${result}=${code};${frame.buffer}+=${result};`)
  }

  /** Write a body into a separate buffer, then pass its text, filtered if a filter is given, to `use`. */
  private capture(node: ast.FilterBlock | ast.AssignBlock, frame: CodeFrame, use: (code: string) => void): void {
    const buffer = this.names.fresh('o')
    const inner: CodeFrame = { ...innerFrame(this.names, frame), buffer, silenced: false, offset: undefined }
    analyze(inner.scope, node.filter ? [...node.body, node.filter] : node.body)
    this.write(`{let ${buffer}='';`)
    this.enter(inner.scope)
    this.body(node.body, inner)
    this.mark(node.line)
    const text = this.captured(buffer, inner)
    use(node.filter ? this.filter(node.filter, inner, text) : text)
    this.write('}')
    this.forgetLine()
  }

  private filterBlock(node: ast.FilterBlock, frame: CodeFrame): void {
    this.capture(node, frame, (code) => this.append(frame, `text(${code})`))
  }

  private assignBlock(node: ast.AssignBlock, frame: CodeFrame): void {
    this.capture(node, frame, (code) => this.store(node.target, code, frame))
    this.export(frame, targetNames(node.target))
  }

  private with(node: ast.With, frame: CodeFrame): void {
    const inner = innerFrame(this.names, frame)
    for (const target of node.targets) declareTarget(inner.scope, target)
    analyze(inner.scope, node.body)
    this.write('{')
    this.declareParameters(inner.scope)
    this.enter(inner.scope)
    node.targets.forEach((target, i) => {
      this.mark(node.line)
      this.store(target, this.expr(node.values[i]!, frame), inner)
    })
    this.body(node.body, inner)
    this.write('}')
    this.forgetLine()
  }

  private block(node: ast.Block, frame: CodeFrame): void {
    const silence = frame.toplevel ? this.silence({ ...frame, silenced: true }) : 'never'
    if (silence === 'always') return
    this.mark(node.line)
    const context = node.scoped ? `ctx.derived(${this.locals(frame)})` : 'ctx'
    const code = this.settle(`rt.block(${context},${JSON.stringify(node.name)},${node.required})`)
    const guard = silence === 'maybe' ? 'if(parent===undefined)' : ''
    this.write(`${guard}${frame.buffer}+=${code};`)
  }

  /** The names assigned around here with their values, for a template that is rendered with this context. */
  private locals(frame: CodeFrame): string {
    const pairs = [...frame.scope.assigned()].map(([name, variable]) => `[${JSON.stringify(name)},${variable}]`)
    return `[${pairs.join(',')}]`
  }

  private extends(node: ast.Extends, frame: CodeFrame): void {
    if (!frame.toplevel) this.fail('cannot use extend from a non top-level scope', node.line)
    this.mark(node.line)
    if (this.extendsSeen > 0) this.write('if(parent!==undefined)extendedTwice();')
    this.write(`parent=${this.settle(`rt.parent(ctx,${this.expr(node.template, frame)})`)};`)
    this.extendsSeen++
    if (!frame.soft) this.knownExtends = true
  }

  private include(node: ast.Include, frame: CodeFrame): void {
    this.mark(node.line)
    const locals = node.withContext ? this.locals(frame) : 'undefined'
    const code = this.settle(`rt.include(ctx,${this.expr(node.template, frame)},${node.ignoreMissing},${locals})`)
    this.write(`${frame.buffer}+=${code};`)
  }

  private importCode(node: ast.Import | ast.FromImport, frame: CodeFrame): string {
    const locals = node.withContext ? this.locals(frame) : 'undefined'
    return this.settle(`rt.import(ctx,${this.expr(node.template, frame)},${locals})`)
  }

  private import(node: ast.Import, frame: CodeFrame): void {
    this.mark(node.line)
    const variable = frame.scope.variable(node.target)
    this.write(`${variable}=${this.importCode(node, frame)};`)
    if (frame.toplevel) this.write(`ctx.set(${JSON.stringify(node.target)},${variable},false);`)
  }

  private fromImport(node: ast.FromImport, frame: CodeFrame): void {
    this.mark(node.line)
    const module = this.temporary()
    this.write(`${module}=${this.importCode(node, frame)};`)
    for (const { name, alias } of node.names) {
      const variable = frame.scope.variable(alias)
      const where = JSON.stringify(`imported on ${this.position(node.line)}`)
      this.write(`${variable}=rt.exported(${module},${JSON.stringify(name)},${where});`)
      if (frame.toplevel) this.write(`ctx.set(${JSON.stringify(alias)},${variable},false);`)
    }
  }

  private assign(node: ast.Assign, frame: CodeFrame): void {
    this.mark(node.line)
    this.store(node.target, this.expr(node.node, frame), frame)
    this.export(frame, targetNames(node.target))
  }

  private autoEscape(node: ast.AutoEscape, frame: CodeFrame): void {
    const inner = innerFrame(this.names, frame)
    inner.escape = node.value.type === 'Const' ? (truthy(node.value.value) ? 'on' : 'off') : 'maybe'
    analyze(inner.scope, [node.value, ...node.body])
    const saved = this.names.fresh('a')
    this.mark(node.line)
    this.write('{')
    this.enter(inner.scope)
    this.write(`const ${saved}=rt.autoescape;rt.autoescape=${this.condition(node.value, inner)};try{`)
    this.body(node.body, inner)
    this.write(`}finally{rt.autoescape=${saved}}}`)
    this.forgetLine()
  }

  private profile(node: ast.Profile, frame: CodeFrame): void {
    const done = this.names.fresh('p')
    this.mark(node.line)
    this.write(`const ${done}=rt.profile(${this.expr(node.label, frame)},${JSON.stringify(node.source)});`)
    this.body(node.body, frame)
    this.write(`${done}();`)
  }
}

function targetNames(target: ast.Target): string[] {
  if (target.type === 'Name') return [target.name]
  return target.type === 'Tuple' ? target.items.flatMap((item) => targetNames(item as ast.Target)) : []
}

function* storedNames(node: ast.For): Generator<ast.Name> {
  for (const name of findAll([node], 'Name')) if (name.ctx === 'store') yield name
}

function hasScopedBlock(nodes: readonly ast.Stmt[]): boolean {
  for (const block of findAll(nodes, 'Block')) if (block.scoped) return true
  return false
}
