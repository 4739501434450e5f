// The interface of a rendering to its environment and to templates: functions, limits, and other templates by name.
import type { Value } from '../../data/mod.ts'
import type { BlockFunction, Context, RootFunction, Variables } from './context.ts'
import type { TemplateOrigin } from './failure.ts'
import type { TemplateModule } from './module.ts'
import type { NativeFunction } from './native.ts'

/** The functions a set of environments shares. Templates compiled for one dialect serve all its environments. */
export interface JinjaDialect {
  readonly filters: ReadonlyMap<string, NativeFunction>
  readonly tests: ReadonlyMap<string, NativeFunction>
  /** Filters that may answer with a promise. */
  readonly waiting: ReadonlySet<string>
}

/** A compiled template of an environment. */
export interface RunnableTemplate {
  readonly origin: TemplateOrigin
  readonly root: RootFunction
  readonly blocks: ReadonlyMap<string, BlockFunction>
  /** The module that importers without context share, once there is one. */
  module: Promise<TemplateModule> | undefined
  context(given: Variables): Context
}

/** An environment as its renderings see it. */
export interface RenderSurroundings {
  readonly dialect: JinjaDialect
  readonly strict: boolean
  readonly autoescape: boolean
  readonly policies: ReadonlyMap<string, Value>
  readonly opts: ReadonlyMap<Value, Value>
  /** How many rounds all loops of one rendering may run together. */
  readonly maxRounds: number
  /** Called when a `profile` block or data import begins; returns a function to call at its end. */
  readonly profile: ((label: Value, source: string) => () => void) | undefined
  visibleGlobals(): Variables
  /** The template that an `import` or `extends` names. */
  named(name: Value): Promise<RunnableTemplate>
  /** The template that an `include` names: one name, or the first of several that exists. */
  select(name: Value): Promise<RunnableTemplate>
}
