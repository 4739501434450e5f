// The reactor: its rules, a dry run of them, and its reactions. The rights are those for the runner functions
// `reactor.list`, `reactor.test` and `reactor.trace`.
import { createRoute, z } from '@hono/zod-openapi'
import { newJid } from '../../base/mod.ts'
import { originText } from '../../bus/mod.ts'
import { type Dict, isDict, isList, SaltError, str, type Value } from '../../data/mod.ts'
import { masterContext } from '../../runner/mod.ts'
import type { KeptReaction } from '../../store/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App, V1Call } from './call.ts'
import { timeText, toJson } from './json.ts'
import { askOwnMaster } from './master-parts.ts'
import { BadFields, refusals } from './problems.ts'
import { ReactionCounts, stateOfReaction } from './reaction-counts.ts'
import { Any, answer, body, cursorOf, line, pageOf, paging, placeShape, Time } from './shapes.ts'

const tags = ['Reactor']

const Rule = z
  .object({
    tag: z.string().openapi({ description: 'A glob of tags' }),
    origin: z.string().optional().openapi({ description: 'Senders that the rule is for, such as `minion:web*`' }),
    files: z.array(z.string()).openapi({ description: 'The SLS files that answer the event' }),
    place: z
      .string()
      .nullable()
      .openapi({ description: 'The file and line of the rule; null for a rule that was added while the master runs' }),
    hits: z.int().openapi({ description: 'Reactions of this rule that are kept' }),
    errors: z.int().openapi({ description: 'Those that failed' }),
    lastHit: Time.nullable(),
    lastError: z.string().nullable(),
  })
  .openapi('ReactorRule')

const rules = createRoute({
  method: 'get',
  path: '/v1/reactor',
  operationId: 'listReactorRules',
  summary: 'List the rules of the reactor with counts',
  description: 'Equals the runner function `reactor.list`.',
  tags,
  responses: {
    200: answer(pageOf(Rule).openapi('ReactorRuleList'), 'All rules, in their order'),
    ...refusals(401, 403),
  },
})

const Tested = z
  .strictObject({
    event: z.int().min(1).optional().openapi({ description: 'The number of an event of the journal' }),
    tag: line(1000).optional(),
    data: z.record(z.string().max(200), Any).optional(),
    origin: line(300).optional().openapi({ description: 'The sender, such as `minion:web1`. Default: user' }),
  })
  .openapi('TestedEvent')

const PlannedCall = z.object({
  id: z.string(),
  kind: z.string().openapi({ example: 'local' }),
  function: z.string(),
  target: Any,
  args: z.array(Any),
  kwargs: z.record(z.string(), Any),
  file: z.string().nullable(),
  error: z.string().nullable(),
})

const Preview = z
  .object({
    matched: z.array(z.object({ tag: z.string(), files: z.array(z.string()) })),
    calls: z.array(PlannedCall),
    errors: z.array(z.string()),
  })
  .openapi('ReactorPreview')

const test = createRoute({
  method: 'post',
  path: '/v1/reactor/test',
  operationId: 'testReactor',
  summary: 'Show what the reactor would do for an event',
  description:
    'Equals the runner function `reactor.test`: the files are rendered, and no call is made. Send `tag` and `data`, or `event`, which also needs the right to call the runner function `state.event`.',
  tags,
  request: { body: body(Tested) },
  responses: { 200: answer(Preview, 'What would be done'), ...refusals(400, 401, 403, 404, 413, 415, 422) },
})

const ReactionCall = z.object({
  kind: z.string().openapi({ description: 'local, runner, wheel or caller' }),
  function: z.string(),
  target: Any,
  jid: z.string().nullable(),
  result: Any,
  error: z.string().nullable(),
})

const Reaction = z
  .object({
    reaction: z.int().openapi({ description: 'The number of the reaction' }),
    tag: z.string(),
    when: Time,
    event: z.int().nullable().openapi({ description: 'The number of the event in the journal' }),
    file: z.string().nullable().openapi({ description: 'The first file that answered the event' }),
    state: z.enum(['done', 'failed', 'running']),
    calls: z.array(ReactionCall),
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
  tags,
  request: {
    query: z.strictObject({ tag: line(1000).optional().openapi({ description: 'The tag of the event' }), ...paging }),
  },
  responses: {
    200: answer(pageOf(Reaction).openapi('ReactionList'), 'A page of reactions'),
    ...refusals(400, 401, 403),
  },
})

export function addReactorRoutes(site: V1App, service: ApiService): void {
  const { stores } = service.master.access
  const counts = new ReactionCounts(() => stores.reactions())
  site.openapi(rules, async (c) => {
    await c.var.call.need('runner', 'reactor.list')
    const [known] = await Promise.all([askOwnMaster(service, 'reactor_rules'), counts.follow()])
    return c.json({ items: known.map((rule) => ruleOf(rule, counts)), next: null }, 200)
  })
  site.openapi(test, async (c) => {
    const { call } = c.var
    const { tag, data, origin } = await testedEvent(call, service, c.req.valid('json').event)
    await call.need('runner', 'reactor.test', { tag, data, origin })
    return c.json(await previewOf(service, call.user, [tag, data, origin]), 200)
  })
  site.openapi(reactions, async (c) => {
    const { tag, limit, cursor } = c.req.valid('query')
    await c.var.call.need('runner', 'reactor.trace', tag === undefined ? {} : { what: tag })
    const before = Number(placeShape(cursor, 1)?.[0] ?? Number.MAX_SAFE_INTEGER)
    if (!Number.isSafeInteger(before)) throw new BadFields([{ field: 'cursor', reason: 'is no cursor of this list' }])
    const found = stores.reactions().before(before, limit + 1, tag)
    const items = found.slice(0, limit).map(reactionOf)
    return c.json({ items, next: found.length > limit ? cursorOf([String(items.at(-1)!.reaction)]) : null }, 200)
  })
}

const textsIn = (value: Value | undefined): string[] => (value !== undefined && isList(value) ? value.map(str) : [])
const dictsIn = (value: Value | undefined): Dict[] => (value !== undefined && isList(value) ? value.filter(isDict) : [])
const textOrNull = (value: Value | undefined): string | null =>
  value === undefined || value === null ? null : str(value)

function ruleOf(rule: Dict, counts: ReactionCounts): z.infer<typeof Rule> {
  const tag = str(rule.get('tag') ?? '')
  const origins = textsIn(rule.get('origins'))
  const { hits, errors, lastHit, lastError } = counts.of(tag)
  return {
    tag,
    ...(origins.length > 0 && { origin: origins.join(', ') }),
    files: textsIn(rule.get('files')),
    place: textOrNull(rule.get('place')),
    hits,
    errors,
    lastHit: lastHit === undefined ? null : timeText(lastHit),
    lastError: lastError ?? null,
  }
}

/** Return the event of a request: of the journal, or as the caller describes it. */
async function testedEvent(
  call: V1Call,
  { master }: ApiService,
  number: number | undefined,
): Promise<{ tag: string; data: Value; origin: string }> {
  const given = call.body
  if (number === undefined) {
    const tag = given.get('tag')
    if (tag === undefined) throw new BadFields([{ field: 'tag', reason: 'is missing: send an event or a tag' }])
    return { tag: str(tag), data: given.get('data') ?? new Map(), origin: str(given.get('origin') ?? 'user') }
  }
  const other = ['tag', 'data', 'origin'].find((field) => given.has(field))
  if (other !== undefined) throw new BadFields([{ field: other, reason: 'cannot be sent together with an event' }])
  await call.need('runner', 'state.event')
  const [event] = master.access.stores.journal().from({ number }, { upTo: number })
  if (!event) throw new HttpError(404, 'There is no such event in the journal')
  return { tag: event.tag, data: event.data, origin: originText(event.origin) }
}

async function previewOf({ master }: ApiService, user: string, args: Value[]): Promise<z.infer<typeof Preview>> {
  const { access } = master
  const ctx = masterContext(access, { jid: newJid(), user, tag: 'salt/run' })
  let shown: Value
  try {
    shown = await access.functions.runners.call(ctx, 'reactor.test', args)
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    throw new HttpError(422, `The event cannot be tested: ${error.message}`, error)
  }
  const preview: Dict = isDict(shown) ? shown : new Map()
  return {
    matched: dictsIn(preview.get('rules')).flatMap((rule) =>
      [...rule].map(([tag, files]) => ({ tag: str(tag), files: textsIn(files) })),
    ),
    calls: dictsIn(preview.get('calls')).map(plannedCall),
    errors: textsIn(preview.get('errors')),
  }
}

function plannedCall(call: Dict): z.infer<typeof PlannedCall> {
  const [kind = '', ...fun] = str(call.get('call') ?? '').split('.')
  const args = toJson(call.get('args') ?? [])
  return {
    id: str(call.get('id') ?? ''),
    kind,
    function: fun.join('.'),
    target: toJson(call.get('tgt') ?? null),
    args: Array.isArray(args) ? args : [],
    kwargs: (toJson(call.get('kwargs') ?? new Map()) ?? {}) as Record<string, unknown>,
    file: textOrNull(call.get('file')),
    error: textOrNull(call.get('error')),
  }
}

function reactionOf({ id, at, record }: KeptReaction): z.infer<typeof Reaction> {
  const event = record.get('event') ?? null
  const [file] = dictsIn(record.get('files'))
  return {
    reaction: id,
    tag: str(record.get('tag') ?? ''),
    when: timeText(at),
    event: typeof event === 'number' ? event : null,
    file: textOrNull(file?.get('file')),
    state: stateOfReaction(record),
    calls: dictsIn(record.get('calls')).map((call) => ({
      kind: str(call.get('type') ?? ''),
      function: str(call.get('fun') ?? ''),
      target: toJson(call.get('tgt') ?? null),
      jid: textOrNull(call.get('jid')),
      result: toJson(call.get('result') ?? null),
      error: textOrNull(call.get('error')),
    })),
    record: toJson(record) as Record<string, unknown>,
  }
}
