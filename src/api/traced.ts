// Spans of requests to the API. A request continues the trace of its header `traceparent`; its commands to the master
// and its events carry the trace.
import type { MiddlewareHandler } from 'hono'
import { type Dict, str } from '../data/mod.ts'
import { currentTraceparent, inSpan, isTraced, readTraceparent, type Tracer, traceparent } from '../telemetry/mod.ts'
import type { ApiMaster } from './master.ts'

/** Paths whose requests run functions: their spans have Salt's name. */
const OF_LOWSTATE = /^\/(?:|run|minions|jobs|keys)(?:\/|$)/

/** Probes that ask every few seconds. */
const UNTRACED = /^\/(?:healthz|readyz|metrics)$/

/** Handle each request in a span, and return the trace id to the caller. */
export function tracing(tracer: Tracer, prefix: string, webhookUrl: string): MiddlewareHandler {
  return (c, next) => {
    const { method } = c.req
    const path = new URL(c.req.url).pathname.slice(prefix.length)
    if (UNTRACED.test(path)) return next()
    const attributes = { 'http.request.method': method, 'url.path': path.slice(0, 200), 'salt.api.client': '' }
    const parent = readTraceparent(c.req.header('traceparent'))
    const failure = (): string | undefined => (c.res.status >= 500 ? `status ${c.res.status}` : undefined)
    const span = { name: spanName(path, webhookUrl), kind: 'server', attributes, parent, failure } as const
    return tracer.span(span, async (context) => {
      await next()
      c.res.headers.set('traceparent', traceparent(context))
    })
  }
}

/** Return a master whose commands and events carry the trace of the current request. */
export function tracedMaster(master: ApiMaster): ApiMaster {
  const carrying = (data: Dict): Dict => {
    const trace = currentTraceparent()
    return trace === undefined ? data : new Map(data).set('traceparent', trace)
  }
  return {
    ...master,
    command: (load, peer) => {
      if (!isTraced()) return master.command(load, peer)
      const cmd = str(load.get('cmd') ?? '')
      return inSpan(
        () => ({ name: `salt.req.send.${cmd}`, kind: 'client', attributes: { 'salt.req.cmd': cmd } }),
        () => master.command(carrying(load), peer),
      )
    },
    fire: (tag, data, origin) => master.fire(tag, carrying(data), origin),
    close: () => master.close(),
  }
}

function spanName(path: string, webhookUrl: string): string {
  if (path === webhookUrl || path.startsWith(`${webhookUrl}/`)) {
    const rest = path.slice(webhookUrl.length + 1).slice(0, 200)
    return `salt.webhook.salt/netapi/hook${rest === '' ? '' : `/${rest}`}`
  }
  return OF_LOWSTATE.test(path) ? 'salt.api.exec_lowstate' : `salt.api.${path.split('/')[1] ?? ''}`.slice(0, 100)
}
