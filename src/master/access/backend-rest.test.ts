import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dictFrom, type Value } from '../../data/mod.ts'
import rest from './backend-rest.ts'

let server: Server
let url = ''

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += String(piece)
    const given = new URLSearchParams(body)
    const isRight = given.get('password') === 'right'
    response.writeHead(isRight ? 200 : 401)
    response.end(isRight && given.get('username') === 'ops' ? '["test.*"]' : '')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/login`
})
afterAll(() => server.close())

const context = () => ({ opts: new Map(), config: new Map<Value, Value>([['^url', url]]), log: () => {} })
const login = (username: string, password: string) => rest.check(dictFrom({ username, password }), context())

test('rest admits users whom the service admits', async () => {
  expect(await login('joe', 'right')).toBe(true)
  expect(await login('joe', 'wrong')).toBe(false)
})

test('rest takes the access list that the service gives', async () => {
  await login('ops', 'right')
  await login('joe', 'right')
  expect(rest.list?.('ops', context())).toEqual(['test.*'])
  expect(rest.list?.('joe', context())).toBeUndefined()
})

test('rest admits no user when the service is unreachable', async () => {
  const ctx = { ...context(), config: new Map<Value, Value>([['^url', 'http://127.0.0.1:1/']]) }
  expect(await rest.check(new Map<Value, Value>([['username', 'joe']]), ctx)).toBe(false)
})
