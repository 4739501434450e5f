// The modules and states boto_* against moto, and against answers recorded from it.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, hasMoto, ways, withoutMoto } from './service.ts'

describe.each(ways())('modules for AWS, %s', (way) => {
  let service: AwsService
  beforeAll(async () => {
    service = await awsService(way, 'modules')
    calls = new AwsCalls(service.url)
  })
  const folder = mkdtempSync(join(tmpdir(), 'aws-'))
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await service.close()
  })

  let calls: AwsCalls
  const call = (name: string, given?: Plain) => calls.call(name, given)
  const run = (name: string, given: Plain, isTest: boolean) => calls.run(name, given, isTest)
  const apply = (name: string, given: Plain) => calls.apply(name, given)

  test('a network, a subnet, a gateway and a route table are made once', async () => {
    const made = await apply('boto_vpc.present', { name: 'main', cidr_block: '10.1.0.0/16', tags: { team: 'web' } })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'VPC main is set to be created.' })
    expect(made.done).toMatchObject({ result: true, comment: 'VPC main created.', changes: { old: { vpc: null } } })
    expect(made.done.changes['new']!['vpc']).toMatchObject({
      cidr_block: '10.1.0.0/16',
      tags: { Name: 'main', team: 'web' },
    })
    const gateway = await apply('boto_vpc.internet_gateway_present', { name: 'gate', vpc_name: 'main' })
    expect(gateway.done.comment).toBe('Internet gateway gate created.')
    const subnet = await apply('boto_vpc.subnet_present', { name: 'a', cidr_block: '10.1.1.0/24', vpc_name: 'main' })
    expect(subnet.done).toMatchObject({
      comment: 'Subnet a created.',
      changes: { new: { subnet: { cidr_block: '10.1.1.0/24' } } },
    })
    const routes = [{ destination_cidr_block: '0.0.0.0/0', internet_gateway_name: 'gate' }]
    const table = await apply('boto_vpc.route_table_present', {
      name: 'public',
      vpc_name: 'main',
      routes,
      subnet_names: ['a'],
    })
    expect(table.done.comment).toMatch(
      /^ Route table public created\. Created route 0\.0\.0\.0\/0 in route table public\. Associated subnet subnet-\w+ with route table public\.$/,
    )
    const less = await apply('boto_vpc.route_table_present', { name: 'public', vpc_name: 'main' })
    expect(less.foreseen.comment).toContain('set to have routes modified')
    expect(less.done.comment).toContain('Deleted route 0.0.0.0/0 from route table public.')
  })

  test('a security group has the rules and tags of its state', async () => {
    const rules = [
      { ip_protocol: 'tcp', from_port: 80, to_port: 80, cidr_ip: ['10.0.0.0/8', '192.168.0.0/16'] },
      { ip_protocol: 'icmp', from_port: -1, to_port: -1, source_group_name: 'web' },
    ]
    const group = { name: 'web', description: 'Web servers', vpc_name: 'main' }
    const first = await apply('boto_secgroup.present', group)
    expect(first.done).toMatchObject({ result: true, comment: ' Security group web created. ' })
    const ruled = await apply('boto_secgroup.present', { ...group, rules, rules_egress: [], tags: { a: 'b' } })
    expect(ruled.foreseen.comment).toContain('Security group web set to have rules modified.')
    expect(ruled.foreseen.comment).toContain('The following tag is set to be added: a.')
    expect(ruled.done.comment).toContain('Created rules on web security group.')
    expect(ruled.done.comment).toContain('Removed egress rule on web security group.')
    const config = (await call('boto_secgroup.get_config', { name: 'web', vpc_name: 'main' })) as Record<
      string,
      unknown[]
    >
    expect(config['rules']).toHaveLength(3)
    expect(config['rules_egress']).toEqual([])
    expect(config['tags']).toEqual({ a: 'b' })
    const fewer = await apply('boto_secgroup.present', { ...group, rules: rules.slice(1), tags: { a: 'c' } })
    expect(fewer.foreseen.comment).toContain('The following tag value is set to be updated: a.')
    expect(fewer.done.changes['new']).toMatchObject({ tags: { a: 'c' } })
    await expect(
      apply('boto_secgroup.present', { ...group, rules: [{ ip_protocol: 'tpc', cidr_ip: '::' }] }),
    ).rejects.toThrow('Invalid ip_protocol tpc specified in security group rule.')
    const gone = await apply('boto_secgroup.absent', { name: 'web', vpc_name: 'main' })
    expect(gone.done.comment).toBe('Security group web deleted.')
  })

  test('a queue has the attributes of its state', async () => {
    const made = await apply('boto_sqs.present', { name: 'orders', attributes: { VisibilityTimeout: 60 } })
    expect(made.foreseen).toMatchObject({ result: null, changes: { old: null, new: 'orders' } })
    const other = await apply('boto_sqs.present', { name: 'orders', attributes: { VisibilityTimeout: 90 } })
    expect(other.done.changes['attributes']!['diff']).toContain('+VisibilityTimeout: 90')
    expect(await call('boto_sqs.list')).toEqual({ result: ['orders'] })
    const gone = await apply('boto_sqs.absent', { name: 'orders' })
    expect(gone.done.comment).toBe('SQS queue orders was deleted.')
    expect(await call('boto_sqs.get_attributes', { name: 'orders' })).toMatchObject({
      error: { message: expect.stringContaining('NonExistentQueue') },
    })
  })

  test('a topic has the subscriptions of its state', async () => {
    const subscriptions = [{ protocol: 'https', endpoint: 'https://ann:pw@www.example.com/hook' }]
    const made = await apply('boto_sns.present', { name: 'alarms' })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'AWS SNS topic alarms is set to be created.' })
    const other = { protocol: 'https', endpoint: 'https://www.example.com/hook' }
    const more = await apply('boto_sns.present', { name: 'alarms', subscriptions: [other] })
    expect(more.done.comment).toContain(' AWS SNS subscription https:https://www.example.com/hook set on topic alarms.')
    const foreseen = await run('boto_sns.present', { name: 'alarms', subscriptions }, true)
    expect(foreseen.comment).toContain('https://ann:****@www.example.com')
    expect(await call('boto_sns.get_arn', { name: 'alarms' })).toMatch(/^arn:aws:sns:us-east-1:\d+:alarms$/)
    const gone = await apply('boto_sns.absent', { name: 'alarms', unsubscribe: true })
    expect(gone.done).toMatchObject({ comment: 'AWS SNS topic alarms deleted.', changes: { new: null } })
  })

  test('objects are put, listed, read and deleted', async () => {
    const file = join(folder, 'object')
    writeFileSync(file, 'content of å\n')
    const object = { bucket: 'files', path: 'a b/ä.txt' }
    const ask = (name: string, given: Plain) => calls.s3(name, given)
    await ask('s3.put', { bucket: 'files' })
    await ask('s3.put', { ...object, local_file: file })
    expect(JSON.stringify(await ask('s3.get', { bucket: 'files' }))).toContain('a b/ä.txt')
    expect(await ask('s3.get', { ...object, local_file: `${file}2` })).toBe(`Saved to local file: ${file}2`)
    expect(readFileSync(`${file}2`, 'utf8')).toBe('content of å\n')
    expect(await ask('s3.head', object)).toMatchObject({ headers: { etag: expect.stringMatching(/^"\w{32}"$/) } })
    await ask('s3.delete', object)
    await expect(ask('s3.get', { ...object, local_file: file })).rejects.toThrow('Failed to get file. NoSuchKey: ')
    await expect(ask('s3.get', { bucket: '../x' })).rejects.toThrow("'../x' is no name of a bucket")
  })

  test('machines, key pairs, addresses and volumes have functions', async () => {
    const made = await apply('boto_ec2.key_present', { name: 'ops', save_private: folder })
    expect(made.foreseen.comment).toBe('The key ops is set to be created.')
    expect(made.done.changes).toEqual({ old: null, new: 'ops' })
    expect(statSync(join(folder, 'ops.pem')).mode & 0o777).toBe(0o600)
    expect(await call('boto_ec2.get_keys')).toEqual(['ops'])
    expect((await apply('boto_ec2.key_absent', { name: 'ops' })).done.comment).toBe('The key ops is deleted.')
    const { instance_id } = (await call('boto_ec2.run', {
      image_id: 'ami-03cf127a',
      name: 'one',
      instance_type: 't2.micro',
      tags: { team: 'web' },
    })) as { instance_id: string }
    expect(await call('boto_ec2.get_id', { name: 'one', in_states: ['running'] })).toBe(instance_id)
    expect(await call('boto_ec2.get_tags', { instance_id })).toContainEqual({ team: 'web' })
    expect(
      await call('boto_ec2.set_attribute', { attribute: 'sourceDestCheck', attribute_value: false, instance_id }),
    ).toBe(true)
    expect(await call('boto_ec2.get_attribute', { attribute: 'sourceDestCheck', instance_id })).toEqual({
      sourceDestCheck: false,
    })
    const volume = (await call('boto_ec2.create_volume', {
      zone_name: 'us-east-1a',
      size: 1,
      wait_for_creation: true,
    })) as Record<string, string>
    expect(await call('boto_ec2.get_all_volumes')).toContain(volume['result'])
    expect(await call('boto_ec2.delete_volume', { volume_id: volume['result']! })).toBe(true)
    const address = (await call('boto_ec2.allocate_eip_address', { domain: 'vpc' })) as Record<string, string>
    expect(
      await call('boto_ec2.associate_eip_address', { instance_id, allocation_id: address['allocation_id']! }),
    ).toBe(true)
    expect(await call('boto_ec2.get_eip_address_info')).toMatchObject([{ instance_id }])
    expect(await call('boto_ec2.terminate', { instance_id })).toBe(true)
  })

  test('a network and what is in it are removed', async () => {
    await apply('boto_vpc.route_table_present', { name: 'public', vpc_name: 'main', subnet_ids: [] })
    await apply('boto_vpc.route_table_absent', { name: 'public' })
    await apply('boto_vpc.subnet_absent', { name: 'a' })
    await apply('boto_vpc.internet_gateway_absent', { name: 'gate', detach: true })
    expect((await apply('boto_vpc.absent', { name: 'main' })).done.comment).toBe('VPC main deleted.')
    expect(await call('boto_vpc.exists', { name: 'main' })).toEqual({ exists: false })
  })

  test.runIf(way === 'moto')('aws-cli and the modules see the same', async () => {
    const aws = awsCli(service.url)
    await call('boto_secgroup.create', { name: 'ours', description: 'ours' })
    const groups = await aws('ec2', 'describe-security-groups', '--filters', 'Name=group-name,Values=ours')
    expect(groups.SecurityGroups).toHaveLength(1)
    await aws('ec2', 'create-security-group', '--group-name', 'theirs', '--description', 'theirs')
    expect(await call('boto_secgroup.exists', { name: 'theirs' })).toBe(true)
  })
})

test.skipIf(hasMoto())(`modules for AWS against moto (${withoutMoto})`, (ctx) => ctx.skip())
