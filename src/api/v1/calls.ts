// Calls of functions of the master: `/v1/calls`. They run like runner or wheel functions, with the rights of the
// caller.
import { createRoute, z } from '@hono/zod-openapi'
import { isDict, str, type Value } from '../../data/mod.ts'
import type { ApiService } from '../service.ts'
import type { V1App, V1Call } from './call.ts'
import { toJson } from './json.ts'
import { BadFields, refusals } from './problems.ts'
import { Any, answer, body, FunctionName } from './shapes.ts'

const LONGEST_WAIT = 3600

const NewCall = z
  .strictObject({
    client: z.enum(['runner', 'wheel']),
    function: FunctionName,
    args: z.array(Any).max(1000).optional(),
    kwargs: z.record(z.string().max(200), Any).optional(),
    wait: z.boolean().default(true).openapi({ description: 'Whether to answer when the function has ended' }),
    timeout: z
      .number()
      .min(0)
      .max(LONGEST_WAIT)
      .optional()
      .openapi({ description: 'Most seconds to wait for a runner' }),
  })
  .openapi('NewCall')

const Result = z.object({ jid: z.string(), succeeded: z.boolean(), value: Any }).openapi('CallResult')

const Begun = z
  .object({ jid: z.string(), tag: z.string().openapi({ description: 'Events of the call have tags below this one' }) })
  .openapi('BegunCall')

const route = createRoute({
  method: 'post',
  path: '/v1/calls',
  operationId: 'callFunction',
  summary: 'Call a runner or wheel function',
  description: 'The caller needs the right to call the function with these arguments.',
  tags: ['Calls'],
  request: { body: body(NewCall) },
  responses: {
    200: answer(Result, 'The function has ended'),
    202: answer(Begun, 'The function has begun'),
    ...refusals(400, 401, 403, 413, 415, 504),
  },
})

export function addCallRoutes(site: V1App, service: ApiService): void {
  site.openapi(route, async (c) => {
    const { client, function: fun, wait, timeout } = c.req.valid('json')
    if (!service.master.access.functions.of(client).has(fun)) {
      throw new BadFields([{ field: 'function', reason: `is no ${client} function` }])
    }
    const name = wait ? client : (`${client}_async` as const)
    const done = await answerOf(c.var.call, name, fun, timeout)
    if (!wait) return c.json({ jid: str(done.get('jid') ?? ''), tag: str(done.get('tag') ?? '') }, 202)
    const data = done.get('data') ?? null
    const result = isDict(data) ? data : new Map<Value, Value>()
    const value = toJson(result.get('return') ?? null)
    return c.json({ jid: str(result.get('jid') ?? ''), succeeded: result.get('success') !== false, value }, 200)
  })
}

async function answerOf(call: V1Call, client: string, fun: string, timeout: number | undefined) {
  const { body: given } = call
  const chunk: Record<string, Value> = {
    client,
    fun,
    arg: given.get('args') ?? [],
    kwarg: given.get('kwargs') ?? new Map(),
  }
  if (client === 'runner') chunk['full_return'] = true
  if (timeout !== undefined) chunk['timeout'] = timeout
  const done = await call.run(chunk)
  return isDict(done) ? done : new Map<Value, Value>()
}
