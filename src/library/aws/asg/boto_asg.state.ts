// Auto Scaling groups as states.
import { createHash } from 'node:crypto'
import { type Dict, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { alarmsOf, alarmsPresent, withPillar } from '../common/alarms.ts'
import { askerOf, groupIds, networkOf, subnetsByName } from '../common/ask.ts'
import { type AwsLogin, LOGIN, loginOf, optionOf } from '../common/login.ts'
import { oldNew, type Part, Parts } from '../common/part.ts'
import { dictsOf } from '../common/structured.ts'
import { unordered } from '../common/unordered.ts'
import { fullAction, fullPolicy, fullTag } from './group.ts'

const ask = askerOf('boto_asg')

const fromPillar = (what: string, name: string) =>
  arg.text(`Where options or pillar have ${what}`, { default: `boto_asg_${name}` })

const PRESENT = {
  name: arg.text('Name of the group'),
  launch_config_name: arg.text(
    'Name of the launch configuration; what its name begins with, if `launch_config` is given',
  ),
  availability_zones: arg.words('Availability zones'),
  min_size: arg.count('How many machines there are at least'),
  max_size: arg.count('How many machines there are at most'),
  launch_config: arg.list(
    'Dicts with arguments of `boto_lc.present`: such a launch configuration is made, with a name that ends in a hash of them',
    { optional: true },
  ),
  desired_capacity: arg.count('How many machines there are to be', { optional: true }),
  load_balancers: arg.words('Names of load balancers; not changed later', { optional: true }),
  default_cooldown: arg.count('Seconds from one change of the size to the next', { optional: true }),
  health_check_type: arg.text('`EC2` or `ELB`', { optional: true }),
  health_check_period: arg.count('Seconds until the health of a new machine is checked', { optional: true }),
  placement_group: arg.text('Name of the placement group; not changed later', { optional: true }),
  vpc_zone_identifier: arg.words('Ids of subnets', { optional: true }),
  subnet_names: arg.words('Names of subnets, in place of ids', { optional: true }),
  tags: arg.list('Dicts with `key`, `value` and `propagate_at_launch`', { optional: true }),
  termination_policies: arg.words('Which machines go first', { optional: true }),
  termination_policies_from_pillar: fromPillar('termination policies', 'termination_policies'),
  suspended_processes: arg.words('Processes that do not run', { optional: true }),
  scaling_policies: arg.list(
    'Dicts with `name`, `adjustment_type`, `scaling_adjustment`, `cooldown` and `min_adjustment_step`',
    { optional: true },
  ),
  scaling_policies_from_pillar: fromPillar('scaling policies', 'scaling_policies'),
  scheduled_actions: arg.dict(
    'Dicts by name, with `desired_capacity`, `min_size`, `max_size`, `start_time`, `end_time` and `recurrence`',
    { optional: true },
  ),
  scheduled_actions_from_pillar: fromPillar('further scheduled actions', 'scheduled_actions'),
  alarms: arg.dict(
    'Dicts with `name` and `attributes`, the arguments of `boto_cloudwatch_alarm.present`; `:self:` in actions means this group',
    { optional: true },
  ),
  alarms_from_pillar: fromPillar('further alarms', 'alarms'),
  ...LOGIN,
  notification_arn: arg.text('ARN of the topic that gets notifications', { optional: true }),
  notification_arn_from_pillar: fromPillar('a list with that ARN', 'notification_arn'),
  notification_types: arg.words('What it is notified of', { optional: true }),
  notification_types_from_pillar: fromPillar('a list of these', 'notification_types'),
}

type Present = Bound<typeof PRESENT>

const listIn = (ctx: StateContext, name: string): Value[] => {
  const found = (name ? optionOf(ctx, name) : undefined) ?? null
  return isList(found) ? found : []
}

const orPillar = <T extends Value>(ctx: StateContext, given: readonly T[] | null, name: string): Value[] =>
  given?.length ? [...given] : listIn(ctx, name)

/** Return the subnets of a group; a text is an error. */
async function subnetsOf(ctx: StateContext, given: Present): Promise<string[] | string> {
  const { vpc_zone_identifier: ids, subnet_names: names } = given
  if (ids?.length && names?.length) throw misuse('vpc_zone_identifier and subnet_names are mutually exclusive options.')
  return names?.length ? subnetsByName(ctx, names, given) : (ids ?? [])
}

/** Ensure that the launch configuration of a group exists. */
async function launchPart(
  ctx: StateContext,
  given: Present,
  { name, subnets }: { name: string; subnets: readonly string[] },
): Promise<Part> {
  const settings: Record<string, Value> = {}
  for (const entry of dictsOf('launch_config', given.launch_config))
    for (const [key, value] of entry) settings[str(key)] = value
  const { image_name, ...launch } = settings
  if (image_name !== undefined) {
    const images = await ctx.call('boto_ec2.find_images', [], { ami_name: image_name, ...loginOf(given) })
    launch['image_id'] = isList(images) && images.length > 0 ? images[0]! : image_name
  }
  const groups = launch['security_groups'] ?? null
  const vpc_id = subnets.length > 0 && isList(groups) ? await networkOf(ctx, subnets, given) : undefined
  if (vpc_id !== undefined && isList(groups)) {
    const { region, key, keyid, profile } = given
    launch['security_groups'] = await groupIds(ctx, groups, { region, key, keyid, profile, vpc_id })
  }
  const report = await ctx.state('boto_lc.present', { ...launch, name, ...loginOf(given) })
  const changes = report.get('changes') ?? null
  const isChanged = isDict(changes) && changes.size > 0
  return {
    result: report.get('result') === true,
    comment: str(report.get('comment') ?? ''),
    changes: new Map(isChanged ? [['launch_config', changes]] : []),
  }
}

interface Wanted {
  launchName: string
  subnets: string[]
  terminationPolicies: Value[]
  scalingPolicies: Dict[]
  actions: Dict
}

/**
 * Return the settings that differ between the group and the wanted state. Settings that are not given count as their
 * defaults, or are ignored.
 */
function differences(given: Present, wanted: Wanted, present: Dict): { old: Dict; new: Dict } | undefined {
  const suspended = given.suspended_processes ?? []
  const actions: Dict = new Map([...wanted.actions].map(([name, action]) => [name, fullAction(action)]))
  const now = new Map(present)
  const presentActions = now.get('scheduled_actions') ?? null
  // without a start time in the state, AWS reports the next start of the action
  for (const [name, action] of actions) {
    const found = isDict(presentActions) ? (presentActions.get(name) ?? null) : null
    if (isDict(action) && action.get('start_time') === null && isDict(found))
      action.set('start_time', found.get('start_time') ?? null)
  }
  const settings: [string, Value][] = [
    ['launch_config_name', wanted.launchName],
    ['availability_zones', given.availability_zones],
    ['min_size', given.min_size],
    ['max_size', given.max_size],
    ['desired_capacity', given.desired_capacity],
    ['default_cooldown', given.default_cooldown],
    ['health_check_type', given.health_check_type],
    ['health_check_period', given.health_check_period],
    ['vpc_zone_identifier', wanted.subnets.length > 0 ? wanted.subnets : null],
    ['tags', given.tags === null ? null : dictsOf('tags', given.tags).map(fullTag)],
    ['termination_policies', wanted.terminationPolicies.length > 0 ? wanted.terminationPolicies : ['Default']],
    ['suspended_processes', suspended],
    ['scaling_policies', wanted.scalingPolicies.map(fullPolicy)],
    ['scheduled_actions', actions],
  ]
  const differing = settings.filter(
    ([name, value]) => value !== null && unordered(value) !== unordered(now.get(name) ?? null),
  )
  if (differing.length === 0) return undefined
  return { old: new Map(differing.map(([name]) => [name, now.get(name) ?? null])), new: new Map(differing) }
}

/** Return the arguments of the functions that make and change a group. */
function groupArguments(ctx: StateContext, given: Present, wanted: Wanted): Record<string, Value> {
  const types = orPillar(ctx, given.notification_types, given.notification_types_from_pillar)
  return {
    name: given.name,
    launch_config_name: wanted.launchName,
    availability_zones: given.availability_zones,
    min_size: given.min_size,
    max_size: given.max_size,
    desired_capacity: given.desired_capacity,
    load_balancers: given.load_balancers,
    default_cooldown: given.default_cooldown,
    health_check_type: given.health_check_type,
    health_check_period: given.health_check_period,
    placement_group: given.placement_group,
    vpc_zone_identifier: wanted.subnets,
    tags: given.tags,
    termination_policies: wanted.terminationPolicies.length > 0 ? wanted.terminationPolicies : null,
    suspended_processes: given.suspended_processes,
    scaling_policies: wanted.scalingPolicies,
    scheduled_actions: wanted.actions,
    notification_arn: given.notification_arn ?? listIn(ctx, given.notification_arn_from_pillar)[0] ?? null,
    notification_types: types,
  }
}

async function configOf(ctx: StateContext, name: string, login: AwsLogin): Promise<Dict> {
  const config = await ask(ctx, 'get_config', login, { name })
  return isDict(config) ? config : new Map()
}

/** Change a group, and delete the launch configuration that it no longer has. */
async function updateGroup(ctx: StateContext, given: Present, wanted: Wanted, present: Dict): Promise<Part> {
  const answer = await ask(ctx, 'update', given, groupArguments(ctx, given, wanted))
  const [isUpdated, message] = isList(answer) ? answer : [answer]
  if (!truthy(isUpdated ?? null)) return { result: false, comment: str(message ?? '') }
  const changes = oldNew(present, await configOf(ctx, given.name, given))
  const old = present.get('launch_config_name') ?? null
  const isReplaced = old !== null && old !== wanted.launchName
  if (isReplaced && truthy(await ask(ctx, 'delete_launch_configuration', given, { name: old })))
    changes.set('launch_config', new Map([['deleted', old]]))
  return { result: true, comment: 'Updated autoscale group.', changes }
}

/** Ensure that a group exists with its settings. */
async function groupPart(ctx: StateContext, given: Present, wanted: Wanted): Promise<Part> {
  const { name } = given
  const present = await configOf(ctx, name, given)
  if (present.size === 0) {
    if (ctx.test) return { result: null, comment: 'Autoscale group set to be created.' }
    if (!truthy(await ask(ctx, 'create', given, groupArguments(ctx, given, wanted))))
      return { result: false, comment: 'Failed to create autoscale group' }
    return { result: true, comment: '', changes: oldNew(null, await configOf(ctx, name, given)) }
  }
  const gap = differences(given, wanted, present)
  if (gap === undefined) return { result: true, comment: 'Autoscale group present.' }
  if (ctx.test)
    return { result: null, comment: 'Autoscale group set to be updated.', changes: oldNew(gap.old, gap.new) }
  return updateGroup(ctx, given, wanted, present)
}

const ACTIONS = ['alarm_actions', 'insufficient_data_actions', 'ok_actions']

async function alarmsPart(ctx: StateContext, given: Present): Promise<Part> {
  const { name } = given
  const alarms = alarmsOf(name, withPillar(ctx, given.alarms_from_pillar, given.alarms)).filter(({ attributes }) => {
    if (!attributes.has('dimensions')) attributes.set('dimensions', new Map([['AutoScalingGroupName', [name]]]))
    let isForPolicies = true
    for (const kind of ACTIONS) {
      const actions = attributes.get(kind) ?? null
      if (!isList(actions)) continue
      if (!actions.every((action) => str(action).includes('scaling_policy'))) isForPolicies = false
      attributes.set(
        kind,
        actions.map((action) => str(action).replaceAll(':self:', `:${name}:`)),
      )
    }
    return !(isForPolicies && given.min_size === given.max_size)
  })
  return alarmsPresent(ctx, alarms, given)
}

/** Return the name of the launch configuration of a group: with a hash of the settings that the state has for it. */
const launchNameOf = ({ launch_config_name: name, launch_config: config }: Present): string =>
  config?.length ? `${name}-${createHash('md5').update(str(config)).digest('hex')}` : name

async function ensureGroup(ctx: StateContext, parts: Parts, given: Present): Promise<void> {
  const subnets = await subnetsOf(ctx, given)
  if (typeof subnets === 'string') {
    parts.add({ result: false, comment: subnets })
    return
  }
  const launchName = launchNameOf(given)
  if (given.launch_config?.length && !ctx.test) {
    const launch = await launchPart(ctx, given, { name: launchName, subnets })
    if (!parts.add({ ...launch, comment: launch.result ? '' : launch.comment })) return
  }
  const wanted: Wanted = {
    launchName,
    subnets,
    terminationPolicies: orPillar(ctx, given.termination_policies, given.termination_policies_from_pillar),
    scalingPolicies: dictsOf(
      'scaling_policies',
      orPillar(ctx, given.scaling_policies, given.scaling_policies_from_pillar),
    ),
    actions: withPillar(ctx, given.scheduled_actions_from_pillar, given.scheduled_actions),
  }
  if (parts.add(await groupPart(ctx, given, wanted))) parts.add(await alarmsPart(ctx, given))
}

export default defineState({
  name: 'boto_asg',
  doc: 'Manage Auto Scaling groups.',
  functions: {
    present: state({
      doc: 'Ensure that an Auto Scaling group exists, with the given settings, policies, actions and alarms.',
      args: PRESENT,
      run: async (ctx, given) => {
        const parts = new Parts()
        await ensureGroup(ctx, parts, given)
        const report = parts.report(given.name)
        return { ...report, comment: str(report.comment as string).trim() }
      },
    }),
    absent: state({
      doc: 'Ensure that an Auto Scaling group does not exist.',
      args: {
        name: PRESENT.name,
        force: arg.flag('Whether its machines are terminated too', { default: false }),
        ...LOGIN,
        remove_lc: arg.flag('Whether its launch configuration is deleted too', { default: false }),
      },
      run: (ctx, { name, force, remove_lc, ...login }) =>
        ensure<Dict>(ctx, {
          name,
          look: async () => {
            const config = await configOf(ctx, name, login)
            return config.size === 0 ? settled('Autoscale group does not exist.') : config
          },
          foresee: (config) => {
            const launch = `Launch configuration ${str(config.get('launch_config_name') ?? null)} is set to be deleted.`
            return foreseen(`Autoscale group set to be deleted.${remove_lc ? ` ${launch}` : ''}`)
          },
          act: async (config) => {
            if (!truthy(await ask(ctx, 'delete', login, { name, force })))
              return failed('Failed to delete autoscale group.')
            const changes = oldNew(config, null)
            const launch = config.get('launch_config_name') ?? null
            if (!remove_lc) return changed('Deleted autoscale group.', changes)
            if (!truthy(await ask(ctx, 'delete_launch_configuration', login, { name: launch })))
              return failed('Deleted autoscale group. Failed to delete launch configuration.', changes)
            return changed('Deleted autoscale group.', changes.set('launch_config', new Map([['deleted', launch]])))
          },
        }),
    }),
  },
})
