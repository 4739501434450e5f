// `/v1/events`: events as a stream that can be resumed, and past events page by page.
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context, Env } from 'hono'
import { originText } from '../../bus/mod.ts'
import { fnmatch } from '../../data/mod.ts'
import { HttpError } from '../errors.ts'
import { hangUpOf, requestPeer } from '../peer.ts'
import type { ApiService } from '../service.ts'
import { refusals } from '../v1/problems.ts'
import { slices } from '../v1/slices.ts'
import type { EventHub } from './hub.ts'
import { HubEvent } from './hub-event.ts'
import { EventListener, goingOn } from './listener.ts'
import { eventNumber } from './salt-events.ts'
import { STREAM, streamResponse } from './sse.ts'

const MOST_ITEMS = 1000
const MOST_TAGS = 20
const LONGEST_TAG = 200
const MOST_STARS = 3

/** Limit of examined events for one page. */
const MOST_SCANNED = 5000

const Tag = z
  .string()
  .min(1)
  .max(LONGEST_TAG)
  .refine((text) => text.split('*').length - 1 <= MOST_STARS, `has more than ${MOST_STARS} stars`)

const Query = z.object({
  format: z
    .enum(['stream', 'json'])
    .default('stream')
    .openapi({ description: '`stream` for server-sent events, `json` for a page of past events' }),
  since: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional().openapi({
    description: 'The number of the last event that the caller has. A stream without it begins with new events',
  }),
  tag: z
    .union([Tag, z.array(Tag).max(MOST_TAGS)])
    .optional()
    .openapi({ description: 'Globs of tags, such as `salt/job/*`; several may be given' }),
  before: z.coerce
    .number()
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .openapi({ description: 'A page holds the latest events before this number' }),
  origin: Tag.optional().openapi({ description: 'A glob of senders, such as `minion:web*`' }),
  limit: z.coerce.number().int().min(1).max(MOST_ITEMS).default(100).openapi({ description: 'Most events of a page' }),
})

type EventQuery = z.infer<typeof Query>

const EventSchema = z
  .object({
    number: z.int().openapi({ description: 'The place of the event in the journal of the master', example: 4711 }),
    tag: z.string().openapi({ example: 'salt/job/20261116165432123456/new' }),
    data: z.record(z.string(), z.unknown()),
    origin: z
      .object({ kind: z.string(), name: z.string(), proof: z.string() })
      .openapi({ description: 'The sender of the event, and how the sender was recognised' }),
    stamp: z
      .string()
      .openapi({ description: 'When the event was fired, in UTC', example: '2026-11-16T16:54:32.123456+00:00' }),
  })
  .openapi('Event')

const PageSchema = z
  .object({
    items: z.array(EventSchema),
    next: z.int().nullable().openapi({ description: '`since` of the next page; null at the end of the journal' }),
    previous: z.int().nullable().openapi({ description: '`before` of the page before; null where the journal begins' }),
    last: z.int().openapi({ description: 'The number of the last event that was looked at' }),
  })
  .openapi('EventPage')

const route = createRoute({
  method: 'get',
  path: '/v1/events',
  operationId: 'listEvents',
  tags: ['Events'],
  summary: 'Read events',
  description:
    'Stream events as server-sent events with their numbers as ids; a stream resumes by the header `Last-Event-ID` or by `since`. Callers that may call the runner `state.event` see all events, others those of the jobs that they began.',
  request: {
    query: Query,
    headers: z.object({
      'last-event-id': z
        .string()
        .optional()
        .openapi({ description: 'The number of the last event that the caller has' }),
    }),
  },
  responses: {
    200: {
      description: 'Events',
      content: { 'text/event-stream': { schema: z.string() }, 'application/json': { schema: PageSchema } },
    },
    ...refusals(400, 401, 409, 503),
  },
})

/** Add `/v1/events` to an application, whose error handler answers refusals. */
export function addEventRoutes<E extends Env>(app: OpenAPIHono<E>, service: ApiService, hub: EventHub): void {
  app.openapi(route, (async (c: Context<E>) => {
    const query = c.req.valid('query' as never) as EventQuery
    const listener = await EventListener.of(service, { headers: c.req.raw.headers, peer: requestPeer(c) }, 'by-right')
    const wants = eventFilter(query, listener, hub)
    if (query.format === 'json') return pageResponse(service, hub, query, wants)
    return eventStream(c, {
      service,
      hub,
      listener,
      wants,
      after: eventNumber(c.req.header('last-event-id')) ?? query.since,
    })
  }) as never)
}

type EventFilter = (event: HubEvent) => boolean

function eventFilter({ tag, origin }: EventQuery, listener: EventListener, hub: EventHub): EventFilter {
  const globs = tag === undefined ? undefined : [tag].flat()
  return (event) =>
    (!globs || globs.some((glob) => fnmatch(event.tag, glob))) &&
    (origin === undefined || fnmatch(originText(event.origin), origin)) &&
    listener.sees(event, hub)
}

interface OpenedStream {
  service: ApiService
  hub: EventHub
  listener: EventListener
  wants: EventFilter
  /** The number of the last event that the caller has. */
  after: number | undefined
}

/** Answer a request with a stream of events. */
function eventStream(c: Context, { service, hub, listener, wants, after }: OpenedStream): Response {
  const hangUp = hangUpOf(c)
  const reader = hub.open({
    user: listener.user,
    after,
    wants,
    mayGoOn: goingOn(listener, service),
    closed: (isStuck) => isStuck && hangUp(),
  })
  return streamResponse({ reader, batches: hub.batches, form: STREAM })
}

/** Answer a request with a page of past events: those after `since`, or the latest ones, before `before` if given. */
async function pageResponse(
  { master, log }: ApiService,
  hub: EventHub,
  { since, before, limit }: EventQuery,
  wants: EventFilter,
): Promise<Response> {
  if (!hub.hasJournal) throw new HttpError(409, 'Past events are not kept: the option event_journal is off')
  const turn = slices()
  const page = await (since === undefined ? latest() : following(since))
  const { items, next, previous, last } = page
  const ends = `"next": ${next}, "previous": ${previous}, "last": ${last}`
  const text = `{"items": [${items.map(({ json }) => json).join(', ')}], ${ends}}`
  return new Response(text, { headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } })

  async function latest(): Promise<EventPage> {
    const items: HubEvent[] = []
    let [last, scanned] = [0, 0]
    let previous: number | null = null
    const upTo = before === undefined ? {} : { upTo: before - 1 }
    for (const past of master.access.stores.journal().back(upTo)) {
      if (items.length >= limit || scanned++ >= MOST_SCANNED) break
      last = Math.max(last, past.number)
      previous = past.number
      const event = new HubEvent(past, log)
      if (wants(event)) items.push(event)
      await turn()
    }
    const isBeginning = items.length < limit && scanned <= MOST_SCANNED
    return { items: items.reverse(), next: null, previous: isBeginning ? null : previous, last }
  }

  async function following(after: number): Promise<EventPage> {
    const items: HubEvent[] = []
    let last = after
    const previous = after === 0 ? null : after + 1
    for (let scanned = 0; scanned < MOST_SCANNED; ) {
      const events = hub.past(last + 1)
      if (events.length === 0) return { items, next: null, previous, last }
      await turn()
      for (const event of events) {
        last = event.number
        scanned++
        if (wants(event)) items.push(event)
        if (items.length >= limit) return { items, next: last, previous, last }
      }
    }
    return { items, next: last, previous, last }
  }
}

interface EventPage {
  items: HubEvent[]
  next: number | null
  previous: number | null
  last: number
}
