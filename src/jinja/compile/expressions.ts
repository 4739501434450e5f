// Expressions → JavaScript expressions. Only identifiers made here and JSON literals reach the generated code.
// The names used in it (`add`, `ga`, `T`, …) are the fields of `support` in ../runtime/support.ts.
import { didYouMean } from '../../base/mod.ts'
import { Float, PyError, quote, type Value } from '../../data/mod.ts'
import type * as ast from '../ast.ts'
import { JinjaError } from '../errors.ts'
import { Identifiers } from '../symbols.ts'
import type { CodeFrame, FunctionState } from './frame.ts'

const COMPARISONS: Record<ast.CompareOp, (a: string, b: string) => string> = {
  eq: (a, b) => `eq(${a},${b})`,
  ne: (a, b) => `!eq(${a},${b})`,
  lt: (a, b) => `lt(${a},${b})`,
  lteq: (a, b) => `le(${a},${b})`,
  gt: (a, b) => `gt(${a},${b})`,
  gteq: (a, b) => `ge(${a},${b})`,
  in: (a, b) => `isIn(${a},${b})`,
  notin: (a, b) => `!isIn(${a},${b})`,
}

const BOOLEAN = new Set<ast.Expr['type']>(['Compare', 'Test', 'Not'])

/** Expressions whose evaluation does not call methods of values. */
const HARMLESS = new Set<ast.Expr['type']>(['Const', 'TemplateData', 'Name'])

function mayFail({ args, kwargs, dynArgs, dynKwargs }: ast.Arguments): boolean {
  const given = [...args, ...kwargs.map(({ value }) => value)]
  return Boolean(dynArgs ?? dynKwargs) || given.some(({ type }) => !HARMLESS.has(type))
}

/** Throw for repeated keywords. Jinja leaves this check to Python, which compiles the generated code. */
function refuseRepeated({ kwargs }: ast.Arguments): void {
  const repeated = kwargs.find(({ key }, i) => kwargs.findIndex((other) => other.key === key) < i)
  if (!repeated) return
  const at = { line: repeated.value.line }
  throw new PyError('SyntaxError', `keyword argument repeated: ${repeated.key}`, { at })
}

/** Names that are a method of every dict, whatever its keys. */
const DICT_METHODS = new Set('clear copy fromkeys get items keys pop popitem setdefault update values'.split(' '))

/** Attributes of the loop variable that are read from it directly. */
const LOOP_ATTRIBUTES: Readonly<Record<string, ((loop: string) => string) | undefined>> = {
  __proto__: null as never,
  index: (loop) => `(${loop}.index0+1)`,
  index0: (loop) => `${loop}.index0`,
  first: (loop) => `(${loop}.index0===0)`,
  last: (loop) => `${loop}.isLast()`,
  length: (loop) => `${loop}.length()`,
}

type Names = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>

/**
 * The properties of the environment that affect the generated code; templates compiled with equal ones share their
 * code.
 */
export interface CompileOptions {
  filters: Names
  tests: Names
  /** Whether a filter may answer with a promise. */
  filterWaits(name: string): boolean
  autoescape: boolean
}

/** A filter or test with its number of plain arguments; -1 if it has named or spread ones. */
export interface Link {
  kind: 'filter' | 'test'
  name: string
  count: number
}

export class ExpressionCompiler {
  protected readonly names = new Identifiers()
  protected readonly options: CompileOptions
  /** Constants that have no literal. */
  readonly constants: Value[] = []
  readonly links: Link[] = []
  private readonly linkNames = new Map<string, string>()
  protected fn: FunctionState = { lines: [], waits: false, temporaries: [], line: 0 }
  /** Variables that hold the loop variable of an enclosing loop. */
  protected readonly loopVariables = new Set<string>()
  /** Parameters of the current macro whose defaults are not set yet. */
  protected pendingParameters = new Set<string>()
  /** The template's own name, for messages. */
  protected readonly templateName: string | undefined

  constructor(options: CompileOptions, templateName: string | undefined) {
    this.options = options
    this.templateName = templateName
  }

  protected fail(message: string, line: number, hint?: string): never {
    throw new JinjaError('TemplateAssertionError', message, { at: { line }, hint })
  }

  protected temporary(): string {
    const name = this.names.fresh('t')
    this.fn.temporaries.push(name)
    return name
  }

  /** Waits for a promise, and only for a promise. */
  protected settle(code: string): string {
    this.fn.waits = true
    const result = this.temporary()
    return `((${result}=${code}) instanceof Promise?await ${result}:${result})`
  }

  protected constant(value: Value): string {
    switch (typeof value) {
      case 'string':
        return JSON.stringify(value)
      case 'number':
        return Number.isFinite(value) ? String(value) : this.pooled(value)
      case 'boolean':
        return String(value)
      case 'bigint':
        return `${value}n`
      default:
        return value === null ? 'null' : this.pooled(value)
    }
  }

  private pooled(value: Value): string {
    const same = this.constants.findIndex(
      (other) => other === value || (other instanceof Float && value instanceof Float && other.value === value.value),
    )
    return `K[${same >= 0 ? same : this.constants.push(value) - 1}]`
  }

  protected expr(node: ast.Expr, frame: CodeFrame): string {
    switch (node.type) {
      case 'Const':
        return this.constant(node.value)
      case 'TemplateData':
        return JSON.stringify(node.text)
      case 'Name':
        return this.loadName(node.name, frame)
      case 'Tuple':
        return `Tuple.of(${this.list(node.items, frame)})`
      case 'List':
        return `[${this.list(node.items, frame)}]`
      case 'Dict':
        return this.dict(node, frame)
      case 'CondExpr':
        return this.condExpr(node, frame)
      case 'Filter':
        return this.filter(node, frame)
      case 'Test':
        return this.test(node, frame)
      case 'Call':
        return this.call(node, frame)
      case 'Getattr':
        return this.getattr(node, frame)
      case 'Getitem':
        return this.getitem(node, frame)
      case 'Slice':
        return this.fail('unexpected slice', node.line)
      case 'Concat':
        return this.concat(node, frame)
      case 'Compare':
        return this.compare(node, frame)
      case 'Binary':
        return `${node.op}(${this.expr(node.left, frame)},${this.expr(node.right, frame)})`
      case 'And':
      case 'Or':
        return this.logic(node, frame)
      case 'Not':
        return `!${this.condition(node.node, frame)}`
      case 'Neg':
      case 'Pos':
        return `${node.type.toLowerCase()}(${this.expr(node.node, frame)})`
      case 'NamespaceRef':
        return this.fail('unexpected namespace reference', node.line)
    }
  }

  private list(nodes: readonly ast.Expr[], frame: CodeFrame): string {
    return nodes.map((node) => this.expr(node, frame)).join(',')
  }

  /** Compile an expression of which only the truth value is used. */
  protected condition(node: ast.Expr, frame: CodeFrame): string {
    if (node.type === 'And' || node.type === 'Or') {
      const left = this.condition(node.left, frame)
      return `(${left}${node.type === 'And' ? '&&' : '||'}${this.condition(node.right, frame)})`
    }
    const code = this.expr(node, frame)
    return BOOLEAN.has(node.type) ? `(${code})` : `T(${code})`
  }

  private logic(node: ast.Logic, frame: CodeFrame): string {
    const left = this.temporary()
    const test = `T(${left}=${this.expr(node.left, frame)})`
    const right = this.expr(node.right, frame)
    return node.type === 'And' ? `(${test}?${right}:${left})` : `(${test}?${left}:${right})`
  }

  protected loadName(name: string, frame: CodeFrame): string {
    const variable = frame.scope.variable(name)
    const given = frame.scope.findLoad(variable)?.from === 'parameter' && !this.pendingParameters.has(variable)
    return given ? variable : `(${variable}===undefined?rt.missing(${JSON.stringify(name)},N):${variable})`
  }

  private dict(node: ast.DictNode, frame: CodeFrame): string {
    const pairs = node.pairs.map(({ key, value }) => `[${this.expr(key, frame)},${this.expr(value, frame)}]`)
    const plain = node.pairs.every(({ key }) => key.type === 'Const' && typeof key.value === 'string')
    return plain ? `new Map([${pairs.join(',')}])` : `dict([${pairs.join(',')}])`
  }

  private condExpr(node: ast.CondExpr, frame: CodeFrame): string {
    const soft = { ...frame, soft: true }
    const test = this.condition(node.test, soft)
    const chosen = this.expr(node.chosen, soft)
    if (node.otherwise) return `(${test}?${chosen}:${this.expr(node.otherwise, soft)})`
    const where = this.position(node.line)
    const message = `the inline if-expression on ${where} evaluated to false and no else section was defined.`
    return `(${test}?${chosen}:noElse(${JSON.stringify(message)}))`
  }

  protected position(line: number): string {
    return this.templateName === undefined ? `line ${line}` : `line ${line} in ${quote(this.templateName)}`
  }

  private concat(node: ast.Concat, frame: CodeFrame): string {
    const parts = node.nodes.map((part) => this.expr(part, frame))
    if (frame.escape !== 'off') return `rt.concat([${parts.join(',')}])`
    return parts.length === 2 ? `cat(${parts.join(',')})` : `catAll([${parts.join(',')}])`
  }

  /** Return the code for a value in the output. */
  protected printed(code: string, frame: CodeFrame): string {
    if (frame.escape === 'off') return `out(${code})`
    return frame.escape === 'on' ? `rt.escaped(${code})` : `rt.emit(${code})`
  }

  /** Text that was written to a buffer, as a value. */
  protected captured(buffer: string, frame: CodeFrame): string {
    return frame.escape === 'off' ? buffer : `rt.captured(${buffer})`
  }

  private compare(node: ast.Compare, frame: CodeFrame): string {
    const first = this.expr(node.expr, frame)
    const [only] = node.ops
    if (node.ops.length === 1) return COMPARISONS[only!.op](first, this.expr(only!.expr, frame))
    let left = first
    const parts = node.ops.map(({ op, expr }) => {
      const right = this.temporary()
      const code = COMPARISONS[op](left, `${right}=${this.expr(expr, frame)}`)
      left = right
      return code
    })
    return `(${parts.join('&&')})`
  }

  private getattr(node: ast.Getattr, frame: CodeFrame): string {
    const object = this.expr(node.node, frame)
    const ofLoop = this.loopVariables.has(object) ? LOOP_ATTRIBUTES[node.attr] : undefined
    if (ofLoop) return ofLoop(object)
    // most attribute names of a dict are items, which can be looked up directly
    const plain = !DICT_METHODS.has(node.attr) && !node.attr.startsWith('_')
    return `${plain ? 'gm' : 'ga'}(rt,${object},${JSON.stringify(node.attr)})`
  }

  private getitem(node: ast.Getitem, frame: CodeFrame): string {
    const object = this.expr(node.node, frame)
    if (node.arg.type !== 'Slice') return `gi(rt,${object},${this.expr(node.arg, frame)})`
    const bounds = [node.arg.start, node.arg.stop, node.arg.step].map((bound) =>
      bound ? this.expr(bound, frame) : 'null',
    )
    return `slice(${object},${bounds.join(',')})`
  }

  /** Return `[args], kwargs` for a call of the runtime. */
  protected arguments(given: ast.Arguments, frame: CodeFrame, caller?: string): string {
    const args = `[${this.list(given.args, frame)}]`
    const all = given.dynArgs ? `spread(${args},${this.expr(given.dynArgs, frame)})` : args
    refuseRepeated(given)
    const named = given.kwargs.map(({ key, value }) => `[${JSON.stringify(key)},${this.expr(value, frame)}]`)
    if (caller) named.push(`["caller",${caller}]`)
    const kwargs = `new Map([${named.join(',')}])`
    if (given.dynKwargs) return `${all},spreadNamed(${kwargs},${this.expr(given.dynKwargs, frame)})`
    return named.length ? `${all},${kwargs}` : all
  }

  protected call(node: ast.Call, frame: CodeFrame, caller?: string): string {
    const callee = node.node
    if (callee.type === 'Getattr') {
      const owner = this.expr(callee.node, frame)
      // an undefined owner fails before an argument can
      const object = mayFail(node) ? `owner(${owner})` : owner
      return this.settle(`callAttr(rt,${object},${JSON.stringify(callee.attr)},${this.arguments(node, frame, caller)})`)
    }
    return this.settle(`call(rt,${this.expr(callee, frame)},${this.arguments(node, frame, caller)})`)
  }

  /** The name in generated code of a filter or test, bound to the environment when the template is linked. */
  private link(kind: Link['kind'], name: string, count: number): string {
    const key = `${kind} ${name} ${count}`
    let linked = this.linkNames.get(key)
    if (linked === undefined) {
      linked = `L${this.links.length}`
      this.links.push({ kind, name, count })
      this.linkNames.set(key, linked)
    }
    return linked
  }

  private linkedCall(kind: Link['kind'], node: ast.Filter | ast.Test, value: string, frame: CodeFrame): string {
    const names = kind === 'filter' ? this.options.filters : this.options.tests
    if (!names.has(node.name) && !frame.soft) {
      this.fail(`No ${kind} named ${quote(node.name)}.`, node.line, didYouMean(node.name, names.keys()))
    }
    const simple = !node.kwargs.length && !node.dynArgs && !node.dynKwargs
    if (simple) {
      const args = node.args.map((arg) => `,${this.expr(arg, frame)}`).join('')
      return `${this.link(kind, node.name, node.args.length)}(rt,${value}${args})`
    }
    return `${this.link(kind, node.name, -1)}(rt,${value},${this.arguments(node, frame)})`
  }

  /** `captured` is the text of the block that a filter block or a block set filters. */
  protected filter(node: ast.Filter, frame: CodeFrame, captured?: string): string {
    const value = node.node ? this.innerFilter(node.node, frame, captured) : (captured ?? "''")
    const code = this.linkedCall('filter', node, value, frame)
    const mapped = node.name === 'map' && node.args[0]?.type === 'Const' ? String(node.args[0].value) : node.name
    return this.options.filterWaits(mapped) || this.options.filterWaits(node.name) ? this.settle(code) : code
  }

  private innerFilter(node: ast.Expr, frame: CodeFrame, captured?: string): string {
    return node.type === 'Filter' && captured !== undefined
      ? this.filter(node, frame, captured)
      : this.expr(node, frame)
  }

  private test(node: ast.Test, frame: CodeFrame): string {
    // an undefined name is a fair question for these two, and no value needs to be made for it
    if ((node.name === 'defined' || node.name === 'undefined') && node.node.type === 'Name' && !node.args.length) {
      const variable = frame.scope.variable(node.node.name)
      return `${node.name === 'defined' ? '' : '!'}isDefined(${variable})`
    }
    return this.linkedCall('test', node, this.expr(node.node, frame), frame)
  }
}
