// The interface of a renderer: one stage of a pipe, from text or data to text or data.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { JinjaDialect, LineMap } from '../jinja/mod.ts'
import type { FileTree } from './file-roots.ts'
import type { FunctionSource } from './salt-functions.ts'

/** The context of all stages of one rendering. */
export interface RenderContext {
  opts: Dict
  grains: Dict
  pillar: Dict
  functions?: FunctionSource
  saltenv: string
  sls: string
  /** A file or a text by itself, no SLS: its first line names no renderer, and templates know no `sls`. */
  asFile?: boolean
  /** The path of the text, for variables and errors. */
  path?: string
  /** Further template variables. */
  context?: ReadonlyMap<string, Value>
  /** The source of imports. Default: the roots of `opts`. */
  tree?: FileTree
  isPillar?: boolean
  /** The filters and tests of templates; Salt's, on this machine, when not given. */
  dialect?: JinjaDialect
  /** Remember the places of data, for `positionOf`. */
  positions?: boolean
  log?: Log
}

export interface StageOutput {
  /** Text is a value like any other. */
  value: Value
  /** Maps lines of a rendered text to template lines. */
  lines?: LineMap
}

export interface Renderer {
  readonly name: string
  render(input: Value, args: string, ctx: RenderContext): StageOutput | Promise<StageOutput>
}
