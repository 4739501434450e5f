// Orchestration runs: `/v1/runs`. The rights are those for the runner functions `state.orchestrate_runs`,
// `state.orchestrate_show` and `state.orchestrate_resume`.
import { createRoute, z } from '@hono/zod-openapi'
import { isDict, maskSecrets, numberOf, str, type Value } from '../../data/mod.ts'
import type { OrchestrationRun, OrchestrationStep, PlannedStep } from '../../store/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { timeText, toJson } from './json.ts'
import { BadFields, refusals } from './problems.ts'
import { Any, answer, body, cursorOf, Jid, line, pageOf, paging, placeShape, Time } from './shapes.ts'
import { slices } from './slices.ts'

const Run = z
  .object({
    jid: z.string(),
    state: z.enum(['running', 'succeeded', 'failed', 'interrupted']),
    started: Time,
    mods: Any.openapi({ description: 'The SLS files of the run' }),
    user: z.string(),
    ended: Time.nullable(),
    steps: z.object({ total: z.int(), done: z.int(), failed: z.int() }),
  })
  .openapi('Run')

const Step = z.object({
  step: z.string().openapi({ description: 'The tag of the state' }),
  key: z.string().openapi({ description: 'The same tag, by which `requires` names steps' }),
  function: z.string().openapi({ example: 'salt.function' }),
  name: z.string().openapi({ description: 'The id of the state' }),
  order: z.int(),
  requires: z
    .array(z.string())
    .openapi({ description: 'The keys of the steps that this one requires, watches or waits for in another way' }),
  state: z
    .enum(['waiting', 'running', 'succeeded', 'failed', 'skipped'])
    .openapi({ description: 'A step was skipped where the run ended without it' }),
  skippable: z.boolean().openapi({ description: 'Whether a resumed run can leave the step out' }),
  started: Time.nullable(),
  ended: Time.nullable(),
  duration: z.number().nullable().openapi({ description: 'Milliseconds' }),
  place: z.string().nullable().openapi({ description: 'The file and line that the step is written in' }),
  comment: Any,
  jobs: z.array(z.string()).openapi({ description: 'The ids of the jobs and calls of the step' }),
})

const RunDetails = Run.omit({ steps: true })
  .extend({
    resumable: z.boolean().openapi({ description: 'Whether the run failed or was interrupted' }),
    asked: z.record(z.string(), Any),
    steps: z.array(Step),
  })
  .openapi('RunDetails')

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

const Resumption = z
  .strictObject({
    skip: z.array(line(2000)).max(1000).optional().openapi({ description: 'Keys of steps to count as done' }),
    retry: z
      .array(line(2000))
      .max(1000)
      .optional()
      .openapi({ description: 'Keys of steps that succeeded and are to run again' }),
  })
  .openapi('Resumption')

const resume = createRoute({
  method: 'post',
  path: '/v1/runs/{jid}/resume',
  operationId: 'resumeRun',
  summary: 'Continue an orchestration run that failed or was interrupted',
  description: 'Equals the runner function `state.orchestrate_resume`. Steps that succeeded are not run again.',
  tags: ['Orchestration'],
  request: { params: z.object({ jid: Jid }), body: body(Resumption) },
  responses: {
    202: answer(
      z.object({ jid: z.string(), tag: z.string() }).openapi('ResumedRun'),
      'The run goes on; the job id is that of the call',
    ),
    ...refusals(400, 401, 403, 404, 413, 415, 422),
  },
})

const runOf = ({ jid, state, at, ended, asked }: OrchestrationRun) => ({
  jid,
  state,
  started: timeText(at),
  ended: ended === undefined ? null : timeText(ended),
  user: str(asked.get('user') ?? ''),
  mods: toJson(asked.get('mods') ?? null),
})

export function addRunRoutes(site: V1App, { master }: ApiService): void {
  const store = () => master.access.stores.orchestrations()
  const known = (jid: string): OrchestrationRun => {
    const run = store().run(jid)
    if (!run) throw new HttpError(404, 'There is no such run')
    return run
  }
  site.openapi(runs, async (c) => {
    const { limit, cursor } = c.req.valid('query')
    await c.var.call.need('runner', 'state.orchestrate_runs')
    const found = store().runsBefore(placeShape(cursor, 1)?.[0] ?? '~', limit + 1)
    const turn = slices()
    const items = []
    for (const run of found.slice(0, limit)) {
      items.push({ ...runOf(run), steps: store().counts(run.jid) })
      await turn()
    }
    return c.json({ items, next: found.length > limit ? cursorOf([items.at(-1)!.jid]) : null }, 200)
  })
  site.openapi(oneRun, async (c) => {
    const { jid } = c.req.valid('param')
    await c.var.call.need('runner', 'state.orchestrate_show', { jid })
    const run = known(jid)
    const steps = stepsOf(run, store().planOf(jid), store().steps(jid))
    const asked = toJson(maskSecrets(run.asked)) as Record<string, unknown>
    return c.json({ ...runOf(run), resumable: isResumable(run), asked, steps }, 200)
  })
  site.openapi(resume, async (c) => {
    const { jid } = c.req.valid('param')
    const { skip = [], retry = [] } = c.req.valid('json')
    const { call } = c.var
    await call.need('runner', 'state.orchestrate_resume', { jid, skip, retry })
    const run = known(jid)
    if (run.state === 'running') throw new HttpError(422, 'The run has not ended')
    if (!isResumable(run) && retry.length === 0) throw new HttpError(422, 'The run succeeded; name steps to run again')
    const keys = new Set([...store().planOf(jid), ...store().steps(jid)].map(({ tag }) => tag))
    const wrong = Object.entries({ skip, retry }).find(([, tags]) => tags.some((tag) => !keys.has(tag)))
    if (wrong) throw new BadFields([{ field: wrong[0], reason: 'names a step that the run does not have' }], 422)
    const kwarg = new Map<Value, Value>([['jid', jid]]).set('skip', skip).set('retry', retry)
    const begun = await call.run({ client: 'runner_async', fun: 'state.orchestrate_resume', arg: [], kwarg })
    const text = (name: string): string => str((isDict(begun) && begun.get(name)) || '')
    return c.json({ jid: text('jid'), tag: text('tag') }, 202)
  })
}

const isResumable = ({ state }: OrchestrationRun): boolean => state === 'failed' || state === 'interrupted'

type ShownStep = z.infer<typeof Step>

/** Return the steps of a run: the planned ones in order, then unplanned ones, such as listeners. */
function stepsOf(run: OrchestrationRun, plan: readonly PlannedStep[], made: readonly OrchestrationStep[]): ShownStep[] {
  const byTag = new Map(made.map((step) => [step.tag, step]))
  const planned = new Set(plan.map(({ tag }) => tag))
  const unplanned = made.filter(({ tag }) => !planned.has(tag)).map(({ tag }) => ({ tag, requires: [] }))
  return [...plan, ...unplanned].map((step, order) => shownStep(run, step, order, byTag.get(step.tag)))
}

function shownStep(
  run: OrchestrationRun,
  { tag, place, requires }: PlannedStep,
  order: number,
  made: OrchestrationStep | undefined,
): ShownStep {
  const [module = '', name = '', , fun = ''] = tag.split('_|-')
  const state = stateOf(run, made)
  const duration = numberOf(made?.result?.get('duration') ?? null) ?? null
  return {
    step: tag,
    key: tag,
    function: `${module}.${fun}`,
    name,
    order,
    requires,
    state,
    skippable: isResumable(run) && state !== 'succeeded',
    started: made ? timeText(made.at) : null,
    ended: made?.ended === undefined ? null : timeText(made.ended),
    duration,
    place: made?.place ?? place ?? null,
    comment: toJson(made?.result?.get('comment') ?? null),
    jobs: made?.jobs ?? [],
  }
}

function stateOf(run: OrchestrationRun, made: OrchestrationStep | undefined): ShownStep['state'] {
  if (!made) return run.state === 'running' ? 'waiting' : 'skipped'
  if (!made.result) return run.state === 'running' ? 'running' : 'failed'
  return made.result.get('result') === false ? 'failed' : 'succeeded'
}
