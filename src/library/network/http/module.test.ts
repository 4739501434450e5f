import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Float, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import http from './module.ts'

let server: Server
let url: string
let requests = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/json') response.setHeader('content-type', 'application/json').end('{"a": 1}')
    else if (request.url === '/late') response.writeHead(++requests < 3 ? 503 : 200).end('up')
    else if (request.url === '/none') response.writeHead(404).end('gone')
    else if (request.url !== '/never') request.pipe(response)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
})

const ask = async (name: string, path: string, kwargs: Record<string, Value> = {}, host = new MemoryHost()) =>
  toPlain(await tryFunction(http, name, { args: [url + path], kwargs, host }))

describe('http.query', () => {
  test('returns the requested parts', async () => {
    expect(await ask('query', '/json', { decode: true, status: true })).toEqual({
      body: '{"a": 1}',
      status: 200,
      dict: { a: 1 },
    })
  })

  test('reads and writes the given files on the host', async () => {
    const host = await MemoryHost.with({ files: { '/form': 'k=v', '/out/': '' } })
    await ask('query', '/echo', { method: 'POST', data_file: '/form', text_out: '/out/answer' }, host)
    expect(Buffer.from(await host.read('/out/answer')).toString()).toBe('k=v')
  })

  test('keeps to the time limits of the options', async () => {
    const opts = (seconds: number) => new Map<Value, Value>([['http_request_timeout', new Float(seconds)]])
    expect(await ask('query', '/json', { opts: opts(3600) })).toEqual({ body: '{"a": 1}' })
    expect(await ask('query', '/never', { opts: opts(0) })).toMatchObject({ status: 599 })
  })

  test('answers an error of the server', async () => {
    expect(await ask('query', '/none')).toEqual({ status: 404, error: 'HTTP 404: Not Found', body: 'gone' })
  })

  test('fails where the query cannot be made', async () => {
    for (const url of ['gopher://a/', 'nowhere']) {
      const answer = tryFunction(http, 'query', { args: [url] })
      const message = `Unsupported url scheme: ${url}`
      await expect(answer).rejects.toMatchObject({ code: 'CommandExecutionError', message })
    }
  })
})

describe('http.wait_for_successful_query', () => {
  test('repeats the query until there is no error', async () => {
    expect(await ask('wait_for_successful_query', '/late', { request_interval: 0.01 })).toEqual({ body: 'up' })
    expect(requests).toBe(3)
  })

  test('gives the last answer when the time is over', async () => {
    expect(await ask('wait_for_successful_query', '/none', { wait_for: 0 })).toMatchObject({ status: 404 })
  })
})

describe('http.update_ca_bundle', () => {
  test('puts the bundle in place, with further files after it', async () => {
    const host = await MemoryHost.with({ files: { '/own.pem': 'OWN', '/etc/': '' } })
    const kwargs = { target: '/etc/ca.pem', source: `${url}/json`, merge_files: '/own.pem' }
    await tryFunction(http, 'update_ca_bundle', { kwargs, host })
    expect(Buffer.from(await host.read('/etc/ca.pem')).toString()).toBe('{"a": 1}\nOWN')
  })

  test('leaves it unchanged and fails if none is available', async () => {
    const host = await MemoryHost.with({ files: { '/etc/ca.pem': 'OLD' } })
    const kwargs = { target: '/etc/ca.pem', source: `${url}/none` }
    await expect(tryFunction(http, 'update_ca_bundle', { kwargs, host })).rejects.toThrow(
      'The CA bundle was not updated: HTTP 404: Not Found',
    )
    expect(Buffer.from(await host.read('/etc/ca.pem')).toString()).toBe('OLD')
  })
})
