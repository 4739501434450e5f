// The minions of a job, and its states that failed or have changes.
import { setImmediate as nextTick } from 'node:timers/promises'
import { type Dict, isDict, repr, statesSucceeded, str, truthy, type Value } from '../../../../data/mod.ts'
import { type MasterContext, StatePlaces } from '../../../../sdk/mod.ts'
import { dictOf, lastLine, link, listOf, textOr } from './link.ts'

const LONGEST = 400
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)

const isStateResult = (value: Value): value is Dict => isDict(value) && value.has('result') && value.has('changes')

const isStateReturn = (value: Value): value is Dict =>
  isDict(value) && value.size > 0 && [...value.values()].every(isStateResult)

async function stateLink(ctx: MasterContext, tag: string, result: Dict): Promise<Dict> {
  const [state = '', id = '', , fun = ''] = tag.split('_|-')
  const failed = result.get('result') === false
  const place = await new StatePlaces(ctx).find(result.get('__sls__') ?? null, result.get('__id__') ?? id)
  const comment = textOr(result.get('comment'))
  const changes = dictOf(result.get('changes'))
  return link('state', `${state}.${fun} ${textOr(result.get('__id__'), id)}`, {
    place: place ?? result.get('__sls__') ?? null,
    state: failed ? 'failed' : changes.size > 0 ? 'changed' : 'done',
    ...(failed ? { error: comment } : { detail: changes.size > 0 ? changes : null }),
  })
}

async function minionLink(ctx: MasterContext, id: string, data: Dict): Promise<Dict> {
  const value = data.get('return') ?? null
  const schedule = data.get('schedule')
  const isFine = data.get('success') !== false && !truthy(data.get('retcode') ?? 0)
  if (!isStateReturn(value)) {
    const text = shortened(typeof value === 'string' ? value : repr(value))
    return link('minion', id, { state: isFine ? 'done' : 'failed', ...(isFine ? { detail: text } : { error: text }) })
  }
  const results = [...value].map(([tag, result]): [string, Dict] => [str(tag), result as Dict])
  const shown = results.filter(
    ([, result]) => result.get('result') === false || dictOf(result.get('changes')).size > 0 || results.length <= 5,
  )
  const next: Dict[] = []
  for (const [tag, result] of shown) next.push(await stateLink(ctx, tag, result))
  const left = results.length - shown.length
  if (left > 0) next.push(link('states', `${left} more without changes`, { state: 'done' }))
  const state = statesSucceeded(value) ? 'done' : 'failed'
  return link('minion', id, { state, ...(schedule !== undefined && { detail: `schedule ${str(schedule)}` }) }, next)
}

/**
 * Return the minions of a job, with and without a return. With a limit, failed ones come first, then those without a
 * return.
 */
export async function minionLinks(ctx: MasterContext, jid: string, most = Number.POSITIVE_INFINITY): Promise<Dict[]> {
  const outcomes = ctx.jobs.ledger.outcomes(jid)
  const meant = ctx.jobs.job(jid)?.minions ?? []
  const ids = [...new Set([...meant, ...outcomes.map(({ id }) => id)])].sort()
  if (ids.length <= most) return [...(await returned(ctx, jid, ids)), ...missing(ctx, jid)]
  const failed = new Map(outcomes.map(({ id, isFailed }) => [id, isFailed]))
  const rank = (id: string): number => (failed.get(id) === undefined ? 1 : failed.get(id) ? 0 : 2)
  const shown = ids.toSorted((one, other) => rank(one) - rank(other)).slice(0, most)
  // the reason of each would cost a look at all returns
  const without = shown.filter((id) => !failed.has(id)).map((id) => link('minion', id, { state: 'no return' }))
  return [...(await returned(ctx, jid, shown)), ...without, link('minions', `${ids.length - shown.length} more`)]
}

async function returned(ctx: MasterContext, jid: string, ids: readonly string[]): Promise<Dict[]> {
  const links: Dict[] = []
  for (const id of ids) {
    const data = ctx.jobs.returnOf(jid, id)
    if (data) links.push(await minionLink(ctx, id, data))
    // a return may be large, and other work of the master goes on between two
    await nextTick()
  }
  return links
}

function missing(ctx: MasterContext, jid: string): Dict[] {
  const open = ctx.jobs.progress(jid).filter(({ state }) => state !== 'returned')
  return open.map(({ id, state, reason }) =>
    link('minion', id, { state: `no return (${state})`, error: reason ?? null }),
  )
}

const wordOf = (value: Value): string => shortened(typeof value === 'string' ? value : repr(value))

/** Return an argument as a user would type it; leave out keywords that are false. */
function wordsOf(value: Value): string[] {
  if (!isDict(value) || !value.has('__kwarg__')) return [wordOf(value)]
  const given = [...value].filter(([key, item]) => key !== '__kwarg__' && truthy(item))
  return given.map(([key, item]) => `${str(key)}=${wordOf(item)}`)
}

/** Return a job without its consequences. */
export function jobHead(ctx: MasterContext, jid: string): { what: string; state?: string; error?: string } {
  const job = ctx.jobs.job(jid)
  if (!job) return { what: 'a job that is not kept' }
  const { load } = job
  const fun = textOr(load.get('fun'))
  const words = listOf(load.get('arg')).flatMap(wordsOf)
  const target = fun.startsWith('runner.') || fun.startsWith('wheel.') ? '' : ` on ${textOr(load.get('tgt'))}`
  const what = `${[fun, ...words].join(' ')}${target}`
  if (target !== '') return { what }
  if (ctx.orchestrations().run(jid)) return { what }
  const [returned] = ctx.jobs.returns(jid).values()
  if (!returned) return { what, state: 'no return' }
  const ended = dictOf(returned.get('return'))
  if (ended.get('success') !== false) return { what, state: 'done' }
  return { what, state: 'failed', error: lastLine(textOr(ended.get('return'))) }
}
