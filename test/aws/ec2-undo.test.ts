// The undo of a bid. moto keeps no tags of bids, so a listener answers in the shapes that EC2 documents.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dict, fromPlain } from '../../src/data/mod.ts'
import { MemoryHost } from '../../src/host/mod.ts'
import driver from '../../src/library/aws/ec2/driver.ts'
import { tryDriver } from '../../src/sdk/mod.ts'

let server: Server
let state = 'running'
const asked: string[] = []

const BID =
  '<item><spotInstanceRequestId>sir-1</spotInstanceRequestId><state>active</state><instanceId>i-1</instanceId></item>'

function answer(form: URLSearchParams): string {
  const action = form.get('Action')!
  asked.push(action)
  if (action === 'TerminateInstances' && form.get('InstanceId.1') === 'i-1') state = 'terminated'
  const isOurs = [form.get('Filter.1.Name'), form.get('Filter.1.Value.1')].join() === 'tag:salt-cloud:creation,token'
  if (action.endsWith('SpotInstanceRequests'))
    return isOurs || form.get('SpotInstanceRequestId.1') === 'sir-1'
      ? `<spotInstanceRequestSet>${BID}</spotInstanceRequestSet>`
      : ''
  if (action !== 'DescribeInstances' || form.get('InstanceId.1') !== 'i-1') return ''
  const instance = `<item><instanceId>i-1</instanceId><instanceState><name>${state}</name></instanceState></item>`
  return `<reservationSet><item><instancesSet>${instance}</instancesSet></item></reservationSet>`
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    response.end(`<Response>${answer(new URLSearchParams(body))}</Response>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())

test('A bid that was made and not noted is found by its tag, and its machine ended', async () => {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = fromPlain({ id: 'AKID', key: 'a secret key', endpoint }) as Dict
  const account = await tryDriver(driver, { provider, host: new MemoryHost() })
  const steps = { report: async () => {}, note: async () => {} }
  await account.undo!({ name: 'spot1', token: 'token', noted: new Map() }, steps)
  expect(asked).toContain('CancelSpotInstanceRequests')
  expect(state).toBe('terminated')
})
