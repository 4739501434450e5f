// Whole zones of Route 53 by the functions and states of boto_route53, and health checks.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { type AwsService, awsService, ways } from './service.ts'

describe.each(ways())('hosted zones, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 'route53-hosted')
    calls = new AwsCalls(service.url)
    await calls.call('boto_vpc.create', { vpc_name: 'main', cidr_block: '10.1.0.0/16' })
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)

  test('a public and a private zone of one name are made once and deleted', async () => {
    const open = await calls.apply('boto_route53.hosted_zone_present', { name: 'example.org.', comment: 'shop' })
    expect(open.foreseen).toMatchObject({ result: null, comment: 'Route53 Hosted Zone example.org. set to be added.' })
    expect(open.done.changes['new']).toMatchObject({
      HostedZone: { Name: 'example.org.', Config: { Comment: 'shop' } },
    })
    expect(open.again.comment).toBe('Hosted Zone example.org. already in desired state')
    const inside = { name: 'inside', domain_name: 'example.org.', private_zone: true }
    expect(await calls.run('boto_route53.hosted_zone_present', inside, false)).toMatchObject({
      result: false,
      comment: 'Either vpc_name or vpc_id is required when creating a private zone.',
    })
    await calls.apply('boto_route53.hosted_zone_present', { ...inside, vpc_name: 'main' })
    const domain_name = 'example.org.'
    expect(await call('boto_route53.describe_hosted_zones', { domain_name, private_zone: true })).toMatchObject({
      VPCs: [{ VPCId: expect.stringMatching(/^vpc-/), VPCRegion: 'us-east-1' }],
    })
    expect(await call('boto_route53.create_hosted_zone', { domain_name })).toBe(null)
    expect(await call('boto_route53.list_all_zones_by_name')).toEqual([domain_name, domain_name])
    const ids = (await call('boto_route53.list_all_zones_by_id')) as string[]
    expect(await call('boto_route53.describe_hosted_zones', { zone_id: `/hostedzone/${ids[0]}` })).toMatchObject({
      HostedZone: { Name: domain_name },
    })
    expect(await call('boto_route53.describe_hosted_zones', { zone_id: 'ZNOSUCH' })).toEqual([])
    await expect(call('boto_route53.create_hosted_zone', { domain_name: 'example.net' })).rejects.toThrow(
      'ending period',
    )
    expect((await calls.apply('boto_route53.hosted_zone_present', { name: 'gone.example.' })).done.result).toBe(true)
    const gone = await calls.apply('boto_route53.hosted_zone_absent', { name: 'gone.example.' })
    expect(gone.done.comment).toBe('Route53 Hosted Zone gone.example. deleted')
    expect(gone.again.comment).toBe('Hosted Zone gone.example. already absent')
  })

  test('a health check is made', async () => {
    expect(await call('boto_route53.create_healthcheck', {})).toEqual({
      error: 'One of the following must be specified: fqdn or ip_addr',
    })
    const check = { ip_addr: '192.0.2.1', port: 443, hc_type: 'HTTPS', resource_path: '/health' }
    expect(await call('boto_route53.create_healthcheck', check)).toMatchObject({
      result: {
        CreateHealthCheckResponse: {
          HealthCheck: { HealthCheckConfig: { IPAddress: '192.0.2.1', Port: '443', ResourcePath: '/health' } },
        },
      },
    })
  })
})
