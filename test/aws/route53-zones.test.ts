// Zones of Route 53 that share a name: a state must neither make one more nor say that there is none.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AwsCalls } from './calls.ts'

const zone = (id: string): string =>
  `<HostedZone><Id>/hostedzone/${id}</Id><Name>twice.org.</Name><CallerReference>${id}</CallerReference><Config><PrivateZone>false</PrivateZone></Config></HostedZone>`
const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.method ?? '')
  const id = /hostedzone\/(\w+)$/.exec(request.url ?? '')?.[1]
  const [root, inside] =
    id === undefined
      ? [
          'ListHostedZonesResponse',
          `<HostedZones>${zone('Z1')}${zone('Z2')}</HostedZones><IsTruncated>false</IsTruncated>`,
        ]
      : ['GetHostedZoneResponse', zone(id)]
  response.setHeader('content-type', 'text/xml')
  response.end(`<${root} xmlns="https://route53.amazonaws.com/doc/2013-04-01/">${inside}</${root}>`)
})

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))

test.each(['hosted_zone_present', 'hosted_zone_absent'])('%s fails where several zones are meant', async (state) => {
  const calls = new AwsCalls(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect(calls.run(`boto3_route53.${state}`, { name: 'twice.org.' }, false)).rejects.toThrow(
    'Request matched more than one Hosted Zone (/hostedzone/Z1, /hostedzone/Z2)',
  )
  expect(asked.filter((method) => method !== 'GET')).toEqual([])
})
