// `/events`: Salt's stream of events.
import { HttpError } from '../errors.ts'
import type { ApiResource, ResourceAnswer, SaltCall } from '../salt/resource.ts'
import type { EventHub } from './hub.ts'
import { EventListener, goingOn, saltSight } from './listener.ts'
import { SALT_STREAM, SALT_STREAM_WITH_IDS, STREAM_HEADERS, streamResponse } from './sse.ts'

const NO_PARAMETERS =
  "The /events endpoint takes no query parameters; in particular, tokens must not be passed via the query string -- they end up in access logs and the Referer header. Use the 'X-Auth-Token' header (for non-browser clients) or the session cookie set by /login (for browser EventSource clients) instead."

/** Return the resource of Salt's stream of events. */
export const eventsResource = (hub: EventHub): ApiResource => ({
  handlers: { GET: { answer: (call) => events(hub, call), query: 'any', isBare: true } },
  allow: 'GET, HEAD',
  sessions: ['GET'],
  login: [],
})

async function events(hub: EventHub, { service, request, peer, hangUp }: SaltCall): Promise<ResourceAnswer> {
  if (new URL(request.url).searchParams.size > 0) throw new HttpError(400, NO_PARAMETERS)
  const listener = await EventListener.of(service, { headers: request.headers, peer }, saltSight(service))
  if (request.method === 'HEAD') return new Response(null, { headers: headHeaders() })
  const after = eventNumber(request.headers.get('last-event-id'))
  const reader = hub.open({
    user: listener.user,
    after,
    wants: (event) => listener.sees(event, hub),
    mayGoOn: goingOn(listener, service),
    closed: (isStuck) => isStuck && hangUp(),
  })
  const form = after === undefined ? SALT_STREAM : SALT_STREAM_WITH_IDS
  return streamResponse({ reader, batches: hub.batches, form })
}

function headHeaders(): Record<string, string> {
  const { 'Transfer-Encoding': _, ...headers } = STREAM_HEADERS
  return headers
}

/** Parse the number of an event; undefined if there is none. */
export function eventNumber(text: string | null | undefined): number | undefined {
  const number = /^\d{1,16}$/.test(text ?? '') ? Number(text) : undefined
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined
}
