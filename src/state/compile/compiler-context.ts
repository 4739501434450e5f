// What compiling needs to know: the minion's data, where files come from, and how to render them.
import type { Log } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import type { FunctionSource, Rendered } from '../../render/mod.ts'
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
}

export interface Text {
  text: string
  file: string
  saltenv: string
  sls: string
  context?: ReadonlyMap<string, Value>
}

export type RenderSls = (text: Text) => Promise<Rendered>
