// Compiles sources to templates. Compiled code is cached by content and shared by all environments of one dialect; a
// Template is that code bound to an environment, a name and a file.
import { BrineError, didYouMean } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import type { Link } from './compile/expressions.ts'
import { compileTemplate } from './compile/template.ts'
import { JinjaError } from './errors.ts'
import { type Delimiters, delimitersKey } from './options.ts'
import { parse } from './parser.ts'
import { type BlockFunction, Context, type RootFunction, type Variables } from './runtime/context.ts'
import { located, type TemplateOrigin } from './runtime/failure.ts'
import type { TemplateModule } from './runtime/module.ts'
import type { NativeBody } from './runtime/native.ts'
import { support, supportNames } from './runtime/support.ts'
import type { JinjaDialect, RunnableTemplate } from './runtime/surroundings.ts'

type Factory = (
  S: typeof support,
  K: readonly Value[],
  L: readonly NativeBody[],
  TPL: TemplateOrigin,
) => { root: RootFunction; blocks: Record<string, BlockFunction> }

interface Program {
  factory: Factory
  constants: readonly Value[]
  links: readonly NativeBody[]
}

/** Limits of cached programs per dialect, and of their source text. */
const MOST_PROGRAMS = 2000
const MOST_SOURCE = 32 * 1024 * 1024

class ProgramCache {
  private readonly programs = new Map<string, Program>()
  private size = 0

  get(key: string): Program | undefined {
    const program = this.programs.get(key)
    if (program) {
      // most recently used last
      this.programs.delete(key)
      this.programs.set(key, program)
    }
    return program
  }

  set(key: string, program: Program): void {
    this.programs.set(key, program)
    this.size += key.length
    for (const oldest of this.programs.keys()) {
      if (this.programs.size <= MOST_PROGRAMS && this.size <= MOST_SOURCE) break
      this.programs.delete(oldest)
      this.size -= oldest.length
    }
  }
}

const caches = new WeakMap<JinjaDialect, ProgramCache>()

export interface TemplateSettings {
  dialect: JinjaDialect
  delimiters: Delimiters
  autoescape: boolean
}

function build(source: string, settings: TemplateSettings, name: string | undefined): Program {
  const { dialect } = settings
  const compiled = compileTemplate(
    parse(source, settings.delimiters),
    {
      filters: dialect.filters,
      tests: dialect.tests,
      filterWaits: (filter) => dialect.waiting.has(filter),
      autoescape: settings.autoescape,
    },
    name,
    supportNames,
  )
  return {
    factory: new Function('S', 'K', 'L', 'TPL', compiled.code) as Factory,
    constants: compiled.constants,
    links: compiled.links.map((link) => bind(link, dialect)),
  }
}

/** The function behind a filter or test as the generated code calls it. */
function bind({ kind, name, count }: Link, dialect: JinjaDialect): NativeBody {
  const known = kind === 'filter' ? dialect.filters : dialect.tests
  const fn = known.get(name)
  if (!fn) {
    return () => {
      throw new JinjaError('TemplateRuntimeError', `No ${kind} named '${name}' found.`, {
        hint: didYouMean(name, known.keys()),
      })
    }
  }
  if (count < 0) return (rt, value, args, kwargs) => fn.invoke(rt, [value, ...args], kwargs)
  return fn.takes(count + 1) ? fn.body : (rt, ...args) => fn.invoke(rt, args)
}

function program(source: string, settings: TemplateSettings, name: string | undefined): Program {
  let cache = caches.get(settings.dialect)
  if (!cache) caches.set(settings.dialect, (cache = new ProgramCache()))
  const key = `${delimitersKey(settings.delimiters)} ${settings.autoescape} ${name ?? ''}\0${source}`
  let found = cache.get(key)
  if (!found) cache.set(key, (found = build(source, settings, name)))
  return found
}

export class Template implements RunnableTemplate {
  readonly origin: TemplateOrigin
  readonly root: RootFunction
  readonly blocks: ReadonlyMap<string, BlockFunction>
  /** The module that importers without context share, once there is one. */
  module: Promise<TemplateModule> | undefined

  constructor(source: string, settings: TemplateSettings, origin: TemplateOrigin) {
    this.origin = origin
    const { factory, constants, links } = compiledFor(source, settings, origin)
    const { root, blocks } = factory(support, constants, links, origin)
    this.root = root
    this.blocks = new Map(Object.entries(blocks))
  }

  context(given: Variables): Context {
    return new Context(given, new Map([...this.blocks].map(([name, body]) => [name, [body]])))
  }
}

/** Compile; add the place to an error in the template's text. */
function compiledFor(source: string, settings: TemplateSettings, origin: TemplateOrigin): Program {
  try {
    return program(source, settings, origin.name)
  } catch (error) {
    const line = error instanceof BrineError ? (error.at?.line ?? 1) : 1
    throw located(error, origin, line, 'root')
  }
}
