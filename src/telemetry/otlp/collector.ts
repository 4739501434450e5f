// The destination of telemetry: a collector by OTLP over HTTP or gRPC, or stderr of the process.
import { unescape as unescaped } from 'node:querystring'
import { brineVersion, type Log, shownText, toError } from '../../base/mod.ts'
import { type Dict, isDict, str, truthy, type Value } from '../../data/mod.ts'
import { type Attributes, attributeList } from './attributes.ts'
import { encodeProtobuf, METRICS_REQUEST, type MessageSchema, TRACE_REQUEST } from './protobuf.ts'

/** The two kinds of telemetry, by their names in OTLP. */
export type Signal = 'traces' | 'metrics'

const SIGNALS: Readonly<Record<Signal, { schema: MessageSchema; service: string }>> = {
  traces: { schema: TRACE_REQUEST, service: 'opentelemetry.proto.collector.trace.v1.TraceService' },
  metrics: { schema: METRICS_REQUEST, service: 'opentelemetry.proto.collector.metrics.v1.MetricsService' },
}

/** Default address of collectors. */
const HTTP_ENDPOINT = 'http://localhost:4318'
const GRPC_ENDPOINT = 'localhost:4317'

/** Bytes of an answer that are read. */
const MOST_READ = 64 << 10

export interface Collector {
  /** The name in log lines. */
  readonly name: string
  /** Attributes of this process, in OTLP form. */
  readonly resource: { attributes: unknown[] }
  /** Send a document of OTLP; throw unless the collector takes it in time. */
  send(document: object, milliseconds: number): Promise<void>
}

export interface CollectorSettings {
  /** The block `metrics` or `tracing`. */
  settings: Dict
  signal: Signal
  /** The name of this program, where the block names no service. */
  service: string
  log: Log
}

/** Return the collector of an exporter; undefined, with a log line, for an unknown name. */
export function readCollector(exporter: string, given: CollectorSettings): Collector | undefined {
  const { settings, signal, service, log } = given
  const own: Attributes = {
    'service.name': str(settings.get('service_name') ?? '') || service,
    'service.version': brineVersion(),
    ...texts(settings.get('resource_attributes')),
  }
  const resource = { attributes: attributeList(own) }
  const endpoint = str(settings.get('endpoint') ?? '')
  const headers = texts(settings.get('headers'))
  if (exporter === 'console') return toConsole(resource)
  if (exporter === 'otlp-http') return overHttp(signal, resource, endpoint, headers)
  if (exporter === 'otlp-grpc')
    return overGrpc(signal, resource, { endpoint, headers, isInsecure: truthy(settings.get('insecure') ?? true) })
  const option = signal === 'traces' ? 'tracing' : 'metrics'
  const known = `otlp-http, otlp-grpc, console${signal === 'metrics' ? ', prometheus' : ''}`
  log('error', `Unknown exporter ${shownText(exporter)} in the option ${option}: use one of ${known}. Nothing is sent`)
  return undefined
}

function texts(value: Value | undefined): Record<string, string> {
  if (value === undefined || !isDict(value)) return {}
  return Object.fromEntries([...value].map(([name, text]) => [str(name), str(text)]))
}

/** The standard output belongs to the results of programs. */
const toConsole = (resource: Collector['resource']): Collector => ({
  name: 'standard error',
  resource,
  send: async (document) => void process.stderr.write(`${JSON.stringify(document)}\n`),
})

function overHttp(
  signal: Signal,
  resource: Collector['resource'],
  endpoint: string,
  headers: Record<string, string>,
): Collector {
  const { url, login } = withoutLogin(endpoint || `${HTTP_ENDPOINT}/v1/${signal}`)
  const send = async (document: object, milliseconds: number): Promise<void> => {
    // the error of `fetch` would show the endpoint as it is
    if (!URL.canParse(url)) throw new Error('the endpoint is not a URL')
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...login, ...headers, 'Content-Type': 'application/x-protobuf' },
      body: encodeProtobuf(SIGNALS[signal].schema, document),
      redirect: 'error',
      signal: AbortSignal.timeout(milliseconds),
    })
    // a body that is read to its end lets the connection be used again; a long one is of no use
    if (Number(response.headers.get('content-length') ?? Number.NaN) <= MOST_READ) await response.arrayBuffer()
    else await response.body?.cancel()
    if (!response.ok) throw new Error(`status ${response.status}`)
  }
  return { name: shownUrl(url), resource, send }
}

/** Split an endpoint into its address and the header of its user and password: `fetch` refuses both in an address. */
function withoutLogin(endpoint: string): { url: string; login: Record<string, string> } {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (!url || (url.username === '' && url.password === '')) return { url: endpoint, login: {} }
  const pair = `${unescaped(url.username)}:${unescaped(url.password)}`
  url.username = ''
  url.password = ''
  return { url: url.href, login: { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}

interface GrpcSettings {
  endpoint: string
  headers: Record<string, string>
  /** Whether an endpoint without a scheme is reached in the clear. */
  isInsecure: boolean
}

function overGrpc(
  signal: Signal,
  resource: Collector['resource'],
  { endpoint, headers, isInsecure }: GrpcSettings,
): Collector {
  const given = endpoint || GRPC_ENDPOINT
  const origin = /^https?:\/\//.test(given) ? given : `${isInsecure ? 'http' : 'https'}://${given}`
  const { schema, service } = SIGNALS[signal]
  const send = async (document: object, milliseconds: number): Promise<void> => {
    const { callGrpc } = await import('./grpc.ts')
    const message = encodeProtobuf(schema, document)
    await callGrpc({ origin, method: `/${service}/Export`, headers, message, milliseconds })
  }
  return { name: shownUrl(origin), resource, send }
}

/** An endpoint as log lines show it: without a password. */
function shownUrl(url: string): string {
  return shownText(url.replace(/\/\/[^/@]*@/, '//'))
}

/** Return the reason of a failed connection; `fetch` puts it in the cause of its error. */
export function failureText(error: unknown): string {
  const { message, cause } = toError(error)
  return cause instanceof Error ? `${message}: ${cause.message || cause.name}` : message
}
