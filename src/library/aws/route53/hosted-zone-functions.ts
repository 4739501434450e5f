// Functions of boto_route53 about whole zones, and health checks.
import { randomUUID } from 'node:crypto'
import { type Dict, failure, isDict, isList, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, awsEscaped, type Bound, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsCaller } from '../common/caller.ts'
import { errorDict, unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { get, isSynced, nameText, post, routeOf, shortId, withDot, type Xml } from './requests.ts'
import { zoneAnswer, zoneOf } from './shapes.ts'

async function allZones(route53: AwsCaller): Promise<Dict[]> {
  const zones: Dict[] = []
  let marker: string | null = null
  do {
    const answer = await get(route53, 'ListHostedZones', '/hostedzone', marker === null ? {} : { marker })
    zones.push(...answer.rows('HostedZones').map(zoneOf))
    marker = answer.text('NextMarker')
  } while (marker !== null)
  return zones
}

async function zoneById(route53: AwsCaller, id: string): Promise<Dict | undefined> {
  const answer = get(route53, 'GetHostedZone', `/hostedzone/${awsEscaped(shortId(id))}`)
  return unlessFault(answer.then(zoneAnswer), () => undefined, 'NoSuchHostedZone')
}

/** Return a zone by its name; `isPrivate` selects between a public and a private one. */
async function zoneByName(route53: AwsCaller, name: string, isPrivate: Value): Promise<Dict | undefined> {
  const query = { dnsname: withDot(name), maxitems: 100 }
  const answer = await get(route53, 'ListHostedZonesByName', '/hostedzonesbyname', query)
  const found = answer.rows('HostedZones').find((row) => {
    const isMeant = isPrivate === null || row.flag('Config.PrivateZone') === isPrivate
    return nameText(row.text('Name') ?? '') === withDot(name) && isMeant
  })
  return found && zoneById(route53, found.text('Id') ?? '')
}

const CREATION = {
  domain_name: arg.text('Name of the zone, with a dot at its end'),
  caller_ref: arg.text('Unique text, so that a request that comes twice makes one zone', { optional: true }),
  comment: arg.text('Comment', { default: '' }),
  private_zone: arg.flag('Whether only networks see it', { default: false }),
  vpc_id: arg.text('Id of the network that sees it', { optional: true }),
  vpc_name: arg.text('Name of that network', { optional: true }),
  vpc_region: arg.text('Region of that network', { optional: true }),
  ...LOGIN,
}

interface Network {
  vpc_id: string | null
  vpc_name: string | null
  vpc_region: string | null
}

/** Return the id and region of the network of a private zone. */
async function networkOf(ctx: FunctionContext, login: AwsLogin, network: Network): Promise<[string, string]> {
  const { vpc_id, vpc_name, vpc_region } = network
  if (Boolean(vpc_id) === Boolean(vpc_name)) {
    throw misuse('Either vpc_name or vpc_id is required when creating a private zone.')
  }
  if (vpc_id && vpc_region) return [vpc_id, vpc_region]
  const given = { ...loginOf(login), vpc_id, name: vpc_name, ...(vpc_region && { region: vpc_region }) }
  const answer = (await ctx.call('boto_vpc.describe_vpcs', [], given)) as Value
  const found = isDict(answer) ? (answer.get('vpcs') ?? null) : null
  const vpcs = isList(found) ? found.filter(isDict) : []
  if (vpcs.length !== 1) throw failure(`${vpcs.length} networks match ${vpc_name ?? vpc_id}, and not one`)
  return [str(vpcs[0]!.get('id') ?? ''), str(vpcs[0]!.get('region') ?? '')]
}

async function createZone(ctx: FunctionContext, given: Bound<typeof CREATION>): Promise<Dict | null> {
  const { domain_name, caller_ref, comment, private_zone, vpc_id, vpc_name, vpc_region, ...login } = given
  if (!domain_name.endsWith('.')) throw misuse('Domain MUST be fully-qualified, complete with ending period.')
  const route53 = routeOf(ctx, login)
  if ((await zoneByName(route53, domain_name, private_zone)) !== undefined) {
    ctx.log('info', `Route53 hosted zone ${domain_name} already exists`)
    return null
  }
  const content: Xml[] = [['Name', domain_name]]
  if (private_zone) {
    const [id, region] = await networkOf(ctx, login, { vpc_id, vpc_name, vpc_region })
    const network: Xml[] = [
      ['VPCRegion', region],
      ['VPCId', id],
    ]
    content.push(['VPC', network])
  }
  const config: Xml[] = [
    ['Comment', comment],
    ['PrivateZone', String(private_zone)],
  ]
  content.push(['CallerReference', caller_ref ?? randomUUID()], ['HostedZoneConfig', config])
  const answer = await post(route53, 'CreateHostedZone', '/hostedzone', content)
  if (!(await isSynced(route53, answer))) throw failure(`Hosted zone ${domain_name} is not on all servers yet`)
  const zone = zoneAnswer(answer)
  zone.delete('ChangeInfo')
  return zone
}

const CHECK = {
  ip_addr: arg.text('Address to check', { optional: true }),
  fqdn: arg.text('Name to check, or to ask the address for', { optional: true }),
  ...LOGIN,
  port: arg.count('Port', { default: 53 }),
  hc_type: arg.text('Type, such as `TCP`, `HTTP` or `HTTPS_STR_MATCH`', { default: 'TCP' }),
  resource_path: arg.text('Path that is asked for', { default: '' }),
  string_match: arg.text('Text that the answer must have', { optional: true }),
  request_interval: arg.count('Seconds between two checks: 10 or 30', { default: 30 }),
  failure_threshold: arg.count('Failures in a row that count', { default: 3 }),
  retry_on_errors: arg.any('Not needed: a busy service is always asked again', { default: true }),
  error_retries: arg.any('Not needed', { default: 5 }),
}

async function createCheck(ctx: FunctionContext, given: Bound<typeof CHECK>): Promise<Dict> {
  const { ip_addr, fqdn, string_match, resource_path } = given
  if (ip_addr === null && fqdn === null) {
    return new Map([['error', 'One of the following must be specified: fqdn or ip_addr']])
  }
  // in the order of the schema of AWS
  const config = [
    ['IPAddress', ip_addr],
    ['Port', String(given.port)],
    ['Type', given.hc_type],
    ['ResourcePath', resource_path || null],
    ['FullyQualifiedDomainName', fqdn],
    ['SearchString', string_match],
    ['RequestInterval', String(given.request_interval)],
    ['FailureThreshold', String(given.failure_threshold)],
  ].filter((one): one is [string, string] => one[1] !== null)
  const content: Xml[] = [
    ['CallerReference', randomUUID()],
    ['HealthCheckConfig', config],
  ]
  const made = post(routeOf(ctx, given), 'CreateHealthCheck', '/healthcheck', content)
  return unlessFault<Dict, Dict>(
    made.then((answer) => new Map([['result', new Map([['CreateHealthCheckResponse', answer.shaped()]])]])),
    (error) => new Map([['error', errorDict(error)]]),
  )
}

export const hostedZoneFunctions = {
  describe_hosted_zones: reads({
    doc: 'Return a zone by its id or name, or all zones.',
    example: 'boto_route53.describe_hosted_zones domain_name=example.org.',
    args: {
      zone_id: arg.text('Id of the zone', { optional: true }),
      domain_name: arg.text('Name of the zone', { optional: true }),
      ...LOGIN,
      private_zone: arg.any('Whether the private or the public zone of that name is meant', {
        optional: true,
        beyond: true,
      }),
    },
    returns: ret.any(
      'A dict with `HostedZone`, `DelegationSet` and `VPCs`, or a list of zones; empty where there is none',
    ),
    run: async (ctx, { zone_id, domain_name, private_zone, ...login }): Promise<Value> => {
      if (zone_id && domain_name) throw misuse('At most one of zone_id or domain_name may be provided')
      const route53 = routeOf(ctx, login)
      if (zone_id) return (await zoneById(route53, zone_id)) ?? []
      return domain_name ? ((await zoneByName(route53, domain_name, private_zone)) ?? []) : allZones(route53)
    },
  }),
  list_all_zones_by_name: reads({
    doc: 'Return the names of all zones.',
    args: LOGIN,
    returns: ret.any('A list of names'),
    run: async (ctx, login) => (await allZones(routeOf(ctx, login))).map((zone) => str(zone.get('Name') ?? '')),
  }),
  list_all_zones_by_id: reads({
    doc: 'Return the ids of all zones.',
    args: LOGIN,
    returns: ret.any('A list of ids'),
    run: async (ctx, login) => (await allZones(routeOf(ctx, login))).map((zone) => shortId(str(zone.get('Id') ?? ''))),
  }),
  create_hosted_zone: changes({
    doc: 'Create a zone, and wait until all servers have it.',
    example: 'boto_route53.create_hosted_zone example.org.',
    args: CREATION,
    returns: ret.optional(ret.dict('`HostedZone`, `DelegationSet` and `VPC`; None where the zone exists')),
    run: createZone,
  }),
  create_healthcheck: changes({
    doc: 'Create a health check.',
    example: 'boto_route53.create_healthcheck 192.0.2.1 port=443 hc_type=HTTPS resource_path=/health',
    args: CHECK,
    returns: ret.dict('`result`, or `error`'),
    run: createCheck,
  }),
}
