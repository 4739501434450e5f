// The module and the states boto3_elasticache against moto, and against answers recorded from it. Parts that moto lacks
// use a test service, which stores its input and answers as AWS documents it.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

const micro = { CacheNodeType: 'cache.t3.micro', Engine: 'redis', NumCacheNodes: 1 }

describe.each(ways())('boto3_elasticache, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  let subnet_id = ''
  beforeAll(async () => {
    service = await awsService(way, 'boto3-elasticache')
    calls = new AwsCalls(service.url)
    await call('boto_vpc.create', { cidr_block: '10.8.0.0/16', vpc_name: 'net' })
    const subnet = { vpc_name: 'net', subnet_name: 'front', cidr_block: '10.8.1.0/24' }
    subnet_id = ((await call('boto_vpc.create_subnet', subnet)) as { id: string }).id
    await call('boto_secgroup.create', { name: 'caches', description: 'Caches' })
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)

  test('a cluster is made and deleted', async () => {
    const cluster = { ...micro, name: 'web', security_groups: 'caches', SnapshotRetentionLimit: 1 }
    const made = await calls.apply('boto3_elasticache.cache_cluster_present', cluster)
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Cache cluster web would be created.' })
    expect(made.done).toMatchObject({
      comment: 'Cache cluster web was created.',
      changes: { old: null, new: { CacheClusterId: 'web', NumCacheNodes: 1, CacheClusterStatus: 'available' } },
    })
    expect(made.again.comment).toBe('Cache cluster web is in the desired state.')
    if (way === 'moto') {
      const { CacheClusters } = await awsCli(service.url)('elasticache', 'describe-cache-clusters')
      expect(CacheClusters).toMatchObject([micro])
    }
    const more = await calls.run('boto3_elasticache.cache_cluster_present', { ...cluster, NumCacheNodes: '2' }, true)
    expect(more).toMatchObject({ result: null, comment: 'Cache cluster web would be modified.' })
    const gone = await calls.run('boto3_elasticache.cache_cluster_absent', { name: 'web', wait: 0 }, false)
    expect(gone).toMatchObject({ result: true, changes: { old: 'web', new: null } })
  })

  test('a replication group is made and deleted', async () => {
    const group = {
      name: 'pair',
      ReplicationGroupDescription: 'Two',
      NumCacheClusters: 2,
      CacheNodeType: 'cache.t3.micro',
      AutomaticFailoverEnabled: true,
    }
    const made = await calls.apply('boto3_elasticache.replication_group_present', group)
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Replication group pair would be created.' })
    expect(made.done.changes['new']).toMatchObject({ ReplicationGroupId: 'pair', Description: 'Two' })
    const other = { ...group, ReplicationGroupDescription: 'Both' }
    expect(await calls.run('boto3_elasticache.replication_group_present', other, true)).toMatchObject({
      result: null,
      comment: 'Replication group pair would be modified.',
    })
    const gone = await calls.run('boto3_elasticache.replication_group_absent', { name: 'pair', wait: 0 }, false)
    expect(gone).toMatchObject({ result: true, changes: { old: 'pair', new: null } })
  })

  test('a subnet group is made', async () => {
    const group = { name: 'front', subnets: ['front'], CacheSubnetGroupDescription: 'Front' }
    const made = await calls.apply('boto3_elasticache.cache_subnet_group_present', group)
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Cache subnet group front would be created.' })
    expect(made.done.changes['new']).toMatchObject({
      CacheSubnetGroupName: 'front',
      Subnets: [{ SubnetIdentifier: subnet_id }],
    })
    const other = { ...group, CacheSubnetGroupDescription: 'Back' }
    expect(await calls.run('boto3_elasticache.cache_subnet_group_present', other, true)).toMatchObject({
      result: null,
      comment: 'Cache subnet group front would be modified.',
    })
    const nowhere = { ...group, subnets: ['none'] }
    await expect(calls.run('boto3_elasticache.cache_subnet_group_present', nowhere, true)).rejects.toThrow(
      'Could not resolve Subnet Name none to an ID.',
    )
  })

  test('functions do the same', async () => {
    const name = 'plain'
    expect(await call('boto3_elasticache.cache_cluster_exists', { name })).toBe(false)
    expect(await call('boto3_elasticache.describe_cache_clusters', { name })).toBe(null)
    expect(await call('boto3_elasticache.create_cache_cluster', { ...micro, name, wait: 0 })).toBe(true)
    expect(await call('boto3_elasticache.create_cache_cluster', { ...micro, name })).toBe(false)
    expect(await call('boto3_elasticache.cache_cluster_exists', { name })).toBe(true)
    const clusters = (await call('boto3_elasticache.describe_cache_clusters', { ShowCacheNodeInfo: true })) as {
      ARN: string
      CacheClusterId: string
    }[]
    const cluster = clusters.find((one) => one.CacheClusterId === name)!
    expect(cluster).toMatchObject({ NumCacheNodes: 1, CacheClusterStatus: 'available' })
    const { ARN } = cluster
    const tags = { name: ARN, Tags: [{ Key: 'team', Value: 'web' }] }
    expect(await call('boto3_elasticache.add_tags_to_resource', tags)).toBe(true)
    expect(await call('boto3_elasticache.list_tags_for_resource', { name: ARN })).toEqual(tags.Tags)
    expect(await call('boto3_elasticache.remove_tags_from_resource', { name: ARN, TagKeys: ['team'] })).toBe(true)
    expect(await call('boto3_elasticache.list_tags_for_resource', { name: ARN })).toEqual([])
    expect(await call('boto3_elasticache.list_tags_for_resource', { name: 'arn:x' })).toEqual([])
    expect(await call('boto3_elasticache.delete_cache_cluster', { name, wait: 0 })).toBe(true)
    const group = { name, ReplicationGroupDescription: 'x', CacheNodeType: 'cache.t3.micro' }
    expect(await call('boto3_elasticache.replication_group_exists', { name })).toBe(false)
    expect(await call('boto3_elasticache.create_replication_group', group)).toBe(true)
    expect(await call('boto3_elasticache.replication_group_exists', { name })).toBe(true)
    expect(await call('boto3_elasticache.describe_replication_groups', { name })).toMatchObject([
      { ReplicationGroupId: name },
    ])
    expect(await call('boto3_elasticache.delete_replication_group', { name, wait: 0 })).toBe(true)
    const subnets = { name, subnets: subnet_id, CacheSubnetGroupDescription: 'x' }
    expect(await call('boto3_elasticache.cache_subnet_group_exists', { name })).toBe(false)
    expect(await call('boto3_elasticache.create_cache_subnet_group', subnets)).toBe(true)
    expect(await call('boto3_elasticache.cache_subnet_group_exists', { name })).toBe(true)
    expect(await call('boto3_elasticache.list_cache_subnet_groups')).toContain(name)
    expect(await call('boto3_elasticache.describe_cache_subnet_groups', { name })).toMatchObject([
      { CacheSubnetGroupName: name },
    ])
    await expect(call('boto3_elasticache.create_cache_cluster', { ...micro, name, wait: 'x' })).rejects.toThrow(
      "Bad value ('x')",
    )
    await expect(call('boto3_elasticache.create_cache_cluster', { name, 'a b': 1 })).rejects.toThrow('is no parameter')
  })
})

/** A service that stores the parameters of each created or changed resource. */
class KeptService {
  readonly forms: URLSearchParams[] = []
  private readonly kept = new Map<string, Map<string, string>>()
  private readonly server: Server

  constructor() {
    this.server = createServer(async (request, response) => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece)
      const form = new URLSearchParams(Buffer.concat(pieces).toString())
      this.forms.push(form)
      const [status, body] = this.answer(form)
      response.writeHead(status, { 'content-type': 'text/xml' }).end(body)
    })
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.close()
  }

  /** Return the last form of an action, without its version. */
  last(action: string): Record<string, string> {
    const {
      Action: _action,
      Version: _version,
      ...rest
    } = Object.fromEntries(this.forms.filter((form) => form.get('Action') === action).pop() ?? [])
    return rest
  }

  private answer(form: URLSearchParams): [number, string] {
    const action = form.get('Action') ?? ''
    const [, verb, noun] = /^(Create|Modify|Delete|Describe)(.*?)s?$/.exec(action) ?? []
    const reply = (content: string): [number, string] => [
      200,
      `<${action}Response><${action}Result>${content}</${action}Result></${action}Response>`,
    ]
    if (verb === undefined || noun === undefined) return reply('')
    const name = ['CacheClusterId', 'ReplicationGroupId', `${noun}Name`]
      .map((key) => form.get(key))
      .find((one) => one !== null)
    const key = `${noun} ${name}`
    if (verb === 'Delete') this.kept.delete(key)
    if (verb === 'Create' || verb === 'Modify') this.kept.set(key, new Map([...(this.kept.get(key) ?? []), ...form]))
    const found = this.kept.get(key)
    if (verb !== 'Describe') return reply('')
    const code = {
      CacheSubnetGroup: 'CacheSubnetGroupNotFoundFault',
      ReplicationGroup: 'ReplicationGroupNotFoundFault',
    }[noun]
    if (found === undefined)
      return [
        404,
        `<ErrorResponse><Error><Code>${code ?? `${noun}NotFound`}</Code><Message>none</Message></Error></ErrorResponse>`,
      ]
    const plain = [...found]
      .filter(([field]) => !field.includes('.'))
      .map(([field, value]) => `<${field}>${value}</${field}>`)
    const subnets = [...found]
      .filter(([field]) => field.startsWith('SubnetIds.'))
      .map(([, id]) => `<Subnet><SubnetIdentifier>${id}</SubnetIdentifier></Subnet>`)
    const status = '<CacheClusterStatus>available</CacheClusterStatus><Status>available</Status>'
    const more =
      noun === 'ReplicationGroup' ? `<Description>${found.get('ReplicationGroupDescription')}</Description>` : ''
    return reply(
      `<${noun}s><${noun}>${plain.join('')}${status}${more}<Subnets>${subnets.join('')}</Subnets></${noun}></${noun}s>`,
    )
  }
}

describe('boto3_elasticache changes what exists', () => {
  const service = new KeptService()
  let calls: AwsCalls
  beforeAll(async () => {
    calls = new AwsCalls(await service.open())
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)

  test('a cluster, a replication group and a subnet group become as their states say', async () => {
    await calls.apply('boto3_elasticache.cache_cluster_present', { ...micro, name: 'web' })
    const bigger = {
      ...micro,
      name: 'web',
      NumCacheNodes: 2,
      NewAvailabilityZones: ['us-east-1a'],
      ApplyImmediately: true,
    }
    const cluster = await calls.apply('boto3_elasticache.cache_cluster_present', bigger)
    expect(cluster.done).toMatchObject({
      comment: 'Cache cluster web was modified.',
      changes: { old: { NumCacheNodes: 1 }, new: { NumCacheNodes: 2 } },
    })
    expect(service.last('ModifyCacheCluster')).toEqual({
      CacheClusterId: 'web',
      NumCacheNodes: '2',
      'NewAvailabilityZones.PreferredAvailabilityZone.1': 'us-east-1a',
      ApplyImmediately: 'true',
    })
    const group = { name: 'pair', ReplicationGroupDescription: 'Two', AuthToken: 'a-long-password-of-redis' }
    await calls.apply('boto3_elasticache.replication_group_present', group)
    const renamed = { ...group, ReplicationGroupDescription: 'Both' }
    const replication = await calls.apply('boto3_elasticache.replication_group_present', renamed)
    expect(replication.done.comment).toBe('Replication group pair was modified.')
    const subnets = { name: 'front', SubnetIds: ['subnet-1'], CacheSubnetGroupDescription: 'Front' }
    await calls.apply('boto3_elasticache.cache_subnet_group_present', subnets)
    const moved = await calls.apply('boto3_elasticache.cache_subnet_group_present', {
      ...subnets,
      SubnetIds: ['subnet-2'],
    })
    expect(moved.done.comment).toBe('Cache subnet group front was modified.')
    expect(service.last('ModifyCacheSubnetGroup')).toMatchObject({ 'SubnetIds.SubnetIdentifier.1': 'subnet-2' })
    const gone = await calls.apply('boto3_elasticache.cache_subnet_group_absent', { name: 'front' })
    expect(gone.foreseen.comment).toBe('Cache subnet group front would be removed.')
    expect(gone.done.changes).toEqual({ old: 'front', new: null })
    expect(gone.again.comment).toBe('Cache subnet group front already absent.')
  })

  test('a cluster and a replication group are deleted once', async () => {
    await call('boto3_elasticache.create_cache_cluster', { ...micro, name: 'old', SecurityGroupIds: ['sg-1'] })
    expect(service.last('CreateCacheCluster')).toMatchObject({ 'SecurityGroupIds.SecurityGroupId.1': 'sg-1' })
    const gone = await calls.apply('boto3_elasticache.cache_cluster_absent', { name: 'old' })
    expect(gone.foreseen.comment).toBe('Cache cluster old would be removed.')
    expect(gone.done.changes).toEqual({ old: 'old', new: null })
    expect(gone.again.comment).toBe('Cache cluster old already absent.')
    await call('boto3_elasticache.create_replication_group', { name: 'old', ReplicationGroupDescription: 'x' })
    const group = await calls.apply('boto3_elasticache.replication_group_absent', { name: 'old' })
    expect(group.foreseen.comment).toBe('Replication group old would be removed.')
    expect(group.again.comment).toBe('Replication group old already absent.')
  })

  test('a parameter that only a change can have is set after a cluster is made', async () => {
    const cluster = { ...micro, name: 'new', NotificationTopicStatus: 'inactive' }
    const made = await calls.run('boto3_elasticache.cache_cluster_present', cluster, false)
    expect(made).toMatchObject({ result: true, comment: 'Cache cluster new was created.' })
    expect(service.last('CreateCacheCluster')).not.toHaveProperty('NotificationTopicStatus')
  })

  test('functions do the same', async () => {
    const name = 'mine'
    const modified = { name, NumCacheNodes: 3, wait: 1 }
    expect(await call('boto3_elasticache.modify_cache_cluster', modified)).toBe(true)
    expect(await call('boto3_elasticache.modify_replication_group', { name, CacheNodeType: 'cache.m6g.large' })).toBe(
      true,
    )
    expect(service.last('ModifyReplicationGroup')).toEqual({
      ReplicationGroupId: name,
      CacheNodeType: 'cache.m6g.large',
    })
    expect(await call('boto3_elasticache.modify_cache_subnet_group', { name, subnets: ['subnet-1'] })).toBe(true)
    expect(await call('boto3_elasticache.delete_cache_subnet_group', { name })).toBe(true)
    expect(await call('boto3_elasticache.cache_security_group_exists', { name })).toBe(false)
    expect(await call('boto3_elasticache.create_cache_security_group', { name, Description: 'x' })).toBe(true)
    expect(await call('boto3_elasticache.cache_security_group_exists', { name })).toBe(true)
    expect(await call('boto3_elasticache.describe_cache_security_groups', { name })).toMatchObject([
      { Description: 'x' },
    ])
    const web = { name, EC2SecurityGroupName: 'web', EC2SecurityGroupOwnerId: '123456789012' }
    expect(await call('boto3_elasticache.authorize_cache_security_group_ingress', web)).toBe(true)
    expect(service.last('AuthorizeCacheSecurityGroupIngress')).toEqual({
      CacheSecurityGroupName: name,
      EC2SecurityGroupName: 'web',
      EC2SecurityGroupOwnerId: '123456789012',
    })
    expect(await call('boto3_elasticache.revoke_cache_security_group_ingress', web)).toBe(true)
    expect(await call('boto3_elasticache.delete_cache_security_group', { name })).toBe(true)
    const parameters = { name, CacheParameterGroupFamily: 'redis7', Description: 'x' }
    expect(await call('boto3_elasticache.create_cache_parameter_group', parameters)).toBe(true)
    expect(await call('boto3_elasticache.describe_cache_parameter_groups', { name })).toMatchObject([
      { CacheParameterGroupFamily: 'redis7' },
    ])
    expect(await call('boto3_elasticache.delete_cache_parameter_group', { name })).toBe(true)
    expect(await call('boto3_elasticache.copy_snapshot', { name, TargetSnapshotName: 'copy' })).toBe(true)
    expect(service.last('CopySnapshot')).toEqual({ SourceSnapshotName: name, TargetSnapshotName: 'copy' })
  })
})
