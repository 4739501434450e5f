// Why a state ran or did not: how its requisites stood when its turn came, and where it was written.
import type { Position } from '../../base/mod.ts'
import { type Dict, str, truthy, type Value } from '../../data/mod.ts'
import type { RequisiteType } from '../compile/keywords.ts'
import { lowTag } from '../compile/low-tag.ts'
import type { LowChunk } from '../compile/types.ts'
import type { RequisiteCheck, RequisiteStatus } from '../run/requisites.ts'

/** The decision about a state when its turn comes. */
export interface Decision {
  low: LowChunk
  /** The result of its requisites. */
  check: RequisiteCheck
  /** Whether this was the dry run that `prereq` asks for. */
  isTrial: boolean
}

const REASONS: Readonly<Record<RequisiteStatus, string>> = {
  unmet: 'something it requires had to run first',
  pending: 'something it requires was still running beside it',
  fail: 'not run: a requisite failed',
  skip_req: 'not run: another state asked to skip it',
  skip_watch: 'run without reacting to changes: another state asked for that',
  pre: 'not run: what it prepares would change nothing',
  met: 'run: nothing stood against it',
  onfail: 'not run: what it is to repair did not fail',
  onchanges: 'not run: nothing that it waits on changed',
  change: 'run, with a reaction to changes of what it watches',
}

export function explain(decision: Decision, running: Dict, at: Position | undefined): Dict {
  const { low, check, isTrial } = decision
  const { status, reqs } = check
  const result = running.get(lowTag(low))
  const seen = [...reqs].flatMap(([type, chunks]) => chunks.map((chunk) => sight(type, chunk, running)))
  const entries: Array<[Value, Value]> = [
    ['state', `${str(low.get('state')!)}.${str(low.get('fun')!)}`],
    ['name', low.get('name')!],
    ['written', at?.file === undefined ? null : `${at.file}:${at.line}`],
    ['decision', `${isTrial ? 'as a trial: ' : ''}${REASONS[status]}`],
    ['requisites', seen],
  ]
  if (result instanceof Map) for (const key of ['result', 'comment']) entries.push([key, result.get(key) ?? null])
  return new Map(entries)
}

function sight(type: RequisiteType, chunk: LowChunk, running: Dict): Dict {
  const result = running.get(lowTag(chunk))
  const outcome = result instanceof Map ? result : new Map<Value, Value>()
  return new Map<Value, Value>([
    ['requisite', type],
    ['of', `${str(chunk.get('state')!)}: ${str(chunk.get('__id__')!)}`],
    ['result', outcome.get('result') ?? null],
    ['changed', truthy(outcome.get('changes') ?? null)],
  ])
}
