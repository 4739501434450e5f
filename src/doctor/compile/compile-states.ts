// The states of one minion: its top file, the SLS files that follow from it, and the chunks of these, with all errors.
import { BrineError, type Position, silentLog, toError } from '../../base/mod.ts'
import { type Dict, isDict, str, type Value } from '../../data/mod.ts'
import { MemoryHost } from '../../host/mod.ts'
import { StateRegistry, stateTable } from '../../loader/mod.ts'
import {
  argumentPlace,
  type CompileError,
  Compiler,
  type High,
  type LowChunk,
  type Matches,
  Reporter,
} from '../../state/mod.ts'
import type { KnownMinion } from '../site/site.ts'
import type { DryRun } from './surroundings.ts'

/** A chunk and where it is written. */
export interface PlacedChunk {
  low: LowChunk
  place(argument?: string): Position | undefined
}

export interface MinionStates {
  top: CompileError[]
  errors: CompileError[]
  chunks: PlacedChunk[]
  /** SLS names by environment. */
  matches: Matches
  high: High
}

class CollectedErrors extends Reporter {
  readonly errors: CompileError[] = []

  override tell(level: Parameters<Reporter['tell']>[0], error: CompileError): void {
    if (level === 'error') this.errors.push(error)
  }
}

/** Compile the highstate of a minion, or the named SLS files instead. */
export async function dryStates(
  run: DryRun,
  minion: KnownMinion,
  pillar: Dict,
  names?: Matches,
): Promise<MinionStates> {
  const opts = run.minionOptions(minion, pillar)
  const { grains } = minion
  const reporter = new CollectedErrors({ opts, log: silentLog, hint: () => {} })
  const compiler = new Compiler({
    opts,
    grains,
    pillar,
    functions: run.functions(opts, grains, pillar),
    tree: run.site.states,
    log: (level, text) => {
      // errors about a top file that is no dict, or about an unknown renderer, are only in the log
      if (level === 'error') reporter.errors.push(placedText(text))
    },
    reporter,
    renderers: run.renderers,
  })
  const result: MinionStates = { top: [], errors: [], chunks: [], matches: new Map(), high: new Map() }
  await collecting(result.top, async () => {
    result.matches = names ?? (await matchesOf(compiler, result.top))
  })
  result.top.push(...reporter.errors.splice(0))
  await collecting(result.errors, () => compile(compiler, result, { opts, grains }))
  result.errors.push(...reporter.errors)
  result.top = withPlace(result.top)
  result.errors = withPlace(result.errors)
  return result
}

/** An exception that ends a stage is reported like other errors. */
async function collecting(errors: CompileError[], stage: () => Promise<void>): Promise<void> {
  try {
    await stage()
  } catch (thrown) {
    const error = toError(thrown)
    if (!(error instanceof BrineError)) throw error
    errors.push({ text: error.reason, at: error.at, hint: error.hint })
  }
}

/** Errors that show data of the tree, which may be secret; another error names the place. */
const SHOWS_DATA = /^The type [\s\S]* is not formatted as a dictionary$|^Error when rendering state with contents/

/** Drop errors without a place that another error explains. */
function withPlace(errors: readonly CompileError[]): CompileError[] {
  const placed = errors.filter(({ at }) => at?.file !== undefined)
  const isPython = ({ text }: CompileError): boolean => text.includes("object has no attribute 'items'")
  return errors.filter(
    (error) => placed.includes(error) || placed.length === 0 || !(SHOWS_DATA.test(error.text) || isPython(error)),
  )
}

async function matchesOf(compiler: Compiler, errors: CompileError[]): Promise<Matches> {
  const top = await compiler.top()
  const faults = compiler.verifyTops(top)
  errors.push(...faults)
  return faults.length > 0 ? new Map() : compiler.topMatches(top)
}

async function compile(
  compiler: Compiler,
  result: MinionStates,
  { opts, grains }: { opts: Dict; grains: Dict },
): Promise<void> {
  const { high, errors } = await compiler.highstate(result.matches)
  result.high = high
  result.errors.push(...errors)
  const early = [...compiler.reconcileExtend(high), ...compiler.verifyHigh(high)]
  result.errors.push(...early)
  if (early.length > 0) return
  result.errors.push(...compiler.requisiteIn(high))
  compiler.exclude(high)
  const states = new StateRegistry(stateTable, { opts, grains, host: new MemoryHost() })
  const low = compiler.low(high, { states, aggregate: false })
  result.errors.push(...low.errors)
  for (const chunk of low.chunks) result.chunks.push({ low: chunk, place: placing(compiler, high, chunk) })
}

const placing =
  ({ places }: Compiler, high: High, low: LowChunk) =>
  (argument?: string): Position | undefined => {
    const body: Value | undefined = high.get(low.get('__id__') ?? null)
    const state = low.get('state') ?? null
    return argument === undefined ? places.ofState(body, state) : argumentPlace(places, body, state, argument)
  }

/** `FILE:LINE: text` of the log. */
function placedText(text: string): CompileError {
  const found = /^(\/[^:]+):(\d+): ([\s\S]*)$/.exec(text)
  return found ? { text: found[3]!, at: { file: found[1]!, line: Number(found[2]) } } : { text }
}

/** The longest chain of files that include each other, by SLS name. */
export function longestInclusion(high: High): string[] {
  const parents = new Map<string, string>()
  for (const body of high.values()) {
    if (!isDict(body)) continue
    const from = body.get('__sls_included_from__')
    if (Array.isArray(from) && from.length > 0) parents.set(str(body.get('__sls__') ?? ''), str(from[0]!))
  }
  let longest: string[] = []
  for (const start of parents.keys()) {
    const chain = [start]
    for (let next = parents.get(start); next !== undefined && !chain.includes(next); next = parents.get(next))
      chain.push(next)
    if (chain.length > longest.length) longest = chain
  }
  return longest.reverse()
}
