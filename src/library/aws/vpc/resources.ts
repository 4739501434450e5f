// Resources of a network, found by id, name or tags: one table for all kinds, because EC2 treats them alike.
import { recover } from '../../../base/mod.ts'
import { type Dict, failure, misuse, type Value } from '../../../data/mod.ts'
import { arg, type FunctionContext, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import { EC2_PAGES, filtersOf, tagFilters, tagsOf } from '../common/ec2.ts'
import { type AwsError, errorDict, isFault, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import type { AwsLogin } from '../common/login.ts'

interface Kind {
  /** The kind in the names of actions: `CreateSubnet`. */
  word: string
  plural: string
  /** The list in answers. */
  list: string
  /** The id, in answers with a small letter and in parameters with a capital one. */
  id: string
  /** The path of the state, and the states of existing resources: EC2 lists deleted ones for some time. */
  living?: { at: string; states: readonly string[] }
}

const KINDS: Readonly<Record<string, Kind>> = {
  vpc: { word: 'Vpc', plural: 'Vpcs', list: 'vpcSet', id: 'vpcId' },
  subnet: { word: 'Subnet', plural: 'Subnets', list: 'subnetSet', id: 'subnetId' },
  internet_gateway: {
    word: 'InternetGateway',
    plural: 'InternetGateways',
    list: 'internetGatewaySet',
    id: 'internetGatewayId',
  },
  route_table: { word: 'RouteTable', plural: 'RouteTables', list: 'routeTableSet', id: 'routeTableId' },
  network_acl: { word: 'NetworkAcl', plural: 'NetworkAcls', list: 'networkAclSet', id: 'networkAclId' },
  dhcp_options: { word: 'DhcpOptions', plural: 'DhcpOptions', list: 'dhcpOptionsSet', id: 'dhcpOptionsId' },
  customer_gateway: {
    word: 'CustomerGateway',
    plural: 'CustomerGateways',
    list: 'customerGatewaySet',
    id: 'customerGatewayId',
    living: { at: 'state', states: ['pending', 'available'] },
  },
  vpc_peering_connection: {
    word: 'VpcPeeringConnection',
    plural: 'VpcPeeringConnections',
    list: 'vpcPeeringConnectionSet',
    id: 'vpcPeeringConnectionId',
    living: { at: 'status.code', states: ['active', 'pending-acceptance', 'provisioning'] },
  },
}

export const networksOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'ec2', login, 'vpc')

function kindOf(resource: string): Kind {
  const kind = KINDS[resource]
  if (kind === undefined) throw misuse(`There is no resource '${resource}': ${Object.keys(KINDS).join(', ')}`)
  return kind
}

const capital = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`

const idOf = (resource: string, answer: AwsAnswer): string => answer.text(kindOf(resource).id) ?? ''

/** The tags parameter of functions. */
export const TAGS = arg.dict('Tags', { optional: true })

/** The parameters that select a network. */
export const VPC = {
  vpc_id: arg.text('Id of the network', { optional: true }),
  vpc_name: arg.text('Name of the network, in place of its id', { optional: true }),
}

/** The parameters that select a subnet. */
export const SUBNET = {
  subnet_id: arg.text('Id of the subnet', { optional: true }),
  subnet_name: arg.text('Name of the subnet', { optional: true }),
}

export const CREATED = ret.dict('`created` with `id` or `error`')
export const DELETED = ret.dict('`deleted`, or `error`')
export const EXISTS = ret.dict('`exists`, or `error`')

export interface Search {
  id?: string | null
  name?: string | null
  tags?: Dict | null
  /** Further filters of EC2. */
  filters?: readonly (readonly [string, Value])[]
}

/** Return all resources of a kind that match. An id that does not exist matches nothing. */
export async function find(
  ec2: AwsCaller,
  resource: string,
  { id, name, tags, filters = [] }: Search,
): Promise<AwsAnswer[]> {
  const kind = kindOf(resource)
  const all: [Value, Value][] = [...(filters as [Value, Value][]), ...tagFilters(tags ?? new Map())]
  if (name) all.push(['tag:Name', name])
  const parameters = { ...filtersOf(all), ...(id && { [capital(kind.id)]: [id] }) }
  return recover(
    (error) => isFault(error) && error.fault.code.endsWith('.NotFound'),
    [],
    async () => {
      const found = await ec2.rows(`Describe${kind.plural}`, parameters, kind.list, EC2_PAGES)
      const { living } = kind
      return living ? found.filter((one) => living.states.includes(one.text(living.at) ?? '')) : found
    },
  )
}

/** Return the only resource of a kind with this id or name; undefined if there is none. */
export async function findOne(ec2: AwsCaller, resource: string, search: Search): Promise<AwsAnswer | undefined> {
  if (Boolean(search.id) === Boolean(search.name)) throw misuse('One (but not both) of name or id must be provided.')
  const found = await find(ec2, resource, search)
  if (found.length > 1) throw failure(`Found more than one ${resource} named "${search.name}"`)
  return found[0]
}

export async function idByName(ec2: AwsCaller, resource: string, name: string): Promise<string | null> {
  const found = await findOne(ec2, resource, { name })
  return found === undefined ? null : idOf(resource, found)
}

export const refused = (message: string): { error: Dict } => ({ error: new Map([['message', message]]) })

/** Return the result of a function; or AWS's error beside a key that is false. */
export const orError = <T>(key: string, call: Promise<T>): Promise<T | Record<string, Value>> =>
  unlessFault(call, (error: AwsError): Record<string, Value> => ({ [key]: false, error: errorDict(error) }))

/** Return the result of a function, or only AWS's error. */
export const orItsError = <T>(call: Promise<T>): Promise<T | Record<string, Value>> =>
  unlessFault(call, (error: AwsError): Record<string, Value> => ({ error: errorDict(error) }))

/** Return whether something was found, or the error of AWS. */
export const existence = (found: Promise<readonly AwsAnswer[]>): Promise<Record<string, Value>> =>
  orItsError(found.then(({ length }) => ({ exists: length > 0 })))

interface Creation {
  name?: string | null
  tags?: Dict | null
  parameters?: Parameters
}

type Created = { created: boolean; id?: string; error?: Dict }

/** Make a resource with its name and tags. A name that another has is refused. */
export async function create(
  ec2: AwsCaller,
  resource: string,
  { name, tags, parameters = {} }: Creation,
): Promise<Created> {
  const kind = kindOf(resource)
  if (name && (await idByName(ec2, resource, name)) !== null) {
    return { created: false, ...refused(`A ${resource} named ${name} already exists.`) }
  }
  const answer = await ec2.query(`Create${kind.word}`, parameters)
  const id =
    answer
      .children()
      .map((child) => child.text(kind.id))
      .find((text) => text !== null) ?? ''
  const all = new Map<Value, Value>([...(tags ?? []), ...(name ? [['Name', name] as [Value, Value]] : [])])
  if (all.size > 0) await ec2.query('CreateTags', { ResourceId: [id], Tag: tagsOf(all) })
  return { created: true, id }
}

/** Delete a resource by its id or name. */
export async function remove(
  ec2: AwsCaller,
  resource: string,
  search: { id?: string | null; name?: string | null },
  more: Parameters = {},
): Promise<Record<string, Value>> {
  const { id, name } = search
  if (Boolean(id) === Boolean(name)) throw misuse('One (but not both) of name or id must be provided.')
  const found = id ?? (await idByName(ec2, resource, name!))
  if (found === null) return { deleted: false, ...refused(`${resource} ${name} does not exist.`) }
  const kind = kindOf(resource)
  await ec2.query(`Delete${kind.word}`, { [capital(kind.id)]: found, ...more })
  return { deleted: true }
}

/** Return the id of a network that is named by id or name; null where it does not exist. */
export async function networkOf(ec2: AwsCaller, id: string | null, name: string | null): Promise<string | null> {
  if (Boolean(id) === Boolean(name)) throw misuse('One (but not both) of vpc_id or vpc_name must be provided.')
  if (name) return oneNetwork(await find(ec2, 'vpc', { name }))
  return (await find(ec2, 'vpc', { id })).length > 0 ? id : null
}

export function oneNetwork(found: readonly AwsAnswer[]): string | null {
  if (found.length > 1) throw failure('Found more than one VPC matching the criteria.')
  return found[0]?.text('vpcId') ?? null
}

export const noNetwork = (key: string, name: string | null, id: string | null): Record<string, Value> => ({
  [key]: false,
  ...refused(`VPC ${name || id} does not exist.`),
})

/** Return a network as Salt's functions show it. */
export const shownNetwork = (vpc: AwsAnswer, region: string): Dict =>
  new Map<Value, Value>([
    ['id', vpc.text('vpcId')],
    ['cidr_block', vpc.text('cidrBlock')],
    ['is_default', vpc.flag('isDefault')],
    ['state', vpc.text('state')],
    ['tags', vpc.pairs('tagSet')],
    ['dhcp_options_id', vpc.text('dhcpOptionsId')],
    ['instance_tenancy', vpc.text('instanceTenancy')],
    ['region', region],
  ])
