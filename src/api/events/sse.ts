// Streams of server-sent events. Bytes are encoded when the connection takes them, so that a slow connection holds at
// most one batch.
import { DirectBody } from '../direct-body.ts'
import type { BatchBytes } from './batch-bytes.ts'
import type { RecordForm, ShownEvent } from './hub-event.ts'
import type { EventReader, Missed } from './reader.ts'

/** The format of a kind of stream. */
export interface StreamForm {
  /** The beginning of a stream. */
  beginning: string
  event: RecordForm
  missed(missed: Missed): string
  /** Returns the text that keeps an idle connection open. */
  idle(position: number): string
}

/** Remove line ends, which would begin a new field. */
const line = (text: string): string => text.replace(/[\0\r\n]/g, ' ')

const KEEP_ALIVE = ': keep-alive\n\n'

/** The stream of Salt. */
export const SALT_STREAM: StreamForm = {
  beginning: 'retry: 400\n',
  event: ({ tag, saltJson }) => `tag: ${line(tag)}\ndata: ${saltJson}\n\n`,
  missed: ({ first, last }) => `: missed the events ${first} to ${last}\n\n`,
  idle: () => KEEP_ALIVE,
}

/** The stream of Salt for callers that resume by `Last-Event-ID`. */
export const SALT_STREAM_WITH_IDS: StreamForm = {
  ...SALT_STREAM,
  event: (event) => `id: ${event.number}\n${SALT_STREAM.event(event)}`,
  idle: (position) => `id: ${position}\n${KEEP_ALIVE}`,
}

/** The stream of `/v1/events`. */
export const STREAM: StreamForm = {
  beginning: 'retry: 400\n\n',
  event: ({ number, json }: ShownEvent) => `id: ${number}\ndata: ${json}\n\n`,
  missed: ({ first, last }) =>
    `id: ${last}\nevent: missed\ndata: {"first": ${first}, "last": ${last}, "count": ${last - first + 1}}\n\n`,
  // a named event and no comment: scripts of pages hear it and know that the connection lives
  idle: (position) => `id: ${position}\nevent: idle\ndata: {"last": ${position}}\n\n`,
}

export interface StreamRequest {
  reader: EventReader
  batches: BatchBytes
  form: StreamForm
}

/** Return the bytes of the reader's next batch; undefined at its end. */
async function nextBytes({ reader, batches, form }: StreamRequest): Promise<Uint8Array | undefined> {
  const batch = await reader.take()
  if (!batch) return undefined
  if (batch.missed) return Buffer.from(form.missed(batch.missed))
  if (batch.events.length === 0) return Buffer.from(form.idle(reader.position))
  return batches.of(batch.events, form.event)
}

/** Return the answer that streams a reader's events. */
export function streamResponse(request: StreamRequest): Response {
  const { reader, form } = request
  let hasBegun = false
  const next = (): Promise<Uint8Array | undefined> => {
    if (hasBegun) return nextBytes(request)
    hasBegun = true
    return Promise.resolve(Buffer.from(form.beginning))
  }
  return new Response(new DirectBody({ next, closed: () => reader.close() }), { headers: STREAM_HEADERS })
}

/** Proxies must neither cache nor buffer streams. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream;charset=utf-8',
  'Cache-Control': 'no-cache',
  Connection: 'keep-alive',
  'Transfer-Encoding': 'chunked',
  'X-Accel-Buffering': 'no',
}
