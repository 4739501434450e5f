// Rights: which functions the caller, or another user, may call and why (`/v1/rights`), and the access lists of all
// users (`/v1/users`). No function is called, and no job begins.
import { createRoute, z } from '@hono/zod-openapi'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, maskSecrets, str, truthy, type Value } from '../../data/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App, V1Call } from './call.ts'
import { toJson } from './json.ts'
import { BadFields, refusals } from './problems.ts'
import { Any, answer, body, FunctionName, line, pageOf } from './shapes.ts'

const MOST_CALLS = 200
const MOST_TARGETS = 20

const AskedCall = z.strictObject({
  family: z.enum(['execution', 'runner', 'wheel']),
  function: FunctionName,
  target: z
    .union([z.string().min(1).max(10_000), z.array(line(255)).min(1).max(1000)])
    .optional()
    .openapi({ description: 'For functions of minions. Without it: whether the function is allowed on any minions' }),
  targetType: z
    .string()
    .max(40)
    .regex(/^[a-z_]+$/)
    .optional()
    .openapi({ example: 'glob' }),
  args: z.array(Any).max(1000).optional(),
  kwargs: z.record(z.string().max(200), Any).optional(),
})

const Asked = z
  .strictObject({
    calls: z.array(AskedCall).min(1).max(MOST_CALLS),
    user: line(256).optional().openapi({ description: 'Another user, with `eauth`' }),
    eauth: line(64).optional().openapi({ description: 'The system of that user; publisher_acl for local users' }),
  })
  .openapi('AskedRights')

const Verdict = z
  .object({
    allowed: z.boolean(),
    rule: z.string().nullable().openapi({ description: 'The entry of the access list that allows the call' }),
    reason: z.string(),
  })
  .openapi('Right')

const Rights = z.object({ items: z.array(Verdict) }).openapi('Rights')

const rights = createRoute({
  method: 'post',
  path: '/v1/rights',
  operationId: 'explainRights',
  summary: 'Tell which calls a user may make, and why',
  description:
    'Judges as a request would be judged, and calls nothing. One item for each call, in their order. To ask about another user needs the right to call the wheel function `config.values`.',
  tags: ['Sessions'],
  request: { body: body(Asked) },
  responses: { 200: answer(Rights, 'The rights'), ...refusals(400, 401, 403, 413, 415, 422) },
})

const User = z
  .object({
    eauth: z.string().openapi({ description: 'A system of external_auth, or publisher_acl' }),
    user: z.string().openapi({ description: 'A user, a pattern of users, `*`, or a group with `%` at its end' }),
    permissions: z.array(Any),
    groups: z.boolean().openapi({ description: 'Whether the entry is for a group' }),
  })
  .openapi('User')

const users = createRoute({
  method: 'get',
  path: '/v1/users',
  operationId: 'listUsers',
  summary: 'List users and groups with their access lists',
  description:
    'The options `external_auth` and `publisher_acl`. Needs the right to call the wheel function `config.values`.',
  tags: ['Master'],
  responses: { 200: answer(pageOf(User).openapi('UserList'), 'All entries'), ...refusals(401, 403) },
})

const CLIENTS = {
  execution: ['local', 'local_async', 'local_batch', 'local_subset'],
  runner: ['runner', 'runner_async'],
  wheel: ['wheel', 'wheel_async'],
} as const

export function addRightRoutes(site: V1App, { master }: ApiService): void {
  site.openapi(rights, async (c) => {
    const { calls, user, eauth } = c.req.valid('json')
    const { call } = c.var
    if ((user === undefined) !== (eauth === undefined)) {
      throw new BadFields([{ field: user === undefined ? 'user' : 'eauth', reason: 'is missing: both or none' }])
    }
    const targets = new Set(calls.map(({ target, targetType }) => JSON.stringify([target, targetType])))
    if (targets.size > MOST_TARGETS) {
      throw new BadFields([{ field: 'calls', reason: `have more than ${MOST_TARGETS} different targets` }])
    }
    if (user !== undefined) await call.need('wheel', 'config.values')
    const verdicts = await verdictsOf(call, user === undefined ? {} : { for_user: user, for_eauth: eauth! })
    // restrictions in the options of the API do not concern the user's rights, but bind the caller too
    const items = calls.map(({ family }, index) => {
      const verdict = verdicts[index] ?? { allowed: false, rule: null, reason: 'The master gave no answer' }
      if (call.isEnabled(CLIENTS[family])) return verdict
      return {
        allowed: false,
        rule: null,
        reason: `The option netapi_enable_clients names no client for ${family} functions`,
      }
    })
    return c.json({ items }, 200)
  })
  site.openapi(users, async (c) => {
    await c.var.call.need('wheel', 'config.values')
    const { opts } = master.access
    const systems = option(opts, 'external_auth')
    const found = isDict(systems) ? [...systems].flatMap(([eauth, rules]) => listed(str(eauth), rules)) : []
    return c.json({ items: [...found, ...listed('publisher_acl', option(opts, 'publisher_acl'))], next: null }, 200)
  })
}

async function verdictsOf(call: V1Call, other: Record<string, Value>) {
  const asked = call.body.get('calls') ?? []
  const calls = (isList(asked) ? asked : []).filter(isDict).map((given) => {
    const load: Dict = new Map<Value, Value>([
      ['family', given.get('family') ?? ''],
      ['fun', given.get('function') ?? ''],
      ['arg', given.get('args') ?? []],
      ['kwarg', given.get('kwargs') ?? new Map()],
    ])
    const target = given.get('target')
    if (target !== undefined)
      load.set('tgt', target).set('tgt_type', isList(target) ? 'list' : (given.get('targetType') ?? 'glob'))
    return load
  })
  let explained: Dict
  try {
    explained = await call.ask({ cmd: 'rights', calls, ...other })
  } catch (error) {
    if (!(error instanceof HttpError) || error.refusal !== 'SaltInvocationError') throw error
    throw new BadFields([{ field: 'for_user' in other ? 'eauth' : 'calls', reason: error.message }], 422)
  }
  const items = explained.get('items') ?? []
  return (isList(items) ? items : []).filter(isDict).map((item) => {
    const rule = item.get('rule') ?? null
    return {
      allowed: truthy(item.get('allowed') ?? false),
      rule: rule === null ? null : str(rule),
      reason: str(item.get('reason') ?? ''),
    }
  })
}

/** Return the entries of one system. Names with `^` are settings of the system. */
function listed(eauth: string, rules: Value): z.infer<typeof User>[] {
  if (!isDict(rules)) return []
  return [...rules].flatMap(([key, entries]) => {
    const user = str(key)
    if (user.startsWith('^')) return []
    const list = isList(entries) ? entries : entries === null ? [] : [entries]
    const permissions = list.map((entry) => toJson(maskSecrets(entry)))
    return [{ eauth, user, permissions, groups: user.endsWith('%') }]
  })
}
