// Carries out the calls of one planned reaction. Jobs are published in order. A call with requisites waits for their
// results. A job for a minion whose key a required call accepts waits until that minion has started.
import { type Dict, str } from '../data/mod.ts'
import type { Cause } from './causes.ts'
import type { Performance, Performer } from './perform.ts'
import { callIn, nameIn, type ReactionRecord, requiredBy, stateOf } from './record.ts'

interface Carried {
  performer: Performer
  record: ReactionRecord
  cause: Cause
  /** Whether an earlier life of the master had begun with it. */
  isTakenUp: boolean
  /** Resolves when everything that was heard so far is answered. */
  heardAnswered(): Promise<void>
}

/** Resolves when all that need not wait was begun, and jobs among it are published. */
export async function carryOut(carried: Carried): Promise<void> {
  const { performer, record, cause, isTakenUp } = carried
  const entries = record.plan ?? []
  const required = new Set(entries.flatMap(requiredBy))
  const outcomes = new Outcomes(entries)
  let turn: Promise<unknown> | undefined
  for (const entry of entries) {
    const state = stateOf(entry)
    if (state === 'done' || state === 'failed') {
      outcomes.settle(entry, state === 'done')
      continue
    }
    const performance: Performance = { entry, record, cause, isRequired: required.has(nameIn(entry)) }
    const begin = (): Promise<boolean> => (isTakenUp ? performer.takeUp(performance) : performer.perform(performance))
    const isJob = entry.get('type') === 'local'
    const needs = requiredBy(entry)
    const keepsTurn = isJob && needs.every((name) => name.startsWith('local/')) && !isTakenUp
    const before = keepsTurn ? turn : undefined
    const begun = needs.length > 0 ? after(carried, entry, outcomes, begin, before) : (before?.then(begin) ?? begin())
    void begun.then(async (succeeded) => {
      outcomes.settle(
        entry,
        succeeded && isJob && performance.isRequired ? await performer.returned(performance) : succeeded,
      )
    })
    if (!keepsTurn) continue
    // once a call waits, the calls after it wait too, without delaying other reactions
    if (needs.length > 0 || turn) turn = begun
    else await begun
  }
}

async function after(
  { performer, record, heardAnswered }: Carried,
  entry: Dict,
  outcomes: Outcomes,
  begin: () => Promise<boolean>,
  before: Promise<unknown> | undefined,
): Promise<boolean> {
  const call = callIn(entry)
  const waitsForStart = call.kind === 'local' && stateOf(entry) === 'waiting' && outcomes.isAccepted(requiredBy(entry))
  // listened for from now on: it may come as soon as the key is accepted
  const unwanted = new AbortController()
  const started = waitsForStart ? performer.jobs.started(call.tgt ?? '', unwanted.signal) : Promise.resolve(true)
  await before
  const succeeded = await Promise.all(requiredBy(entry).map((name) => outcomes.of(name)))
  if (!succeeded.every(Boolean)) {
    unwanted.abort()
    record.ended(entry, 'failed', 'One or more requisite failed')
    return false
  }
  if (await started) {
    if (waitsForStart) await afterOthers(entry, performer, heardAnswered)
    return begin()
  }
  record.ended(entry, 'failed', `No minion ${str(call.tgt ?? '')} came up`)
  return false
}

const STATE_FUNCTIONS = /^state\.(highstate|apply|sls|top)$/

/** Other rules may have states applied at a minion's start, too; two at a time do not go. */
async function afterOthers(entry: Dict, performer: Performer, heardAnswered: () => Promise<void>): Promise<void> {
  const { fun, tgt, kwargs } = callIn(entry)
  if (!STATE_FUNCTIONS.test(fun) || kwargs.has('queue')) return
  await heardAnswered()
  await performer.jobs.quiet(tgt ?? '')
}

/** The results of the calls by name; readers may ask before a result is known. */
class Outcomes {
  private readonly known = new Map<string, Outcome>()

  constructor(entries: readonly Dict[]) {
    for (const entry of entries) {
      let settle: Outcome['settle'] = () => {}
      const promise = new Promise<boolean>((done) => (settle = done))
      this.known.set(nameIn(entry), { entry, promise, settle })
    }
  }

  of(name: string): Promise<boolean> {
    return this.known.get(name)?.promise ?? Promise.resolve(false)
  }

  settle(entry: Dict, succeeded: boolean): void {
    this.known.get(nameIn(entry))?.settle(succeeded)
  }

  /** Whether one of these accepts the key of a minion. */
  isAccepted(names: readonly string[]): boolean {
    return names.some((name) => name.startsWith('wheel/') && /^key\.accept/.test(this.functionOf(name)))
  }

  private functionOf(name: string): string {
    return str(this.known.get(name)?.entry.get('fun') ?? '')
  }
}

interface Outcome {
  entry: Dict
  promise: Promise<boolean>
  settle(succeeded: boolean): void
}
