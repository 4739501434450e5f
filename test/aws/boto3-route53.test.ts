// The module and the states boto3_route53 against moto, and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

interface Zone {
  HostedZone: { Id: string; Name: string; Config: { Comment?: string; PrivateZone: boolean } }
  VPCs?: { VPCId: string; VPCRegion: string }[]
}

describe.each(ways())('boto3_route53, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  const networks: string[] = []
  beforeAll(async () => {
    service = await awsService(way, 'boto3-route53')
    calls = new AwsCalls(service.url)
    for (const name of ['one', 'two']) {
      const network = { cidr_block: name === 'one' ? '10.6.0.0/16' : '10.7.0.0/16', vpc_name: name }
      networks.push(((await call('boto_vpc.create', network)) as { id: string }).id)
    }
  })
  afterAll(() => {
    networks.length = 0
    return service.close()
  })
  const call = (name: string, given?: Plain) => calls.call(name, given)

  test('a public zone is made, described and deleted', async () => {
    const name = 'public.org.'
    const made = await calls.apply('boto3_route53.hosted_zone_present', { name, Comment: 'Ours' })
    expect(made.foreseen).toMatchObject({
      result: null,
      comment: 'Route 53 public hosted zone public.org. would be created.',
    })
    expect(made.done.comment).toBe('Route 53 public hosted zone public.org. successfully created')
    expect(made.done.changes).toMatchObject({
      old: null,
      new: { HostedZone: { Name: name, Config: { Comment: 'Ours', PrivateZone: false } } },
    })
    expect(made.again.comment).toBe('Hostd Zone public.org. already in desired state')
    const other = await calls.apply('boto3_route53.hosted_zone_present', {
      name: 'state',
      Name: name,
      Comment: 'Theirs',
    })
    expect(other.foreseen.comment).toBe('Route 53 public hosted zone public.org. comment would be updated.')
    expect(other.done.changes['new']).toMatchObject({ HostedZone: { Config: { Comment: 'Theirs' } } })
    if (way === 'moto') {
      const { HostedZones } = await awsCli(service.url)('route53', 'list-hosted-zones')
      expect(HostedZones).toMatchObject([{ Name: name, Config: { Comment: 'Theirs' } }])
    }
    const gone = await calls.apply('boto3_route53.hosted_zone_absent', { name })
    expect(gone.foreseen.comment).toBe('Route 53 public hosted zone public.org. would be deleted')
    expect(gone.done).toMatchObject({
      comment: 'Route 53 public hosted zone public.org. deleted',
      changes: { old: { HostedZone: { Name: name } }, new: null },
    })
    expect(gone.again.comment).toBe('Route 53 public hosted zone public.org. already absent')
    const wrong = { name, VPCs: [{ VPCName: 'one' }] }
    await expect(calls.run('boto3_route53.hosted_zone_present', wrong, true)).rejects.toThrow(
      'is invalid when creating',
    )
  })

  test('networks see a private zone', async () => {
    const zone = { name: 'private.org.', PrivateZone: true, VPCs: [{ VPCName: 'one' }] }
    await calls.apply('boto3_route53.hosted_zone_present', zone)
    const other = { ...zone, VPCs: [{ VPCId: networks[1]!, VPCRegion: 'us-east-1' }] }
    const moved = await calls.apply('boto3_route53.hosted_zone_present', other)
    expect(moved.foreseen.comment).toBe('Route 53 private hosted zone private.org. associated VPCs would be updated.')
    expect(moved.done.changes['new']).toMatchObject({ VPCs: [{ VPCId: networks[1]! }] })
    const none = { ...zone, VPCs: [{ VPCName: 'three' }] }
    expect(await calls.run('boto3_route53.hosted_zone_present', none, true)).toMatchObject({
      result: false,
      comment: 'A VPC matching given criteria (vpc: three / vpc_region: None) not found.',
    })
    const both = { ...zone, VPCs: [{ VPCName: 'one', VPCId: networks[1]! }] }
    await expect(calls.run('boto3_route53.hosted_zone_present', both, true)).rejects.toThrow('must be a list of dicts')
    const pair = { ...zone, name: 'pair.org.', VPCs: [{ VPCName: 'one' }, { VPCName: 'two' }] }
    const made = await calls.apply('boto3_route53.hosted_zone_present', pair)
    expect((made.done.changes['new'] as unknown as Zone).VPCs).toHaveLength(2)
  })

  test('records are made, changed and deleted', async () => {
    await call('boto3_route53.create_hosted_zone', { Name: 'records.org.' })
    const www = {
      name: 'www.records.org.',
      DomainName: 'records.org.',
      Type: 'A',
      TTL: 60,
      ResourceRecords: ['192.0.2.2', '192.0.2.1'],
    }
    const record = 'Route 53 resource record www.records.org. with type A'
    const made = await calls.apply('boto3_route53.rr_present', www)
    expect(made.foreseen).toMatchObject({ result: null, comment: `${record} would be added.` })
    expect(made.done).toMatchObject({
      comment: `${record} created.`,
      changes: { old: null, new: { TTL: 60, ResourceRecords: [{ Value: '192.0.2.1' }, { Value: '192.0.2.2' }] } },
    })
    expect(made.again.comment).toBe(`${record} is already in the desired state.`)
    const other = await calls.apply('boto3_route53.rr_present', { ...www, TTL: '120', ResourceRecords: ['192.0.2.3'] })
    expect(other.foreseen.comment).toBe(`${record} would be updated.`)
    expect(other.done.changes).toMatchObject({ old: { TTL: 60 }, new: { TTL: 120 } })
    const gone = await calls.apply('boto3_route53.rr_absent', { name: www.name, DomainName: 'records.org.', Type: 'A' })
    expect(gone.foreseen.comment).toBe(`${record} would be deleted.`)
    expect(gone.done).toMatchObject({ comment: `${record} deleted.`, changes: { old: { TTL: 120 }, new: null } })
    expect(gone.again.comment).toBe(`${record} already absent.`)
    const text = { ...www, name: '*.records.org.', Type: 'TXT', ResourceRecords: ['v=spf1 -all'] }
    const texts = await calls.apply('boto3_route53.rr_present', text)
    expect(texts.done.changes['new']).toMatchObject({ ResourceRecords: [{ Value: '"v=spf1 -all"' }] })
    const weighted = { ...www, name: 'w.records.org.', SetIdentifier: 'first', Weight: 10 }
    await calls.apply('boto3_route53.rr_present', weighted)
    await calls.apply('boto3_route53.rr_present', { ...weighted, SetIdentifier: 'second' })
    const { SetIdentifier: _first, ...all } = weighted
    expect(await calls.run('boto3_route53.rr_present', all, true)).toMatchObject({
      result: false,
      comment: 'Given criteria matched more than one ResourceRecordSet.',
    })
    const nowhere = { ...www, DomainName: 'none.org.' }
    expect(await calls.run('boto3_route53.rr_present', nowhere, true)).toMatchObject({
      result: false,
      comment: 'Route 53 public hosted zone none.org. not found',
    })
    const magic = { ...www, ResourceRecords: ['magic:ec2_instance_tag:Name:web:ip_address'] }
    await expect(calls.run('boto3_route53.rr_present', magic, true)).rejects.toThrow('in place of a magic one')
  })

  test('functions do the same', async () => {
    const [made] = (await call('boto3_route53.create_hosted_zone', { Name: 'plain.org.', Comment: 'x' })) as Zone[]
    const { Id } = made!.HostedZone
    expect(Id).toMatch(/^\/hostedzone\//)
    expect(await call('boto3_route53.create_hosted_zone', { Name: 'plain.org.' })).toBe(null)
    await expect(call('boto3_route53.create_hosted_zone', { Name: 'plain.org' })).rejects.toThrow('trailing period')
    expect(await call('boto3_route53.find_hosted_zone', { Id })).toMatchObject([{ HostedZone: { Id } }])
    expect(await call('boto3_route53.find_hosted_zone', { Name: 'plain.org.', PrivateZone: true })).toEqual([])
    await expect(call('boto3_route53.find_hosted_zone', {})).rejects.toThrow('Exactly one of either Id or Name')
    expect(await call('boto3_route53.get_hosted_zone', { Id })).toMatchObject([
      { HostedZone: { Id, Config: { Comment: 'x' } }, DelegationSet: { NameServers: expect.any(Array) } },
    ])
    expect(await call('boto3_route53.get_hosted_zone', { Id: 'Z0000000000' })).toEqual([])
    expect(await call('boto3_route53.get_hosted_zones_by_domain', { Name: 'plain.org.' })).toHaveLength(1)
    const listed = (await call('boto3_route53.list_hosted_zones')) as Zone['HostedZone'][]
    expect(listed.map(({ Name }) => Name)).toContain('plain.org.')
    const comment = { Name: 'plain.org.', Comment: 'y' }
    expect(await call('boto3_route53.update_hosted_zone_comment', comment)).toMatchObject([
      { HostedZone: { Config: { Comment: 'y' } } },
    ])
    expect(await call('boto3_route53.update_hosted_zone_comment', { ...comment, Name: 'none.org.' })).toEqual([])
    const hidden = { Name: 'hidden.org.', PrivateZone: true, VPCName: 'one' }
    expect(await call('boto3_route53.create_hosted_zone', hidden)).toHaveLength(1)
    const network = { Name: 'hidden.org.', VPCName: 'two' }
    expect(await call('boto3_route53.associate_vpc_with_hosted_zone', network)).toBe(true)
    expect(await call('boto3_route53.disassociate_vpc_from_hosted_zone', network)).toBe(true)
    expect(await call('boto3_route53.associate_vpc_with_hosted_zone', { ...network, VPCName: 'x' })).toBe(false)
    const set = {
      Name: 'bücher.plain.org.',
      Type: 'TXT',
      TTL: 60,
      ResourceRecords: [{ Value: '"Grüße"' }],
    }
    const ChangeBatch = { Changes: [{ Action: 'UPSERT', ResourceRecordSet: set }] }
    expect(await call('boto3_route53.change_resource_record_sets', { Name: 'plain.org.', ChangeBatch })).toBe(true)
    const change = { Name: 'none.org.', ChangeBatch }
    expect(await call('boto3_route53.change_resource_record_sets', change)).toEqual([])
    const spaced = { Changes: [{ Action: 'UPSERT', ResourceRecordSet: { ...set, Name: 'b ü.org' } }] }
    const refused = call('boto3_route53.change_resource_record_sets', { Name: 'plain.org.', ChangeBatch: spaced })
    await expect(refused).rejects.toThrow("'b ü.org' is no name of a domain")
    const bad = { Changes: [{ Action: 'UPSERT', ResourceRecordSet: { ...set, Typ: 'A' } }] }
    const wrong = call('boto3_route53.change_resource_record_sets', { Name: 'plain.org.', ChangeBatch: bad })
    await expect(wrong).rejects.toThrow("A record set has no 'Typ'")
    const found = { HostedZoneId: Id, StartRecordName: 'bücher.plain.org', StartRecordType: 'TXT' }
    expect(await call('boto3_route53.get_resource_records', found)).toEqual([
      { ...set, Name: 'xn--bcher-kva.plain.org.' },
    ])
    expect(await call('boto3_route53.get_resource_records', { Name: 'plain.org.', StartRecordType: 'MX' })).toEqual([])
    const removal = { Changes: [{ Action: 'DELETE', ResourceRecordSet: set }] }
    expect(await call('boto3_route53.change_resource_record_sets', { HostedZoneId: Id, ChangeBatch: removal })).toBe(
      true,
    )
    expect(await call('boto3_route53.delete_hosted_zone_by_domain', { Name: 'plain.org.' })).toBe(true)
    expect(await call('boto3_route53.delete_hosted_zone_by_domain', { Name: 'plain.org.' })).toBe(false)
    expect(await call('boto3_route53.delete_hosted_zone', { Id: 'Z0000000000' })).toBe(false)
  })
})
