// Auto Scaling groups and launch configurations by Salt's names.
import { type Dict, misuse, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import { EC2_PAGES } from '../common/ec2.ts'
import { errorText, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { allGroups, groupConfig, NAMED, policiesIn, scalingOf } from './group.ts'
import { groupFunctions } from './group-functions.ts'
import { launchFunctions } from './launch-functions.ts'

/** Attributes of machines by Salt's names: their paths in the answer. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  id: 'instanceId',
  private_ip_address: 'privateIpAddress',
  ip_address: 'ipAddress',
  private_dns_name: 'privateDnsName',
  public_dns_name: 'dnsName',
  dns_name: 'dnsName',
  state: 'instanceState.name',
  image_id: 'imageId',
  instance_type: 'instanceType',
  key_name: 'keyName',
  launch_time: 'launchTime',
  placement: 'placement.availabilityZone',
  subnet_id: 'subnetId',
  vpc_id: 'vpcId',
  architecture: 'architecture',
  kernel: 'kernelId',
  ramdisk: 'ramdiskId',
  root_device_name: 'rootDeviceName',
  root_device_type: 'rootDeviceType',
  virtualization_type: 'virtualizationType',
}

function attributeOf(machine: AwsAnswer, attribute: string): Value {
  if (attribute === 'tags') return machine.pairs('tagSet')
  const path = ATTRIBUTES[attribute]
  if (path === undefined) throw misuse(`'${attribute}' is none of ${[...Object.keys(ATTRIBUTES), 'tags'].join(', ')}`)
  return machine.text(path)
}

const STANDBY = {
  name: NAMED.name,
  instance_ids: arg.words('Ids of machines'),
  should_decrement_desired_capacity: arg.flag('Whether the group is to be smaller by them', { default: false }),
  ...LOGIN,
}

/** Return whether machines go to standby, or come from it: the failures of AWS are in a dict. */
function standby(
  ctx: FunctionContext,
  login: AwsLogin,
  action: string,
  parameters: Parameters,
): Promise<boolean | Dict> {
  const answered = scalingOf(ctx, login)
    .query(action, parameters)
    .then((answer): boolean | Dict =>
      answer.rows(`${action}Result.Activities`).every((one) => one.text('StatusCode') !== 'Failed'),
    )
  return unlessFault(answered, (error): boolean | Dict =>
    error.fault.code === 'ResourceNotFoundException'
      ? new Map([['exists', false]])
      : new Map([['error', errorText(error)]]),
  )
}

export default defineModule({
  name: 'boto_asg',
  doc: 'Manage Auto Scaling groups and launch configurations.',
  functions: {
    exists: reads({
      doc: 'Return whether an Auto Scaling group exists.',
      example: 'boto_asg.exists myasg region=us-east-1',
      args: NAMED,
      returns: ret.boolean('Whether it exists'),
      run: async (ctx, { name, ...login }) => (await allGroups(scalingOf(ctx, login), [name])).length > 0,
    }),
    get_config: reads({
      doc: 'Return the configuration of an Auto Scaling group.',
      example: 'boto_asg.get_config myasg region=us-east-1',
      args: NAMED,
      returns: ret.dict(
        'The configuration, with `scaling_policies` and `scheduled_actions`; empty where there is none',
      ),
      run: (ctx, { name, ...login }) => groupConfig(scalingOf(ctx, login), name),
    }),
    ...groupFunctions,
    ...launchFunctions,
    get_scaling_policy_arn: reads({
      doc: 'Return the ARN of a scaling policy of a group.',
      example: 'boto_asg.get_scaling_policy_arn mygroup mypolicy',
      args: {
        as_group: arg.text('Name of the group'),
        scaling_policy_name: arg.text('Name of the policy'),
        ...LOGIN,
      },
      returns: ret.optional(ret.string('The ARN')),
      run: async (ctx, { as_group, scaling_policy_name, ...login }) => {
        const policies = await policiesIn(scalingOf(ctx, login), as_group)
        const found = policies.find((row) => row.text('PolicyName') === scaling_policy_name)
        if (found === undefined) ctx.log('error', `Could not convert: ${as_group}`)
        return found?.text('PolicyARN') ?? null
      },
    }),
    get_all_groups: reads({
      doc: 'Return all Auto Scaling groups.',
      example: 'boto_asg.get_all_groups region=us-east-1',
      args: LOGIN,
      returns: ret.dicts('The configuration of each'),
      run: async (ctx, login) => {
        const scaling = scalingOf(ctx, login)
        const all: Dict[] = []
        for (const row of await allGroups(scaling))
          all.push(await groupConfig(scaling, row.text('AutoScalingGroupName') ?? ''))
        return all
      },
    }),
    list_groups: reads({
      doc: 'Return the names of all Auto Scaling groups.',
      example: 'boto_asg.list_groups region=us-east-1',
      args: LOGIN,
      returns: ret.texts('Names'),
      run: async (ctx, login) =>
        (await allGroups(scalingOf(ctx, login))).map((row) => row.text('AutoScalingGroupName') ?? ''),
    }),
    get_instances: reads({
      doc: 'Return an attribute of all machines of a group, or several.',
      example: 'boto_asg.get_instances my_autoscale_group_name',
      args: {
        name: NAMED.name,
        lifecycle_state: arg.text('State in the group; any where it is None', { default: 'InService' }),
        health_status: arg.text('Health; any where it is None', { default: 'Healthy' }),
        attribute: arg.text('Attribute, such as `id` or `private_ip_address`', { default: 'private_ip_address' }),
        attributes: arg.words('Attributes, in place of one', { optional: true }),
        ...LOGIN,
      },
      returns: ret.orFalse(ret.list('The attribute of each machine that has it, or a list of attributes of each')),
      run: async (ctx, { name, lifecycle_state, health_status, attribute, attributes, ...login }) => {
        const [group] = await allGroups(scalingOf(ctx, login), [name])
        if (group === undefined) return false
        const ids = group
          .rows('Instances')
          .filter((one) => !lifecycle_state || one.text('LifecycleState') === lifecycle_state)
          .filter((one) => !health_status || one.text('HealthStatus') === health_status)
          .map((one) => one.text('InstanceId'))
        if (ids.length === 0) return []
        const ec2 = AwsCaller.of(ctx, 'ec2', login)
        const found = await ec2.rows('DescribeInstances', { InstanceId: ids }, 'reservationSet', EC2_PAGES)
        const machines = found.flatMap((one) => one.rows('instancesSet'))
        if (attributes?.length) return machines.map((one) => attributes.map((each) => attributeOf(one, each)))
        return machines.map((one) => attributeOf(one, attribute)).filter((value) => value !== null)
      },
    }),
    enter_standby: changes({
      doc: 'Put machines of a group on standby.',
      example: "boto_asg.enter_standby my_autoscale_group_name '[i-12345678]'",
      args: STANDBY,
      returns: ret.any('Whether AWS does it; a dict with `exists` or `error` where it refuses'),
      run: (ctx, { name, instance_ids, should_decrement_desired_capacity, ...login }) =>
        standby(ctx, login, 'EnterStandby', {
          AutoScalingGroupName: name,
          InstanceIds: instance_ids,
          ShouldDecrementDesiredCapacity: should_decrement_desired_capacity,
        }),
    }),
    exit_standby: changes({
      doc: 'Put machines of a group back into service.',
      example: "boto_asg.exit_standby my_autoscale_group_name '[i-12345678]'",
      args: { ...STANDBY, should_decrement_desired_capacity: arg.flag('Not looked at', { default: false }) },
      returns: ret.any('Whether AWS does it; a dict with `exists` or `error` where it refuses'),
      run: (ctx, { name, instance_ids, should_decrement_desired_capacity: _decrement, ...login }) =>
        standby(ctx, login, 'ExitStandby', { AutoScalingGroupName: name, InstanceIds: instance_ids }),
    }),
  },
})
