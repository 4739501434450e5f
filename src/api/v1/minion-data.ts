// The master's data about one minion besides its facts: pillar, mine and highstates, below `/v1/minions/{id}`.
import { createRoute, z } from '@hono/zod-openapi'
import { type Dict, HIDDEN, isDict, isList, str, type Value } from '../../data/mod.ts'
import { shownOrigin } from '../../sdk/mod.ts'
import type { JobFact } from '../../store/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { timeText, toJson } from './json.ts'
import { isTrial } from './last-returns.ts'
import type { MinionFacts } from './minion-facts.ts'
import { BadFields, refusals } from './problems.ts'
import { Any, answer, cursorOf, line, MinionId, pageOf, paging, placeShape, Time } from './shapes.ts'
import { slices } from './slices.ts'
import { countStates } from './state-scan.ts'

const tags = ['Minions']

const Origin = z
  .object({
    path: z.string().optional().openapi({ description: 'The keys of the value, for the whole pillar' }),
    at: z.string().openapi({ description: 'The file and line, or another source' }),
    source: z.string().optional().openapi({ description: 'The SLS file or external pillar' }),
    value: Any,
  })
  .openapi('PillarOrigin')

const pillar = createRoute({
  method: 'get',
  path: '/v1/minions/{id}/pillar',
  operationId: 'explainPillar',
  summary: 'Show the pillar, and where its values come from',
  description:
    'Equals the runner function `pillar.explain`. With `path`, the sources of a value in the order in which they are merged; of values that cannot be merged, the last one wins. Without it, all values of the pillar with their last source, masked unless `reveal` asks for them. Values are always masked without the right for `pillar.show_pillar`.',
  tags,
  request: {
    params: z.object({ id: MinionId }),
    query: z.strictObject({
      path: line(1000).optional().openapi({ description: 'The keys of a value', example: 'web:port' }),
      reveal: z
        .enum(['true', 'false'])
        .default('false')
        .openapi({ description: 'Show the values of the whole pillar' }),
    }),
  },
  responses: {
    200: answer(z.object({ masked: z.boolean(), items: z.array(Origin) }).openapi('PillarOrigins'), 'The sources'),
    ...refusals(400, 401, 403, 404),
  },
})

const mine = createRoute({
  method: 'get',
  path: '/v1/minions/{id}/mine',
  operationId: 'getMine',
  summary: 'Show what a minion has in the mine',
  description: 'Equals the runner function `cache.mine` for this minion.',
  tags,
  request: { params: z.object({ id: MinionId }) },
  responses: {
    200: answer(
      z.object({ items: z.array(z.object({ function: z.string(), value: Any })) }).openapi('Mine'),
      'The values by function',
    ),
    ...refusals(400, 401, 403, 404),
  },
})

const HighstateRun = z
  .object({
    jid: z.string(),
    when: Time,
    function: z.string(),
    mods: z.array(z.string()).openapi({ description: 'The SLS files that were named; empty for the highstate' }),
    test: z.boolean().openapi({ description: 'Whether it was a dry run' }),
    succeeded: z.int(),
    changed: z.int().openapi({ description: 'States that changed something, or would have without the dry run' }),
    failed: z.int(),
    duration: z.number().openapi({ description: 'Milliseconds that the states took' }),
  })
  .openapi('HighstateRun')

const highstates = createRoute({
  method: 'get',
  path: '/v1/minions/{id}/highstates',
  operationId: 'listHighstates',
  summary: 'List the runs of states that a minion returned, newest first',
  description: 'Equals the runner function `jobs.list_jobs` for `state.apply`, `state.highstate` and `state.sls`.',
  tags,
  request: { params: z.object({ id: MinionId }), query: z.strictObject(paging) },
  responses: {
    200: answer(pageOf(HighstateRun).openapi('HighstateList'), 'A page of runs'),
    ...refusals(400, 401, 403),
  },
})

export function addMinionDataRoutes(site: V1App, service: ApiService, facts: MinionFacts): void {
  const { stores } = service.master.access
  site.openapi(pillar, async (c) => {
    const { id } = c.req.valid('param')
    const { path, reveal } = c.req.valid('query')
    const { call } = c.var
    await call.need('runner', 'pillar.explain', path === undefined ? { minion: id } : { minion: id, key: path })
    const mayReveal = await call.may('runner', 'pillar.show_pillar', { minion: id })
    const isMasked = !mayReveal || (path === undefined && reveal !== 'true')
    const items = path === undefined ? await wholePillar(service, facts, id) : await originsOf(service, facts, id, path)
    const masked = items.map(({ value, ...origin }) => ({ ...origin, value: isMasked ? HIDDEN : toJson(value) }))
    return c.json({ masked: isMasked, items: masked }, 200)
  })
  site.openapi(mine, async (c) => {
    const { id } = c.req.valid('param')
    await c.var.call.need('runner', 'cache.mine', { tgt: id })
    const kept = stores.cache.bank('mine').fetch(id)
    if (kept === undefined && !(await facts.all()).has(id)) throw new HttpError(404, 'There is no such minion')
    const entries = kept !== undefined && isDict(kept) ? [...kept] : []
    const items = entries.map(([name, value]) => ({ function: str(name), value: toJson(sharedValue(value)) }))
    return c.json({ items }, 200)
  })
  site.openapi(highstates, async (c) => {
    const { id } = c.req.valid('param')
    const { limit, cursor } = c.req.valid('query')
    await c.var.call.need('runner', 'jobs.list_jobs')
    const found = await runsOf(service, id, limit, placeShape(cursor, 1)?.[0])
    return c.json(found, 200)
  })
}

/** Return the value of a mine entry. The entry may also hold the target that the value is shared with. */
function sharedValue(value: Value): Value {
  return isDict(value) && value.has('__saltmine_acl__') ? (value.get('__data__') ?? null) : value
}

interface PillarValue {
  path?: string
  at: string
  source?: string
  value: Value
}

async function compiled({ master }: ApiService, facts: MinionFacts, id: string) {
  const { opts, stores, log, host } = master.access
  const grains = facts.grains(id)
  if (!grains) throw new HttpError(404, 'The master knows no grains of such a minion')
  const { compiledMinionPillar } = await import('../../pillar/mod.ts')
  const known = { opts, keys: stores.keys, cache: stores.cache, log }
  return compiledMinionPillar(known, host, { id, grains: new Map(grains), saltenv: 'base' })
}

/** A source as `pillar.explain` shows it. */
function placeIn(origin: Parameters<typeof shownOrigin>[0]): { at: string; source?: string } {
  const seen = shownOrigin(origin, null)
  const source = seen.get('source')
  return { at: str(seen.get('at')!), ...(source !== undefined && { source: str(source) }) }
}

async function originsOf(service: ApiService, facts: MinionFacts, id: string, path: string): Promise<PillarValue[]> {
  const keys = path.split(':')
  if (keys.includes('')) throw new BadFields([{ field: 'path', reason: 'has an empty key' }])
  const { origins } = await compiled(service, facts, id)
  return origins(keys).map((origin) => ({ ...placeIn(origin), value: origin.value }))
}

/** Return all values of the pillar that are no mappings, each with the source that came last. */
async function wholePillar(service: ApiService, facts: MinionFacts, id: string): Promise<PillarValue[]> {
  const { pillar, origins } = await compiled(service, facts, id)
  const turn = slices()
  const found: PillarValue[] = []
  for (const [path, value] of leavesOf(pillar)) {
    const last = origins(path).at(-1)
    found.push({ path: path.join(':'), ...(last ? placeIn(last) : { at: '' }), value })
    await turn()
  }
  return found
}

function* leavesOf(value: Value, path: string[] = []): Generator<[path: string[], value: Value]> {
  if (!isDict(value) || (value.size === 0 && path.length > 0)) yield [path, value]
  else for (const [key, item] of value) yield* leavesOf(item, [...path, str(key)])
}

const RUNS: ReadonlySet<string> = new Set(['state.apply', 'state.highstate', 'state.sls'])

async function runsOf({ master }: ApiService, id: string, limit: number, before: string | undefined) {
  const { jobs } = master.access.stores
  const items = []
  const turn = slices()
  let from = before
  for (;;) {
    const page = await jobs.ledger.page({ minion: id, fun: 'state.*' }, limit, from)
    for (const fact of page.jobs) {
      const run = runOf(jobs, fact, id)
      if (!run) continue
      if (items.length === limit) return { items, next: cursorOf([items.at(-1)!.jid]) }
      items.push(run)
      await turn()
    }
    if (page.next === undefined) return { items, next: null }
    from = page.next
  }
}

function runOf(jobs: ApiService['master']['access']['stores']['jobs'], { jid, fun }: JobFact, id: string) {
  const outcome = RUNS.has(fun) ? jobs.ledger.outcomeOf(jid, id) : undefined
  const bytes = outcome && jobs.ledger.bytesOf(jid, id)
  if (!outcome || !bytes) return undefined
  const { mods, isTest } = requestOf(fun, jobs.job(jid)?.load.get('arg') ?? [])
  return { jid, when: timeText(outcome.came), function: fun, mods, test: isTest, ...countStates(bytes) }
}

/** Return the SLS files in the arguments of a state function, and whether it is a dry run. */
function requestOf(fun: string, given: Value): { mods: string[]; isTest: boolean } {
  const args = isList(given) ? given : [given]
  const isKeywords = (arg: Value): arg is Dict => isDict(arg) && arg.get('__kwarg__') === true
  const kwargs = args.filter(isKeywords)
  const named = kwargs.find((kwarg) => kwarg.has('mods'))?.get('mods') ?? args.find((arg) => !isKeywords(arg)) ?? null
  const mods = fun === 'state.highstate' || named === null ? [] : isList(named) ? named.map(str) : str(named).split(',')
  return { mods: mods.filter((name) => name !== ''), isTest: kwargs.some(isTrial) }
}
