// Sends spans to a collector. Spans wait in a queue with a bound and go in batches; work never waits for the collector.
import type { Log } from '../../base/mod.ts'
import { type Attributes, attributeList } from '../otlp/attributes.ts'
import { type Collector, failureText } from '../otlp/collector.ts'

export interface FinishedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: keyof typeof KINDS
  /** Nanoseconds since 1970. */
  start: bigint
  end: bigint
  attributes: Attributes
  error: string | undefined
}

/** Spans that may wait; further ones are dropped. */
const MOST_WAITING = 2048
const BATCH = 512
const EVERY_MS = 5000

/** Time limit for a collector, and for the last batch at the end. */
const PATIENCE_MS = 10_000
const LAST_MS = 2000

const KINDS = { internal: 1, server: 2, client: 3, consumer: 5 } as const
const STATUS_ERROR = 2

export class SpanExporter {
  private readonly collector: Collector
  private readonly log: Log
  private waiting: FinishedSpan[] = []
  private dropped = 0
  private timer: NodeJS.Timeout | undefined
  private sending: Promise<void> = Promise.resolve()
  private isFailing = false

  constructor(collector: Collector, log: Log) {
    this.collector = collector
    this.log = log
  }

  add(span: FinishedSpan): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.dropped++
      return
    }
    this.waiting.push(span)
    if (this.waiting.length >= BATCH) void this.flush(PATIENCE_MS)
    else this.timer ??= setTimeout(() => this.flush(PATIENCE_MS), EVERY_MS).unref()
  }

  /** Send the waiting spans, within a short time limit. */
  async close(): Promise<void> {
    await this.flush(LAST_MS)
  }

  private flush(patience: number): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.sending = this.sending.then(async () => {
      while (this.waiting.length > 0) await this.send(this.waiting.splice(0, BATCH), patience)
    })
    return this.sending
  }

  private async send(spans: FinishedSpan[], patience: number): Promise<void> {
    const { name, resource } = this.collector
    try {
      await this.collector.send(
        { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'salt' }, spans: spans.map(spanDocument) }] }] },
        patience,
      )
      if (this.isFailing || this.dropped > 0)
        this.log('info', `Spans go to ${name} again; ${this.dropped} were dropped`)
      this.isFailing = false
      this.dropped = 0
    } catch (error) {
      this.dropped += spans.length
      if (!this.isFailing) this.log('warning', `Spans cannot be sent to ${name}: ${failureText(error)}`)
      this.isFailing = true
    }
  }
}

const spanDocument = ({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, error }: FinishedSpan) => ({
  traceId,
  spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: String(start),
  endTimeUnixNano: String(end),
  attributes: attributeList(attributes),
  status: error === undefined ? {} : { code: STATUS_ERROR, message: error },
})
