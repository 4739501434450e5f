// Keys that would lead to other parts of the server's API, where the token has rights too.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dict, fromPlain } from '../../../data/mod.ts'
import { LocalHost } from '../../../host/mod.ts'
import { trySdb } from '../../../sdk/mod.ts'
import etcd from '../etcd/sdb.ts'
import consul from './sdb.ts'

let server: Server
let port = 0
const asked: string[] = []
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.end('true')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const host = new LocalHost()

test.each(['../agent/service/register', 'a/../../acl/tokens', './x'])('The key %s is refused', async (key) => {
  const profiles = [
    [consul, { port }],
    [etcd, { 'etcd.port': port }],
  ] as const
  for (const [driver, profile] of profiles) {
    const given = { key, value: 'x', profile: fromPlain(profile) as Dict, host }
    await expect(trySdb(driver, 'set', given)).rejects.toThrow("cannot contain the part '.' or '..'")
  }
  expect(asked).toEqual([])
})
