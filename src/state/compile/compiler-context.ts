// The input of the compiler: the minion's data, the source of files, and the renderers.
import type { Log } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import type { FunctionSource, Rendered, Renderer } from '../../render/mod.ts'
import type { Reporter } from '../report/reporter.ts'
import type { StateTree } from './tree.ts'

export interface CompilerContext {
  opts: Dict
  grains: Dict
  pillar: Dict
  functions: FunctionSource
  tree: StateTree
  log: Log
  reporter: Reporter
  /** Results of `master_tops`, environment → SLS names. */
  masterTops?: () => Promise<Dict>
  /** Renderers that extend or replace the built-in ones. */
  renderers?: Iterable<Renderer>
}

export interface Text {
  text: string
  file: string
  saltenv: string
  sls: string
  context?: ReadonlyMap<string, Value>
}

export type RenderSls = (text: Text) => Promise<Rendered>
