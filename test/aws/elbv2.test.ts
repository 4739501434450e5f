// Target groups of load balancers, against moto and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

describe.each(ways())('boto_elbv2, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  let vpc_id = ''
  let machine = ''
  beforeAll(async () => {
    service = await awsService(way, 'elbv2')
    calls = new AwsCalls(service.url)
    vpc_id = ((await calls.call('boto_vpc.create', { cidr_block: '10.3.0.0/16' })) as { id: string }).id
    const run = { image_id: 'ami-03cf127a', name: 'web', instance_type: 't2.micro' }
    machine = ((await calls.call('boto_ec2.run', run)) as { instance_id: string }).instance_id
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)

  test('target groups are made, given targets and deleted by states', async () => {
    const made = await calls.apply('boto_elbv2.create_target_group', {
      name: 'web',
      protocol: 'HTTP',
      port: 80,
      vpc_id,
    })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Target Group web will be created' })
    expect(made.done).toMatchObject({ comment: 'Target Group web created', changes: { target_group: 'web' } })
    expect(made.again.comment).toBe('Target Group web already exists')
    if (way === 'moto') {
      const { TargetGroups } = await awsCli(service.url)('elbv2', 'describe-target-groups', '--names', 'web')
      expect(TargetGroups).toMatchObject([{ Port: 80, VpcId: vpc_id, HealthCheckIntervalSeconds: 30 }])
    }
    const added = await calls.apply('boto_elbv2.targets_registered', { name: 'web', targets: [machine] })
    expect(added.foreseen).toMatchObject({ result: null, changes: { old: {}, new: { [machine]: 'initial' } } })
    expect(added.done.comment).toBe('Target Group web has been changed')
    expect(Object.keys(added.done.changes['new']!)).toEqual([machine])
    expect(added.again.comment).toContain(`Target/s ${machine} already registered and is `)
    const removed = await calls.apply('boto_elbv2.targets_deregistered', { name: 'web', targets: machine })
    expect(removed.foreseen.changes['new']).toEqual({ [machine]: 'draining' })
    expect(removed.again.comment).toBe(`Target/s ${machine} already deregistered\n`)
    const gone = await calls.apply('boto_elbv2.delete_target_group', { name: 'web' })
    expect(gone.foreseen.comment).toBe('Target Group web will be deleted')
    expect(gone.done).toMatchObject({ comment: 'Target Group web deleted', changes: { target_group: 'web' } })
    expect(await calls.run('boto_elbv2.targets_registered', { name: 'web', targets: machine }, false)).toMatchObject({
      result: false,
      comment: 'Could not find target group web',
    })
  })

  test('functions do the same', async () => {
    const group = { name: 'api', protocol: 'HTTP', port: 8080, vpc_id, health_check_path: '/health' }
    expect(await call('boto_elbv2.target_group_exists', { name: 'api' })).toBe(false)
    expect(await call('boto_elbv2.create_target_group', group)).toBe(true)
    expect(await call('boto_elbv2.create_target_group', group)).toBe(true)
    expect(await call('boto_elbv2.create_target_group', { ...group, name: '-no-' })).toBe(false)
    expect(await call('boto_elbv2.target_group_exists', { name: 'api' })).toBe(true)
    expect(await call('boto_elbv2.register_targets', { name: 'api', targets: [machine] })).toBe(true)
    expect(await call('boto_elbv2.register_targets', { name: 'none', targets: machine })).toBe(false)
    expect(await call('boto_elbv2.describe_target_health', { name: 'api' })).toEqual({ [machine]: expect.any(String) })
    expect(await call('boto_elbv2.describe_target_health', { name: 'none' })).toEqual({})
    expect(await call('boto_elbv2.deregister_targets', { name: 'api', targets: machine })).toBe(true)
    expect(await call('boto_elbv2.delete_target_group', { name: 'api' })).toBe(true)
    expect(await call('boto_elbv2.delete_target_group', { name: 'api' })).toBe(true)
  })
})
