// Classic load balancers (ELB) in AWS's descriptions, converted to the results of Salt's functions.
import { type Dict, dictFrom, misuse, numberOf, str, type Tuple, tuple, type Value } from '../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import { isAccepted, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'

export const NAME = arg.text('Name of the load balancer')

export const elbOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'elb', login)

/** Return the descriptions of all load balancers. */
export function allBalancers(elb: AwsCaller): Promise<AwsAnswer[]> {
  const token = { at: 'DescribeLoadBalancersResult.NextMarker', into: 'Marker' }
  return elb.rows('DescribeLoadBalancers', {}, 'DescribeLoadBalancersResult.LoadBalancerDescriptions', token)
}

/** Return the description of a load balancer; undefined if it does not exist. */
export async function findBalancer(elb: AwsCaller, name: string): Promise<AwsAnswer | undefined> {
  const found = elb
    .query('DescribeLoadBalancers', { LoadBalancerNames: [name] })
    .then((answer) => answer.rows('DescribeLoadBalancersResult.LoadBalancerDescriptions')[0])
  return unlessFault(found, () => undefined, 'LoadBalancerNotFound', 'AccessPointNotFound')
}

/** Return whether AWS accepts an action on a load balancer; an error is logged. */
export const isDone = (
  ctx: FunctionContext,
  { action, name, login, parameters = {} }: { action: string; name: string; login: AwsLogin; parameters?: Parameters },
): Promise<boolean> => isAccepted(ctx, elbOf(ctx, login).query(action, { LoadBalancerName: name, ...parameters }))

/** Return a dict of a listener as a tuple of ports and protocols. */
export function listenerTuple(listener: Dict): Tuple {
  const value = (key: string): Value => {
    const found = listener.get(key) ?? null
    if (found === null) throw misuse(`${key} is a required value for listeners.`)
    return found
  }
  const protocol = value('elb_protocol')
  const inner = str(listener.get('instance_protocol') ?? protocol).toUpperCase()
  const parts = [value('elb_port'), value('instance_port'), protocol, inner]
  const certificate = listener.get('certificate') ?? null
  return tuple(certificate === null ? parts : [...parts, certificate])
}

/** Return a dict of a listener as parameters. */
export function listenerParameters(listener: Dict): Parameters {
  const [port, instancePort, protocol, instanceProtocol, certificate] = listenerTuple(listener)
  return {
    LoadBalancerPort: str(port ?? null),
    InstancePort: str(instancePort ?? null),
    Protocol: str(protocol ?? null).toUpperCase(),
    InstanceProtocol: str(instanceProtocol ?? null),
    SSLCertificateId: certificate === undefined ? null : str(certificate),
  }
}

function listenerOf(row: AwsAnswer): Dict {
  const certificate = row.text('Listener.SSLCertificateId')
  return new Map<Value, Value>([
    ['elb_port', row.number('Listener.LoadBalancerPort')],
    ['elb_protocol', row.text('Listener.Protocol')],
    ['instance_port', row.number('Listener.InstancePort')],
    ['instance_protocol', row.text('Listener.InstanceProtocol')],
    ['policies', row.texts('PolicyNames')],
    ...(certificate === null || certificate === 'None' ? [] : [['certificate', certificate] as [Value, Value]]),
  ])
}

const backendOf = (row: AwsAnswer): Dict =>
  dictFrom({ instance_port: row.number('InstancePort'), policies: row.texts('PolicyNames') })

/** Return the tags of a load balancer; null if it has none. */
async function tagsOf(elb: AwsCaller, name: string): Promise<Dict | null> {
  const answer = await elb.query('DescribeTags', { LoadBalancerNames: [name] })
  const [found] = answer.rows('DescribeTagsResult.TagDescriptions')
  const tags = found?.pairs('Tags', 'Key', 'Value') ?? new Map()
  return tags.size === 0 ? null : tags
}

/** Return the names of policies by their kinds. */
function policiesOf(row: AwsAnswer): string[] {
  const named = ['AppCookieStickinessPolicies', 'LBCookieStickinessPolicies'].flatMap((kind) =>
    row.rows(`Policies.${kind}`).map((one) => one.text('PolicyName') ?? ''),
  )
  return [...named, ...row.texts('Policies.OtherPolicies')]
}

/** Return a description in the shape of Salt. */
export async function configOf(elb: AwsCaller, row: AwsAnswer): Promise<Dict> {
  return new Map<Value, Value>([
    ['availability_zones', row.texts('AvailabilityZones')],
    ['listeners', row.rows('ListenerDescriptions').map(listenerOf)],
    ['backends', row.rows('BackendServerDescriptions').map(backendOf)],
    ['subnets', row.texts('Subnets')],
    ['security_groups', row.texts('SecurityGroups')],
    ['scheme', row.text('Scheme')],
    ['dns_name', row.text('DNSName')],
    ['tags', await tagsOf(elb, row.text('LoadBalancerName') ?? '')],
    ['policies', policiesOf(row)],
    ['canonical_hosted_zone_name', row.text('CanonicalHostedZoneName')],
    ['canonical_hosted_zone_name_id', row.text('CanonicalHostedZoneNameID')],
    ['vpc_id', row.text('VPCId')],
  ])
}

/** Return a port of an argument. */
export function portOf(value: Value): number {
  const port = numberOf(value) ?? Number(str(value))
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw misuse(`'${str(value)}' is no port`)
  return port
}

export const NAMED = { name: NAME, ...LOGIN }
