// The results of a job on many minions: `/v1/jobs/{jid}/matrix` and `/v1/jobs/{jid}/groups`. The rights are those for
// the runner function `jobs.lookup_jid`; users may always see their own jobs.
import { createRoute, z } from '@hono/zod-openapi'
import { newJid } from '../../base/mod.ts'
import { masterContext } from '../../runner/mod.ts'
import { StatePlaces } from '../../sdk/mod.ts'
import type { ApiService } from '../service.ts'
import type { V1App } from './call.ts'
import { type Column, type Group, JobMatrices, type JobMatrix } from './job-matrix.ts'
import { visibleJob } from './jobs.ts'
import { timeText, toJson } from './json.ts'
import { BadFields, refusals } from './problems.ts'
import { Any, answer, cursorOf, Jid, limitOf, placeShape, Time } from './shapes.ts'
import { slices } from './slices.ts'
import { returnValue } from './state-scan.ts'

/** Milliseconds after which an answer has the returns that were read by then; the first one is short, so that a page shows something. */
const PATIENCE_MS = 1000
const FIRST_MS = 100

const State = z
  .object({
    key: z.string().openapi({ description: 'The key of the state in the return of a minion' }),
    id: z.string(),
    name: z.string(),
    function: z.string().openapi({ example: 'pkg.installed' }),
    sls: z.string(),
    place: z.string().nullable().openapi({ description: 'The file and line that the state is written in' }),
    order: z.int().openapi({ description: 'The lowest number that the state had in the run of a minion' }),
  })
  .openapi('MatrixState')

const RowSchema = z
  .object({
    minion: z.string(),
    cells: z.string().openapi({
      description:
        'One character for each state: `.` none, `s` succeeded without changes, `c` changed, `f` failed, `t` would change, `k` not run. The rest of a short text is `.`. `!` alone: the return is no result of states',
    }),
    group: z.int(),
    duration: z.number().openapi({ description: 'Milliseconds that the states took' }),
    returned: Time,
  })
  .openapi('MatrixRow')

const GroupSchema = z
  .object({
    group: z.int(),
    digest: z.string(),
    minions: z.int(),
    succeeded: z.boolean(),
    changed: z.int(),
    failed: z.int(),
    sample: z.string().openapi({ description: 'A minion of the group' }),
    text: z.string().openapi({ description: 'A summary of one line' }),
  })
  .openapi('ReturnGroup')

const more = z.boolean().openapi({ description: 'Whether there are returns that this answer lacks: ask again' })

const waiting = z.int().openapi({ description: 'Minions that have not returned' })

const Matrix = z
  .object({
    jid: z.string(),
    states: z
      .array(State)
      .openapi({ description: 'The columns, of all minions. New ones come at the end; at most 2000' }),
    rows: z.array(RowSchema).openapi({ description: 'In the order in which the minions returned' }),
    groups: z.array(GroupSchema).openapi({ description: 'Minions with the same results' }),
    waiting,
    more,
    cursor: z.string().openapi({ description: '`after` of a request for the rows that come later' }),
  })
  .openapi('JobMatrix')

const matrix = createRoute({
  method: 'get',
  path: '/v1/jobs/{jid}/matrix',
  operationId: 'getJobMatrix',
  summary: 'Show the states of a job on all its minions',
  description:
    'Equals the runner function `jobs.lookup_jid`. With `after`, rows that came since; columns and groups always come whole. Two results are the same where only times, process ids and job ids differ.',
  tags: ['Jobs'],
  request: {
    params: z.object({ jid: Jid }),
    query: z.strictObject({
      after: z
        .string()
        .max(100)
        .regex(/^[\w-]*$/, 'is no cursor')
        .optional()
        .openapi({ description: '`cursor` of an earlier answer' }),
      limit: limitOf(10_000, 5000).openapi({ description: 'Most rows' }),
    }),
  },
  responses: { 200: answer(Matrix, 'The matrix'), ...refusals(400, 401, 403, 404) },
})

const FullGroup = GroupSchema.extend({
  value: Any.openapi({ description: 'The return of the sample; null where it is too large' }),
  truncated: z.boolean().openapi({ description: 'Whether the value was too large' }),
  minionIds: z.array(z.string()).openapi({ description: 'At most 1000 of them' }),
}).openapi('ReturnGroupDetails')

const groups = createRoute({
  method: 'get',
  path: '/v1/jobs/{jid}/groups',
  operationId: 'listReturnGroups',
  summary: 'List groups of minions that returned the same',
  description:
    'Equals the runner function `jobs.lookup_jid`, for jobs of any function. Two results of states are the same where only times, process ids and job ids differ.',
  tags: ['Jobs'],
  request: { params: z.object({ jid: Jid }) },
  responses: {
    200: answer(
      z.object({ jid: z.string(), groups: z.array(FullGroup), waiting, more }).openapi('ReturnGroups'),
      'The groups, the largest first',
    ),
    ...refusals(400, 401, 403, 404),
  },
})

const MOST_IDS = 1000
/** Packed bytes of one value, and of all values of an answer. */
const LARGEST_VALUE = 256 * 1024
const VALUES_BYTES = 8 * 1024 * 1024

export function addMatrixRoutes(site: V1App, service: ApiService): void {
  const { access } = service.master
  const { ledger } = access.stores.jobs
  const matrices = new JobMatrices(access.stores)
  site.openapi(matrix, async (c) => {
    const { jid } = c.req.valid('param')
    const { after, limit } = c.req.valid('query')
    await visibleJob(c.var.call, jid, 'jobs.lookup_jid')
    const found = matrices.of(jid)
    const isCut = await found.follow(after === undefined ? FIRST_MS : PATIENCE_MS)
    const number = numberIn(after)
    const from = firstAfter(found, number)
    const rows = found.rows.slice(from, from + limit)
    await findPlaces(service, c.var.call.user, found.columns)
    const { total, returned } = ledger.fact(jid)!
    return c.json(
      {
        jid,
        states: found.columns.map(({ place = null, ...column }) => ({ ...column, place })),
        rows: rows.map(({ number: _number, came, ...row }) => ({ ...row, returned: timeText(came) })),
        groups: [...found.groups],
        waiting: Math.max(0, total - returned),
        more: isCut || found.rows.length > from + limit,
        cursor: cursorOf([String(rows.at(-1)?.number ?? number)]),
      },
      200,
    )
  })
  site.openapi(groups, async (c) => {
    const { jid } = c.req.valid('param')
    await visibleJob(c.var.call, jid, 'jobs.lookup_jid')
    const found = matrices.of(jid)
    const isCut = await found.follow(PATIENCE_MS)
    const { total, returned } = ledger.fact(jid)!
    const all = await detailed(found, (id) => ledger.bytesOf(jid, id))
    return c.json({ jid, groups: all, waiting: Math.max(0, total - returned), more: isCut }, 200)
  })
}

function numberIn(cursor: string | undefined): number {
  const number = Number(placeShape(cursor, 1)?.[0] ?? 0)
  if (!Number.isSafeInteger(number)) throw new BadFields([{ field: 'after', reason: 'is no cursor of this matrix' }])
  return number
}

/** The index of the first row after the number of a return. */
function firstAfter({ rows }: JobMatrix, number: number): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]!.number > number) high = middle
    else low = middle + 1
  }
  return low
}

/** Find the places of states that were not looked for before. Each SLS file is read once. */
async function findPlaces({ master }: ApiService, user: string, columns: readonly Column[]): Promise<void> {
  const fresh = columns.filter(({ place }) => place === undefined)
  if (fresh.length === 0) return
  const places = new StatePlaces(masterContext(master.access, { jid: newJid(), user, tag: 'salt/run' }))
  const turn = slices()
  for (const column of fresh) {
    column.place = (await places.find(column.sls, column.id)) ?? null
    await turn()
  }
}

/** Return groups with their minions and values, the largest group first. */
async function detailed({ groups, rows }: JobMatrix, bytesOf: (id: string) => Uint8Array | undefined) {
  const ids = groups.map((): string[] => [])
  for (const { minion, group } of rows) if (ids[group]!.length < MOST_IDS) ids[group]!.push(minion)
  const turn = slices()
  const found: Array<Group & { value: unknown; truncated: boolean; minionIds: string[] }> = []
  let bytes = 0
  for (const group of [...groups].sort((a, b) => b.minions - a.minions)) {
    const packed = bytesOf(group.sample) ?? new Uint8Array()
    const isLarge = packed.length > LARGEST_VALUE || bytes + packed.length > VALUES_BYTES
    if (!isLarge) bytes += packed.length
    const value = isLarge ? null : toJson(returnValue(packed))
    found.push({ ...group, value, truncated: isLarge, minionIds: ids[group.group]!.sort() })
    await turn()
  }
  return found
}
