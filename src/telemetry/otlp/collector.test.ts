import { createServer as createHttpServer } from 'node:http'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { fromPlain, type Plain } from '../../data/mod.ts'
import { type Collector, readCollector } from './collector.ts'

const lines: string[] = []

const collectorOf = (exporter: string, settings: Record<string, Plain>): Collector | undefined =>
  readCollector(exporter, {
    settings: fromPlain(settings) as never,
    signal: 'traces',
    service: 'salt-master',
    log: (level, text) => void lines.push(`${level}: ${text}`),
  })

const DOCUMENT = { resourceSpans: [{ resource: { attributes: [] } }] }

describe('otlp-grpc', () => {
  const calls: Array<{ path: string; type: string; token: string; body: Buffer }> = []
  let status = '0'
  const server = createServer()
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      calls.push({
        path: String(headers[':path']),
        type: String(headers['content-type']),
        token: String(headers['x-token']),
        body: Buffer.concat(chunks),
      })
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status, 'grpc-message': 'no%20room' }))
      stream.end(Buffer.alloc(5))
    })
  })
  afterEach(() => {
    calls.splice(0)
    server.close()
  })

  test('calls the service of the collector, and fails with its status', async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const endpoint = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const collector = collectorOf('otlp-grpc', { endpoint, headers: { 'X-Token': 'abc' }, insecure: true })!
    await collector.send(DOCUMENT, 5000)
    const [call] = calls
    expect(call).toMatchObject({
      path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
      type: 'application/grpc',
      token: 'abc',
    })
    expect([call!.body[0], call!.body.readUInt32BE(1)]).toEqual([0, call!.body.length - 5])
    status = '8'
    await expect(collector.send(DOCUMENT, 5000)).rejects.toThrow('gRPC status 8: no room')
  })

  test('fails without a listener', async () => {
    await expect(collectorOf('otlp-grpc', { endpoint: '127.0.0.1:1' })!.send(DOCUMENT, 5000)).rejects.toThrow(
      /ECONNREFUSED/,
    )
  })
})

describe('an exporter', () => {
  test('that is unknown is an error that names the known ones', () => {
    expect(collectorOf('jaeger', {})).toBeUndefined()
    expect(lines.at(-1)).toMatch(
      /^error: Unknown exporter jaeger in the option tracing: use one of otlp-http, otlp-grpc, console/,
    )
  })

  test('sends the user and password of an endpoint as a header, and shows them in no error', async () => {
    let told = ''
    const server = createHttpServer(({ headers }, response) => {
      told = String(headers.authorization)
      response.end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    await collectorOf('otlp-http', { endpoint: `http://me:se%20cret@127.0.0.1:${port}/` })!.send(DOCUMENT, 5000)
    server.close()
    expect(Buffer.from(told.replace('Basic ', ''), 'base64').toString()).toBe('me:se cret')
    const wrong = collectorOf('otlp-http', { endpoint: 'http://me:secret@exa mple/' })!
    await expect(wrong.send(DOCUMENT, 5000)).rejects.toThrow(/^the endpoint is not a URL$/)
  })

  test('has a name without passwords for the log', () => {
    expect(collectorOf('otlp-http', { endpoint: 'https://me:secret@example.com/v1/traces' })!.name).toBe(
      'https://example.com/v1/traces',
    )
    expect(collectorOf('otlp-http', {})!.name).toBe('http://localhost:4318/v1/traces')
    expect(collectorOf('otlp-grpc', { insecure: false })!.name).toBe('https://localhost:4317')
    expect(collectorOf('console', {})!.name).toBe('standard error')
  })
})
