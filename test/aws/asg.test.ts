// The module boto_asg and the states boto_asg and boto_lc against moto, and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, ways } from './service.ts'

describe.each(ways())('boto_asg, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  let subnet_id = ''
  beforeAll(async () => {
    service = await awsService(way, 'asg')
    calls = new AwsCalls(service.url)
  })
  afterAll(() => service.close())
  const call = (name: string, given?: Plain) => calls.call(name, given)
  const image_id = 'ami-03cf127a'
  const zones = ['us-east-1a']

  test('a launch configuration is made once and deleted', async () => {
    const given = {
      name: 'launch',
      image_id,
      cloud_init: { scripts: { hello: '#!/bin/sh\necho hello\n' } },
      instance_type: 't2.micro',
      block_device_mappings: [{ '/dev/sda1': { size: 20, volume_type: 'gp2', delete_on_termination: true } }],
    }
    const made = await calls.apply('boto_lc.present', given)
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Launch configuration set to be created.' })
    expect(made.done).toMatchObject({ comment: '', changes: { old: null, new: 'launch' } })
    expect(made.again.comment).toBe('Launch configuration present.')
    expect(await call('boto_asg.describe_launch_configuration', { name: 'launch' })).toMatchObject({
      image_id,
      instance_type: 't2.micro',
      block_device_mappings: { '/dev/sda1': { size: 20, volume_type: 'gp2', delete_on_termination: true } },
    })
    if (way === 'moto') {
      const words = ['autoscaling', 'describe-launch-configurations', '--launch-configuration-names', 'launch']
      const { LaunchConfigurations } = await awsCli(service.url)(...words)
      const text = Buffer.from(LaunchConfigurations[0].UserData, 'base64').toString()
      expect(text).toContain('echo hello')
      expect(text).toMatch(/^Content-Type: multipart\/mixed; boundary="=+/)
    }
    const gone = await calls.apply('boto_lc.absent', { name: 'launch' })
    expect(gone.foreseen.comment).toBe('Launch configuration set to be deleted.')
    expect(gone.done).toMatchObject({ comment: 'Deleted launch configuration.', changes: { old: 'launch', new: null } })
    expect(gone.again.comment).toBe('Launch configuration does not exist.')
    const both = { ...given, user_data: 'x' }
    await expect(calls.run('boto_lc.present', both, true)).rejects.toThrow('mutually exclusive')
  })

  const group = {
    name: 'web',
    launch_config_name: 'web',
    launch_config: [{ image_id }, { instance_type: 't2.micro' }],
    availability_zones: zones,
    min_size: 0,
    max_size: 2,
    desired_capacity: 1,
    tags: [{ key: 'team', value: 'web' }],
    suspended_processes: ['AddToLoadBalancer'],
    scaling_policies: [{ name: 'up', adjustment_type: 'ChangeInCapacity', scaling_adjustment: 1, cooldown: 60 }],
    scheduled_actions: {
      night: {
        desired_capacity: 0,
        min_size: 0,
        max_size: 1,
        recurrence: '0 22 * * *',
        start_time: '2040-01-01T00:00:00Z',
      },
    },
  }
  const alarms = {
    busy: {
      name: 'is busy',
      attributes: {
        metric: 'CPUUtilization',
        namespace: 'AWS/EC2',
        statistic: 'Average',
        comparison: '>',
        threshold: 80,
        period: 60,
        evaluation_periods: 1,
        description: 'Too much work',
        alarm_actions: ['scaling_policy:self:up'],
      },
    },
  }

  test('a group is made, changed and deleted with its launch configuration', async () => {
    const made = await calls.apply('boto_asg.present', { ...group, alarms })
    expect(made.foreseen).toMatchObject({ result: null, comment: 'Autoscale group set to be created.', changes: {} })
    const { launch_config, new: made_group } = made.done.changes as Record<string, Record<string, unknown>>
    expect(launch_config).toMatchObject({ old: null, new: expect.stringMatching(/^web-[0-9a-f]{32}$/) })
    expect(made_group).toMatchObject({
      name: 'web',
      launch_config_name: launch_config!['new'],
      desired_capacity: 1,
      tags: [{ key: 'team', value: 'web', propagate_at_launch: false }],
      suspended_processes: ['AddToLoadBalancer'],
      scaling_policies: [{ name: 'up', scaling_adjustment: 1, cooldown: 60, min_adjustment_step: null }],
      scheduled_actions: {
        night: { desired_capacity: 0, recurrence: '0 22 * * *', start_time: '2040-01-01T00:00:00' },
      },
    })
    expect(made.again.comment).toContain('Autoscale group present.')
    const arn = await call('boto_asg.get_scaling_policy_arn', { as_group: 'web', scaling_policy_name: 'up' })
    expect(await call('boto_cloudwatch.get_alarm', { name: 'web is busy' })).toMatchObject({
      alarm_actions: [arn],
      dimensions: { AutoScalingGroupName: ['web'] },
    })
    const other = await calls.apply('boto_asg.present', {
      ...group,
      launch_config: [{ image_id }, { instance_type: 't2.small' }],
      max_size: 3,
      tags: [{ key: 'tier', value: 'front', propagate_at_launch: true }],
      suspended_processes: [],
      scaling_policies: [
        ...group.scaling_policies,
        { ...group.scaling_policies[0]!, name: 'down', scaling_adjustment: -1 },
      ],
      scheduled_actions: {},
    })
    expect(other.foreseen).toMatchObject({
      result: null,
      comment: 'Autoscale group set to be updated.',
      changes: { old: { max_size: 2 }, new: { max_size: 3 } },
    })
    expect(other.done.comment).toBe('Updated autoscale group.')
    expect(other.done.changes).toMatchObject({
      new: { tags: [{ key: 'tier', propagate_at_launch: true }], suspended_processes: [], scheduled_actions: {} },
    })
    expect(other.done.changes['launch_config']).toMatchObject({ deleted: launch_config!['new'] })
    expect(await call('boto_asg.get_scaling_policy_arn', { as_group: 'web', scaling_policy_name: 'up' })).toBe(arn)
    const gone = await calls.apply('boto_asg.absent', { name: 'web', force: true, remove_lc: true })
    expect(gone.foreseen.comment).toMatch(
      /^Autoscale group set to be deleted. Launch configuration web-\w+ is set to be/,
    )
    expect(gone.done).toMatchObject({
      comment: 'Deleted autoscale group.',
      changes: { old: { name: 'web' }, new: null },
    })
    expect(gone.again.comment).toBe('Autoscale group does not exist.')
  })

  test('subnets are found by name, and pillar extends the settings of a state', async () => {
    await call('boto_vpc.create', { cidr_block: '10.5.0.0/16', vpc_name: 'net' })
    const subnet = { vpc_name: 'net', subnet_name: 'one', cidr_block: '10.5.1.0/24', availability_zone: 'us-east-1a' }
    subnet_id = ((await call('boto_vpc.create_subnet', subnet)) as { id: string }).id
    await call('boto_secgroup.create', { name: 'front', description: 'Front', vpc_name: 'net' })
    const group_id = await call('boto_secgroup.get_group_id', { name: 'front', vpc_name: 'net' })
    const options = {
      boto_asg_termination_policies: ['NewestInstance'],
      boto_asg_scaling_policies: group.scaling_policies,
      boto_asg_scheduled_actions: group.scheduled_actions,
    }
    const given = {
      name: 'inside',
      launch_config_name: 'inside',
      launch_config: [{ image_name: 'none-of-this-name' }, { security_groups: ['front'] }],
      availability_zones: zones,
      min_size: 0,
      max_size: 0,
      subnet_names: ['one'],
      alarms,
    }
    expect(await calls.run('boto_asg.present', given, false, options)).toMatchObject({ result: true })
    const config = (await call('boto_asg.get_config', { name: 'inside' })) as { launch_config_name: string }
    expect(config).toMatchObject({
      vpc_zone_identifier: [subnet_id],
      termination_policies: ['NewestInstance'],
      scaling_policies: [{ name: 'up' }],
      scheduled_actions: { night: { max_size: 1 } },
    })
    const launch = await call('boto_asg.describe_launch_configuration', { name: config.launch_config_name })
    expect(launch).toMatchObject({ image_id: 'none-of-this-name', security_groups: [group_id] })
    expect(await call('boto_cloudwatch.get_alarm', { name: 'inside is busy' })).toBe(null)
    const none = { ...given, subnet_names: ['two'] }
    expect(await calls.run('boto_asg.present', none, false)).toMatchObject({ result: false })
    const both = { ...given, vpc_zone_identifier: [subnet_id] }
    await expect(calls.run('boto_asg.present', both, false)).rejects.toThrow('mutually exclusive')
  })

  test('functions do the same', async () => {
    const name = 'plain'
    const launch = { name, image_id, instance_type: 't2.micro', key_name: null, user_data: 'hello' }
    expect(await call('boto_asg.launch_configuration_exists', { name })).toBe(false)
    expect(await call('boto_asg.describe_launch_configuration', { name })).toBe(null)
    expect(await call('boto_asg.create_launch_configuration', launch)).toBe(true)
    expect(await call('boto_asg.launch_configuration_exists', { name })).toBe(true)
    expect(await call('boto_asg.list_launch_configurations')).toContain(name)
    const launches = (await call('boto_asg.get_all_launch_configurations')) as { name: string }[]
    expect(launches.find((one) => one.name === name)).toMatchObject({ image_id })
    const sized = { name, launch_config_name: name, availability_zones: '["us-east-1a"]', min_size: 1, max_size: 2 }
    expect(await call('boto_asg.exists', { name })).toBe(false)
    expect(await call('boto_asg.get_config', { name })).toEqual({})
    expect(await call('boto_asg.get_instances', { name })).toBe(false)
    expect(await call('boto_asg.create', sized)).toBe(true)
    expect(await call('boto_asg.create', { ...sized, name: 'bad', availability_zones: [] })).toBe(false)
    expect(await call('boto_asg.exists', { name })).toBe(true)
    expect(await call('boto_asg.list_groups')).toContain(name)
    const groups = (await call('boto_asg.get_all_groups')) as { name: string }[]
    expect(groups.find((one) => one.name === name)).toMatchObject({ min_size: 1 })
    expect(await call('boto_asg.update', { ...sized, max_size: 3 })).toEqual([true, ''])
    const elsewhere = { ...sized, availability_zones: ['us-east-1b'], vpc_zone_identifier: [subnet_id] }
    const [bad, message] = (await call('boto_asg.update', elsewhere)) as [boolean, string]
    expect([bad, message]).toEqual([false, expect.stringContaining('UpdateAutoScalingGroup failed')])
    await expect(call('boto_asg.create', { ...sized, tags: [{ key: 'a' }] })).rejects.toThrow("needs 'value'")
    const [machine] = (await call('boto_asg.get_instances', { name, attribute: 'id' })) as string[]
    const places = (await call('boto_asg.get_instances', { name, attributes: ['id', 'placement'] })) as string[][]
    expect(places).toEqual([[machine, 'us-east-1a']])
    await expect(call('boto_asg.get_instances', { name, attribute: 'x' })).rejects.toThrow("'x' is none of id, ")
    const away = { name, instance_ids: [machine!], should_decrement_desired_capacity: true }
    expect(await call('boto_asg.update', { ...sized, min_size: 0 })).toEqual([true, ''])
    expect(await call('boto_asg.enter_standby', away)).toBe(true)
    expect(await call('boto_asg.exit_standby', away)).toBe(true)
    const words = { as_group: name, scaling_policy_name: 'none' }
    expect(await call('boto_asg.get_scaling_policy_arn', words)).toBe(null)
    expect(await call('boto_asg.delete', { name, force: true })).toBe(true)
    expect(await call('boto_asg.delete_launch_configuration', { name })).toBe(true)
  })

  test('scripts for cloud-init are one document', async () => {
    const cloud_init = {
      boothooks: { first: '#cloud-boothook\ntrue\n' },
      scripts: { second: 'echo Grüße' },
      'cloud-config': { packages: ['vim'] },
    }
    const text = (await calls.plain('boto_asg.get_cloud_init_mime', { cloud_init })) as string
    const [, boundary] = /boundary="([^"]+)"/.exec(text)!
    const parts = text.split(`--${boundary}`)
    expect(parts).toHaveLength(5)
    expect(parts[1]).toBe(
      '\nContent-Type: text/cloud-boothook; charset="us-ascii"\nMIME-Version: 1.0\nContent-Transfer-Encoding: 7bit\n\n#cloud-boothook\ntrue\n\n',
    )
    expect(parts[2]).toContain(`text/x-shellscript; charset="utf-8"`)
    expect(Buffer.from(parts[2]!.split('\n\n')[1]!, 'base64').toString()).toBe('echo Grüße')
    expect(parts[3]).toContain('text/cloud-config')
    expect(parts[3]).toContain('packages:\n- vim\n')
    expect(parts[4]).toBe('--\n')
  })
})
