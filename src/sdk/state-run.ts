// A run of the state engine as functions see it: compiling and applying, step by step. The engine lies above the
// plugins' room; they reach it through their context.
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
  /** Whether `file_roots` of the options are the run's own. They count for a minion that serves itself. */
  ownRoots?: boolean
  /** Where the run logs, unless where the one who asks does. */
  log?: Log
  /** Whose states are meant: those of Thorium, or the usual ones. */
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
  /** Syncs users' own modules from the environments that are meant, where the options say so, and takes them in. */
  loadDynamic(matches: SlsMatches): Promise<void>
  /** High data of SLS files, as they were written. */
  highstate(matches: SlsMatches): Promise<RenderedHigh>
  /** High data of one file of the machine, and of a text. */
  renderFile(path: string, saltenv: string): Promise<RenderedHigh>
  renderText(text: string): Promise<{ high: Value; errors: string[] }>
  /** Applies `extend`; `requisiteIn` the reversed requisites; `exclude` what is excluded. All change the high data. */
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
  /** Runs one of the chunks, and before it what it requires. */
  callChunk(chunk: Dict, chunks: readonly Dict[]): Promise<Dict>
  /** Why the states of an ID ran or did not, given the results of the run. */
  explain(id: Value, running: Dict): Dict[]
  /** The faults of a chunk that stands alone. */
  verifyLow(low: Dict): Promise<string[]>
  /** Runs a chunk that stands alone. */
  callLow(low: Dict): Promise<Dict>
}
