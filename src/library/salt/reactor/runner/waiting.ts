// Waits for a reaction until its calls have ended and its jobs have returned. Reads the record of the reaction and the
// job store, so a restart of the master does not end the wait.
import { type Dict, equals, failure, isDict, isList, str, truthy, type Value } from '../../../../data/mod.ts'
import type { MasterContext } from '../../../../sdk/mod.ts'

const PAUSE_MS = 200

/** Time within which the reactor records its reaction to an event. */
const HEARING_SECONDS = 10

interface Progress {
  ended: boolean
  success: boolean
  shown: Dict
}

async function poll<T>(seconds: number, look: () => T | undefined): Promise<T | undefined> {
  for (const end = Date.now() + seconds * 1000; ; await new Promise((done) => setTimeout(done, PAUSE_MS))) {
    const found = look()
    if (found !== undefined || Date.now() > end) return found
  }
}

/** Fire an event and wait for the reaction. */
export async function fireAndWait(ctx: MasterContext, tag: string, data: Dict, seconds: number): Promise<Dict> {
  const before = ctx.reactions().last(1)[0]?.id ?? 0
  await ctx.fireForCaller(tag, new Map(data))
  const found = await poll(Math.min(seconds, HEARING_SECONDS), () =>
    ctx
      .reactions()
      .to(tag, 50)
      .find(({ id, record }) => id > before && isSame(record.get('data') ?? null, data)),
  )
  if (!found) throw failure(`The reactor did not answer the event ${tag}`)
  return waitFor(ctx, found.id, seconds)
}

function isSame(recorded: Value, data: Dict): boolean {
  const without = (dict: Dict): Dict => new Map([...dict].filter(([key]) => key !== '_stamp'))
  return isDict(recorded) && equals(without(recorded), without(data))
}

/** Wait for a reaction and return its result. */
export async function waitFor(ctx: MasterContext, id: number, seconds: number): Promise<Dict> {
  let progress = progressOf(ctx, id)
  await poll(seconds, () => {
    progress = progressOf(ctx, id)
    return progress.ended ? true : undefined
  })
  if (!progress.ended || !progress.success) ctx.memory.set('retcode', 1)
  return progress.shown
}

function progressOf(ctx: MasterContext, id: number): Progress {
  const record = ctx.reactions().one(id)?.record
  if (!record) throw failure(`There is no reaction ${id}`)
  const planned = record.get('calls') ?? null
  const calls = isList(planned) ? planned.filter(isDict).map((entry) => callProgress(ctx, entry)) : []
  const errors = record.get('errors') ?? []
  const ended = isList(planned) && calls.every((call) => call.ended)
  const success = ended && calls.every((call) => call.success) && !truthy(errors)
  const shown = new Map<Value, Value>([['reaction', id]]).set('tag', record.get('tag') ?? '').set('ended', ended)
  return {
    ended,
    success,
    shown: shown
      .set('success', success)
      .set('errors', errors)
      .set(
        'calls',
        calls.map((call) => call.shown),
      ),
  }
}

function callProgress(ctx: MasterContext, entry: Dict): Progress {
  const state = str(entry.get('state') ?? 'waiting')
  const name = `${str(entry.get('type') ?? '')}.${str(entry.get('fun') ?? '')}`
  const shown = new Map<Value, Value>([['id', entry.get('id') ?? '']]).set('call', name).set('state', state)
  if (entry.has('jid')) shown.set('jid', entry.get('jid')!)
  if (state === 'failed') return { ended: true, success: false, shown: shown.set('error', entry.get('error') ?? null) }
  if (state !== 'done') return { ended: false, success: false, shown }
  if (entry.get('type') !== 'local') {
    return { ended: true, success: true, shown: shown.set('result', entry.get('result') ?? null) }
  }
  return jobProgress(ctx, entry, shown)
}

/** Return the progress of a job, which ends when all targeted minions have returned. */
function jobProgress(ctx: MasterContext, entry: Dict, shown: Dict): Progress {
  const minions = entry.get('result') ?? []
  const returns = ctx.jobs.returns(str(entry.get('jid') ?? ''))
  const ids = isList(minions) ? minions.map(str) : []
  const came = ids.flatMap((id): Array<[Value, Value]> => {
    const ret = returns.get(id)
    return ret ? [[id, ret.get('return') ?? null]] : []
  })
  const success = ids.every((id) => {
    const ret = returns.get(id)
    return ret !== undefined && truthy(ret.get('success') ?? true) && !truthy(ret.get('retcode') ?? 0)
  })
  return { ended: came.length === ids.length, success, shown: shown.set('returns', new Map(came)) }
}
