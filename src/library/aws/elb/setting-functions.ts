// Functions about the attributes and the health check of a load balancer.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, changes, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { LOGIN } from '../common/login.ts'
import { dictOf, isYes } from '../common/structured.ts'
import { elbOf, findBalancer, isDone, NAME, NAMED } from './balancer.ts'

const attributesOf = (found: AwsAnswer | undefined): Dict => {
  const flag = (path: string): Value => found?.flag(path) ?? null
  const text = (path: string): Value => found?.text(path) ?? null
  const number = (path: string): Value => found?.number(path) ?? null
  const dict = (entries: [Value, Value][]): Dict => new Map(entries)
  return dict([
    [
      'access_log',
      dict([
        ['enabled', flag('AccessLog.Enabled')],
        ['s3_bucket_name', text('AccessLog.S3BucketName')],
        ['s3_bucket_prefix', text('AccessLog.S3BucketPrefix')],
        ['emit_interval', number('AccessLog.EmitInterval')],
      ]),
    ],
    ['cross_zone_load_balancing', dict([['enabled', flag('CrossZoneLoadBalancing.Enabled')]])],
    [
      'connection_draining',
      dict([
        ['enabled', flag('ConnectionDraining.Enabled')],
        ['timeout', number('ConnectionDraining.Timeout')],
      ]),
    ],
    ['connecting_settings', dict([['idle_timeout', number('ConnectionSettings.IdleTimeout')]])],
  ])
}

const field = (dict: Dict, name: string, otherwise: string | null = null): string | null => {
  const value = dict.get(name) ?? null
  return value === null ? otherwise : str(value)
}

/** Return attributes as parameters; a text is an error. */
function attributeParameters(attributes: Dict): Parameters | string {
  const group = (name: string): Dict => dictOf(name, attributes.get(name) ?? null)
  const [log, zones] = [group('access_log'), group('cross_zone_load_balancing')]
  const [draining, settings] = [group('connection_draining'), group('connecting_settings')]
  if (log.size + zones.size + draining.size + settings.size === 0) return 'No supported attributes for ELB.'
  const unset = [log, zones, draining].find((one) => one.size > 0 && !one.has('enabled'))
  if (unset === log) return 'Access log attribute configured, but enabled config missing'
  if (unset !== undefined) {
    return `${unset === zones ? 'cross_zone_load_balancing' : 'connection_draining'} needs 'enabled'`
  }
  return {
    AccessLog: log.size > 0 && {
      Enabled: isYes(log.get('enabled') ?? null),
      S3BucketName: field(log, 's3_bucket_name'),
      S3BucketPrefix: field(log, 's3_bucket_prefix'),
      EmitInterval: field(log, 'emit_interval'),
    },
    CrossZoneLoadBalancing: zones.size > 0 && { Enabled: isYes(zones.get('enabled') ?? null) },
    ConnectionDraining: draining.size > 0 && {
      Enabled: isYes(draining.get('enabled') ?? null),
      Timeout: field(draining, 'timeout', '300'),
    },
    ConnectionSettings: settings.size > 0 && { IdleTimeout: field(settings, 'idle_timeout', '60') },
  }
}

/** Return parameters without the groups that are not given. */
const given = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== false))

const healthCheckOf = (row: AwsAnswer): Dict =>
  new Map<Value, Value>([
    ['interval', row.number('HealthCheck.Interval')],
    ['target', row.text('HealthCheck.Target')],
    ['healthy_threshold', row.number('HealthCheck.HealthyThreshold')],
    ['timeout', row.number('HealthCheck.Timeout')],
    ['unhealthy_threshold', row.number('HealthCheck.UnhealthyThreshold')],
  ])

export const settingFunctions = {
  get_attributes: reads({
    doc: 'Return the attributes of a load balancer.',
    example: 'boto_elb.get_attributes myelb',
    args: NAMED,
    returns: ret.dict(
      '`access_log`, `cross_zone_load_balancing`, `connection_draining` and `connecting_settings`; empty where AWS refuses',
    ),
    run: (ctx, { name, ...login }) => {
      const found = elbOf(ctx, login)
        .query('DescribeLoadBalancerAttributes', { LoadBalancerName: name })
        .then((answer) => attributesOf(answer.at('DescribeLoadBalancerAttributesResult.LoadBalancerAttributes')))
      return unlessFault(found, (error): Dict => {
        ctx.log('error', error.message)
        return new Map()
      })
    },
  }),
  set_attributes: changes({
    doc: 'Set attributes of a load balancer. Groups that are not given stay as they are.',
    example: `boto_elb.set_attributes myelb '{"cross_zone_load_balancing": {"enabled": true}}'`,
    args: {
      name: NAME,
      attributes: arg.dict(
        '`access_log` (`enabled`, `s3_bucket_name`, `s3_bucket_prefix`, `emit_interval` in minutes), `cross_zone_load_balancing` (`enabled`), `connection_draining` (`enabled`, `timeout` in seconds) and `connecting_settings` (`idle_timeout` in seconds)',
      ),
      ...LOGIN,
    },
    returns: ret.boolean('Whether they are set'),
    run: (ctx, { name, attributes, ...login }) => {
      const parameters = attributeParameters(attributes)
      if (typeof parameters === 'string') {
        ctx.log('error', parameters)
        return false
      }
      const set = { LoadBalancerAttributes: given(parameters) }
      return isDone(ctx, { action: 'ModifyLoadBalancerAttributes', name, login, parameters: set })
    },
  }),
  get_health_check: reads({
    doc: 'Return the health check of a load balancer.',
    example: 'boto_elb.get_health_check myelb',
    args: NAMED,
    returns: ret.dict(
      '`interval`, `target`, `healthy_threshold`, `timeout` and `unhealthy_threshold`; empty where there is none',
    ),
    run: async (ctx, { name, ...login }) => {
      const row = await findBalancer(elbOf(ctx, login), name)
      if (row !== undefined) return healthCheckOf(row)
      ctx.log('error', `ELB ${name} not found.`)
      return new Map()
    },
  }),
  set_health_check: changes({
    doc: 'Set the health check of a load balancer.',
    example: `boto_elb.set_health_check myelb '{"target": "HTTP:80/"}'`,
    args: {
      name: NAME,
      health_check: arg.dict(
        '`target`, `interval` and `timeout` in seconds, `healthy_threshold` and `unhealthy_threshold`',
      ),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it is set'),
    run: (ctx, { name, health_check: check, ...login }) => {
      const HealthCheck = {
        Target: field(check, 'target'),
        Interval: field(check, 'interval', '30'),
        Timeout: field(check, 'timeout', '5'),
        HealthyThreshold: field(check, 'healthy_threshold', '3'),
        UnhealthyThreshold: field(check, 'unhealthy_threshold', '5'),
      }
      return isDone(ctx, { action: 'ConfigureHealthCheck', name, login, parameters: { HealthCheck } })
    },
  }),
}
