// High data to ordered low chunks, the last stages of the compiler in one.
import type { Log } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isInt, type Value } from '../../data/mod.ts'
import { requisitePlace } from './argument-places.ts'
import { Dependencies } from './dependencies.ts'
import type { RequisiteType } from './keywords.ts'
import { lowChunks } from './low-chunks.ts'
import { orderChunks } from './order.ts'
import type { Places } from './places.ts'
import type { CompileError, High, LowChunk, LowResult } from './types.ts'

/** The functions of a state module that the engine calls. */
export interface StateHooks {
  /** Whether a function `module.function` exists, including `mod_watch` and `mod_aggregate`. */
  has(name: string): boolean
}

export interface LowContext {
  opts: Dict
  states: StateHooks
  places: Places
  log: Log
  /** The option `state_aggregate`. */
  aggregate: Value
  orchestrationJid?: Value | undefined
  accepts?: (chunk: LowChunk) => boolean
}

export interface OrderedLow extends LowResult {
  dependencies: Dependencies
}

export function compileLow(high: High, ctx: LowContext): OrderedLow {
  const { orchestrationJid, accepts } = ctx
  const chunks = lowChunks(high, { orchestrationJid, ...(accepts && { accepts }) })
  return orderLow(chunks, ctx, high)
}

export function orderLow(chunks: readonly LowChunk[], ctx: LowContext, high?: High): OrderedLow {
  const dependencies = new Dependencies()
  for (const chunk of chunks) dependencies.add(chunk, mayAggregate(chunk, ctx.aggregate, ctx.states))
  const errors: CompileError[] = []
  const disabled = disabledRequisites(ctx.opts)
  let cap = 1
  for (const chunk of chunks) {
    watchAsRequire(chunk, ctx.states)
    const wrong = dependencies.addRequisites(chunk, disabled, ctx.log)
    if (wrong) {
      const body = high?.get(chunk.get('__id__')!)
      const at = requisitePlace(ctx.places, body, chunk.get('state')!, wrong.reference)
      errors.push({ text: wrong.text, at, hint: wrong.hint })
    } else cap = capAbove(cap, chunk.get('order') ?? null)
  }
  const ordered = orderChunks(dependencies, cap)
  if (!ordered) {
    const { text, first } = dependencies.cycle()
    errors.push({ text: `Recursive requisites were found: ${text}`, at: ctx.places.of(high?.get(first ?? null)) })
  }
  return { chunks: ordered ?? [], errors, dependencies }
}

export function disabledRequisites(opts: Dict): readonly Value[] {
  const disabled = option(opts, 'disabled_requisites')
  return Array.isArray(disabled) ? disabled : [disabled]
}

function capAbove(cap: number, order: Value): number {
  if (!isInt(order)) return cap
  const number = Number(order)
  return number > cap - 1 && number > 0 ? number + 100 : cap
}

export function mayAggregate(chunk: LowChunk, option: Value, states: StateHooks): boolean {
  const wanted = chunk.get('aggregate') ?? option
  const state = chunk.get('state')!
  const isWanted = wanted === true || (Array.isArray(wanted) && wanted.includes(state))
  return isWanted && states.has(`${String(state)}.mod_aggregate`)
}

const WATCHES: ReadonlyArray<[RequisiteType, RequisiteType]> = [
  ['watch', 'require'],
  ['watch_any', 'require_any'],
]

/** Turn `watch` into `require` if the module has no `mod_watch`. */
function watchAsRequire(chunk: LowChunk, states: StateHooks): void {
  if (!chunk.has('watch') && !chunk.has('watch_any')) return
  for (const [watch, require] of WATCHES) {
    const watched = chunk.get(watch)
    if (watched === undefined || states.has(`${String(chunk.get('state'))}.mod_watch`)) continue
    chunk.delete(watch)
    const required = chunk.get(require)
    if (!Array.isArray(watched)) continue
    if (Array.isArray(required)) required.push(...watched)
    else chunk.set(require, [...watched])
  }
}
