// Functions that make, change and delete Auto Scaling groups.
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, ret } from '../../../sdk/mod.ts'
import type { AwsCaller } from '../common/caller.ts'
import { isAccepted, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { LOGIN } from '../common/login.ts'
import { dictOf, dictsOf, textsOf } from '../common/structured.ts'
import { unordered } from '../common/unordered.ts'
import {
  actionsIn,
  fullAction,
  fullPolicy,
  fullTag,
  NAMED,
  policiesIn,
  policyOf,
  rowsOf,
  scalingOf,
  tagOf,
} from './group.ts'

const optional = (doc: string) => arg.any(`${doc}, a list or JSON of one`, { optional: true })

const BASE = {
  name: NAMED.name,
  launch_config_name: arg.text('Name of the launch configuration'),
  availability_zones: arg.any('Availability zones, a list or JSON of one'),
  min_size: arg.count('How many machines there are at least'),
  max_size: arg.count('How many machines there are at most'),
  desired_capacity: arg.count('How many machines there are to be', { optional: true }),
  load_balancers: optional('Names of load balancers; not changed later'),
  default_cooldown: arg.count('Seconds from one change of the size to the next', { optional: true }),
  health_check_type: arg.text('`EC2` or `ELB`', { optional: true }),
  health_check_period: arg.count('Seconds until the health of a new machine is checked', { optional: true }),
  placement_group: arg.text('Name of the placement group', { optional: true }),
  vpc_zone_identifier: optional('Ids of subnets'),
  tags: optional('Dicts with `key`, `value` and `propagate_at_launch`'),
  termination_policies: optional('Which machines go first'),
  suspended_processes: optional('Processes that do not run'),
  scaling_policies: optional(
    'Dicts with `name`, `adjustment_type`, `scaling_adjustment`, `cooldown` and `min_adjustment_step`',
  ),
  scheduled_actions: arg.any(
    'Dicts by name, with `desired_capacity`, `min_size`, `max_size`, `start_time`, `end_time` and `recurrence`',
    { optional: true },
  ),
}

const NOTIFICATION = {
  notification_arn: arg.text('ARN of the topic that gets notifications', { optional: true }),
  notification_types: optional('What it is notified of'),
}

type Group = Bound<typeof BASE> & Bound<typeof NOTIFICATION>

const groupParameters = (group: Group): Parameters => ({
  AutoScalingGroupName: group.name,
  LaunchConfigurationName: group.launch_config_name,
  AvailabilityZones: textsOf('availability_zones', group.availability_zones),
  MinSize: group.min_size,
  MaxSize: group.max_size,
  DesiredCapacity: group.desired_capacity,
  DefaultCooldown: group.default_cooldown,
  HealthCheckType: group.health_check_type,
  HealthCheckGracePeriod: group.health_check_period,
  PlacementGroup: group.placement_group,
  VPCZoneIdentifier: textsOf('vpc_zone_identifier', group.vpc_zone_identifier).join(',') || null,
  TerminationPolicies: textsOf('termination_policies', group.termination_policies),
})

const tagParameters = (name: string, tags: readonly Dict[]): Parameters[] =>
  tags.map((tag) => ({
    ResourceId: name,
    ResourceType: 'auto-scaling-group',
    Key: str(tag.get('key') ?? ''),
    Value: str(tag.get('value') ?? ''),
    PropagateAtLaunch: truthy(tag.get('propagate_at_launch') ?? false),
  }))

/** Set the policies of a group. A policy that stays as it is keeps its ARN. */
async function setPolicies(scaling: AwsCaller, name: string, wanted: readonly Dict[]): Promise<void> {
  const present = (await policiesIn(scaling, name)).map(policyOf)
  const has = (list: readonly Dict[], policy: Dict): boolean => list.some((one) => unordered(one) === unordered(policy))
  for (const policy of present.filter((one) => !has(wanted, one)))
    await scaling.query('DeletePolicy', { AutoScalingGroupName: name, PolicyName: str(policy.get('name') ?? '') })
  for (const policy of wanted.filter((one) => !has(present, one))) {
    const field = (key: string): string | null => (policy.get(key) === null ? null : str(policy.get(key) ?? ''))
    await scaling.query('PutScalingPolicy', {
      AutoScalingGroupName: name,
      PolicyName: field('name'),
      AdjustmentType: field('adjustment_type'),
      ScalingAdjustment: field('scaling_adjustment'),
      MinAdjustmentMagnitude: field('min_adjustment_step'),
      Cooldown: field('cooldown'),
    })
  }
}

async function setActions(scaling: AwsCaller, name: string, wanted: Dict): Promise<void> {
  for (const row of await actionsIn(scaling, name)) {
    const ScheduledActionName = row.text('ScheduledActionName')
    await scaling.query('DeleteScheduledAction', { AutoScalingGroupName: name, ScheduledActionName })
  }
  for (const [key, value] of wanted) {
    const action = fullAction(value)
    const field = (of: string): string | null => (action.get(of) === null ? null : str(action.get(of) ?? ''))
    const time = (of: string): string | null => (field(of) === null ? null : `${field(of)}Z`)
    await scaling.query('PutScheduledUpdateGroupAction', {
      AutoScalingGroupName: name,
      ScheduledActionName: str(key),
      DesiredCapacity: field('desired_capacity'),
      MinSize: field('min_size'),
      MaxSize: field('max_size'),
      StartTime: time('start_time'),
      EndTime: time('end_time'),
      Recurrence: field('recurrence'),
    })
  }
}

/** The further parts of a group, read before any request to AWS. */
interface Further {
  tags: Dict[]
  suspended: string[]
  policies: Dict[]
  actions: Dict
  notification: { arn: string; types: string[] } | undefined
}

function furtherOf(group: Group): Further {
  const types = textsOf('notification_types', group.notification_types)
  const arn = group.notification_arn
  const actions = dictOf('scheduled_actions', group.scheduled_actions)
  for (const action of actions.values()) fullAction(action)
  return {
    tags: dictsOf('tags', group.tags).map(fullTag),
    suspended: textsOf('suspended_processes', group.suspended_processes),
    policies: dictsOf('scaling_policies', group.scaling_policies).map(fullPolicy),
    actions,
    notification: arn && types.length > 0 ? { arn, types } : undefined,
  }
}

async function setFurther(scaling: AwsCaller, name: string, further: Further): Promise<void> {
  const { suspended, policies, actions, notification } = further
  if (suspended.length > 0)
    await scaling.query('SuspendProcesses', { AutoScalingGroupName: name, ScalingProcesses: suspended })
  await setPolicies(scaling, name, policies)
  await setActions(scaling, name, actions)
  if (notification === undefined) return
  const { arn, types } = notification
  await scaling.query('PutNotificationConfiguration', {
    AutoScalingGroupName: name,
    TopicARN: arn,
    NotificationTypes: types,
  })
}

async function createGroup(scaling: AwsCaller, group: Group): Promise<void> {
  const further = furtherOf(group)
  await scaling.query('CreateAutoScalingGroup', {
    ...groupParameters(group),
    LoadBalancerNames: textsOf('load_balancers', group.load_balancers),
    Tags: tagParameters(group.name, further.tags),
  })
  await setFurther(scaling, group.name, further)
}

/** Return the tags of a group. */
async function tagsIn(scaling: AwsCaller, name: string): Promise<Dict[]> {
  const filter = { Filters: [{ Name: 'auto-scaling-group', Values: [name] }] }
  return (await rowsOf(scaling, 'DescribeTags', 'Tags', filter)).map(tagOf)
}

async function updateGroup(scaling: AwsCaller, group: Group): Promise<void> {
  const { name } = group
  const further = furtherOf(group)
  const present = await tagsIn(scaling, name)
  const has = (list: readonly Dict[], tag: Dict): boolean => list.some((one) => unordered(one) === unordered(tag))
  const add = further.tags.filter((tag) => !has(present, tag))
  const keys = further.tags.map((tag) => tag.get('key') ?? null)
  const remove = present.filter((tag) => !keys.includes(tag.get('key') ?? null))
  await scaling.query('UpdateAutoScalingGroup', groupParameters(group))
  if (add.length > 0) await scaling.query('CreateOrUpdateTags', { Tags: tagParameters(name, add) })
  if (remove.length > 0) await scaling.query('DeleteTags', { Tags: tagParameters(name, remove) })
  await scaling.query('ResumeProcesses', { AutoScalingGroupName: name })
  await setFurther(scaling, name, further)
}

export const groupFunctions = {
  create: changes({
    doc: 'Create an Auto Scaling group.',
    example: `boto_asg.create myasg mylc '["us-east-1a", "us-east-1e"]' 1 10 load_balancers='["myelb"]'`,
    args: {
      ...BASE,
      region: LOGIN.region,
      ...NOTIFICATION,
      key: LOGIN.key,
      keyid: LOGIN.keyid,
      profile: LOGIN.profile,
    },
    returns: ret.boolean('Whether it was created'),
    run: (ctx, { region, key, keyid, profile, ...group }) =>
      isAccepted(ctx, createGroup(scalingOf(ctx, { region, key, keyid, profile }), group)),
  }),
  update: changes({
    doc: 'Change an Auto Scaling group. Tags, policies, actions and suspended processes that are not given are removed.',
    example: `boto_asg.update myasg mylc '["us-east-1a", "us-east-1e"]' 1 10`,
    args: { ...BASE, ...NOTIFICATION, ...LOGIN },
    returns: ret.list('Whether it was changed, and what AWS says against it'),
    run: (ctx, { region, key, keyid, profile, ...group }): Promise<Value[]> => {
      const updated = updateGroup(scalingOf(ctx, { region, key, keyid, profile }), group)
      return unlessFault(
        updated.then((): Value[] => [true, '']),
        (error): Value[] => {
          ctx.log('error', error.message)
          return [false, error.message]
        },
      )
    },
  }),
  delete: changes({
    doc: 'Delete an Auto Scaling group.',
    example: 'boto_asg.delete myasg region=us-east-1',
    args: {
      name: NAMED.name,
      force: arg.flag('Whether its machines are terminated too', { default: false }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it was deleted'),
    run: (ctx, { name, force, ...login }) => {
      const parameters = { AutoScalingGroupName: name, ForceDelete: force || null }
      return isAccepted(ctx, scalingOf(ctx, login).query('DeleteAutoScalingGroup', parameters))
    },
  }),
}
