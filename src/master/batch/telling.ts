// Events of a batch. If a program waits for a small batch, its events contain the whole state; other events contain
// only counts. A long target is only in the first event, because there is an event for each return.
import { type Dict, isList, type Value } from '../../data/mod.ts'
import type { Batch } from './batch.ts'

export type BatchMoment = 'new' | 'progress' | 'complete' | 'halted'

/** The largest batch whose events contain its state: the total size grows with the square of this number. */
const TOLD_WHOLE = 100

/** Length of a target, in characters, above which only the first event contains it. */
const LONG_TARGET = 1000

export const batchTag = (jid: string, moment: string): string => `salt/batch/${jid}/${moment}`

export function batchEvent(batch: Batch, moment: BatchMoment, now: number): Dict {
  const { plan } = batch
  const base: Array<[Value, Value]> = [
    ['jid', plan.jid],
    ['fun', plan.fun],
    ...(moment === 'new' || isShort(plan.tgt) ? ([['tgt', plan.tgt]] as Array<[Value, Value]>) : []),
    ['tgt_type', plan.tgtType],
    ['user', plan.user],
  ]
  if (plan.driver === 'cli' && batch.all.length <= TOLD_WHOLE) {
    return new Map<Value, Value>([...base, ['driver', plan.driver], ['state', batch.describe()]])
  }
  return new Map<Value, Value>([...base, ...NUMBERS[moment](batch, now)])
}

const isShort = (target: Value): boolean =>
  isList(target) ? target.length <= TOLD_WHOLE : typeof target !== 'string' || target.length <= LONG_TARGET

const ended = (batch: Batch, now: number): Array<[Value, Value]> => [
  ['completed', batch.done.size],
  ['failed', batch.failed.size],
  ['total_minions', batch.all.length],
  ['duration', now - batch.created],
]

const NUMBERS: Record<BatchMoment, (batch: Batch, now: number) => Array<[Value, Value]>> = {
  new: (batch) => [
    ['total_minions', batch.all.length],
    ['batch_size', batch.plan.size],
    ['driver', batch.plan.driver],
    ['created', batch.created],
  ],
  progress: (batch) => [
    ['total', batch.all.length],
    ['completed', batch.done.size],
    ['active', batch.active.size],
    ['pending', batch.pending.length],
    ['failed', batch.failed.size],
    ['iter', null],
    ['last_progress', batch.lastProgress],
  ],
  complete: ended,
  halted: (batch, now) => [
    ['reason', batch.haltedBecause ?? null],
    ['completed', batch.done.size],
    ['failed', batch.failed.size],
    ['abandoned_active', [...batch.active.keys()].sort()],
    ['abandoned_pending', [...batch.pending]],
    ['duration', now - batch.created],
  ],
}
