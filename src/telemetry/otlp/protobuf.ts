// Documents of OTLP as protobuf messages. A document has the names of OTLP in JSON: ids are hexadecimal texts, whole numbers of 64
// bits are decimal texts.

type Scalar = 'text' | 'hex' | 'bool' | 'varint' | 'fixed64' | 'double' | 'fixed64s' | 'doubles'

interface Field {
  number: number
  kind: Scalar | MessageSchema
}

/** The fields of a message by their names in JSON. A list of messages is a field that occurs several times. */
export type MessageSchema = Readonly<Record<string, Field>>

const VARINT = 0
const FIXED64 = 1
const BYTES = 2

const field = (number: number, kind: Field['kind']): Field => ({ number, kind })

const ANY_VALUE: MessageSchema = {
  stringValue: field(1, 'text'),
  boolValue: field(2, 'bool'),
  intValue: field(3, 'varint'),
  doubleValue: field(4, 'double'),
}
const KEY_VALUE: MessageSchema = { key: field(1, 'text'), value: field(2, ANY_VALUE) }
const RESOURCE: MessageSchema = { attributes: field(1, KEY_VALUE) }
const SCOPE: MessageSchema = { name: field(1, 'text'), version: field(2, 'text') }
const TIMES = { startTimeUnixNano: field(2, 'fixed64'), timeUnixNano: field(3, 'fixed64') }
const NUMBER_POINT: MessageSchema = { attributes: field(7, KEY_VALUE), ...TIMES, asDouble: field(4, 'double') }
const HISTOGRAM_POINT: MessageSchema = {
  attributes: field(9, KEY_VALUE),
  ...TIMES,
  count: field(4, 'fixed64'),
  sum: field(5, 'double'),
  bucketCounts: field(6, 'fixed64s'),
  explicitBounds: field(7, 'doubles'),
}
const GAUGE: MessageSchema = { dataPoints: field(1, NUMBER_POINT) }
const SUM: MessageSchema = {
  dataPoints: field(1, NUMBER_POINT),
  aggregationTemporality: field(2, 'varint'),
  isMonotonic: field(3, 'bool'),
}
const HISTOGRAM: MessageSchema = { dataPoints: field(1, HISTOGRAM_POINT), aggregationTemporality: field(2, 'varint') }
const METRIC: MessageSchema = {
  name: field(1, 'text'),
  description: field(2, 'text'),
  unit: field(3, 'text'),
  gauge: field(5, GAUGE),
  sum: field(7, SUM),
  histogram: field(9, HISTOGRAM),
}
const STATUS: MessageSchema = { message: field(2, 'text'), code: field(3, 'varint') }
const SPAN: MessageSchema = {
  traceId: field(1, 'hex'),
  spanId: field(2, 'hex'),
  parentSpanId: field(4, 'hex'),
  name: field(5, 'text'),
  kind: field(6, 'varint'),
  startTimeUnixNano: field(7, 'fixed64'),
  endTimeUnixNano: field(8, 'fixed64'),
  attributes: field(9, KEY_VALUE),
  status: field(15, STATUS),
}
const SCOPE_METRICS: MessageSchema = { scope: field(1, SCOPE), metrics: field(2, METRIC) }
const RESOURCE_METRICS: MessageSchema = { resource: field(1, RESOURCE), scopeMetrics: field(2, SCOPE_METRICS) }
const SCOPE_SPANS: MessageSchema = { scope: field(1, SCOPE), spans: field(2, SPAN) }
const RESOURCE_SPANS: MessageSchema = { resource: field(1, RESOURCE), scopeSpans: field(2, SCOPE_SPANS) }

/** `ExportMetricsServiceRequest`. */
export const METRICS_REQUEST: MessageSchema = { resourceMetrics: field(1, RESOURCE_METRICS) }

/** `ExportTraceServiceRequest`. */
export const TRACE_REQUEST: MessageSchema = { resourceSpans: field(1, RESOURCE_SPANS) }

/** Return the bytes of a message. A field that the schema does not have is an error. */
export function encodeProtobuf(schema: MessageSchema, document: object): Buffer {
  const fields = Object.entries(document).map(([name, value]) => {
    const own = schema[name]
    if (!own) throw new Error(`The message has no field ${name}`)
    return { own, value }
  })
  const parts: Uint8Array[] = []
  for (const { own, value } of fields.sort((one, other) => one.own.number - other.own.number)) {
    for (const each of Array.isArray(value) && typeof own.kind === 'object' ? value : [value])
      encodeField(own, each, parts)
  }
  return Buffer.concat(parts)
}

function encodeField({ number, kind }: Field, value: unknown, parts: Uint8Array[]): void {
  if (kind === 'varint' || kind === 'bool') parts.push(varint(BigInt((number << 3) | VARINT)), varint(bits(value)))
  else if (kind === 'fixed64' || kind === 'double')
    parts.push(varint(BigInt((number << 3) | FIXED64)), eightBytes(kind, value))
  else {
    const bytes = bytesOf(kind, value)
    parts.push(varint(BigInt((number << 3) | BYTES)), varint(BigInt(bytes.length)), bytes)
  }
}

function bytesOf(kind: Exclude<Field['kind'], 'varint' | 'bool' | 'fixed64' | 'double'>, value: unknown): Buffer {
  if (kind === 'text') return Buffer.from(String(value), 'utf8')
  if (kind === 'hex') return Buffer.from(String(value), 'hex')
  if (kind === 'fixed64s' || kind === 'doubles')
    return Buffer.concat(
      (value as unknown[]).map((each) => eightBytes(kind === 'doubles' ? 'double' : 'fixed64', each)),
    )
  return encodeProtobuf(kind, value as object)
}

/** Encode a number as 64 bits for protobuf: negative ones as two's complement. */
const bits = (value: unknown): bigint => BigInt.asUintN(64, BigInt(value as string | number | boolean))

function eightBytes(kind: 'fixed64' | 'double', value: unknown): Buffer {
  const bytes = Buffer.alloc(8)
  if (kind === 'double') bytes.writeDoubleLE(Number(value))
  else bytes.writeBigUInt64LE(bits(value))
  return bytes
}

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}
