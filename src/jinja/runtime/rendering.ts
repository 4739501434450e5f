// The state of one rendering, for compiled code, filters and methods.
import { didYouMean } from '../../base/mod.ts'
import { PyError, quote, str, typeError, typeName, type Value } from '../../data/mod.ts'
import { JinjaError, type JinjaErrorCode } from '../errors.ts'
import { getAttr, getItem } from './attributes.ts'
import { CallableValue } from './callable.ts'
import { type BlockFunction, type Context, type Locals, type Variables, withLocals } from './context.ts'
import { HostFunction } from './host-function.ts'
import { escapeText, escapeValue, Markup } from './markup.ts'
import { TemplateModule } from './module.ts'
import { NativeFunction } from './native.ts'
import { printed } from './printed.ts'
import { BlockReference, TemplateReference } from './reference.ts'
import type { Kwargs, Runtime } from './runtime.ts'
import type { JinjaDialect, RenderSurroundings, RunnableTemplate } from './surroundings.ts'
import { type HintMaker, StrictUndefined, Undefined } from './undefined.ts'

/** Python stops at about 250 nested macro calls; this limit refuses nothing that works there. */
const DEEPEST_CALLS = 450
const NO_KWARGS: Kwargs = new Map()

export class Rendering implements Runtime {
  readonly env: RenderSurroundings
  autoescape: boolean
  private depth = 0
  private roundsLeft: number
  /** The variables of the template that is running. */
  private context: Context

  constructor(env: RenderSurroundings, context: Context) {
    this.env = env
    this.context = context
    this.autoescape = env.autoescape
    this.roundsLeft = env.maxRounds
  }

  get filters(): JinjaDialect['filters'] {
    return this.env.dialect.filters
  }

  get tests(): JinjaDialect['tests'] {
    return this.env.dialect.tests
  }

  get policies(): Runtime['policies'] {
    return this.env.policies
  }

  get opts(): Runtime['opts'] {
    return this.env.opts
  }

  variables(): Variables {
    return this.context.all()
  }

  // — limits —

  tick(): void {
    if (--this.roundsLeft >= 0) return
    throw new PyError('RuntimeError', `The loops of the template ran ${this.env.maxRounds} rounds; it was stopped`)
  }

  /** Run a macro, block or template inside the running one, within Python's depth limit. */
  nested(run: () => string | Promise<string>): Value | Promise<Value> {
    this.enter()
    let result: string | Promise<string>
    try {
      result = run()
    } catch (error) {
      this.depth--
      throw error
    }
    if (result instanceof Promise) return this.whenDone(result)
    this.depth--
    return this.captured(result)
  }

  private async whenDone(result: Promise<string>): Promise<Value> {
    try {
      return this.captured(await result)
    } finally {
      this.depth--
    }
  }

  private enter(): void {
    if (this.depth >= DEEPEST_CALLS) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
    this.depth++
  }

  // — undefined values —

  undefinedWith(message: string, hint?: HintMaker, error?: JinjaErrorCode): Undefined {
    return this.env.strict ? new StrictUndefined(message, hint, error) : new Undefined(message, hint, error)
  }

  undefined(message: string): Value {
    return this.undefinedWith(message)
  }

  missing(name: string, assigned: readonly string[] = []): Value {
    return this.undefinedWith(`${quote(name)} is undefined`, () =>
      didYouMean(name, new Set([...assigned, ...this.context.all().keys()])),
    )
  }

  notGiven(name: string): Value {
    return this.undefined(`parameter ${quote(name)} was not provided`)
  }

  // — values —

  getAttr(object: Value, name: string): Value {
    return getAttr(this, object, name)
  }

  getItem(object: Value, key: Value): Value {
    return getItem(this, object, key)
  }

  call(callee: Value, args: readonly Value[], kwargs: Kwargs = NO_KWARGS): Value | Promise<Value> {
    if (callee instanceof NativeFunction) return callee.invoke(this, args, kwargs)
    if (callee instanceof CallableValue) return callee.call(this, args, kwargs)
    if (callee instanceof HostFunction) return callee.call(args, kwargs)
    if (callee instanceof Undefined) return callee.fail()
    throw typeError(`'${typeName(callee)}' object is not callable`)
  }

  filter(name: string, value: Value, args: readonly Value[], kwargs?: Kwargs): Value | Promise<Value> {
    const filter = this.filters.get(name)
    if (!filter) throw unknown('filter', name, this.filters)
    return filter.invoke(this, [value, ...args], kwargs)
  }

  test(name: string, value: Value, args: readonly Value[], kwargs?: Kwargs): boolean {
    const test = this.tests.get(name)
    if (!test) throw unknown('test', name, this.tests)
    return test.invoke(this, [value, ...args], kwargs) as boolean
  }

  // — output —

  /** Return the output of `{{ value }}` where escaping may be on. */
  emit(value: Value): string {
    return this.autoescape ? this.escaped(value) : printed(value)
  }

  escaped(value: Value): string {
    if (value instanceof Markup) return value.value
    return escapeText(printed(value))
  }

  /** The text of a macro or captured block: safe already where escaping is on. */
  captured(text: string): Value {
    return this.autoescape ? new Markup(text) : text
  }

  concat(parts: Value[]): Value {
    if (!this.autoescape || !parts.some((part) => part instanceof Markup)) return parts.map(str).join('')
    return new Markup(parts.map((part) => escapeValue(part).value).join(''))
  }

  profile(label: Value, source: string): () => void {
    return this.env.profile?.(label, source) ?? (() => {})
  }

  // — other templates —

  /** Renders another template in place of one statement, with the environment's own escaping. */
  private async within(template: RunnableTemplate, context: Context): Promise<string> {
    this.enter()
    const outer = { autoescape: this.autoescape, context: this.context }
    this.autoescape = this.env.autoescape
    this.context = context
    try {
      return await template.root(context, this, undefined)
    } finally {
      this.depth--
      Object.assign(this, outer)
    }
  }

  async include(ctx: Context, name: Value, ignoreMissing: boolean, locals?: Locals): Promise<string> {
    let template: RunnableTemplate
    try {
      template = await this.env.select(name)
    } catch (error) {
      if (ignoreMissing && error instanceof JinjaError && NOT_FOUND.has(error.code)) return ''
      throw error
    }
    if (!locals) return (await this.module(template)).str()
    const context = template.context(withLocals(ctx.all(), locals))
    return this.within(template, context)
  }

  async import(ctx: Context, name: Value, locals?: Locals): Promise<TemplateModule> {
    const template = await this.env.named(name)
    return locals ? this.makeModule(template, withLocals(ctx.all(), locals)) : this.module(template)
  }

  /** The module of a template that is imported without context: made once, shared by all importers. */
  private module(template: RunnableTemplate): Promise<TemplateModule> {
    template.module ??= this.makeModule(template, this.env.visibleGlobals())
    return template.module
  }

  private async makeModule(template: RunnableTemplate, given: Context['given']): Promise<TemplateModule> {
    const context = template.context(given)
    const text = await this.within(template, context)
    return new TemplateModule(template.origin, context.exported(), text)
  }

  exported(module: Value, name: string, where: string): Value {
    if (!(module instanceof TemplateModule)) throw typeError('not a template module')
    const value = module.getAttr(name)
    // a name whose value is None exists
    if (value !== undefined) return value
    return this.undefinedWith(
      `the template ${quote(module.name ?? 'None')} (${where}) does not export the requested name ${quote(name)}`,
      () => didYouMean(name, module.attrNames()),
    )
  }

  // — inheritance —

  async parent(ctx: Context, name: Value): Promise<RunnableTemplate> {
    const parent = await this.env.named(name)
    for (const [block, body] of parent.blocks) {
      const known = ctx.blocks.get(block)
      if (known) known.push(body)
      else ctx.blocks.set(block, [body])
    }
    return parent
  }

  renderParent(parent: RunnableTemplate, ctx: Context): Promise<string> {
    return this.within(parent, ctx)
  }

  block(ctx: Context, name: string, required: boolean): string | Promise<string> {
    const definitions = ctx.blocks.get(name)!
    if (required && definitions.length <= 1) {
      throw new JinjaError('TemplateRuntimeError', `Required block ${quote(name)} not found`)
    }
    return definitions[0]!(ctx, this)
  }

  self(ctx: Context): Value {
    return new TemplateReference(this, ctx)
  }

  super(ctx: Context, name: string, current: BlockFunction): Value {
    const definitions = ctx.blocks.get(name)!
    const depth = definitions.indexOf(current) + 1
    if (depth < definitions.length) return new BlockReference(this, name, ctx, definitions, depth)
    return this.undefined(`there is no parent block called ${quote(name)}.`)
  }
}

function unknown(kind: string, name: string, known: ReadonlyMap<string, unknown>): JinjaError {
  const hint = didYouMean(name, known.keys())
  return new JinjaError('TemplateRuntimeError', `No ${kind} named ${quote(name)}.`, { hint })
}

const NOT_FOUND = new Set<JinjaErrorCode>(['TemplateNotFound', 'TemplatesNotFound'])
