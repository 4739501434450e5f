// Spans, by the option `tracing` of Salt 3008. A span that begins inside another one, in any part of the program, is
// its child: only code that begins a trace, such as for a request, needs the tracer.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Log, toError } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import type { Attributes } from '../otlp/attributes.ts'
import { readCollector } from '../otlp/collector.ts'
import { exporterOf, switchedOn } from '../settings.ts'
import { newSpanId, newTraceId, type TraceContext, traceparent } from './context.ts'
import { type FinishedSpan, SpanExporter } from './exporter.ts'
import { type Sampler, samplerOf } from './sampler.ts'

export interface SpanSettings<T = unknown> {
  name: string
  kind?: FinishedSpan['kind']
  attributes?: Attributes
  /**
   * The sender's span; undefined if it sent no trace. Without this field, the parent is the span of the running code: a
   * socket calls back in the span that opened it, which is not the parent of an incoming request.
   */
  parent?: TraceContext | undefined
  /** Return the failure that a value reports, if any. */
  failure?: (value: T) => string | undefined
}

const current = new AsyncLocalStorage<{ tracer: Tracer; context: TraceContext }>()

const LONGEST_NAME = 200
const LONGEST_ERROR = 200

export class Tracer {
  private readonly isSampled: Sampler
  private readonly exporter: SpanExporter | undefined

  /** Return the tracer that the options configure, if any. */
  static of(opts: Dict, service: string, log: Log): Tracer | undefined {
    const settings = switchedOn(opts, 'tracing')
    return settings && new Tracer(settings, service, log)
  }

  private constructor(settings: Dict, service: string, log: Log) {
    this.isSampled = samplerOf(settings, log)
    const collector = readCollector(exporterOf(settings), { settings, signal: 'traces', service, log })
    if (!collector) return
    this.exporter = new SpanExporter(collector, log)
    log('info', `Spans go to ${collector.name}`)
  }

  close(): Promise<void> {
    return this.exporter?.close() ?? Promise.resolve()
  }

  /** Run something in a span, until the promise that it returns is settled. */
  span<T>(settings: SpanSettings<Awaited<T>>, run: (context: TraceContext) => T): T {
    const parent = 'parent' in settings ? settings.parent : current.getStore()?.context
    const traceId = parent?.traceId ?? newTraceId()
    const context: TraceContext = { traceId, spanId: newSpanId(), isSampled: this.isSampled(parent, traceId) }
    const start = nanoseconds()
    const end = (error: string | undefined): void => {
      if (!context.isSampled || !this.exporter) return
      const { name, kind = 'internal', attributes = {} } = settings
      this.exporter.add({
        ...context,
        parentSpanId: parent?.spanId,
        name: name.slice(0, LONGEST_NAME),
        kind,
        start,
        end: nanoseconds(),
        attributes,
        error,
      })
    }
    const fail = (error: unknown): never => {
      end(toError(error).message.slice(0, LONGEST_ERROR))
      throw error
    }
    const finish = (value: Awaited<T>): Awaited<T> => {
      end(settings.failure?.(value))
      return value
    }
    let value: T
    try {
      value = current.run({ tracer: this, context }, () => run(context))
    } catch (error) {
      return fail(error)
    }
    return value instanceof Promise ? (value.then(finish, fail) as T) : (finish(value as Awaited<T>) as T)
  }
}

/** Run code in a span below the current one; without a current span, just run it. */
export function inSpan<T>(settings: () => SpanSettings<Awaited<T>>, run: () => T): T {
  const here = current.getStore()
  return here ? here.tracer.span(settings(), run) : run()
}

/** Return whether this code runs in a span. */
export const isTraced = (): boolean => current.getStore() !== undefined

/** Return the `traceparent` of the current span, if the span is sent. */
export function currentTraceparent(): string | undefined {
  const context = current.getStore()?.context
  return context?.isSampled ? traceparent(context) : undefined
}

/** The fields of a request. */
type Load = Iterable<readonly [unknown, unknown]>

/** Send a request to a master in a span, if there is a current span; the request carries the new span. */
export function tracedSending<T, L extends Load>(
  load: L,
  send: (load: L | Map<unknown, unknown>) => Promise<T>,
): Promise<T> {
  if (!isTraced()) return send(load)
  const fields = new Map(load)
  const cmd = String(fields.get('cmd') ?? '')
  return inSpan(
    () => ({ name: `salt.req.send.${cmd}`, kind: 'client', attributes: { 'salt.req.cmd': cmd } }),
    () => {
      const trace = currentTraceparent()
      return send(trace === undefined ? fields : fields.set('traceparent', trace))
    },
  )
}

const nanoseconds = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n
