// The provider and profile of the guide's document, as printed there: the requests to EC2. A listener answers in EC2's
// format.

import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dict, fromPlain, isDict } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import driver from '../../src/library/aws/ec2/driver.ts'
import { boundSettings, tryDriver } from '../../src/sdk/mod.ts'
import { load } from '../../src/yaml/mod.ts'

const GUIDE = join(import.meta.dirname, '..', 'seeds', 'guide', 'etc', 'salt')
const asked: URLSearchParams[] = []
const regions = new Set<string>()
const of = (action: string): URLSearchParams[] => asked.filter((form) => form.get('Action') === action)
let server: Server

const MACHINE =
  '<item><instanceId>i-1</instanceId><ipAddress>192.0.2.1</ipAddress><privateIpAddress>10.0.0.1</privateIpAddress>' +
  '<instanceState><name>running</name></instanceState><placement><availabilityZone>us-east-1a</availabilityZone></placement></item>'

const ANSWERS: Readonly<Record<string, string>> = {
  DescribeSecurityGroups: '<securityGroupInfo><item><groupId>sg-0a1b2c3d</groupId></item></securityGroupInfo>',
  RunInstances: `<instancesSet>${MACHINE}</instancesSet>`,
  DescribeInstances: `<reservationSet><item><instancesSet>${MACHINE}</instancesSet></item></reservationSet>`,
  CreateVolume: '<volumeId>vol-1</volumeId>',
  DescribeVolumes: '<volumeSet><item><status>available</status></item></volumeSet>',
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const form = new URLSearchParams(body)
    asked.push(form)
    regions.add(/Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '')
    response.end(`<Response>${ANSWERS[form.get('Action')!] ?? ''}</Response>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())

/** Return the only entry of a printed file, with texts in place of the values that its templates fetch. */
function printed(name: string): Dict {
  const text = readFileSync(join(GUIDE, name), 'utf8').replace(/\{\{.*?\}\}/g, 'fetched')
  const [entry] = [...(load(text) as Dict).values()]
  if (entry === undefined || !isDict(entry)) throw new Error(`${name} has no entry`)
  return entry
}

test('The machine of the guide has its region, network, groups, volumes and tags', async () => {
  const [provider, profile] = [printed('cloud.providers.d/aws.conf'), printed('cloud.profiles.d/web.conf')]
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const account = await tryDriver(driver, {
    provider: new Map([...provider, ['endpoint', endpoint]]),
    host: new LocalHost(),
  })
  const settings = boundSettings(driver.machine, new Map([...provider, ...profile]), 'the guide')
  const steps = { report: async () => {}, note: async () => {} }
  await account.create({ name: 'web1', written: profile, token: 'token', settings }, steps)
  const [group] = of('DescribeSecurityGroups')
  expect([group!.get('Filter.1.Value.1'), group!.get('Filter.2.Name'), group!.get('Filter.2.Value.1')]).toEqual([
    'sg-web-servers',
    'vpc-id',
    'vpc-12345678',
  ])
  const run = Object.fromEntries(of('RunInstances')[0]!)
  expect(run).toMatchObject({
    ...{ ImageId: 'ami-0c02fb55956c7d316', InstanceType: 't3.medium' },
    ...{ SubnetId: 'subnet-87654321', 'SecurityGroupId.1': 'sg-0a1b2c3d' },
  })
  expect(Object.values(run)).toEqual(expect.arrayContaining(['Environment', 'production', 'ManagedBy', 'saltstack']))
  expect(Object.fromEntries(of('CreateVolume')[0]!)).toMatchObject({ Size: '100', VolumeType: 'gp3' })
  expect(of('AttachVolume')[0]!.get('Device')).toBe('/dev/xvdf')
  expect(of('ModifyInstanceAttribute')).toEqual([])
  expect(regions).toEqual(new Set(['us-east-1']))
})

test('A machine may be in another region than its provider', async () => {
  regions.clear()
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const own = { ...{ id: 'AKID', key: 'secret', endpoint }, region: 'eu-central-1' }
  const account = await tryDriver(driver, { provider: fromPlain(own) as Dict, host: new LocalHost() })
  await account.nodes()
  expect(regions).toEqual(new Set(['eu-central-1']))
  const written = fromPlain({ image: 'ami-0c02fb55956c7d316', region: 'eu-west-1' }) as Dict
  const settings = boundSettings(driver.machine, written, 'a profile')
  await account.create(
    { name: 'web2', written, token: 't', settings },
    { report: async () => {}, note: async () => {} },
  )
  expect(regions).toEqual(new Set(['eu-central-1', 'eu-west-1']))
})
