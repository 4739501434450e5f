// Causes and consequences of a job or an event as a tree: `/v1/traces`. Equals the runner function `trace.show`.
import { createRoute, z } from '@hono/zod-openapi'
import { isJid, lookup, newJid } from '../../base/mod.ts'
import { type Dict, fnmatch, isDict, isList, str, type Value } from '../../data/mod.ts'
import { masterContext } from '../../runner/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiService } from '../service.ts'
import type { V1App, V1Call } from './call.ts'
import { timeText, toJson } from './json.ts'
import { refusals } from './problems.ts'
import { Any, answer, globShape, Jid, Time } from './shapes.ts'
import { slices } from './slices.ts'

export interface TraceNode {
  kind: string
  title: string
  place: string | null
  when: string | null
  jid: string | null
  event: number | null
  minion: string | null
  state: 'ok' | 'failed' | 'running' | null
  detail: unknown
  asked: boolean
  children: TraceNode[]
}

const Node: z.ZodType<TraceNode> = z
  .object({
    kind: z.string().openapi({
      description:
        'event, reaction, call, job, orchestration, step, minion, minions, state, states, beacon, schedule, user or syndic',
    }),
    title: z.string(),
    place: z.string().nullable().openapi({ description: 'The file and line that it is written in' }),
    when: Time.nullable(),
    jid: z.string().nullable(),
    event: z.int().nullable().openapi({ description: 'The number of an event in the journal' }),
    minion: z.string().nullable(),
    state: z.enum(['ok', 'failed', 'running']).nullable(),
    detail: Any.openapi({ description: 'The error, the changes or the result' }),
    asked: z.boolean().openapi({ description: 'Whether the request asked for this job or event' }),
    get children() {
      return z.array(Node)
    },
  })
  .openapi('TraceNode') as never

const Trace = z.object({ root: Node }).openapi('Trace')

const description =
  'Equals the runner function `trace.show`. The root is the first cause; the children of a node are its consequences. Of a job the tree has at most 200 minions, failed ones first; a node `minions` stands for the others.'

const ofJob = createRoute({
  method: 'get',
  path: '/v1/traces/{jid}',
  operationId: 'getTrace',
  summary: 'Show the causes and consequences of a job',
  description,
  tags: ['Jobs'],
  request: { params: z.object({ jid: Jid }) },
  responses: { 200: answer(Trace, 'The tree'), ...refusals(400, 401, 403, 404) },
})

const found = createRoute({
  method: 'get',
  path: '/v1/traces',
  operationId: 'findTrace',
  summary: 'Show the causes and consequences of a job or an event',
  description,
  tags: ['Jobs'],
  request: {
    query: z.strictObject({
      what: globShape(1000).openapi({
        description: 'A job id, the number of an event, or a tag or glob of tags, which means the last matching event',
      }),
    }),
  },
  responses: { 200: answer(Trace, 'The tree'), ...refusals(400, 401, 403, 404) },
})

export function addTraceRoutes(site: V1App, service: ApiService): void {
  site.openapi(ofJob, async (c) => {
    const { jid } = c.req.valid('param')
    await c.var.call.need('runner', 'trace.show', { what: jid })
    return c.json({ root: await traceOf(c.var.call, service, jid) }, 200)
  })
  site.openapi(found, async (c) => {
    const { what } = c.req.valid('query')
    await c.var.call.need('runner', 'trace.show', { what })
    return c.json({ root: await traceOf(c.var.call, service, what) }, 200)
  })
}

async function traceOf(call: V1Call, { master }: ApiService, what: string): Promise<TraceNode> {
  const { access } = master
  const { stores } = access
  const wanted = isJid(what) ? what : await eventNumber(stores, what)
  if (typeof wanted === 'string' && !stores.jobs.ledger.fact(wanted) && !stores.orchestrations().run(wanted)) {
    throw new HttpError(404, 'There is no such job')
  }
  // without the events of a call: the function only reads
  const ctx = masterContext(access, { jid: newJid(), user: call.user, tag: 'salt/run' })
  const chain = await access.functions.runners.call(ctx, 'trace.show', [String(wanted), MOST_MINIONS])
  return new Tree(stores, wanted).node(isDict(chain) ? chain : new Map(), null)
}

/** Minions of each job that a tree has. */
const MOST_MINIONS = 200

/** Events of the journal that a request for a tag looks at. */
const MOST_SCANNED = 200_000
/** Tags that are looked at between two turns. */
const SLICE = 200

/** Return the number of an event: the number itself, or that of the last event with a tag. */
async function eventNumber(stores: Stores, what: string): Promise<number> {
  const number = /^\d{1,15}$/.test(what) ? Number(what) : undefined
  if (number !== undefined) {
    const [event] = stores.journal().from({ number }, { upTo: number })
    if (event) return number
    throw new HttpError(404, 'There is no such event in the journal')
  }
  let looked = 0
  const turn = slices()
  const filter = (tag: string): boolean => ++looked % SLICE === 0 || fnmatch(tag, what)
  for (const event of stores.journal().back({ filter })) {
    if (fnmatch(event.tag, what)) return event.number
    if (looked >= MOST_SCANNED) break
    await turn()
  }
  throw new HttpError(404, `There is no event with this tag among the last ${looked} of the journal`)
}

type Stores = ApiService['master']['access']['stores']

const STATES: Readonly<Record<string, TraceNode['state']>> = lookup({
  done: 'ok',
  changed: 'ok',
  succeeded: 'ok',
  'no calls': 'ok',
  failed: 'failed',
  interrupted: 'failed',
  begun: 'running',
  running: 'running',
  waiting: 'running',
})

/** The links of a chain as nodes. The first node for the requested job or event is marked. */
class Tree {
  private readonly stores: Stores
  private readonly wanted: string | number
  private isFound = false

  constructor(stores: Stores, wanted: string | number) {
    this.stores = stores
    this.wanted = wanted
  }

  /** `minion` is the minion that the link above is about. */
  node(link: Dict, minion: string | null): TraceNode {
    const text = (name: string): string | null => (link.has(name) ? str(link.get(name)!) : null)
    const kind = text('link') ?? ''
    const title = text('what') ?? ''
    const number = link.get('number') ?? null
    const jid = kind === 'job' && number !== null ? str(number) : null
    const event = kind === 'event' && typeof number === 'number' ? number : null
    const own = kind === 'minion' ? title : minion
    const isAsked = !this.isFound && (typeof this.wanted === 'string' ? jid : event) === this.wanted
    this.isFound ||= isAsked
    const next = link.get('next') ?? []
    return {
      kind,
      title,
      place: text('place'),
      when: this.timeOf(kind, number, text('time')),
      jid,
      event,
      minion: own,
      state: stateOf(text('state')) ?? this.stateOfJob(jid),
      detail: toJson(link.get('error') ?? link.get('detail') ?? null),
      asked: isAsked,
      children: isList(next) ? next.filter(isDict).map((each) => this.node(each, own)) : [],
    }
  }

  private stateOfJob(jid: string | null): TraceNode['state'] {
    return jid === null ? null : stateOf(this.stores.jobs.ledger.fact(jid)?.state ?? null)
  }

  private timeOf(kind: string, number: Value, stamp: string | null): string | null {
    if (stamp !== null) return isoTime(stamp)
    if (kind === 'job') return timeOrNull(this.stores.jobs.ledger.fact(str(number))?.made)
    return kind === 'reaction' ? timeOrNull(this.stores.reactions().one(Number(number))?.at) : null
  }
}

const timeOrNull = (seconds: number | undefined): string | null => (seconds === undefined ? null : timeText(seconds))

/** Return the stamp of an event, which has no zone and means UTC, as a time of ISO 8601. */
function isoTime(stamp: string): string | null {
  const moment = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(stamp) ? stamp : `${stamp}Z`)
  return Number.isNaN(moment) ? null : timeText(moment / 1000)
}

function stateOf(word: string | null): TraceNode['state'] {
  if (word === null) return null
  if (word.startsWith('no return')) return /failed|lost|gone/.test(word) ? 'failed' : 'running'
  return STATES[word] ?? null
}
