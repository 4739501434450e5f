// Turns the chunks of a reaction into calls in its record. A chunk that cannot be called is recorded with the reason,
// and the others go on. As in Salt, an unknown kind ends the list.
import type { Dict } from '../data/mod.ts'
import { failureLine } from '../render/mod.ts'
import { type DeclaredFunctions, KINDS, kindOf, reactionCall, requirements } from './calls.ts'
import type { ReactorContext } from './context.ts'
import { nameOf, tellFailure } from './perform.ts'
import { nameIn, type ReactionRecord, requiredBy } from './record.ts'

export interface PlanParts {
  context: ReactorContext
  declared: DeclaredFunctions
  /** How many functions of the master can start at once. */
  room: number
}

export async function plan(chunks: readonly Dict[], record: ReactionRecord, parts: PlanParts): Promise<void> {
  const known = new Set(chunks.map((chunk) => `${kindOf(chunk)}/${nameOf(chunk, '').id}`))
  const entries: Dict[] = []
  for (const chunk of chunks) {
    if (!KINDS.has(kindOf(chunk))) {
      tellUnknown(chunk, record, parts.context)
      break
    }
    try {
      const entry = await planned(chunk, record, parts, known)
      if (entry) entries.push(entry)
    } catch (error) {
      record.error(failureLine(error))
      tellFailure(parts.context, nameOf(chunk, kindOf(chunk)), error)
    }
  }
  const waiting = entries.filter((entry) => entry.get('state') === 'waiting')
  for (const entry of inCircles(waiting)) record.ended(entry, 'failed', 'Recursive requisite found')
  begin(waiting, record, parts.room)
}

async function planned(
  chunk: Dict,
  record: ReactionRecord,
  { context, declared }: PlanParts,
  known: ReadonlySet<string>,
): Promise<Dict | undefined> {
  const call = await reactionCall(chunk, declared, context.log)
  if (!call) return undefined
  const requires = requirements(chunk).filter((name) => known.has(name))
  const entry = record.add(call, chunk.get('__sls__') ?? null, requires)
  const isKnown = call.kind === 'local' || call.kind === 'caller' || (await declared(call.kind, call.fun))
  if (!isKnown) record.ended(entry, 'failed', `There is no ${call.kind} function '${call.fun}'`)
  return entry
}

/** Mark calls that start at once, so that their start needs no further write. */
function begin(entries: readonly Dict[], record: ReactionRecord, room: number): void {
  let left = room
  for (const entry of entries) {
    if (entry.get('state') !== 'waiting' || requiredBy(entry).length > 0) continue
    if (entry.get('type') === 'local' || left-- > 0) record.starts(entry)
  }
}

function tellUnknown(chunk: Dict, record: ReactionRecord, { log }: ReactorContext): void {
  const failure = `KeyError: '${kindOf(chunk)}'`
  record.error(failure)
  const head = "An un-handled exception from the multiprocessing process 'Reactor' was caught:"
  log('error', `${head}\nTraceback (most recent call last):\n${failure}`)
}

/** Calls that wait for each other would wait for ever. */
function inCircles(entries: readonly Dict[]): Dict[] {
  const byName = new Map(entries.map((entry) => [nameIn(entry), entry]))
  const reaches = (from: Dict, goal: Dict, seen: Set<Dict>): boolean =>
    requiredBy(from).some((name) => {
      const next = byName.get(name)
      if (!next || seen.has(next)) return false
      seen.add(next)
      return next === goal || reaches(next, goal, seen)
    })
  return entries.filter((entry) => reaches(entry, entry, new Set()))
}
