// Waits until each id of a list was seen in an event. Only events after the start of the step count.
import { equals, failure, fnmatch, isDict, isList, numberOf, type Value } from '../../../../data/mod.ts'
import type { BusMessage, StateContext, StateReturn } from '../../../../sdk/mod.ts'
import type { WaitStep } from './arguments.ts'
import { isDry } from './published.ts'

/**
 * Return the ids in an event: in its data, or in the data that a minion added. In an event of a minion, `id` is always the
 * proven minion id.
 */
function idsOf({ data, origin }: BusMessage, event_id: string): Value[] {
  if (event_id === 'id' && origin.kind === 'minion') return [origin.name]
  const inner = data.get('data')
  const value = data.get(event_id) ?? (inner !== undefined && isDict(inner) ? inner.get(event_id) : undefined) ?? null
  return value === null ? [] : isList(value) ? value : [value]
}

export async function waitForEvent(ctx: StateContext, step: Omit<WaitStep, 'node'>): Promise<StateReturn> {
  const { name, id_list, event_id, timeout } = step
  if (isDry(ctx)) {
    return { name, changes: {}, comment: `Orchestration would wait for event '${name}'`, result: null }
  }
  if (!ctx.master) throw failure('Events can only be waited for beside the master')
  const waiting = isList(id_list) ? [...id_list] : [id_list]
  const seen: Value[] = []
  const started = performance.now()
  const until = started + (numberOf(timeout) ?? 300) * 1000
  const changes = (): StateReturn['changes'] => (seen.length > 0 ? { minions_seen: seen } : {})
  for await (const event of matching(ctx, name, until)) {
    for (const id of idsOf(event, event_id)) {
      const at = waiting.findIndex((other) => equals(other, id))
      if (at >= 0) seen.push(...waiting.splice(at, 1))
    }
    if (waiting.length > 0) continue
    const seconds = (performance.now() - started) / 1000
    return { name, changes: changes(), comment: `All events seen in ${seconds} seconds.`, result: true }
  }
  return { name, changes: changes(), comment: 'Timeout value reached.', result: false }
}

/** Return the matching events until the time is over. */
async function* matching(ctx: StateContext, glob: string, until: number): AsyncGenerator<BusMessage> {
  const events = ctx.master!.events((tag) => fnmatch(tag, glob))[Symbol.asyncIterator]()
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), Math.max(0, until - performance.now()))
  })
  try {
    for (;;) {
      const next = await Promise.race([events.next(), over])
      if (!next || next.done) return
      yield next.value
    }
  } finally {
    clearTimeout(timer)
    await events.return?.(undefined)
  }
}
