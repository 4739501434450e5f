import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { attributeList } from './attributes.ts'
import { encodeProtobuf, METRICS_REQUEST, type MessageSchema, TRACE_REQUEST } from './protobuf.ts'

/** A document with every field that is sent. */
const TRACES = {
  resourceSpans: [
    {
      resource: { attributes: attributeList({ 'service.name': 'salt-master', yes: true, many: -7, half: 0.5 }) },
      scopeSpans: [
        {
          scope: { name: 'salt', version: '1' },
          spans: [
            {
              traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
              spanId: '00f067aa0ba902b7',
              parentSpanId: '00f067aa0ba902b8',
              name: 'salt.pub.send',
              kind: 2,
              startTimeUnixNano: '1700000000000000000',
              endTimeUnixNano: '1700000000000000300',
              attributes: attributeList({ 'salt.pub.jid': '20260101000000000001' }),
              status: { message: 'Größe', code: 2 },
            },
          ],
        },
      ],
    },
  ],
}

const POINT = { startTimeUnixNano: '1', timeUnixNano: '2', attributes: attributeList({ fun: 'test.ping' }) }

const METRICS = {
  resourceMetrics: [
    {
      resource: { attributes: [] },
      scopeMetrics: [
        {
          scope: { name: 'salt' },
          metrics: [
            { name: 'a', description: 'A.', unit: 's', gauge: { dataPoints: [{ ...POINT, asDouble: -1.5 }] } },
            {
              name: 'b',
              sum: { dataPoints: [{ ...POINT, asDouble: 3 }], aggregationTemporality: 2, isMonotonic: true },
            },
            {
              name: 'c',
              histogram: {
                dataPoints: [{ ...POINT, count: '3', sum: 7.5, bucketCounts: ['1', '2'], explicitBounds: [5] }],
                aggregationTemporality: 2,
              },
            },
          ],
        },
      ],
    },
  ],
}

/** Made by protoc. */
const TRACE_BYTES = [
  '0ae2010a520a1d0a0c736572766963652e6e616d65120d0a0b73616c742d6d61737465720a090a03796573120210010a130a',
  '046d616e79120b18f9ffffffffffffffff010a110a0468616c66120921000000000000e03f128b010a090a0473616c741201',
  '31127e0a104bf92f3577b34da6a3ce929d0e0e4736120800f067aa0ba902b7220800f067aa0ba902b82a0d73616c742e7075',
  '622e73656e6430023900002a36fe9c9717412c012a36fe9c97174a260a0c73616c742e7075622e6a696412160a1432303236',
  '303130313030303030303030303030317a0b12074772c3b6c39f651802',
].join('')

/** Made by protoc. */
const METRIC_BYTES = [
  '0ae7010a0012e2010a060a0473616c74123d0a01611202412e1a01732a310a2f110100000000000000190200000000000000',
  '21000000000000f8bf3a120a0366756e120b0a09746573742e70696e67123a0a01623a350a2f110100000000000000190200',
  '0000000000002100000000000008403a120a0366756e120b0a09746573742e70696e6710021801125d0a01634a580a541101',
  '00000000000000190200000000000000210300000000000000290000000000001e4032100100000000000000020000000000',
  '00003a0800000000000014404a120a0366756e120b0a09746573742e70696e671002',
].join('')

/** The folder with the official schema: a checkout of the repository opentelemetry-proto. */
const SCHEMA = process.env['OTLP_SCHEMA']

const official = (service: string, message: string, bytes: Buffer): string =>
  execFileSync(
    'protoc',
    [
      `--decode=opentelemetry.proto.collector.${service}.v1.${message}`,
      `-I${SCHEMA}`,
      join(SCHEMA!, `opentelemetry/proto/collector/${service}/v1/${service}_service.proto`),
    ],
    { input: bytes, encoding: 'utf8' },
  )

describe('a message of OTLP', () => {
  test('has the bytes that protoc makes of the same document by the official schema', () => {
    expect(encodeProtobuf(TRACE_REQUEST, TRACES).toString('hex')).toBe(TRACE_BYTES)
    expect(encodeProtobuf(METRICS_REQUEST, METRICS).toString('hex')).toBe(METRIC_BYTES)
  })

  test('has no field that the schema does not have', () => {
    expect(() => encodeProtobuf({} as MessageSchema, { nothing: 1 })).toThrow('The message has no field nothing')
  })

  test.skipIf(!SCHEMA || !existsSync(SCHEMA))('is read by protoc with the official schema', () => {
    const traces = official('trace', 'ExportTraceServiceRequest', encodeProtobuf(TRACE_REQUEST, TRACES))
    expect(traces).toContain('name: "salt.pub.send"')
    expect(traces).toContain('kind: SPAN_KIND_SERVER')
    expect(traces).toContain('start_time_unix_nano: 1700000000000000000')
    expect(traces).toContain('code: STATUS_CODE_ERROR')
    expect(traces).toContain('int_value: -7')
    const metrics = official('metrics', 'ExportMetricsServiceRequest', encodeProtobuf(METRICS_REQUEST, METRICS))
    expect(metrics).toContain('aggregation_temporality: AGGREGATION_TEMPORALITY_CUMULATIVE')
    expect(metrics).toContain('is_monotonic: true')
    expect(metrics).toMatch(/bucket_counts: 1\s+bucket_counts: 2\s+explicit_bounds: 5/)
    // a number without a name is a field that the schema does not have
    expect(traces + metrics).not.toMatch(/^\s*\d+[:{ ]/m)
  })
})
