// Alarms of CloudWatch by Salt's names.
import { type Dict, Float, isDict, isList, loadJson, misuse, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  dumpYaml,
  type FunctionContext,
  optionalText,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'

const NAME = arg.text('Name of the alarm')

const watchOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'cloudwatch', login)

const COMPARISONS: Readonly<Record<string, string>> = {
  '>=': 'GreaterThanOrEqualToThreshold',
  '>': 'GreaterThanThreshold',
  '<': 'LessThanThreshold',
  '<=': 'LessThanOrEqualToThreshold',
}

const SIGNS = new Map(Object.entries(COMPARISONS).map(([sign, name]) => [name, sign]))

/** Return an alarm by the names of Salt's attributes. */
function alarmOf(row: AwsAnswer): Dict {
  const comparison = row.text('ComparisonOperator')
  const dimensions: Dict = new Map()
  for (const one of row.rows('Dimensions')) {
    const name = one.text('Name')
    dimensions.set(name, [...((dimensions.get(name) as Value[] | undefined) ?? []), one.text('Value')])
  }
  return new Map<Value, Value>([
    ['name', row.text('AlarmName')],
    ['metric', row.text('MetricName')],
    ['namespace', row.text('Namespace')],
    ['statistic', row.text('Statistic')],
    ['comparison', SIGNS.get(comparison ?? '') ?? comparison],
    ['threshold', new Float(Number(row.text('Threshold') ?? 0))],
    ['period', row.number('Period')],
    ['evaluation_periods', row.number('EvaluationPeriods')],
    ['unit', row.text('Unit')],
    ['description', row.text('AlarmDescription')],
    ['dimensions', dimensions],
    ['alarm_actions', row.texts('AlarmActions')],
    ['insufficient_data_actions', row.texts('InsufficientDataActions')],
    ['ok_actions', row.texts('OKActions')],
  ])
}

async function alarms(ctx: FunctionContext, login: AwsLogin, parameters: Parameters): Promise<Dict[]> {
  const token = { at: 'DescribeAlarmsResult.NextToken', into: 'NextToken' }
  const rows = await watchOf(ctx, login).rows('DescribeAlarms', parameters, 'DescribeAlarmsResult.MetricAlarms', token)
  return rows.map(alarmOf)
}

/** Return actions as ARNs: `scaling_policy:group:name` names a policy of an Auto Scaling group. */
async function arnsOf(ctx: FunctionContext, actions: readonly string[], login: AwsLogin): Promise<string[]> {
  const found: string[] = []
  for (const action of actions) {
    const [kind, AutoScalingGroupName, policy] = action.split(':')
    if (kind !== 'scaling_policy') {
      found.push(action)
      continue
    }
    const scaling = AwsCaller.of(ctx, 'autoscaling', login, 'asg')
    const answer = await scaling.query('DescribePolicies', { AutoScalingGroupName, PolicyNames: [policy ?? ''] })
    const arn = answer.rows('DescribePoliciesResult.ScalingPolicies')[0]?.text('PolicyARN')
    if (arn) found.push(arn)
    else ctx.log('error', `Could not convert: ${action}`)
  }
  return found
}

const actionsOf = (value: Value): string[] =>
  typeof value === 'string' ? value.split(',') : isList(value) ? value.map(str) : []

function dimensionsOf(value: Value): Parameters[] {
  const dimensions = typeof value === 'string' ? loadJson(value) : value
  if (dimensions === null) return []
  if (!isDict(dimensions)) throw misuse("'dimensions' must be a dict, or JSON of one")
  return [...dimensions].flatMap(([name, values]) =>
    (isList(values) ? values : [values]).map((one) => ({ Name: str(name), Value: str(one) })),
  )
}

const actions = (when: string) =>
  arg.any(`ARNs to call when ${when}, a list or with commas between`, { optional: true })

const ALARM = {
  connection: arg.any('Not looked at', { optional: true }),
  name: optionalText('Name of the alarm'),
  metric: optionalText('Name of the metric'),
  namespace: optionalText('Namespace of the metric'),
  statistic: optionalText('`Average`, `Sum`, `Minimum`, `Maximum` or `SampleCount`'),
  comparison: optionalText('`>=`, `>`, `<` or `<=`'),
  threshold: arg.any('Value to compare with', { optional: true }),
  period: arg.any('Seconds over which the statistic is taken', { optional: true }),
  evaluation_periods: arg.any('How many periods are compared', { optional: true }),
  unit: optionalText('Unit of the metric'),
  description: arg.text('What it is for', { default: '' }),
  dimensions: arg.any('Dict of dimensions, or JSON of it', { optional: true }),
  alarm_actions: actions('it is an alarm'),
  insufficient_data_actions: actions('data are missing'),
  ok_actions: actions('all is well'),
}

const text = (value: Value): string | null => (value === null ? null : str(value))

export default defineModule({
  name: 'boto_cloudwatch',
  doc: 'Manage alarms of CloudWatch.',
  functions: {
    get_alarm: reads({
      doc: 'Return an alarm.',
      example: 'boto_cloudwatch.get_alarm myalarm region=us-east-1',
      args: { name: NAME, ...LOGIN },
      returns: ret.any('The alarm, or None where there is none'),
      run: async (ctx, { name, ...login }) => (await alarms(ctx, login, { AlarmNames: [name] }))[0] ?? null,
    }),
    get_all_alarms: reads({
      doc: 'Return all alarms as states in YAML.',
      example: 'boto_cloudwatch.get_all_alarms region=us-east-1',
      args: {
        region: LOGIN.region,
        prefix: optionalText('Goes before names; alarms that have it already are left out'),
        key: LOGIN.key,
        keyid: LOGIN.keyid,
        profile: LOGIN.profile,
      },
      returns: ret.string('YAML'),
      run: async (ctx, { prefix, ...login }) => {
        const states: Dict = new Map()
        for (const { name: own, attributes } of (await alarms(ctx, login, {})).map(withoutName)) {
          if (prefix && own.startsWith(prefix)) continue
          const name = `${prefix ?? ''}${own}`
          const words = [new Map([['name', name]]), new Map([['attributes', attributes]])]
          states.set(`manage alarm ${name}`, new Map([['boto_cloudwatch_alarm.present', words]]))
        }
        return dumpYaml(states, { default_flow_style: false, sort_keys: false })
      },
    }),
    create_or_update_alarm: changes({
      doc: 'Create an alarm, or change it.',
      example:
        "boto_cloudwatch.create_or_update_alarm name=myalarm metric=CPUUtilization namespace=AWS/EC2 statistic=Average comparison='>=' threshold=80 period=60 evaluation_periods=2",
      args: { ...ALARM, ...LOGIN },
      returns: ret.boolean('True'),
      run: async (ctx, { connection: _connection, region, key, keyid, profile, ...alarm }) => {
        const login = { region, key, keyid, profile }
        const { name, comparison } = alarm
        if (!name) throw misuse("An alarm needs a 'name'")
        await watchOf(ctx, login).query('PutMetricAlarm', {
          AlarmName: name,
          MetricName: alarm.metric,
          Namespace: alarm.namespace,
          Statistic: alarm.statistic,
          ComparisonOperator: comparison === null ? null : (COMPARISONS[comparison] ?? comparison),
          Threshold: text(alarm.threshold),
          Period: text(alarm.period),
          EvaluationPeriods: text(alarm.evaluation_periods),
          Unit: alarm.unit,
          AlarmDescription: alarm.description || null,
          Dimensions: dimensionsOf(alarm.dimensions),
          AlarmActions: await arnsOf(ctx, actionsOf(alarm.alarm_actions), login),
          InsufficientDataActions: await arnsOf(ctx, actionsOf(alarm.insufficient_data_actions), login),
          OKActions: await arnsOf(ctx, actionsOf(alarm.ok_actions), login),
        })
        return true
      },
    }),
    convert_to_arn: reads({
      doc: 'Return actions as ARNs: `scaling_policy:group:name` names a policy of an Auto Scaling group.',
      example: "boto_cloudwatch.convert_to_arn '[scaling_policy:mygroup:up]'",
      args: { arns: arg.list('The actions'), ...LOGIN },
      returns: ret.texts('ARNs; without those that are not found'),
      run: (ctx, { arns, ...login }) => arnsOf(ctx, arns.map(str), login),
    }),
    delete_alarm: changes({
      doc: 'Delete an alarm.',
      example: 'boto_cloudwatch.delete_alarm myalarm region=us-east-1',
      args: { name: NAME, ...LOGIN },
      returns: ret.boolean('True'),
      run: async (ctx, { name, ...login }) => {
        await watchOf(ctx, login).query('DeleteAlarms', { AlarmNames: [name] })
        return true
      },
    }),
  },
})

function withoutName(alarm: Dict): { name: string; attributes: Dict } {
  const attributes = [...alarm].filter(([key]) => key !== 'name')
  return { name: str(alarm.get('name') ?? ''), attributes: new Map(attributes) }
}
