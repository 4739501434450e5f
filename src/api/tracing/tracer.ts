// Traces of requests to the API, by the option `tracing` of Salt 3008. A request goes on with the trace of its header `traceparent`;
// what it sends to the master, and the events that it fires, carry the trace on.
import type { MiddlewareHandler } from 'hono'
import { type Log, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, numberOf, str, truthy } from '../../data/mod.ts'
import type { ApiMaster } from '../master.ts'
import { type Attributes, readCollector } from '../otlp.ts'
import { currentSpan, newSpanId, newTraceId, readTraceparent, type TraceContext, traceparent } from './context.ts'
import { type FinishedSpan, SpanExporter } from './exporter.ts'

const ENDPOINT = 'http://localhost:4318/v1/traces'

type Sampler = (parent: TraceContext | undefined, traceId: string) => boolean

/** Paths whose requests run functions: their spans have the name that Salt gives them. */
const OF_LOWSTATE = /^\/(?:|run|minions|jobs|keys)(?:\/|$)/

export class Tracer {
  private readonly isSampled: Sampler
  private readonly exporter: SpanExporter | undefined

  /** Return the tracer that the options ask for, if they do. */
  static of(opts: Dict, log: Log): Tracer | undefined {
    const settings = option(opts, 'tracing')
    return truthy(settings.get('enabled') ?? false) ? new Tracer(settings, log) : undefined
  }

  private constructor(settings: Dict, log: Log) {
    this.isSampled = samplerOf(settings, log)
    const exporter = str(settings.get('exporter') ?? 'otlp-http').toLowerCase()
    if (exporter === 'otlp-http') this.exporter = new SpanExporter(readCollector(settings, ENDPOINT), log)
    else log('error', `The exporter ${exporter} of the option tracing is not here: use otlp-http. Spans are not sent`)
  }

  close(): Promise<void> {
    return this.exporter?.close() ?? Promise.resolve()
  }

  /** Handle each request in a span, and tell the caller the trace. */
  middleware(prefix: string, webhookUrl: string): MiddlewareHandler {
    return (c, next) => {
      const { method } = c.req
      const path = new URL(c.req.url).pathname.slice(prefix.length)
      const attributes = { 'http.request.method': method, 'url.path': path.slice(0, 200), 'salt.api.client': '' }
      const parent = readTraceparent(c.req.header('traceparent'))
      return this.span({ name: spanName(path, webhookUrl), kind: 'server', attributes, parent }, async (context) => {
        await next()
        c.res.headers.set('traceparent', traceparent(context))
        if (c.res.status >= 500) return `status ${c.res.status}`
        return undefined
      }).then(() => undefined)
    }
  }

  /** Return a master whose commands and events carry the trace of the request that sends them. */
  traced(master: ApiMaster): ApiMaster {
    const carrying = (data: Dict): Dict => {
      const context = currentSpan.getStore()
      return context?.isSampled ? new Map(data).set('traceparent', traceparent(context)) : data
    }
    return {
      ...master,
      command: (load, peer) => {
        if (!currentSpan.getStore()) return master.command(load, peer)
        const cmd = str(load.get('cmd') ?? '')
        const attributes = { 'salt.req.cmd': cmd }
        let answer: ReturnType<ApiMaster['command']>
        return this.span({ name: `salt.req.send.${cmd}`, kind: 'client', attributes }, async () => {
          answer = master.command(cmd === 'publish' ? carrying(load) : load, peer)
          await answer
          return undefined
        }).then(() => answer)
      },
      fire: (tag, data, origin) => master.fire(tag, carrying(data), origin),
      close: () => master.close(),
    }
  }

  /** Run something in a span; it returns the text of its error, if it failed. */
  private async span(
    { name, kind, attributes, parent = currentSpan.getStore() }: SpanSettings,
    run: (context: TraceContext) => Promise<string | undefined>,
  ): Promise<void> {
    const traceId = parent?.traceId ?? newTraceId()
    const context: TraceContext = { traceId, spanId: newSpanId(), isSampled: this.isSampled(parent, traceId) }
    const start = nanoseconds()
    let error: string | undefined
    try {
      error = await currentSpan.run(context, () => run(context))
    } catch (failure) {
      error = toError(failure).message.slice(0, 200)
      throw failure
    } finally {
      const span: FinishedSpan = {
        ...context,
        parentSpanId: parent?.spanId,
        name,
        kind,
        start,
        end: nanoseconds(),
        attributes,
        error,
      }
      if (context.isSampled) this.exporter?.add(span)
    }
  }
}

interface SpanSettings {
  name: string
  kind: FinishedSpan['kind']
  attributes: Attributes
  parent?: TraceContext | undefined
}

const nanoseconds = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n

function spanName(path: string, webhookUrl: string): string {
  if (path === webhookUrl || path.startsWith(`${webhookUrl}/`)) {
    const rest = path.slice(webhookUrl.length + 1).slice(0, 200)
    return `salt.webhook.salt/netapi/hook${rest === '' ? '' : `/${rest}`}`
  }
  return OF_LOWSTATE.test(path) ? 'salt.api.exec_lowstate' : `salt.api.${path.split('/')[1] ?? ''}`.slice(0, 100)
}

function samplerOf(settings: Dict, log: Log): Sampler {
  const name = str(settings.get('sampler') ?? 'parent_based').toLowerCase()
  const given = settings.get('sampler_arg') ?? null
  const ratio = numberOf(given) ?? (Number.parseFloat(str(given)) || 1)
  const byRatio: Sampler = (_, traceId) => ratio >= 1 || Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 < ratio
  const parentBased: Sampler = (parent, traceId) => parent?.isSampled ?? byRatio(parent, traceId)
  switch (name) {
    case 'always_on':
      return () => true
    case 'always_off':
      return () => false
    case 'trace_id_ratio':
      return byRatio
    case 'parent_based':
      return parentBased
    default:
      log('warning', `Unknown tracing sampler ${name}; taking parent_based`)
      return parentBased
  }
}
