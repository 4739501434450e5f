// Target groups of load balancers (ELB, version 2) by Salt's names.
import type { Dict, Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { isAccepted, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { HEALTH_CHECK, TARGET_GROUP } from './target-group.ts'

const GROUP = arg.text('Name or ARN of the target group')
const TARGETS = arg.textOrList('Ids of machines')

const MISSING = 'TargetGroupNotFound'

const elbOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'elbv2', login)

const isArn = (name: string): boolean => /^arn:aws[a-z-]*:elasticloadbalancing:/.test(name)

/** Return the ARN of a target group; null where it does not exist. */
async function arnOf(elb: AwsCaller, name: string): Promise<string | null> {
  const parameters = isArn(name) ? { TargetGroupArns: [name] } : { Names: [name] }
  const rows = elb
    .query('DescribeTargetGroups', parameters)
    .then((answer) => answer.rows('DescribeTargetGroupsResult.TargetGroups'))
  const [group] = await unlessFault(rows, () => [], MISSING)
  return group?.text('TargetGroupArn') ?? null
}

const targetsOf = (targets: string | readonly Value[]): Parameters[] =>
  (typeof targets === 'string' ? [targets] : targets).map((target) => ({ Id: String(target) }))

/** Return whether AWS accepts an action on a target group; an error is logged. */
async function isDone(
  ctx: FunctionContext,
  { action, name, login, parameters = {} }: { action: string; name: string; login: AwsLogin; parameters?: Parameters },
): Promise<boolean> {
  const elb = elbOf(ctx, login)
  const done = async (): Promise<boolean> => {
    const TargetGroupArn = isArn(name) ? name : await arnOf(elb, name)
    if (TargetGroupArn === null) {
      ctx.log('error', `There is no target group ${name}`)
      return false
    }
    await elb.query(action, { TargetGroupArn, ...parameters })
    return true
  }
  return unlessFault(done(), (error) => {
    ctx.log('error', error.message)
    return false
  })
}

export default defineModule({
  name: 'boto_elbv2',
  doc: 'Manage target groups of load balancers.',
  functions: {
    create_target_group: changes({
      doc: 'Create a target group. One that exists is left as it is.',
      example: 'boto_elbv2.create_target_group web protocol=HTTP port=8080 vpc_id=vpc-deadbeef',
      args: { ...TARGET_GROUP, ...LOGIN, ...HEALTH_CHECK },
      returns: ret.boolean('Whether it is there'),
      run: async (ctx, { name, protocol, port, vpc_id, region, key, keyid, profile, ...check }) => {
        const elb = elbOf(ctx, { region, key, keyid, profile })
        if ((await arnOf(elb, name)) !== null) return true
        const made = elb.query('CreateTargetGroup', {
          Name: name,
          Protocol: protocol,
          Port: port,
          VpcId: vpc_id,
          HealthCheckProtocol: check.health_check_protocol,
          HealthCheckPort: check.health_check_port,
          HealthCheckPath: check.health_check_path,
          HealthCheckIntervalSeconds: check.health_check_interval_seconds,
          HealthCheckTimeoutSeconds: check.health_check_timeout_seconds,
          HealthyThresholdCount: check.healthy_threshold_count,
          UnhealthyThresholdCount: check.unhealthy_threshold_count,
        })
        return isAccepted(ctx, made)
      },
    }),
    delete_target_group: changes({
      doc: 'Delete a target group.',
      example: 'boto_elbv2.delete_target_group web',
      args: { name: GROUP, ...LOGIN },
      returns: ret.boolean('Whether it is gone'),
      run: async (ctx, { name, ...login }) => {
        if ((await arnOf(elbOf(ctx, login), name)) === null) return true
        return isDone(ctx, { action: 'DeleteTargetGroup', name, login })
      },
    }),
    target_group_exists: reads({
      doc: 'Return whether a target group exists.',
      example: 'boto_elbv2.target_group_exists web',
      args: { name: GROUP, ...LOGIN },
      returns: ret.boolean('Whether it exists'),
      run: async (ctx, { name, ...login }) => (await arnOf(elbOf(ctx, login), name)) !== null,
    }),
    describe_target_health: reads({
      doc: 'Return the health of the targets of a group.',
      example: "boto_elbv2.describe_target_health web targets='[i-12345678]'",
      args: { name: GROUP, targets: arg.textOrList('Ids of machines; all unless given', { optional: true }), ...LOGIN },
      returns: ret.dict('`healthy`, `initial`, `draining` and so on, by id; empty where AWS refuses'),
      run: async (ctx, { name, targets, ...login }) => {
        const elb = elbOf(ctx, login)
        const health = async (): Promise<Dict> => {
          const parameters = { TargetGroupArn: await arnOf(elb, name), Targets: targetsOf(targets ?? []) }
          if (parameters.TargetGroupArn === null) return new Map()
          const answer = await elb.query('DescribeTargetHealth', parameters)
          const rows = answer.rows('DescribeTargetHealthResult.TargetHealthDescriptions')
          return new Map(rows.map((row): [Value, Value] => [row.text('Target.Id'), row.text('TargetHealth.State')]))
        }
        return unlessFault(health(), (error): Dict => {
          ctx.log('warning', error.message)
          return new Map()
        })
      },
    }),
    register_targets: changes({
      doc: 'Add machines to a target group.',
      example: "boto_elbv2.register_targets web '[i-12345678]'",
      args: { name: GROUP, targets: TARGETS, ...LOGIN },
      returns: ret.boolean('Whether it is done'),
      run: (ctx, { name, targets, ...login }) =>
        isDone(ctx, { action: 'RegisterTargets', name, login, parameters: { Targets: targetsOf(targets) } }),
    }),
    deregister_targets: changes({
      doc: 'Take machines out of a target group.',
      example: "boto_elbv2.deregister_targets web '[i-12345678]'",
      args: { name: GROUP, targets: TARGETS, ...LOGIN },
      returns: ret.boolean('Whether it is done'),
      run: (ctx, { name, targets, ...login }) =>
        isDone(ctx, { action: 'DeregisterTargets', name, login, parameters: { Targets: targetsOf(targets) } }),
    }),
  },
})
