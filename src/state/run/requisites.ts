// Evaluates the requisites of a state when its turn comes: they decide whether it runs, is skipped or fails.
import { type Dict, truthy } from '../../data/mod.ts'
import type { Dependencies } from '../compile/dependencies.ts'
import type { RequisiteType } from '../compile/keywords.ts'
import { lowTag } from '../compile/low-tag.ts'
import type { LowChunk } from '../compile/types.ts'
import type { ParallelStates } from './parallel.ts'

export type RequisiteStatus =
  /** Something required has not run yet. */
  | 'unmet'
  /** Something required runs beside this state and has not ended. */
  | 'pending'
  | 'fail'
  | 'skip_req'
  | 'skip_watch'
  /** The dry run of the state that waits for this one found nothing to change. */
  | 'pre'
  | 'met'
  | 'onfail'
  | 'onchanges'
  | 'change'

export interface RequisiteCheck {
  status: RequisiteStatus
  /** The required chunks, by requisite. */
  reqs: Map<RequisiteType, LowChunk[]>
}

/** The state of one requisite. */
type Sight =
  | 'unmet'
  | 'fail'
  | 'skip_req'
  | 'onfail'
  | 'onchanges'
  | 'onchangesmet'
  | 'change'
  | 'premet'
  | 'pre'
  | 'met'

export interface RequisiteRun {
  running: Dict
  /** Results of dry runs, for `prereq`. */
  trials: Dict
  parallel: ParallelStates
}

/** The check of a state without requisites. */
export const NOTHING_REQUIRED: RequisiteCheck = { status: 'met', reqs: new Map() }

export async function checkRequisites(
  low: LowChunk,
  required: ReturnType<Dependencies['of']>,
  run: RequisiteRun,
): Promise<RequisiteCheck> {
  const reqs = new Map<RequisiteType, LowChunk[]>()
  for (const [type, chunk] of required) {
    const chunks = reqs.get(type)
    if (chunks) chunks.push(chunk)
    else reqs.set(type, [chunk])
  }
  const seen = new Set<Sight>()
  let isPending = false
  for (const [type, chunks] of reqs) {
    const results = resultsOf(chunks, type === 'prereq' ? run.trials : run.running)
    if (!truthy(low.get('parallel') ?? false)) await run.parallel.settle(results)
    else isPending = !run.parallel.reconcile(results)
    for (const sight of sightsOf(type, chunks, results, isPending)) seen.add(sight)
  }
  return { status: statusOf(seen, isPending), reqs }
}

function resultsOf(chunks: readonly LowChunk[], run: Dict): Dict {
  const results: Dict = new Map()
  for (const chunk of chunks) {
    const tag = lowTag(chunk)
    const result = run.get(tag)
    if (result instanceof Map && result.size > 0) results.set(tag, result)
  }
  return results
}

function sightsOf(type: RequisiteType, chunks: readonly LowChunk[], results: Dict, isPending: boolean): Set<Sight> {
  const base = type.replace(/_(any|all)$/, '')
  const seen = new Set<Sight>()
  for (const chunk of chunks) {
    const result = results.get(lowTag(chunk)) as Dict | undefined
    if (!result) seen.add('unmet')
    else if (!isPending) for (const sight of sightOf(base, result)) seen.add(sight)
  }
  weigh(type, seen)
  return seen
}

function* sightOf(base: string, result: Dict): Generator<Sight> {
  const outcome = result.get('result')
  const hasChanges = truthy(result.get('changes') ?? null)
  if (truthy(result.get('skip_req') ?? false)) yield 'skip_req'
  if (base === 'onfail' && outcome === true) yield 'onfail'
  else if (base !== 'onfail' && outcome === false) yield 'fail'
  else if (base === 'onchanges') yield hasChanges ? 'onchangesmet' : 'onchanges'
  else if (base === 'watch' && hasChanges) yield 'change'
  else if (base === 'prereq') yield outcome === null ? 'premet' : 'pre'
  else if (truthy(result.get('__state_ran__') ?? true)) yield 'met'
}

/** With `_any`, one satisfied requisite is enough; with `_all`, all must be satisfied. */
function weigh(type: RequisiteType, seen: Set<Sight>): void {
  if (type.endsWith('_any') || type === 'onfail') {
    if (seen.has('met') || seen.has('change') || seen.has('onchangesmet')) seen.delete('fail')
    if (seen.has('onchangesmet')) seen.delete('onchanges')
    if (seen.has('met')) seen.delete('onfail')
  }
  if (type.endsWith('_all') && seen.has('onfail')) seen.delete('met')
}

function statusOf(seen: ReadonlySet<Sight>, isPending: boolean): RequisiteStatus {
  if (seen.has('unmet')) return 'unmet'
  if (isPending) return 'pending'
  if (seen.has('fail')) return 'fail'
  if (seen.has('skip_req') && (seen.has('onchangesmet') || seen.has('premet'))) return 'skip_req'
  if (seen.has('skip_req') && seen.has('change')) return 'skip_watch'
  if (seen.has('pre')) return seen.has('premet') ? 'met' : 'pre'
  if (seen.has('onfail') && !seen.has('onchangesmet')) return 'onfail'
  if (seen.has('onchanges') && !seen.has('onchangesmet')) return 'onchanges'
  if (seen.has('change')) return 'change'
  return seen.has('onfail') ? 'onfail' : 'met'
}
