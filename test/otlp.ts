// A collector of OTLP for tests: it keeps the documents that it gets, read from their protobuf messages.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { METRICS_REQUEST, type MessageSchema, TRACE_REQUEST } from '../src/telemetry/otlp/protobuf.ts'

export interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: Array<{ key: string; value: Record<string, unknown> }>
  status?: { code?: number; message?: string }
}

// biome-ignore lint/suspicious/noExplicitAny: documents of two kinds
type Document = any

/** Read a message. Lists of messages become arrays; a list with packed numbers, too. */
function decodeMessage(schema: MessageSchema, bytes: Buffer): Document {
  const names = new Map(Object.entries(schema).map(([name, { number, kind }]) => [number, { name, kind }]))
  const document: Document = {}
  let at = 0
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const taken = (length: number): Buffer => {
    at += length
    if (at > bytes.length) throw new Error('The message ends too early')
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const key = Number(varint())
    const { name, kind } = names.get(key >> 3) ?? { name: `field${key >> 3}`, kind: undefined }
    if (kind === undefined) throw new Error(`The schema has no field ${key >> 3}`)
    const value = [() => varint(), () => taken(8), () => taken(Number(varint()))][key & 7]!()
    if (typeof kind === 'object') {
      document[name] ??= []
      document[name].push(decodeMessage(kind, value as Buffer))
    } else document[name] = scalar(kind, value)
  }
  // a message that occurs once at most is no list
  for (const name of ['resource', 'scope', 'value', 'gauge', 'sum', 'histogram', 'status'])
    if (Array.isArray(document[name])) document[name] = document[name][0]
  return document
}

function scalar(kind: string, value: bigint | Buffer): unknown {
  if (typeof value === 'bigint')
    return kind === 'bool' ? value === 1n : Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (kind === 'text') return value.toString('utf8')
  if (kind === 'hex') return value.toString('hex')
  if (kind === 'fixed64') return String(value.readBigUInt64LE())
  if (kind === 'double') return value.readDoubleLE()
  const each = Array.from({ length: value.length / 8 }, (_, index) => value.subarray(index * 8, index * 8 + 8))
  return each.map((part) => scalar(kind.slice(0, -1), part))
}

export class OtlpCollector {
  readonly received: Array<{ headers: IncomingHttpHeaders; path: string; bytes: Buffer; document: Document }> = []
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const { headers, url: path = '' } = request
      const schema = path.endsWith('traces') ? TRACE_REQUEST : METRICS_REQUEST
      this.received.push({ headers, path, bytes, document: decodeMessage(schema, bytes) })
      response.end()
    })
  })

  async open(): Promise<this> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done))
    return this
  }

  endpoint(signal: 'traces' | 'metrics'): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/${signal}`
  }

  get spans(): Span[] {
    return this.received.flatMap(({ document }) =>
      (document.resourceSpans ?? []).flatMap(({ scopeSpans }: Document) =>
        scopeSpans.flatMap(({ spans }: Document) => spans),
      ),
    )
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((done) => this.server.close(done))
  }
}
