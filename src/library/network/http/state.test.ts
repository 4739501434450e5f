import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import http from './state.ts'

const answers: { text: string; status: number } = { text: 'all is well', status: 200 }
const asked: Dict[] = []

function run(name: string, wanted: Record<string, Value>, test = false): Promise<Dict> {
  const answer = (_: readonly Value[], kwargs: unknown): Value => {
    asked.push(kwargs as Dict)
    return fromPlain(((kwargs as Dict).get('test') ? {} : answers) as unknown as Plain)
  }
  const others = { 'http.query': answer, 'http.wait_for_successful_query': answer }
  return tryState(http, name, { kwargs: { name: 'http://a/', ...wanted }, others, test })
}

describe('http.query', () => {
  test.each<[Record<string, Value>, boolean | null, string]>([
    [{ match: 'well' }, true, 'Match text "well" was found.'],
    [{ match: 'w.ll' }, false, 'Match text "w.ll" was not found.'],
    [{ match: 'w.ll$', match_type: 'pcre' }, true, 'Match pattern "w.ll$" was found.'],
    [{ status: 200 }, true, 'Status 200 was found.'],
    [{ status: '2..', status_type: 'pcre' }, true, 'Status pattern "2.." was found.'],
    [{ status: [201, 200], status_type: 'list' }, true, 'Status 200 was found.'],
    [{ status: [404], status_type: 'list' }, false, 'Statuses [404] were not found.'],
    [{ match: 'well', status: 404 }, false, 'Match text "well" was found. Status 404 was not found.'],
    [
      { match: 'ill', status: [200], status_type: 'list' },
      false,
      'Match text "ill" was not found. Status 200 was found. Statuses [200] were not found.',
    ],
    [{}, false, ' Either match text (match) or a status code (status) is required.'],
  ])('with %o says %s: %s', async (wanted, result, comment) => {
    expect(toPlain(await run('query', wanted))).toMatchObject({ result, comment, changes: {} })
  })

  test('sends no request in a dry run', async () => {
    expect(toPlain(await run('query', { status: 200, test_url: 'http://b/' }, true))).toMatchObject({
      result: null,
      comment: 'Status 200 was not found. (TEST MODE, TEST URL WAS: http://b/)',
    })
    expect(asked.at(-1)!.get('test')).toBe(true)
  })
})

describe('http.wait_for_successful_query', () => {
  let server: Server
  let url: string
  let requests = 0

  beforeAll(async () => {
    server = createServer((_, response) => response.writeHead(++requests < 3 ? 503 : 200).end('up'))
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })

  afterAll(() => {
    server.close()
  })

  test('asks again until the answer is as wanted', async () => {
    const fetched = async (): Promise<Value> => {
      const response = await fetch(url)
      return new Map<Value, Value>([
        ['status', response.status],
        ['text', await response.text()],
      ])
    }
    const kwargs = { name: url, status: 200, match: 'up', request_interval: 0.01 }
    const report = await tryState(http, 'wait_for_successful_query', { kwargs, others: { 'http.query': fetched } })
    expect([report.get('result'), requests]).toEqual([true, 3])
  })

  test('gives the last report when the time is over', async () => {
    expect(toPlain(await run('wait_for_successful_query', { status: 500, wait_for: 0 }))).toMatchObject({
      result: false,
      comment: 'Status 500 was not found.',
    })
  })
})
