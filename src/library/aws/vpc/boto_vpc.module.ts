// Networks of EC2 by Salt's names.
import { type Dict, misuse, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import type { AwsCaller } from '../common/caller.ts'
import { filtersOf } from '../common/ec2.ts'
import { LOGIN } from '../common/login.ts'
import { aclFunctions } from './acl-functions.ts'
import { dhcpFunctions } from './dhcp-functions.ts'
import { natFunctions } from './nat-functions.ts'
import { peeringFunctions } from './peering-functions.ts'
import * as resources from './resources.ts'
import {
  CREATED,
  DELETED,
  EXISTS,
  existence,
  find,
  findOne,
  idByName,
  networkOf,
  networksOf,
  noNetwork,
  orError,
  orItsError,
  refused,
  SUBNET,
  shownNetwork,
  TAGS,
  VPC,
} from './resources.ts'
import { routeFunctions } from './route-functions.ts'

const NAME = arg.text('Name of the network', { optional: true })
const ITS_CIDR = arg.text('Its range of addresses', { optional: true })
/** Search criteria for networks besides their id. */
const SEARCH = { name: NAME, cidr: ITS_CIDR, tags: TAGS }
const RESOURCE = {
  resource: arg.text('Kind, such as `subnet`'),
  name: arg.text('Name of the resource', { optional: true }),
}
const GATEWAY_NAME = arg.text('Name of the gateway', { optional: true })

const cidrFilter = (cidr?: string | null): [string, Value][] => (cidr ? [['cidr', cidr]] : [])

/** Return networks; without criteria, the default ones of the account. */
async function networks(
  ec2: AwsCaller,
  search: { id?: string | null; name?: string | null; cidr?: string | null; tags?: Dict | null },
) {
  const { cidr, ...rest } = search
  if (rest.id && rest.name) throw misuse('Only one of vpc_name or vpc_id may be provided.')
  const found = await find(ec2, 'vpc', { ...rest, filters: cidrFilter(cidr) })
  return rest.id || rest.name || cidr || rest.tags ? found : found.filter((vpc) => vpc.flag('isDefault'))
}

/** Return the association of a subnet with its own route table; null if it uses that of the network. */
async function ownRoutes(ec2: AwsCaller, subnet: AwsAnswer): Promise<string | null> {
  const tables = await find(ec2, 'route_table', { filters: [['vpc-id', subnet.text('vpcId')]] })
  const all = tables.flatMap((table) => table.rows('associationSet'))
  return all.find((one) => one.text('subnetId') === subnet.text('subnetId'))?.text('routeTableAssociationId') ?? null
}

async function shownSubnet(ec2: AwsCaller, subnet: AwsAnswer): Promise<Dict> {
  const shown = new Map<Value, Value>([
    ['id', subnet.text('subnetId')],
    ['cidr_block', subnet.text('cidrBlock')],
    ['availability_zone', subnet.text('availabilityZone')],
    ['tags', subnet.pairs('tagSet')],
    ['vpc_id', subnet.text('vpcId')],
  ])
  const association = await ownRoutes(ec2, subnet)
  if (association !== null) shown.set('explicit_route_table_association_id', association)
  return shown
}

export default defineModule({
  name: 'boto_vpc',
  doc: 'Manage networks of EC2: VPCs, subnets, gateways, route tables, DHCP options, network ACLs, peering connections.',
  functions: {
    check_vpc: reads({
      doc: 'Return the id of a network; None where it does not exist.',
      example: 'boto_vpc.check_vpc vpc_name=main',
      args: { ...VPC, ...LOGIN },
      returns: ret.optional(ret.string('The id')),
      run: (ctx, { vpc_id, vpc_name, ...login }) => networkOf(networksOf(ctx, login), vpc_id, vpc_name),
    }),
    get_resource_id: reads({
      doc: 'Return the id of a resource by its name.',
      example: 'boto_vpc.get_resource_id internet_gateway main',
      args: {
        ...RESOURCE,
        resource_id: arg.text('Not looked at', { optional: true }),
        ...LOGIN,
      },
      returns: ret.dict('`id`, or `error`'),
      run: (ctx, { resource, name, ...login }) =>
        orItsError(idByName(networksOf(ctx, login), resource, name ?? '').then((id) => ({ id }))),
    }),
    resource_exists: reads({
      doc: 'Return whether a resource exists.',
      example: 'boto_vpc.resource_exists internet_gateway main',
      args: {
        ...RESOURCE,
        resource_id: arg.text('Id of the resource, in place of its name', { optional: true }),
        tags: TAGS,
        ...LOGIN,
      },
      returns: EXISTS,
      run: (ctx, { resource, name, resource_id: id, tags, ...login }) => {
        if (id && name) throw misuse('Only one of name or id may be provided.')
        if (!id && !name && !tags) throw misuse('At least one of the following must be provided: id, name, or tags.')
        return existence(find(networksOf(ctx, login), resource, { id, name, tags }))
      },
    }),
    get_id: reads({
      doc: 'Return the id of a network by its name, range or tags.',
      example: 'boto_vpc.get_id main',
      args: { ...SEARCH, ...LOGIN },
      returns: ret.dict('`id`, or `error`'),
      run: (ctx, { name, cidr, tags, ...login }) => {
        if (!name && !cidr && !tags) {
          throw misuse('At least one of the following must be provided: vpc_name, cidr or tags.')
        }
        const found = networks(networksOf(ctx, login), { name, cidr, tags })
        return orItsError(found.then((all) => ({ id: resources.oneNetwork(all) })))
      },
    }),
    exists: reads({
      doc: 'Return whether a network exists.',
      example: 'boto_vpc.exists name=main',
      args: { vpc_id: VPC.vpc_id, ...SEARCH, ...LOGIN },
      returns: EXISTS,
      run: (ctx, { vpc_id: id, name, cidr, tags, ...login }) => {
        if (!id && !name && !cidr && !tags) {
          throw misuse('At least one of the following must be provided: vpc_id, vpc_name, cidr or tags.')
        }
        return existence(networks(networksOf(ctx, login), { id, name, cidr, tags }))
      },
    }),
    create: changes({
      doc: 'Create a network.',
      example: 'boto_vpc.create 10.0.0.0/24 vpc_name=main',
      args: {
        cidr_block: arg.text('Range of addresses'),
        instance_tenancy: arg.text('`default` or `dedicated`', { optional: true }),
        vpc_name: arg.text('Name of the network', { optional: true }),
        enable_dns_support: arg.any('Whether the network answers DNS; as AWS sets it unless given', { optional: true }),
        enable_dns_hostnames: arg.any('Whether machines get names in DNS; as AWS sets it unless given', {
          optional: true,
        }),
        tags: TAGS,
        ...LOGIN,
      },
      returns: CREATED,
      run: (
        ctx,
        { cidr_block, instance_tenancy, vpc_name, enable_dns_support, enable_dns_hostnames, tags, ...login },
      ) => {
        const ec2 = networksOf(ctx, login)
        const made = async () => {
          const parameters = { CidrBlock: cidr_block, InstanceTenancy: instance_tenancy }
          const answer = await resources.create(ec2, 'vpc', { name: vpc_name, tags, parameters })
          for (const [field, value] of [
            ['EnableDnsSupport', enable_dns_support],
            ['EnableDnsHostnames', enable_dns_hostnames],
          ] as const) {
            if (value === null || !answer.id) continue
            await ec2.query('ModifyVpcAttribute', { VpcId: answer.id, [field]: { Value: truthy(value) } })
          }
          return answer
        }
        return orError('created', made())
      },
    }),
    delete: changes({
      doc: 'Delete a network.',
      example: 'boto_vpc.delete vpc_name=main',
      args: {
        vpc_id: VPC.vpc_id,
        name: arg.text('Old name of `vpc_name`', { optional: true, deprecated: 'use vpc_name' }),
        vpc_name: VPC.vpc_name,
        tags: TAGS,
        ...LOGIN,
      },
      returns: DELETED,
      run: (ctx, { vpc_id, name, vpc_name, tags, ...login }) => {
        const own = vpc_name ?? name
        if (Boolean(own) === Boolean(vpc_id)) throw misuse('One (but not both) of vpc_name or vpc_id must be provided.')
        const ec2 = networksOf(ctx, login)
        const gone = async () => {
          const id = vpc_id ?? resources.oneNetwork(await networks(ec2, { name: own, tags }))
          if (id === null) return { deleted: false, ...refused(`VPC ${own} not found`) }
          await ec2.query('DeleteVpc', { VpcId: id })
          return { deleted: true }
        }
        return orError('deleted', gone())
      },
    }),
    describe: reads({
      doc: 'Return a network; the one that the account begins with unless an id or a name is given.',
      example: 'boto_vpc.describe vpc_name=main',
      args: { ...VPC, ...LOGIN },
      returns: ret.dict('`vpc`, or `error`'),
      run: (ctx, { vpc_id: id, vpc_name: name, ...login }) => {
        const ec2 = networksOf(ctx, login)
        const found = networks(ec2, { id, name })
        return orItsError(found.then(([vpc]) => ({ vpc: vpc === undefined ? null : shownNetwork(vpc, ec2.region) })))
      },
    }),
    describe_vpcs: reads({
      doc: 'Return all networks that match.',
      args: { vpc_id: VPC.vpc_id, ...SEARCH, ...LOGIN },
      returns: ret.dict('`vpcs`, or `error`'),
      run: (ctx, { vpc_id: id, name, cidr, tags, ...login }) => {
        const ec2 = networksOf(ctx, login)
        const found = find(ec2, 'vpc', { id, name, tags, filters: cidrFilter(cidr) })
        return orItsError(found.then((all) => ({ vpcs: all.map((vpc) => shownNetwork(vpc, ec2.region)) })))
      },
    }),
    create_subnet: changes({
      doc: 'Create a subnet.',
      example: 'boto_vpc.create_subnet vpc_name=main subnet_name=a cidr_block=10.0.0.0/25',
      args: {
        vpc_id: VPC.vpc_id,
        cidr_block: arg.text('Range of addresses', { optional: true }),
        vpc_name: VPC.vpc_name,
        availability_zone: arg.text('Zone within the region', { optional: true }),
        subnet_name: SUBNET.subnet_name,
        tags: TAGS,
        ...LOGIN,
        auto_assign_public_ipv4: arg.flag('Whether machines get public addresses', { default: false }),
      },
      returns: CREATED,
      run: (
        ctx,
        { vpc_id, cidr_block, vpc_name, availability_zone, subnet_name, tags, auto_assign_public_ipv4, ...login },
      ) => {
        const ec2 = networksOf(ctx, login)
        const made = async () => {
          const network = await networkOf(ec2, vpc_id, vpc_name)
          if (network === null) return noNetwork('created', vpc_name, vpc_id)
          const parameters = { VpcId: network, CidrBlock: cidr_block, AvailabilityZone: availability_zone }
          const answer = await resources.create(ec2, 'subnet', { name: subnet_name, tags, parameters })
          if (auto_assign_public_ipv4 && answer.id) {
            await ec2.query('ModifySubnetAttribute', { SubnetId: answer.id, MapPublicIpOnLaunch: { Value: true } })
          }
          return answer
        }
        return orError('created', made())
      },
    }),
    delete_subnet: changes({
      doc: 'Delete a subnet.',
      example: 'boto_vpc.delete_subnet subnet_name=a',
      args: { ...SUBNET, ...LOGIN },
      returns: DELETED,
      run: (ctx, { subnet_id: id, subnet_name: name, ...login }) =>
        orError('deleted', resources.remove(networksOf(ctx, login), 'subnet', { id, name })),
    }),
    subnet_exists: reads({
      doc: 'Return whether a subnet exists.',
      example: 'boto_vpc.subnet_exists subnet_name=a',
      args: {
        subnet_id: SUBNET.subnet_id,
        name: arg.text('Old name of `subnet_name`', { optional: true, deprecated: 'use subnet_name' }),
        subnet_name: SUBNET.subnet_name,
        cidr: ITS_CIDR,
        tags: TAGS,
        zones: arg.textOrList('Availability zones', { optional: true }),
        ...LOGIN,
      },
      returns: EXISTS,
      run: (ctx, { subnet_id: id, name, subnet_name, cidr, tags, zones, ...login }) => {
        if (!id && !name && !subnet_name && !cidr && !tags && !zones) {
          throw misuse('At least one of the following must be specified: subnet id, cidr, subnet_name, tags, or zones.')
        }
        const filters = cidrFilter(cidr)
        if (zones) filters.push(['availability-zone', zones])
        return existence(find(networksOf(ctx, login), 'subnet', { id, name: subnet_name ?? name, tags, filters }))
      },
    }),
    get_subnet_association: reads({
      doc: 'Return the network that subnets are in.',
      example: "boto_vpc.get_subnet_association '[subnet-61b47516]'",
      args: { subnets: arg.words('Ids of subnets'), ...LOGIN },
      returns: ret.dict('`vpc_id`, `vpc_ids` where they are several, or `error`'),
      run: (ctx, { subnets, ...login }) => {
        const found = networksOf(ctx, login).query('DescribeSubnets', { SubnetId: subnets })
        return orItsError(
          found.then((answer) => {
            const ids = [...new Set(answer.rows('subnetSet').map((row) => row.text('vpcId')))]
            return ids.length > 1 ? { vpc_ids: ids as Value[] } : { vpc_id: ids[0] ?? null }
          }),
        )
      },
    }),
    describe_subnet: reads({
      doc: 'Return a subnet.',
      example: 'boto_vpc.describe_subnet subnet_name=a',
      args: { ...SUBNET, ...LOGIN },
      returns: ret.dict('`subnet`, or `error`'),
      run: (ctx, { subnet_id: id, subnet_name: name, ...login }) => {
        const ec2 = networksOf(ctx, login)
        const found = findOne(ec2, 'subnet', { id, name })
        return orItsError(found.then(async (subnet) => ({ subnet: subnet ? await shownSubnet(ec2, subnet) : null })))
      },
    }),
    describe_subnets: reads({
      doc: 'Return all subnets that match.',
      example: 'boto_vpc.describe_subnets vpc_id=vpc-123456',
      args: {
        subnet_ids: arg.words('Ids of subnets', { default: [] }),
        subnet_names: arg.words('Names of subnets', { default: [] }),
        vpc_id: VPC.vpc_id,
        cidr: arg.text('Range of addresses', { optional: true }),
        ...LOGIN,
      },
      returns: ret.dict('`subnets`, or `error`'),
      run: (ctx, { subnet_ids, subnet_names, vpc_id, cidr, ...login }) => {
        const ec2 = networksOf(ctx, login)
        const filters: [string, Value][] = vpc_id ? [['vpc-id', vpc_id]] : []
        filters.push(...cidrFilter(cidr))
        if (subnet_names.length > 0) filters.push(['tag:Name', subnet_names])
        const found = ec2.query('DescribeSubnets', { ...filtersOf(filters), SubnetId: subnet_ids })
        return orItsError(
          found.then(async (answer) => {
            const rows = answer.rows('subnetSet')
            return { subnets: rows.length === 0 ? null : await Promise.all(rows.map((row) => shownSubnet(ec2, row))) }
          }),
        )
      },
    }),
    create_internet_gateway: changes({
      doc: 'Create an internet gateway, and attach it to a network.',
      example: 'boto_vpc.create_internet_gateway internet_gateway_name=main vpc_name=main',
      args: { internet_gateway_name: GATEWAY_NAME, ...VPC, tags: TAGS, ...LOGIN },
      returns: CREATED,
      run: (ctx, { internet_gateway_name, vpc_id, vpc_name, tags, ...login }) => {
        const ec2 = networksOf(ctx, login)
        const made = async () => {
          const network = vpc_id || vpc_name ? await networkOf(ec2, vpc_id, vpc_name) : undefined
          if (network === null) return noNetwork('created', vpc_name, vpc_id)
          const answer = await resources.create(ec2, 'internet_gateway', { name: internet_gateway_name, tags })
          if (answer.id && network) {
            await ec2.query('AttachInternetGateway', { InternetGatewayId: answer.id, VpcId: network })
          }
          return answer
        }
        return orError('created', made())
      },
    }),
    delete_internet_gateway: changes({
      doc: 'Delete an internet gateway.',
      example: 'boto_vpc.delete_internet_gateway internet_gateway_name=main detach=True',
      args: {
        internet_gateway_id: arg.text('Id of the gateway', { optional: true }),
        internet_gateway_name: GATEWAY_NAME,
        detach: arg.flag('Whether the gateway is detached from its network first', { default: false }),
        ...LOGIN,
      },
      returns: DELETED,
      run: (ctx, { internet_gateway_id: id, internet_gateway_name: name, detach, ...login }) => {
        const ec2 = networksOf(ctx, login)
        const gone = async () => {
          const found = await findOne(ec2, 'internet_gateway', { id, name: id ? null : name })
          if (found === undefined) {
            return { deleted: false, ...refused(`internet gateway ${name ?? id} does not exist.`) }
          }
          const own = found.text('internetGatewayId')
          const network = found.rows('attachmentSet')[0]?.text('vpcId')
          if (detach && network) await ec2.query('DetachInternetGateway', { InternetGatewayId: own, VpcId: network })
          return resources.remove(ec2, 'internet_gateway', { id: own })
        }
        return orError('deleted', gone())
      },
    }),
    ...routeFunctions,
    ...natFunctions,
    ...dhcpFunctions,
    ...aclFunctions,
    ...peeringFunctions,
  },
})
