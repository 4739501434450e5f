// Zones and records of Route 53 by the names of Salt's functions for boto3.
import { randomUUID } from 'node:crypto'
import { type Dict, failure, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  awsEscaped,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  optionalText,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import type { AwsCaller } from '../common/caller.ts'
import { unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { dictOf } from '../common/structured.ts'
import { get, isSynced, post, remove, routeOf, shortId, withDot, type Xml } from './requests.ts'
import { batchXml, nameForAws, recordSetOf, zoneAnswer, zoneOf } from './shapes.ts'

const PRIVATE = arg.boolean('Whether the private or the public zone of that name is meant; either unless given', {
  optional: true,
})
const ZONE_NAME = optionalText('Name of the zone, in place of its id')
const NETWORK = {
  VPCId: optionalText('Id of the network'),
  VPCName: optionalText('Name of the network, in place of its id'),
  VPCRegion: optionalText('Region of the network; that of the network found unless given'),
}
const MOST_PAGES = 10_000

const zonePath = (id: string): string => `/hostedzone/${awsEscaped(shortId(id))}`

/** Yield the rows of a list over its pages. `next` returns the start of the next page from an answer. */
async function* pagesOf(
  route53: AwsCaller,
  { action, path, query }: { action: string; path: string; query: Record<string, string | null> },
  next: (answer: AwsAnswer) => Record<string, string | null> | undefined,
): AsyncGenerator<AwsAnswer> {
  let from: Record<string, string | null> | undefined = query
  for (let page = 0; page < MOST_PAGES && from !== undefined; page++) {
    const answer = await get(route53, action, path, from)
    yield answer
    const more = answer.flag('IsTruncated') ? next(answer) : undefined
    from = more && { ...query, ...more }
  }
}

async function zoneRows(route53: AwsCaller, query: Record<string, string | null> = {}): Promise<AwsAnswer[]> {
  const request = { action: 'ListHostedZones', path: '/hostedzone', query }
  const rows: AwsAnswer[] = []
  for await (const page of pagesOf(route53, request, (answer) => ({ marker: answer.text('NextMarker') })))
    rows.push(...page.rows('HostedZones'))
  return rows
}

/** Return one zone in a list; an empty list if it does not exist. */
async function zoneById(route53: AwsCaller, id: string): Promise<Dict[]> {
  const found = get(route53, 'GetHostedZone', zonePath(id)).then((answer) => [zoneAnswer(answer)])
  return unlessFault(found, () => [], 'NoSuchHostedZone')
}

async function zonesByName(route53: AwsCaller, name: string): Promise<Dict[]> {
  const wanted = nameForAws(withDot(name)).toLowerCase()
  const rows = (await zoneRows(route53)).filter((row) => row.text('Name')?.toLowerCase() === wanted)
  const zones: Dict[] = []
  for (const row of rows) zones.push(...(await zoneById(route53, row.text('Id') ?? '')))
  return zones
}

interface ZoneChoice {
  id?: string | null
  name?: string | null
  isPrivate?: boolean | null
}

const hostedZone = (zone: Dict): Dict => zone.get('HostedZone') as Dict

/**
 * Return the matching zone in a list; empty if there is none. Several are an error: a state would treat them as none.
 */
async function findZone(route53: AwsCaller, { id = null, name = null, isPrivate = null }: ZoneChoice): Promise<Dict[]> {
  if (Boolean(id) === Boolean(name)) throw misuse('Exactly one of either Id or Name is required.')
  const all = id ? await zoneById(route53, id) : await zonesByName(route53, name ?? '')
  const found = all.filter((zone) => {
    const config = hostedZone(zone).get('Config') ?? null
    return isPrivate === null || (isDict(config) && config.get('PrivateZone') === isPrivate)
  })
  if (found.length <= 1) return found
  const ids = found.map((zone) => str(hostedZone(zone).get('Id') ?? '')).join(', ')
  throw failure(`Request matched more than one Hosted Zone (${ids}). Refine your criteria and try again.`)
}

/** Return the id of the matching zone; undefined, with a log line, if there is none. */
async function zoneId(ctx: FunctionContext, route53: AwsCaller, choice: ZoneChoice): Promise<string | undefined> {
  if (Boolean(choice.id) === Boolean(choice.name))
    throw misuse('Exactly one of either HostedZoneId or Name must be provided.')
  if (choice.id) return choice.id
  const [zone] = await findZone(route53, choice)
  if (zone !== undefined) return str(hostedZone(zone).get('Id') ?? '')
  ctx.log('error', `Couldn't resolve domain name ${choice.name} to a hosted zone ID.`)
  return undefined
}

/** Return the matching network; undefined, with a log line, if there is none or several. */
async function networkOf(
  ctx: FunctionContext,
  { VPCId, VPCName, VPCRegion }: Bound<typeof NETWORK>,
  login: AwsLogin,
): Promise<Xml | undefined> {
  if (Boolean(VPCId) === Boolean(VPCName)) throw misuse('Exactly one of either VPCId or VPCName is required.')
  const given = { vpc_id: VPCId, name: VPCName, ...loginOf(login) }
  const answer = await ctx.call('boto_vpc.describe_vpcs', [], given)
  const listed = isDict(answer) ? (answer.get('vpcs') ?? null) : null
  const all = Array.isArray(listed) ? (listed as Value[]).filter(isDict) : []
  const found = all.filter((one) => !VPCRegion || one.get('region') === VPCRegion)
  const [network] = found
  if (network === undefined || found.length > 1) {
    ctx.log(
      'error',
      network === undefined
        ? 'No VPC matching the given criteria found.'
        : 'Multiple VPCs matching the given criteria found.',
    )
    return undefined
  }
  const region = VPCRegion ?? str(network.get('region') ?? '')
  return [
    'VPC',
    [
      ['VPCRegion', region],
      ['VPCId', str(network.get('id') ?? '')],
    ],
  ]
}

const ASSOCIATION = {
  HostedZoneId: optionalText('Id of the zone'),
  Name: ZONE_NAME,
  ...NETWORK,
  Comment: optionalText('Why'),
  ...LOGIN,
}

/** Let a network see a private zone, or no longer. */
async function associate(
  ctx: FunctionContext,
  { HostedZoneId, Name, VPCId, VPCName, VPCRegion, Comment, ...login }: Bound<typeof ASSOCIATION>,
  { action, path, done }: { action: string; path: string; done: string },
): Promise<boolean> {
  const route53 = routeOf(ctx, login)
  const id = await zoneId(ctx, route53, { id: HostedZoneId, name: Name, isPrivate: true })
  const network = id === undefined ? undefined : await networkOf(ctx, { VPCId, VPCName, VPCRegion }, login)
  if (id === undefined || network === undefined) return false
  const content: Xml[] = [network, ...(Comment === null ? [] : [['Comment', Comment] as Xml])]
  const synced = post(route53, action, `${zonePath(id)}/${path}`, content).then((answer) => isSynced(route53, answer))
  return unlessFault(synced, (error) => {
    if (error.fault.code === done) return true
    ctx.log('error', error.message)
    return false
  })
}

const CREATION = {
  Name: arg.text('Name of the zone, with a dot at its end'),
  ...NETWORK,
  CallerReference: optionalText('Token by which a repeated request is known'),
  Comment: arg.text('What it is for', { default: '' }),
  PrivateZone: arg.boolean('Whether only networks see it', { default: false }),
  DelegationSetId: optionalText('Id of the set of name servers'),
  ...LOGIN,
}

async function createZone(
  ctx: FunctionContext,
  { Name, PrivateZone, CallerReference, Comment, DelegationSetId, ...given }: Bound<typeof CREATION>,
): Promise<Dict[] | null> {
  if (!Name.endsWith('.')) throw misuse('Domain must be fully-qualified, complete with trailing period.')
  const { VPCId, VPCName, VPCRegion, ...login } = given
  const route53 = routeOf(ctx, login)
  if ((await findZone(route53, { name: Name, isPrivate: PrivateZone })).length > 0) {
    ctx.log('info', `Route 53 hosted zone ${Name} already exists.`)
    return null
  }
  const network = PrivateZone ? await networkOf(ctx, { VPCId, VPCName, VPCRegion }, login) : undefined
  if (PrivateZone && network === undefined) return null
  const content: Xml[] = [
    ['Name', nameForAws(Name)],
    ...(network === undefined ? [] : [network]),
    ['CallerReference', CallerReference ?? randomUUID()],
    [
      'HostedZoneConfig',
      [
        ['Comment', Comment],
        ['PrivateZone', String(PrivateZone)],
      ],
    ],
    ...(DelegationSetId === null ? [] : [['DelegationSetId', DelegationSetId] as Xml]),
  ]
  const made = post(route53, 'CreateHostedZone', '/hostedzone', content).then(async (answer) =>
    (await isSynced(route53, answer)) ? [zoneAnswer(answer)] : [],
  )
  return unlessFault(made, (error): Dict[] => {
    ctx.log('error', `Failed to create hosted zone ${Name}: ${error.message}`)
    return []
  })
}

async function deleteZone(ctx: FunctionContext, route53: AwsCaller, id: string): Promise<boolean> {
  const gone = remove(route53, 'DeleteHostedZone', zonePath(id)).then((answer) => isSynced(route53, answer))
  return unlessFault(gone, (error) => {
    ctx.log('error', `Failed to delete hosted zone ${id}: ${error.message}`)
    return false
  })
}

interface RecordChoice {
  name: string | null
  type: string | null
}

const isNamed = (set: Dict, name: string): boolean =>
  nameForAws(str(set.get('Name') ?? '')).toLowerCase() === nameForAws(withDot(name)).toLowerCase()

/** Return the record sets of a zone, from a name and type on where these are given. */
async function recordSets(route53: AwsCaller, id: string, { name, type }: RecordChoice): Promise<Dict[]> {
  const query = { name: name === null ? null : nameForAws(name), type: name === null ? null : type }
  const request = { action: 'ListResourceRecordSets', path: `${zonePath(id)}/rrset`, query }
  const next = (answer: AwsAnswer): Record<string, string | null> => ({
    name: answer.text('NextRecordName'),
    type: answer.text('NextRecordType'),
    identifier: answer.text('NextRecordIdentifier'),
  })
  const sets: Dict[] = []
  for await (const page of pagesOf(route53, request, next)) {
    for (const set of page.rows('ResourceRecordSets').map(recordSetOf)) {
      const isOther = name !== null && !isNamed(set, name)
      if (isOther || (name !== null && type !== null && set.get('Type') !== type)) return sets
      if (type === null || set.get('Type') === type) sets.push(set)
    }
  }
  return sets
}

export default defineModule({
  name: 'boto3_route53',
  doc: 'Manage zones and records of Route 53, with parameters and results by the names of AWS.',
  functions: {
    find_hosted_zone: reads({
      doc: 'Return the zone with an id or a name.',
      example: 'boto3_route53.find_hosted_zone Name=salt.org.',
      args: { Id: optionalText('Id of the zone'), Name: ZONE_NAME, PrivateZone: PRIVATE, ...LOGIN },
      returns: ret.dicts('The zone; empty where there is none'),
      run: (ctx, { Id: id, Name: name, PrivateZone: isPrivate, ...login }) =>
        findZone(routeOf(ctx, login), { id, name, isPrivate }),
    }),
    get_hosted_zone: reads({
      doc: 'Return the zone with an id.',
      example: 'boto3_route53.get_hosted_zone Z1234567690',
      args: { Id: arg.text('Id of the zone'), ...LOGIN },
      returns: ret.dicts('`HostedZone`, `DelegationSet` and `VPCs` of the zone; empty where there is none'),
      run: (ctx, { Id, ...login }) => zoneById(routeOf(ctx, login), Id),
    }),
    get_hosted_zones_by_domain: reads({
      doc: 'Return all zones with a name.',
      example: 'boto3_route53.get_hosted_zones_by_domain salt.org.',
      args: { Name: arg.text('Name of the zone'), ...LOGIN },
      returns: ret.dicts('`HostedZone`, `DelegationSet` and `VPCs` of each'),
      run: (ctx, { Name, ...login }) => zonesByName(routeOf(ctx, login), Name),
    }),
    list_hosted_zones: reads({
      doc: 'Return all zones.',
      example: 'boto3_route53.list_hosted_zones',
      args: { DelegationSetId: optionalText('Id of the set of name servers; any unless given'), ...LOGIN },
      returns: ret.dicts('`Id`, `Name`, `Config` and others of each'),
      run: async (ctx, { DelegationSetId, ...login }) => {
        const query = { delegationsetid: DelegationSetId || null }
        return (await zoneRows(routeOf(ctx, login), query)).map(zoneOf)
      },
    }),
    create_hosted_zone: changes({
      doc: 'Create a zone.',
      example: 'boto3_route53.create_hosted_zone example.org.',
      args: CREATION,
      returns: ret.optional(
        ret.dicts('The zone; empty where AWS refuses, and None where it exists or no network is found'),
      ),
      run: createZone,
    }),
    update_hosted_zone_comment: changes({
      doc: 'Change the comment of a zone.',
      example: 'boto3_route53.update_hosted_zone_comment Name=example.org. Comment="This is an example comment"',
      args: {
        Id: optionalText('Id of the zone'),
        Name: ZONE_NAME,
        Comment: optionalText('What it is for'),
        PrivateZone: PRIVATE,
        ...LOGIN,
      },
      returns: ret.dicts('The zone; empty where there is none'),
      run: async (ctx, { Id: id, Name: name, Comment, PrivateZone: isPrivate, ...login }) => {
        const route53 = routeOf(ctx, login)
        const found = await zoneId(ctx, route53, { id, name, isPrivate })
        if (found === undefined) return []
        const content: Xml[] = Comment === null ? [] : [['Comment', Comment]]
        const done = post(route53, 'UpdateHostedZoneComment', zonePath(found), content).then((answer) => [
          zoneAnswer(answer),
        ])
        return unlessFault(done, (error): Dict[] => {
          ctx.log('error', error.message)
          return []
        })
      },
    }),
    associate_vpc_with_hosted_zone: changes({
      doc: 'Let a network see a private zone.',
      example: 'boto3_route53.associate_vpc_with_hosted_zone Name=example.org. VPCName=myVPC VPCRegion=us-east-1',
      args: ASSOCIATION,
      returns: ret.boolean('Whether it sees the zone'),
      run: (ctx, given) =>
        associate(ctx, given, {
          action: 'AssociateVPCWithHostedZone',
          path: 'associatevpc',
          done: 'ConflictingDomainExists',
        }),
    }),
    disassociate_vpc_from_hosted_zone: changes({
      doc: 'Let a network no longer see a private zone.',
      example: 'boto3_route53.disassociate_vpc_from_hosted_zone Name=example.org. VPCName=myVPC VPCRegion=us-east-1',
      args: ASSOCIATION,
      returns: ret.boolean('Whether it does not see the zone'),
      run: (ctx, given) =>
        associate(ctx, given, {
          action: 'DisassociateVPCFromHostedZone',
          path: 'disassociatevpc',
          done: 'VPCAssociationNotFound',
        }),
    }),
    delete_hosted_zone: changes({
      doc: 'Delete the zone with an id.',
      example: 'boto3_route53.delete_hosted_zone Z1234567890',
      args: { Id: arg.text('Id of the zone'), ...LOGIN },
      returns: ret.boolean('Whether it was deleted'),
      run: (ctx, { Id, ...login }) => deleteZone(ctx, routeOf(ctx, login), Id),
    }),
    delete_hosted_zone_by_domain: changes({
      doc: 'Delete the zone with a name.',
      example: 'boto3_route53.delete_hosted_zone_by_domain example.org.',
      args: { Name: arg.text('Name of the zone'), PrivateZone: PRIVATE, ...LOGIN },
      returns: ret.boolean('Whether it was deleted'),
      run: async (ctx, { Name: name, PrivateZone: isPrivate, ...login }) => {
        const route53 = routeOf(ctx, login)
        const id = await zoneId(ctx, route53, { name, isPrivate })
        return id === undefined ? false : deleteZone(ctx, route53, id)
      },
    }),
    get_resource_records: reads({
      doc: 'Return the record sets of a zone.',
      example: 'boto3_route53.get_resource_records Name=example.org. StartRecordName=www.example.org.',
      args: {
        HostedZoneId: optionalText('Id of the zone'),
        Name: ZONE_NAME,
        StartRecordName: optionalText('Name of the record sets; any unless given'),
        StartRecordType: optionalText('Type of the record sets; any unless given'),
        PrivateZone: PRIVATE,
        ...LOGIN,
      },
      returns: ret.dicts('`Name`, `Type`, `TTL`, `ResourceRecords` and others of each'),
      run: async (
        ctx,
        { HostedZoneId, Name: name, StartRecordName, StartRecordType, PrivateZone: isPrivate, ...login },
      ) => {
        const route53 = routeOf(ctx, login)
        const id = await zoneId(ctx, route53, { id: HostedZoneId, name, isPrivate })
        const choice = { name: StartRecordName || null, type: StartRecordType || null }
        return id === undefined ? [] : recordSets(route53, id, choice)
      },
    }),
    change_resource_record_sets: changes({
      doc: 'Create, change or delete record sets of a zone.',
      example: `boto3_route53.change_resource_record_sets Name=example.org. ChangeBatch='{"Changes": [{"Action": "UPSERT", "ResourceRecordSet": {"Name": "www.example.org.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}}]}'`,
      args: {
        HostedZoneId: optionalText('Id of the zone'),
        Name: ZONE_NAME,
        PrivateZone: PRIVATE,
        ChangeBatch: arg.any('Dict with `Changes`, a list of dicts with `Action` and `ResourceRecordSet`', {
          optional: true,
        }),
        ...LOGIN,
      },
      returns: ret.any('Whether all servers have the changes; an empty list where there is no zone'),
      run: async (ctx, { HostedZoneId, Name: name, PrivateZone: isPrivate, ChangeBatch, ...login }) => {
        const route53 = routeOf(ctx, login)
        const batch = batchXml(dictOf('ChangeBatch', ChangeBatch))
        const id = await zoneId(ctx, route53, { id: HostedZoneId, name, isPrivate })
        if (id === undefined) return []
        const answer = await post(route53, 'ChangeResourceRecordSets', `${zonePath(id)}/rrset/`, [batch])
        return isSynced(route53, answer)
      },
    }),
  },
})
