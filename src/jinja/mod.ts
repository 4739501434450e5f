// Jinja 3.1 with Python's semantics and Salt's additions. `new Environment({ dialect, … }).render(source, variables)`
// gives the text, or rejects with a TemplateFailure that names the error and the template lines it passed.
export { children, type Expr, type Node, type Template as TemplateTree } from './ast.ts'
export {
  Environment,
  type EnvironmentOptions,
  type LoadedTemplate,
  type RenderedTemplate,
  type TemplateLoader,
} from './environment.ts'
export { JinjaError, type JinjaErrorCode } from './errors.ts'
export { builtinFilters } from './filters/mod.ts'
export type { LineMap } from './line-map.ts'
export { DEFAULT_DELIMITERS, type Delimiters } from './options.ts'
export { parse as parseTemplate } from './parser.ts'
export { CallableValue, TypeObject } from './runtime/callable.ts'
export type { Variables } from './runtime/context.ts'
export { TemplateFailure, type TemplateFrame, type TemplateOrigin } from './runtime/failure.ts'
export { type HostCall, HostFunction } from './runtime/host-function.ts'
export { Markup } from './runtime/markup.ts'
export { type NativeBody, NativeFunction, type NativeTable, native } from './runtime/native.ts'
export type { Kwargs, Runtime } from './runtime/runtime.ts'
export type { JinjaDialect } from './runtime/surroundings.ts'
export { StrictUndefined, Undefined } from './runtime/undefined.ts'
export {
  bracketed,
  isSequence,
  joinPath,
  makeIfelse,
  saltFilters,
  saltGlobals,
  saltTests,
  type TargetMatcher,
  toBytes,
  toText,
} from './salt/mod.ts'
export { isSelfContained } from './self-contained.ts'
export { builtinTests } from './tests/mod.ts'
