// A set of options, functions and globals under which templates are loaded and rendered.
import { iterate, PyError, str, textOf, truthy, typeName, type Value } from '../data/mod.ts'
import { JinjaError } from './errors.ts'
import { builtinGlobals } from './globals.ts'
import { LineMap } from './line-map.ts'
import { DEFAULT_DELIMITERS, type Delimiters } from './options.ts'
import type { Variables } from './runtime/context.ts'
import type { TemplateOrigin } from './runtime/failure.ts'
import { Rendering } from './runtime/rendering.ts'
import type { JinjaDialect, RenderSurroundings } from './runtime/surroundings.ts'
import { Undefined } from './runtime/undefined.ts'
import { Template } from './template.ts'

export interface LoadedTemplate {
  source: string
  /** The file, for error messages. */
  path?: string
}

export interface TemplateLoader {
  /** Return the template of this name; undefined if it does not exist. May change the environment's globals. */
  load(name: string, env: Environment): LoadedTemplate | undefined | Promise<LoadedTemplate | undefined>
  /** Return where templates are searched, as a hint for a missing one. */
  whereabouts?(): string | undefined
}

export interface EnvironmentOptions {
  dialect: JinjaDialect
  delimiters?: Partial<Delimiters>
  loader?: TemplateLoader
  /** Fail on any use of an undefined value, as Salt does unless `allow_undefined` is set. */
  strict?: boolean
  autoescape?: boolean
  policies?: ReadonlyMap<string, Value>
  opts?: ReadonlyMap<Value, Value>
  globals?: Iterable<readonly [string, Value]>
  /** How many rounds all loops of one rendering may run together. */
  maxRounds?: number
  /** Called when a `profile` block or data import begins; returns a function to call at its end. */
  profile?: (label: Value, source: string) => () => void
}

export interface RenderedTemplate {
  text: string
  /** Maps parts of the text to template lines. */
  lines: LineMap
}

/** Minutes of work; a template that needs more does not end. */
const MOST_ROUNDS = 10_000_000

const DEFAULT_POLICIES: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['truncate.leeway', 5],
  ['urlize.rel', 'noopener'],
  ['urlize.target', null],
  ['urlize.extra_schemes', null],
  ['json.dumps_kwargs', new Map<Value, Value>([['sort_keys', true]])],
])

export class Environment implements RenderSurroundings {
  readonly dialect: JinjaDialect
  readonly delimiters: Delimiters
  readonly strict: boolean
  readonly autoescape: boolean
  readonly policies: ReadonlyMap<string, Value>
  readonly opts: ReadonlyMap<Value, Value>
  readonly globals: Map<string, Value>
  readonly profile: EnvironmentOptions['profile']
  readonly maxRounds: number
  private readonly loader: TemplateLoader | undefined
  private readonly templates = new Map<string, Template>()

  constructor(options: EnvironmentOptions) {
    this.dialect = options.dialect
    this.delimiters = { ...DEFAULT_DELIMITERS, ...options.delimiters }
    this.strict = options.strict ?? true
    this.autoescape = options.autoescape ?? false
    this.policies = options.policies ? new Map([...DEFAULT_POLICIES, ...options.policies]) : DEFAULT_POLICIES
    this.opts = options.opts ?? new Map()
    this.globals = new Map([...builtinGlobals, ...(options.globals ?? [])])
    this.profile = options.profile
    this.loader = options.loader
    this.maxRounds = options.maxRounds ?? MOST_ROUNDS
  }

  visibleGlobals(): Variables {
    return new Map(this.globals)
  }

  fromString(source: string, origin: TemplateOrigin = { name: undefined, path: undefined }): Template {
    return new Template(source, this, origin)
  }

  async getTemplate(name: string): Promise<Template> {
    const known = this.templates.get(name)
    if (known) return known
    const loaded = await this.loader?.load(name, this)
    if (!loaded) {
      const hint = this.loader?.whereabouts?.()
      throw new JinjaError('TemplateNotFound', name, { reason: `Template '${name}' not found`, hint })
    }
    const template = this.fromString(loaded.source, { name, path: loaded.path })
    this.templates.set(name, template)
    return template
  }

  /** The template that an `import` or `extends` names. */
  async named(name: Value): Promise<Template> {
    if (name instanceof Undefined) return name.fail()
    const text = textOf(name)
    if (text === undefined) throw new PyError('AttributeError', `'${typeName(name)}' object has no attribute 'split'`)
    return this.getTemplate(text)
  }

  /** The template that an `include` names: one name, or the first of several that exists. */
  async select(name: Value): Promise<Template> {
    if (name instanceof Undefined || textOf(name) !== undefined) return this.named(name)
    if (!truthy(name)) {
      throw new JinjaError('TemplatesNotFound', 'Tried to select from an empty list of templates.')
    }
    const names = [...iterate(name)]
    for (const candidate of names) {
      try {
        return await this.named(candidate)
      } catch (error) {
        if (!(error instanceof JinjaError && error.code === 'TemplateNotFound')) throw error
      }
    }
    throw new JinjaError('TemplatesNotFound', `none of the templates given were found: ${names.map(str).join(', ')}`)
  }

  async render(source: string, variables: Variables = new Map()): Promise<RenderedTemplate> {
    return this.renderTemplate(this.fromString(source), variables)
  }

  async renderTemplate(template: Template, variables: Variables): Promise<RenderedTemplate> {
    const given = new Map([...this.globals, ...variables])
    const context = template.context(given)
    const rendering = new Rendering(this, context)
    const lines = new LineMap()
    const text = await template.root(context, rendering, lines)
    return { text, lines }
  }
}
