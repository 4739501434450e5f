// The returns of a job: `/v1/jobs/{jid}/returns`. Equals the runner function `jobs.lookup_jid`; a user always may see the returns of
// the jobs that the user began.
import { setImmediate as nextTick } from 'node:timers/promises'
import { createRoute, z } from '@hono/zod-openapi'
import { type Dict, numberOf } from '../../data/mod.ts'
import { readHints } from '../../sdk/mod.ts'
import type { LedgerOutcome } from '../../store/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { visibleJob } from './jobs.ts'
import { timeText, toJson } from './json.ts'
import { refusals } from './problems.ts'
import { Any, answer, cursorOf, Jid, MinionId, pageOf, paging, placeShape, Time } from './shapes.ts'

const Return = z
  .object({
    minion: z.string(),
    succeeded: z.boolean(),
    returned: Time,
    retcode: z.number().optional(),
    hints: z
      .array(
        z.object({
          level: z.enum(['warning', 'error']),
          text: z.string(),
          at: z.string().optional().openapi({ description: 'The file and line that the hint is about' }),
        }),
      )
      .optional()
      .openapi({ description: 'What the minion tells beside the value, such as a keyword that may be misspelt' }),
    value: Any.optional().openapi({ description: 'What the function returned; not with format=summary' }),
  })
  .openapi('Return')

const tags = ['Jobs']

/** Size limit of a page in bytes: with large returns, a page has fewer of them. */
const PAGE_BYTES = 8 * 1024 * 1024

const list = createRoute({
  method: 'get',
  path: '/v1/jobs/{jid}/returns',
  operationId: 'listReturns',
  summary: 'List the returns of a job, by minion',
  description: 'Equals the runner function `jobs.lookup_jid`. A page of large returns has fewer of them than `limit`.',
  tags,
  request: {
    params: z.object({ jid: Jid }),
    query: z.strictObject({ format: z.enum(['full', 'summary']).default('full'), ...paging }),
  },
  responses: {
    200: answer(pageOf(Return).openapi('ReturnList'), 'A page of returns'),
    ...refusals(400, 401, 403, 404),
  },
})

const one = createRoute({
  method: 'get',
  path: '/v1/jobs/{jid}/returns/{minion}',
  operationId: 'getReturn',
  summary: 'Show the return of one minion',
  description: 'Equals the runner function `jobs.lookup_jid`.',
  tags,
  request: { params: z.object({ jid: Jid, minion: MinionId }) },
  responses: { 200: answer(Return, 'The return'), ...refusals(400, 401, 403, 404) },
})

const summary = ({ id, isFailed, came }: LedgerOutcome) => ({
  minion: id,
  succeeded: !isFailed,
  returned: timeText(came),
})

function full(outcome: LedgerOutcome, data: Dict) {
  const retcode = numberOf(data.get('retcode') ?? null)
  const value = toJson(data.get('return') ?? null)
  const { hints } = readHints(data)
  return {
    ...summary(outcome),
    ...(retcode !== undefined && { retcode: Number(retcode) }),
    ...(hints.length > 0 && { hints }),
    value,
  }
}

export function addReturnRoutes(site: V1App, service: ApiService): void {
  const { jobs } = service.master.access.stores
  site.openapi(list, async (c) => {
    const { jid } = c.req.valid('param')
    const { format, limit, cursor } = c.req.valid('query')
    await visibleJob(c.var.call, jid, 'jobs.lookup_jid')
    const outcomes = jobs.ledger.outcomes(jid, limit + 1, placeShape(cursor, 1)?.[0])
    const items = []
    let bytes = 0
    for (const outcome of outcomes.slice(0, limit)) {
      if (format === 'summary') items.push(summary(outcome))
      else {
        bytes += jobs.ledger.sizeOf(jid, outcome.id)
        if (bytes > PAGE_BYTES && items.length > 0) break
        items.push(full(outcome, jobs.returnOf(jid, outcome.id) ?? new Map()))
        await nextTick()
      }
    }
    const last = items.at(-1)
    return c.json({ items, next: last && outcomes.length > items.length ? cursorOf([last.minion]) : null }, 200)
  })
  site.openapi(one, async (c) => {
    const { jid, minion } = c.req.valid('param')
    await visibleJob(c.var.call, jid, 'jobs.lookup_jid')
    const [outcome, data] = [jobs.ledger.outcomeOf(jid, minion), jobs.returnOf(jid, minion)]
    if (!outcome || !data) throw new HttpError(404, 'The minion has not returned this job')
    return c.json(full(outcome, data), 200)
  })
}
