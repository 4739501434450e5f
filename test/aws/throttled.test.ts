// Fifty machines at once, in front of a service that lets few requests through each second and refuses the others, as EC2 does.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { type Dict, fromPlain } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import driver from '../../src/library/aws/ec2/driver.ts'
import { boundSettings, type CloudSteps, tryDriver } from '../../src/sdk/mod.ts'
import { awsService, hasMoto, withoutMoto } from './service.ts'

const MACHINES = 50
const EACH_SECOND = 40

const REFUSAL =
  '<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit exceeded.</Message></Error></Errors></Response>'

test.skipIf(!hasMoto())(`fifty machines are made at once under throttling (${withoutMoto})`, async () => {
  const moto = await awsService('moto', 'throttled')
  let [second, count, refused] = [0, 0, 0]
  const limiter = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) [second, count] = [now, 0]
    if (++count > EACH_SECOND) {
      refused++
      return void response.writeHead(503).end(REFUSAL)
    }
    const headers = { 'content-type': request.headers['content-type']!, authorization: request.headers.authorization! }
    const answer = await fetch(`${moto.url}/`, { method: 'POST', headers, body: Buffer.concat(pieces) })
    response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>((resolve) => limiter.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(limiter.address() as AddressInfo).port}`
  const provider = fromPlain({ id: 'AKID', key: 'a secret key', endpoint }) as Dict
  const account = await tryDriver(driver, { provider, host: new LocalHost() })
  const steps: CloudSteps = { report: async () => {}, note: async () => {} }
  const names = Array.from({ length: MACHINES }, (_, index) => `many${index}`)
  const written = fromPlain({ image: 'ami-03cf127a', wait_for_ip_interval: 1 }) as Dict
  const made = await Promise.all(
    names.map((name) => {
      const settings = boundSettings(driver.machine, written, name)
      return account.create({ name, written, token: `token-of-${name}`, settings }, steps)
    }),
  )
  expect(refused).toBeGreaterThan(0)
  expect(new Set(made.map(({ id }) => id)).size).toBe(MACHINES)
  expect((await account.nodes()).map(({ name }) => name).sort()).toEqual([...names].sort())
  limiter.close()
  await moto.close()
})
