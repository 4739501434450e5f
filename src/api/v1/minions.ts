// Minions: `/v1/minions`. The list needs the right for the runner function `manage.status`; grains, pillar and jobs in
// it need those for `cache.grains`, `cache.pillar` and `jobs.list_jobs`.
import { createRoute, z } from '@hono/zod-openapi'
import { type Dict, isList, str, traverse, type Value } from '../../data/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App, V1Call } from './call.ts'
import { JobSummary, summaryOf } from './jobs.ts'
import { timeText, toJson } from './json.ts'
import type { Highstate } from './last-returns.ts'
import { Columns, ColumnValues, columnReader } from './minion-columns.ts'
import { KEY_STATES, type MinionFact, type MinionFacts } from './minion-facts.ts'
import { BadFields, refusals } from './problems.ts'
import { Any, answer, cursorOf, limitOf, line, MinionId, pageOf, paging, placeShape, Time } from './shapes.ts'
import { slices } from './slices.ts'
import { resolved } from './targets.ts'

const Presence = z.object({
  connected: z.boolean(),
  since: Time.nullable().openapi({
    description: 'When the API saw the connection come or go; null before it saw a change',
  }),
})

const HighstateSchema = z
  .object({ jid: z.string(), when: Time, succeeded: z.int(), changed: z.int(), failed: z.int() })
  .openapi('Highstate')

const Drift = z
  .object({ jid: z.string(), when: Time, changes: z.int().openapi({ description: 'States that would change' }) })
  .openapi('Drift')

const Minion = z
  .object({
    id: z.string(),
    key: z.enum(KEY_STATES),
    presence: Presence,
    os: z.string().nullable().openapi({ example: 'Debian 12' }),
    version: z.string().nullable().openapi({ description: 'The version of Salt' }),
    brineVersion: z.string().nullable().openapi({ description: 'The version of Brine; null for a minion of Salt' }),
    lastJob: z.string().nullable().openapi({ description: 'The id of the last job that the minion returned' }),
    lastHighstate: HighstateSchema.nullable(),
    drift: Drift.nullable().openapi({
      description: 'The last dry run of the highstate, if it is newer than the last highstate',
    }),
    columns: ColumnValues,
  })
  .openapi('Minion')

const MinionDetails = Minion.extend({
  grains: z.record(z.string(), Any),
  lastJobs: z.array(JobSummary),
}).openapi('MinionDetails')

const SORTS = ['id', 'os', 'version', 'key', 'connected'] as const

const tags = ['Minions']

const MOST_MINIONS = 5000

/** Minions that the filter by a target takes into account. */
const MOST_TARGETED = 100_000

const list = createRoute({
  method: 'get',
  path: '/v1/minions',
  operationId: 'listMinions',
  summary: 'List minions',
  description:
    'Equals the runner function `manage.status`, from what the master knows: no minion is asked. `os`, `version` and the filter `grain` need the right for `cache.grains`; `lastJob`, `lastHighstate` and `drift` the right for `jobs.list_jobs`; `columns` the right for `cache.grains` and `cache.pillar`. Secret values of the pillar are masked. Facts may be some seconds old.',
  tags,
  request: {
    query: z.strictObject({
      q: line(255).optional().openapi({ description: 'A part of the id' }),
      state: z.enum(['up', 'down', ...KEY_STATES]).optional(),
      grain: line(1000)
        .regex(/^[^:]+(:[^:]*)+$/, 'is not written as key:value')
        .optional()
        .openapi({ description: 'A grain and its value, such as `os_family:Debian`' }),
      target: z.string().min(1).max(10_000).optional().openapi({
        description:
          'A compound target, such as `G@os_family:Debian and web*`; needs the rights that `GET /v1/targets` needs',
      }),
      sort: z
        .enum([...SORTS, ...SORTS.map((name) => `-${name}` as const)])
        .default('id')
        .openapi({ description: 'A leading minus reverses the order' }),
      columns: Columns.optional(),
      ...paging,
      limit: limitOf(MOST_MINIONS, 100),
    }),
  },
  responses: {
    200: answer(
      pageOf(Minion)
        .extend({ total: z.int().openapi({ description: 'Minions that the filters choose, on all pages' }) })
        .openapi('MinionList'),
      'A page of minions',
    ),
    ...refusals(400, 401, 403),
  },
})

const one = createRoute({
  method: 'get',
  path: '/v1/minions/{id}',
  operationId: 'getMinion',
  summary: 'Show a minion',
  description: 'Equals the runner function `cache.grains` for this minion.',
  tags,
  request: { params: z.object({ id: MinionId }) },
  responses: { 200: answer(MinionDetails, 'The minion'), ...refusals(400, 401, 403, 404) },
})

type Sort = z.infer<typeof list.request.query>['sort']

/** The data that the caller may see besides keys and presence. */
interface View {
  hasGrains: boolean
  hasJobs: boolean
}

const viewOf = async (call: V1Call, id?: string): Promise<View> => ({
  hasGrains: await call.may('runner', 'cache.grains', id === undefined ? {} : { tgt: id }),
  hasJobs: await call.may('runner', 'jobs.list_jobs'),
})

const highstateOf = (last: Highstate | undefined) =>
  last === undefined ? null : { ...last, when: timeText(last.when) }

const driftOf = (last: Highstate | undefined) =>
  last === undefined ? null : { jid: last.jid, when: timeText(last.when), changes: last.changed }

function shown({ id, key, isConnected, since, os, version, brineVersion }: MinionFact, facts: MinionFacts, view: View) {
  return {
    id,
    key,
    presence: { connected: isConnected, since: since === undefined ? null : timeText(since) },
    os: (view.hasGrains ? os : undefined) ?? null,
    version: (view.hasGrains ? version : undefined) ?? null,
    brineVersion: (view.hasGrains ? brineVersion : undefined) ?? null,
    lastJob: (view.hasJobs ? facts.last.jobOf(id) : undefined) ?? null,
    lastHighstate: view.hasJobs ? highstateOf(facts.last.highstateOf(id)) : null,
    drift: view.hasJobs ? driftOf(facts.last.trialOf(id)) : null,
  }
}

const isInState = ({ key, isConnected }: MinionFact, state: string): boolean =>
  state === 'up' || state === 'down' ? key === 'accepted' && isConnected === (state === 'up') : key === state

/** Whether a grain has a value: itself, or among its items. */
function hasGrain(grains: Dict | undefined, wanted: string): boolean {
  const parts = wanted.split(':')
  for (let length = 1; grains && length < parts.length; length++) {
    const found = traverse(grains, parts.slice(0, length).join(':'))
    const value = parts.slice(length).join(':')
    const texts = (isList(found) ? found : [found]).map((item: Value) => str(item))
    if (texts.includes(value)) return true
  }
  return false
}

const sortKey = (fact: MinionFact, sort: string): string => {
  if (sort === 'connected') return fact.isConnected ? '1' : '0'
  return sort === 'os' ? (fact.os ?? '') : sort === 'version' ? (fact.version ?? '') : sort === 'key' ? fact.key : ''
}

/** Sort facts by a key and the id; return those after a position. */
function ordered(facts: MinionFact[], sort: Sort, place: string[] | undefined): Array<[string, MinionFact]> {
  const direction = sort.startsWith('-') ? -1 : 1
  const name = sort.replace('-', '')
  const compare = (key: string, id: string, otherKey: string, otherId: string): number => {
    if (key !== otherKey) return key < otherKey ? -direction : direction
    return id === otherId ? 0 : id < otherId ? -direction : direction
  }
  const keyed = facts.map((fact): [string, MinionFact] => [sortKey(fact, name), fact])
  keyed.sort(([key, { id }], [otherKey, other]) => compare(key, id, otherKey, other.id))
  if (!place) return keyed
  return keyed.filter(([key, { id }]) => compare(key, id, place[0]!, place[1]!) > 0)
}

interface Filter {
  q?: string | undefined
  state?: string | undefined
  grain?: string | undefined
  /** The minions that a target means. */
  ids?: ReadonlySet<string> | undefined
}

/** Return the ids that a compound target means; undefined without one. */
async function targeted(call: V1Call, target: string | undefined): Promise<ReadonlySet<string> | undefined> {
  if (target === undefined) return undefined
  const { minions, problem } = await resolved(call, target, 'compound', MOST_TARGETED)
  if (problem !== null) throw new BadFields([{ field: 'target', reason: problem }])
  return new Set(minions)
}

async function chosen(facts: MinionFacts, { q, state, grain, ids }: Filter) {
  const turn = slices()
  const found: MinionFact[] = []
  for (const fact of (await facts.all()).values()) {
    if (ids !== undefined && !ids.has(fact.id)) continue
    if (q !== undefined && !fact.id.toLowerCase().includes(q.toLowerCase())) continue
    if (state !== undefined && !isInState(fact, state)) continue
    if (grain !== undefined && !hasGrain(facts.grains(fact.id), grain)) continue
    found.push(fact)
    await turn()
  }
  return found
}

export function addMinionRoutes(site: V1App, service: ApiService, facts: MinionFacts): void {
  const { access } = service.master
  site.openapi(list, async (c) => {
    const { q, state, grain, target, sort, columns, limit, cursor } = c.req.valid('query')
    const { call } = c.var
    await call.need('runner', 'manage.status')
    const view = await viewOf(call)
    const needsGrains = grain !== undefined || /os|version/.test(sort)
    if (needsGrains && !view.hasGrains) await call.need('runner', 'cache.grains')
    const valuesOf = await columnReader(call, access.stores, columns)
    const all = await chosen(facts, { q, state, grain, ids: await targeted(call, target) })
    const found = ordered(all, sort, placeShape(cursor, 2))
    const turn = slices()
    const items = []
    for (const [, fact] of found.slice(0, limit)) {
      items.push({ ...shown(fact, facts, view), ...valuesOf(fact.id) })
      await turn()
    }
    const [key, last] = found[limit - 1] ?? []
    const next = found.length > limit && last ? cursorOf([key!, last.id]) : null
    return c.json({ items, next, total: all.length }, 200)
  })
  site.openapi(one, async (c) => {
    const { id } = c.req.valid('param')
    const { call } = c.var
    await call.need('runner', 'cache.grains', { tgt: id })
    const fact = (await facts.all()).get(id)
    if (!fact) throw new HttpError(404, 'There is no such minion')
    const view = await viewOf(call, id)
    const owner = view.hasJobs ? {} : { owner: call.owner }
    const { jobs } = await access.stores.jobs.ledger.page({ minion: id, ...owner }, LAST_JOBS)
    const grains = (toJson(facts.grains(id) ?? new Map()) ?? {}) as Record<string, unknown>
    return c.json({ ...shown(fact, facts, view), grains, lastJobs: jobs.map(summaryOf) }, 200)
  })
}

const LAST_JOBS = 10
