// Auto Scaling groups in AWS's descriptions, converted to the results of Salt's functions.
import { type Dict, dictFrom, isDict, misuse, numberOf, str, type Value } from '../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { isYes } from '../common/structured.ts'

export const NAMED = { name: arg.text('Name of the group'), ...LOGIN }

export const scalingOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller =>
  AwsCaller.of(ctx, 'autoscaling', login, 'asg')

/** Return all rows of a list of Auto Scaling, over its pages. */
export const rowsOf = (
  scaling: AwsCaller,
  action: string,
  list: string,
  parameters: Parameters = {},
): Promise<AwsAnswer[]> =>
  scaling.rows(action, parameters, `${action}Result.${list}`, { at: `${action}Result.NextToken`, into: 'NextToken' })

export const allGroups = (scaling: AwsCaller, names: readonly string[] = []): Promise<AwsAnswer[]> =>
  rowsOf(scaling, 'DescribeAutoScalingGroups', 'AutoScalingGroups', { AutoScalingGroupNames: names })

export const policiesIn = (scaling: AwsCaller, group: string): Promise<AwsAnswer[]> =>
  rowsOf(scaling, 'DescribePolicies', 'ScalingPolicies', { AutoScalingGroupName: group })

export const actionsIn = (scaling: AwsCaller, group: string): Promise<AwsAnswer[]> =>
  rowsOf(scaling, 'DescribeScheduledActions', 'ScheduledUpdateGroupActions', { AutoScalingGroupName: group })

const whole = (value: Value): Value => {
  const number = numberOf(value) ?? Number(str(value))
  return value === null || Number.isNaN(number) ? value : number
}

const required = (dict: Dict, key: string, what: string): Value => {
  const value = dict.get(key) ?? null
  if (value === null) throw misuse(`${what} needs '${key}'`)
  return value
}

/** Return a tag with all its fields. */
export const fullTag = (tag: Dict): Dict =>
  new Map<Value, Value>([
    ['key', str(required(tag, 'key', 'A tag of an Auto Scaling group'))],
    ['value', str(required(tag, 'value', 'A tag of an Auto Scaling group'))],
    ['propagate_at_launch', isYes(tag.get('propagate_at_launch') ?? false)],
  ])

export const tagOf = (row: AwsAnswer): Dict =>
  dictFrom({ key: row.text('Key'), value: row.text('Value') ?? '', propagate_at_launch: row.flag('PropagateAtLaunch') })

/** Return a scaling policy with all its fields and no others. */
export function fullPolicy(policy: Dict): Dict {
  const field = (key: string): Value => required(policy, key, 'A scaling policy')
  return new Map<Value, Value>([
    ['name', str(field('name'))],
    ['adjustment_type', str(field('adjustment_type'))],
    ['scaling_adjustment', whole(field('scaling_adjustment'))],
    ['min_adjustment_step', whole(policy.get('min_adjustment_step') ?? null)],
    ['cooldown', whole(policy.get('cooldown') ?? null)],
  ])
}

export const policyOf = (row: AwsAnswer): Dict =>
  new Map<Value, Value>([
    ['name', row.text('PolicyName')],
    ['adjustment_type', row.text('AdjustmentType')],
    ['scaling_adjustment', row.number('ScalingAdjustment')],
    ['min_adjustment_step', row.number('MinAdjustmentMagnitude') ?? row.number('MinAdjustmentStep')],
    ['cooldown', row.number('Cooldown')],
  ])

/** Return a time without its zone, which is UTC. */
const timeText = (time: Value): Value => (time === null ? null : str(time).replace(/(\.0+)?(Z|[+]00:?00)$/, ''))

/** Return a scheduled action with all its fields and no others. */
export const fullAction = (action: Value): Dict => {
  if (!isDict(action)) throw misuse('A scheduled action must be a dict')
  return new Map<Value, Value>([
    ['min_size', whole(action.get('min_size') ?? null)],
    ['max_size', whole(action.get('max_size') ?? null)],
    ['desired_capacity', whole(action.get('desired_capacity') ?? null)],
    ['start_time', timeText(action.get('start_time') ?? null)],
    ['end_time', timeText(action.get('end_time') ?? null)],
    ['recurrence', action.get('recurrence') ?? null],
  ])
}

const actionOf = (row: AwsAnswer): Dict =>
  new Map<Value, Value>([
    ['min_size', row.number('MinSize')],
    ['max_size', row.number('MaxSize')],
    ['desired_capacity', row.number('DesiredCapacity')],
    ['start_time', timeText(row.text('StartTime'))],
    ['end_time', timeText(row.text('EndTime'))],
    ['recurrence', row.text('Recurrence')],
  ])

/** Return the configuration of a group; empty if the group does not exist. */
export async function groupConfig(scaling: AwsCaller, name: string): Promise<Dict> {
  const [row] = await allGroups(scaling, [name])
  if (row === undefined) return new Map()
  const suspended = row.rows('SuspendedProcesses').map((one) => one.text('ProcessName') ?? '')
  const actions = await actionsIn(scaling, name)
  return new Map<Value, Value>([
    ['name', row.text('AutoScalingGroupName')],
    ['availability_zones', row.texts('AvailabilityZones')],
    ['default_cooldown', row.number('DefaultCooldown')],
    ['desired_capacity', row.number('DesiredCapacity')],
    ['health_check_period', row.number('HealthCheckGracePeriod')],
    ['health_check_type', row.text('HealthCheckType')],
    ['launch_config_name', row.text('LaunchConfigurationName')],
    ['load_balancers', row.texts('LoadBalancerNames')],
    ['max_size', row.number('MaxSize')],
    ['min_size', row.number('MinSize')],
    ['placement_group', row.text('PlacementGroup')],
    ['vpc_zone_identifier', row.text('VPCZoneIdentifier')?.split(',') ?? []],
    ['tags', row.rows('Tags').map(tagOf)],
    ['termination_policies', row.texts('TerminationPolicies')],
    ['suspended_processes', suspended.sort()],
    ['scaling_policies', (await policiesIn(scaling, name)).map(policyOf)],
    [
      'scheduled_actions',
      new Map(actions.map((one): [Value, Value] => [one.text('ScheduledActionName'), actionOf(one)])),
    ],
  ])
}
