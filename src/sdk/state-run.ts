// The interface of the state engine for functions: compiling and applying, step by step. The engine is in a later room
// than the plug-ins, so they reach it through their context.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'

export interface StateRunRequest {
  /** The minion's options, changed for this run: `saltenv`, `test`, … */
  opts: Dict
  /** Laid over the pillar. */
  pillar?: Value
  /** The renderer that decrypts `pillar`. */
  pillarEncoding?: Value
  jid?: string | null
  /** Report states without calling them. */
  mocked?: boolean
  /** Instead of the minion's. */
  grains?: Dict
  /** Whether `file_roots` in the options belong to this run. Used by a minion with local files. */
  ownRoots?: boolean
  /** The log of the run. Default: the log of the caller. */
  log?: Log
  /** The family of states: those of Thorium, or by default the usual ones. */
  family?: 'thorium'
}

export interface RenderedHigh {
  high: Dict
  errors: string[]
}

export interface CompiledLow {
  chunks: Dict[]
  errors: string[]
}

/** Environment → SLS names. */
export type SlsMatches = Map<string, Value[]>

/** Errors are Salt's texts; each is logged with its place in the tree as well. */
export interface StateRun {
  readonly opts: Dict
  readonly pillar: Dict
  /** The merged top data. */
  top(): Promise<Dict>
  verifyTop(top: Dict): string[]
  topMatches(top: Dict): Promise<SlsMatches>
  /** All SLS names of an environment; all environments. */
  slsNames(saltenv: string): Promise<string[]>
  environments(): Promise<string[]>
  /** Sync users' own modules from the matched environments, if the options say so, and load them. */
  loadDynamic(matches: SlsMatches): Promise<void>
  /** Return the high data of SLS files, as written. */
  highstate(matches: SlsMatches): Promise<RenderedHigh>
  /** High data of one file of the machine, and of a text. */
  renderFile(path: string, saltenv: string): Promise<RenderedHigh>
  renderText(text: string): Promise<{ high: Value; errors: string[] }>
  /** Apply `extend`, the `_in` requisites (`requisiteIn`) or `exclude`. Each changes the high data in place. */
  reconcileExtend(high: Dict): string[]
  verifyHigh(high: Value): string[]
  requisiteIn(high: Dict): string[]
  exclude(high: Dict): void
  /** Ordered low chunks. */
  low(high: Dict, orchestrationJid?: Value): Promise<CompiledLow>
  /** Orders chunks that were made elsewhere. */
  orderLow(chunks: readonly Dict[]): Promise<CompiledLow>
  /** The dependency graph of the last `low`, in DOT format. */
  graph(): string
  /** Compiles and runs high data: results by tag, or errors. */
  callHigh(high: Dict, orchestrationJid?: Value): Promise<Dict | string[]>
  /** Runs ordered chunks with all that belongs to a run. */
  callChunks(chunks: readonly Dict[]): Promise<Dict>
  /** Run one of the chunks, after its requisites. */
  callChunk(chunk: Dict, chunks: readonly Dict[]): Promise<Dict>
  /** Why the states of an ID ran or did not, given the results of the run. */
  explain(id: Value, running: Dict): Dict[]
  /** Return the errors of a single chunk. */
  verifyLow(low: Dict): Promise<string[]>
  /** Run a single chunk. */
  callLow(low: Dict): Promise<Dict>
}
