// Orchestration runs, reactions and traces. They equal the runner functions `state.orchestrate_runs`, `state.orchestrate_show`,
// `reactor.trace` and `trace.show`.
import { createRoute, z } from '@hono/zod-openapi'
import { newJid } from '../../base/mod.ts'
import { str, type Value } from '../../data/mod.ts'
import { masterContext } from '../../runner/mod.ts'
import type { OrchestrationRun } from '../../store/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { timeText, toJson } from './json.ts'
import { BadFields, refusals } from './problems.ts'
import { Any, answer, cursorOf, Jid, line, pageOf, paging, placeOf, Time } from './shapes.ts'

const Run = z
  .object({
    jid: z.string(),
    state: z.enum(['running', 'succeeded', 'failed', 'interrupted']),
    started: Time,
    mods: Any.openapi({ description: 'The SLS files of the run' }),
  })
  .openapi('Run')

const Step = z.object({
  step: z.string().openapi({ description: 'The tag of the state' }),
  state: z.enum(['running', 'succeeded', 'failed']),
  started: Time,
  place: z.string().nullable().openapi({ description: 'The file and line that the step is written in' }),
  comment: Any,
  jobs: z.array(z.string()).openapi({ description: 'The ids of the jobs and calls of the step' }),
})

const RunDetails = Run.extend({ asked: z.record(z.string(), Any), steps: z.array(Step) }).openapi('RunDetails')

const runs = createRoute({
  method: 'get',
  path: '/v1/runs',
  operationId: 'listRuns',
  summary: 'List orchestration runs, newest first',
  description: 'Equals the runner function `state.orchestrate_runs`.',
  tags: ['Orchestration'],
  request: { query: z.strictObject(paging) },
  responses: { 200: answer(pageOf(Run).openapi('RunList'), 'A page of runs'), ...refusals(400, 401, 403) },
})

const oneRun = createRoute({
  method: 'get',
  path: '/v1/runs/{jid}',
  operationId: 'getRun',
  summary: 'Show an orchestration run with its steps',
  description: 'Equals the runner function `state.orchestrate_show`.',
  tags: ['Orchestration'],
  request: { params: z.object({ jid: Jid }) },
  responses: { 200: answer(RunDetails, 'The run'), ...refusals(400, 401, 403, 404) },
})

const Reaction = z
  .object({
    reaction: z.int().openapi({ description: 'The number of the reaction' }),
    tag: z.string(),
    record: z.record(z.string(), Any),
  })
  .openapi('Reaction')

const reactions = createRoute({
  method: 'get',
  path: '/v1/reactions',
  operationId: 'listReactions',
  summary: 'List reactions to events, newest first',
  description:
    'Equals the runner function `reactor.trace`: the event, rules, files, calls with their jobs, and results or errors.',
  tags: ['Reactor'],
  request: {
    query: z.strictObject({ tag: line(1000).optional().openapi({ description: 'The tag of the event' }), ...paging }),
  },
  responses: {
    200: answer(pageOf(Reaction).openapi('ReactionList'), 'A page of reactions'),
    ...refusals(400, 401, 403),
  },
})

const trace = createRoute({
  method: 'get',
  path: '/v1/traces/{jid}',
  operationId: 'getTrace',
  summary: 'Show the causes and consequences of a job',
  description: 'Equals the runner function `trace.show`: the chain from the first cause, with files and lines.',
  tags: ['Jobs'],
  request: { params: z.object({ jid: Jid }) },
  responses: { 200: answer(z.record(z.string(), Any).openapi('Trace'), 'The chain'), ...refusals(400, 401, 403, 404) },
})

const runOf = ({ jid, state, at, asked }: OrchestrationRun) => ({
  jid,
  state,
  started: timeText(at),
  mods: toJson(asked.get('mods') ?? null),
})

export function addRunRoutes(site: V1App, service: ApiService): void {
  addOrchestrations(site, service)
  addReactions(site, service)
  const { access } = service.master
  site.openapi(trace, async (c) => {
    const { jid } = c.req.valid('param')
    await c.var.call.need('runner', 'trace.show', { what: jid })
    const { jobs } = access.stores
    if (!jobs.ledger.fact(jid) && !access.stores.orchestrations().run(jid))
      throw new HttpError(404, 'There is no such job')
    // without the events of a call: the function only reads
    const ctx = masterContext(access, { jid: newJid(), user: c.var.call.user, tag: 'salt/run' })
    const chain: Value = await access.functions.runners.call(ctx, 'trace.show', [jid])
    return c.json(toJson(chain) as Record<string, unknown>, 200)
  })
}

function addOrchestrations(site: V1App, { master }: ApiService): void {
  const store = () => master.access.stores.orchestrations()
  site.openapi(runs, async (c) => {
    const { limit, cursor } = c.req.valid('query')
    await c.var.call.need('runner', 'state.orchestrate_runs')
    const found = store().runsBefore(placeOf(cursor, 1)?.[0] ?? '~', limit + 1)
    const items = found.slice(0, limit).map(runOf)
    return c.json({ items, next: found.length > limit ? cursorOf([items.at(-1)!.jid]) : null }, 200)
  })
  site.openapi(oneRun, async (c) => {
    const { jid } = c.req.valid('param')
    await c.var.call.need('runner', 'state.orchestrate_show', { jid })
    const run = store().run(jid)
    if (!run) throw new HttpError(404, 'There is no such run')
    const steps = store()
      .steps(jid)
      .map(({ tag, at, place, jobs, result }) => ({
        step: tag,
        state: !result
          ? ('running' as const)
          : result.get('result') === false
            ? ('failed' as const)
            : ('succeeded' as const),
        started: timeText(at),
        place: place ?? null,
        comment: toJson(result?.get('comment') ?? null),
        jobs,
      }))
    return c.json({ ...runOf(run), asked: toJson(run.asked) as Record<string, unknown>, steps }, 200)
  })
}

function addReactions(site: V1App, { master }: ApiService): void {
  site.openapi(reactions, async (c) => {
    const { tag, limit, cursor } = c.req.valid('query')
    await c.var.call.need('runner', 'reactor.trace', tag === undefined ? {} : { what: tag })
    const before = Number(placeOf(cursor, 1)?.[0] ?? Number.MAX_SAFE_INTEGER)
    if (!Number.isSafeInteger(before)) throw new BadFields([{ field: 'cursor', reason: 'is no cursor of this list' }])
    const found = master.access.stores.reactions().before(before, limit + 1, tag)
    const items = found.slice(0, limit).map(({ id, record }) => ({
      reaction: id,
      tag: str(record.get('tag') ?? ''),
      record: toJson(record) as Record<string, unknown>,
    }))
    return c.json({ items, next: found.length > limit ? cursorOf([String(items.at(-1)!.reaction)]) : null }, 200)
  })
}
