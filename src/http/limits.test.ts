// Answers of servers and proxies that mean harm.
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dictFrom, float, type Value } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { httpClient } from './mod.ts'

let server: Server
let url = ''
const silent = createSocketServer((socket) => void sockets.push(socket))
const sockets: Socket[] = []

beforeAll(async () => {
  const bomb = gzipSync(Buffer.alloc(8 << 20))
  server = createServer((_request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  for (const socket of sockets) socket.destroy()
  silent.close()
})

const query = (parameters: Record<string, Value>, opts: Record<string, Value> = {}) =>
  httpClient(new MemoryHost(), dictFrom(opts)).query(new Map(Object.entries(parameters)))

test('A body that is too long when it is decompressed is refused', async () => {
  const answer = await query({ url }, { http_max_body: 1 << 20 })
  expect(answer.get('error')).toBe('HTTP 599: Content-Length too long')
  expect(answer.has('body')).toBe(false)
  expect((await query({ url, max_body: 1 << 20 })).get('error')).toBe('HTTP 599: Content-Length too long')
  expect((await query({ url })).get('body')).toHaveLength(8 << 20)
})

test('A proxy that says nothing is waited for only as long as a connection may take', async () => {
  const { port } = silent.address() as AddressInfo
  const opts = { proxy_host: '127.0.0.1', proxy_port: port, http_connect_timeout: float(0.2) }
  const answer = await query({ url: 'https://example.invalid/' }, opts)
  expect(answer.get('error')).toBe('HTTP 599: Timeout while connecting')
})
