// Functions of the modules boto_* one by one, against moto and against answers recorded from it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { type AwsService, awsService, ways } from './service.ts'

type Answer = Record<string, string>

describe.each(ways())('functions for AWS, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 'functions')
    calls = new AwsCalls(service.url)
  })
  const folder = mkdtempSync(join(tmpdir(), 'aws-'))
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await service.close()
  })
  const call = (name: string, given?: Plain) => calls.call(name, given)
  const answer = async (name: string, given?: Plain) => (await calls.call(name, given)) as Answer

  test('networks and their parts', async () => {
    const { id: vpc_id } = await answer('boto_vpc.create', {
      cidr_block: '10.2.0.0/16',
      vpc_name: 'lab',
      enable_dns_hostnames: true,
    })
    expect(await call('boto_vpc.get_id', { name: 'lab' })).toEqual({ id: vpc_id })
    expect(await call('boto_vpc.check_vpc', { vpc_name: 'lab' })).toBe(vpc_id)
    expect(await call('boto_vpc.check_vpc', { vpc_id: 'vpc-0000000000' })).toBeNull()
    expect(await call('boto_vpc.describe', { vpc_name: 'lab' })).toMatchObject({
      vpc: { id: vpc_id, region: 'us-east-1' },
    })
    expect(await call('boto_vpc.describe_vpcs', { cidr: '10.2.0.0/16' })).toMatchObject({ vpcs: [{ id: vpc_id }] })
    const subnet = { vpc_name: 'lab', subnet_name: 'lab-a', cidr_block: '10.2.1.0/24', auto_assign_public_ipv4: true }
    const { id: subnet_id } = await answer('boto_vpc.create_subnet', subnet)
    expect(await call('boto_vpc.create_subnet', subnet)).toMatchObject({
      created: false,
      error: { message: 'A subnet named lab-a already exists.' },
    })
    expect(await call('boto_vpc.subnet_exists', { subnet_name: 'lab-a' })).toEqual({ exists: true })
    expect(await call('boto_vpc.describe_subnet', { subnet_id: subnet_id! })).toMatchObject({
      subnet: { cidr_block: '10.2.1.0/24' },
    })
    expect(await call('boto_vpc.describe_subnets', { subnet_names: ['lab-a'] })).toMatchObject({
      subnets: [{ id: subnet_id }],
    })
    expect(await call('boto_vpc.get_subnet_association', { subnets: [subnet_id!] })).toEqual({ vpc_id })
    const { id: gateway } = await answer('boto_vpc.create_internet_gateway', {
      internet_gateway_name: 'lab-gate',
      vpc_name: 'lab',
    })
    expect(await call('boto_vpc.get_resource_id', { resource: 'internet_gateway', name: 'lab-gate' })).toEqual({
      id: gateway,
    })
    expect(await call('boto_vpc.resource_exists', { resource: 'internet_gateway', name: 'none' })).toEqual({
      exists: false,
    })
    const { id: table } = await answer('boto_vpc.create_route_table', {
      vpc_name: 'lab',
      route_table_name: 'lab-routes',
    })
    expect(await call('boto_vpc.route_table_exists', { route_table_name: 'lab-routes' })).toEqual({ exists: true })
    const route = { route_table_name: 'lab-routes', destination_cidr_block: '0.0.0.0/0' }
    expect(await call('boto_vpc.create_route', { ...route, internet_gateway_name: 'lab-gate' })).toEqual({
      created: true,
    })
    expect(await call('boto_vpc.create_route', { ...route, internet_gateway_name: 'none' })).toMatchObject({
      created: false,
    })
    expect(await call('boto_vpc.replace_route', { ...route, gateway_id: gateway! })).toEqual({ replaced: true })
    expect(await call('boto_vpc.describe_route_tables', { route_table_id: table! })).toMatchObject([
      { id: table, routes: [{ gateway_id: 'local' }, { destination_cidr_block: '0.0.0.0/0', gateway_id: gateway }] },
    ])
    const { association_id } = await answer('boto_vpc.associate_route_table', {
      route_table_id: table!,
      subnet_name: 'lab-a',
    })
    expect(await call('boto_vpc.disassociate_route_table', { association_id: association_id! })).toEqual({
      disassociated: true,
    })
    expect(await call('boto_vpc.delete_route', route)).toEqual({ deleted: true })
    expect(await call('boto_vpc.delete_route_table', { route_table_name: 'lab-routes' })).toEqual({ deleted: true })
    expect(await call('boto_vpc.delete_internet_gateway', { internet_gateway_name: 'lab-gate', detach: true })).toEqual(
      {
        deleted: true,
      },
    )
    expect(await call('boto_vpc.delete_subnet', { subnet_name: 'lab-a' })).toEqual({ deleted: true })
    expect(await call('boto_vpc.delete', { vpc_name: 'lab' })).toEqual({ deleted: true })
    expect(await call('boto_vpc.delete', { vpc_id: vpc_id! })).toMatchObject({
      deleted: false,
      error: { aws: { code: 'InvalidVpcID.NotFound', status: 400 } },
    })
  })

  test('security groups and their rules', async () => {
    expect(await call('boto_secgroup.create', { name: 'db', description: 'Databases' })).toBe(true)
    const id = (await call('boto_secgroup.get_group_id', { name: 'db' })) as string
    expect(id).toMatch(/^sg-/)
    expect(await call('boto_secgroup.convert_to_group_ids', { groups: ['db', 'sg-1'] })).toEqual([id, 'sg-1'])
    await expect(call('boto_secgroup.convert_to_group_ids', { groups: ['none'] })).rejects.toThrow(
      'Could not resolve Security Group name none to a Group ID',
    )
    const rule = { name: 'db', ip_protocol: 'tcp', from_port: 5432, to_port: 5432, cidr_ip: '10.0.0.0/8' }
    expect(await call('boto_secgroup.authorize', rule)).toBe(true)
    expect(await call('boto_secgroup.authorize', rule)).toBe(true)
    expect(await call('boto_secgroup.set_tags', { name: 'db', tags: { team: 'data' } })).toBe(true)
    const all = (await call('boto_secgroup.get_all_security_groups', { filters: { 'group-name': 'db' } })) as object[]
    expect(all).toMatchObject([
      { id, tags: { team: 'data' }, instances: [], rules: [{ ip_protocol: 'tcp', from_port: 5432 }] },
    ])
    expect(await call('boto_secgroup.revoke', rule)).toBe(true)
    expect(await call('boto_secgroup.revoke', { ...rule, name: 'none' })).toBe(false)
    expect(await call('boto_secgroup.delete_tags', { name: 'db', tags: ['team'] })).toBe(true)
    expect(await call('boto_secgroup.delete', { name: 'db' })).toBe(true)
  })

  test('queues and topics', async () => {
    expect(await call('boto_sqs.create', { name: 'jobs', attributes: '{"DelaySeconds": 5}' })).toEqual({ result: true })
    expect(await call('boto_sqs.exists', { name: 'jobs' })).toEqual({ result: true })
    expect(await call('boto_sqs.set_attributes', { name: 'jobs', attributes: { DelaySeconds: 7 } })).toEqual({
      result: true,
    })
    expect(await call('boto_sqs.get_attributes', { name: 'jobs' })).toMatchObject({ result: { DelaySeconds: '7' } })
    expect(await call('boto_sqs.delete', { name: 'jobs' })).toEqual({ result: true })
    expect(await call('boto_sqs.exists', { name: 'jobs' })).toEqual({ result: false })
    expect(await call('boto_sns.create', { name: 'news' })).toBe(true)
    expect(await call('boto_sns.exists', { name: 'news' })).toBe(true)
    const { news: arn } = await answer('boto_sns.get_all_topics')
    expect(arn).toMatch(/:news$/)
    const hook = { topic: 'news', protocol: 'https', endpoint: 'https://www.example.com/hook' }
    expect(await call('boto_sns.subscribe', hook)).toBe(true)
    const [one] = (await call('boto_sns.get_all_subscriptions_by_topic', { name: 'news' })) as Answer[]
    expect(one).toMatchObject({ Protocol: 'https', Endpoint: hook.endpoint, TopicArn: arn })
    expect(await call('boto_sns.unsubscribe', { topic: 'news', subscription_arn: one!['SubscriptionArn']! })).toBe(true)
    expect(await call('boto_sns.unsubscribe', { topic: 'news', subscription_arn: 'PendingConfirmation' })).toBe(false)
    expect(await call('boto_sns.delete', { name: 'news' })).toBe(true)
    await expect(call('boto_sns.delete', { name: 'news' })).rejects.toThrow('There is no SNS topic news')
  })

  test('key pairs, addresses, tags and volumes', async () => {
    const material = (await call('boto_ec2.create_key', { key_name: 'lab', save_path: folder })) as string
    expect(readFileSync(join(folder, 'lab.pem'), 'utf8')).toBe(material)
    await expect(call('boto_ec2.create_key', { key_name: 'lab', save_path: folder })).rejects.toThrow(
      'will not be overwritten',
    )
    expect(await call('boto_ec2.get_key', { key_name: 'lab' })).toMatchObject(['lab', expect.any(String)])
    expect(await call('boto_ec2.delete_key', { key_name: 'lab' })).toBe(true)
    expect(await call('boto_ec2.get_key', { key_name: 'lab' })).toBe(false)
    expect(await call('boto_ec2.get_zones')).toContain('us-east-1a')
    expect(await call('boto_ec2.find_images', { image_ids: ['ami-03cf127a'] })).toEqual(['ami-03cf127a'])
    const machine = { image_id: 'ami-03cf127a', name: 'lab', instance_type: 't2.micro' }
    const { instance_id } = await answer('boto_ec2.run', machine)
    expect(await call('boto_ec2.find_instances', { name: 'lab' })).toEqual([instance_id])
    expect(await call('boto_ec2.exists', { name: 'lab', in_states: ['stopped'] })).toBe(false)
    expect(await call('boto_ec2.create_tags', { resource_ids: [instance_id!], tags: { a: 1 } })).toBe(true)
    expect(await call('boto_ec2.get_all_tags')).toMatchObject({ [instance_id!]: { a: '1', Name: 'lab' } })
    expect(await call('boto_ec2.delete_tags', { resource_ids: [instance_id!], tags: ['a'] })).toBe(true)
    const { public_ip, allocation_id } = await answer('boto_ec2.allocate_eip_address', { domain: 'vpc' })
    expect(await call('boto_ec2.get_all_eip_addresses')).toEqual([public_ip])
    expect(await call('boto_ec2.get_unassociated_eip_address', { domain: 'vpc' })).toBe(public_ip)
    expect(
      await call('boto_ec2.associate_eip_address', { instance_id: instance_id!, allocation_id: allocation_id! }),
    ).toBe(true)
    expect(await call('boto_ec2.disassociate_eip_address', { public_ip: public_ip! })).toBe(true)
    expect(await call('boto_ec2.release_eip_address', { allocation_id: allocation_id! })).toBe(true)
    const volume = await answer('boto_ec2.create_volume', { zone_name: 'us-east-1a', size: 1 })
    const place = { volume_id: volume['result']!, instance_id: instance_id!, device: '/dev/sdh' }
    expect(await call('boto_ec2.attach_volume', place)).toBe(true)
    expect(await call('boto_ec2.detach_volume', place)).toBe(true)
    expect(await call('boto_ec2.terminate', { name: 'none' })).toEqual([])
  })
})
