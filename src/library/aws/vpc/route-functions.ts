// Route tables, routes and their subnets.
import { type Dict, equals, misuse, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import type { AwsCaller } from '../common/caller.ts'
import { errorDict, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { natGatewayOf } from './nat-functions.ts'
import {
  create,
  EXISTS,
  existence,
  find,
  idByName,
  networkOf,
  networksOf,
  noNetwork,
  orError,
  orItsError,
  refused,
  remove,
  TAGS,
} from './resources.ts'

const TABLE = {
  route_table_id: arg.text('Id of the route table', { optional: true }),
  route_table_name: arg.text('Name of the route table, in place of its id', { optional: true }),
}

/** Return the id of a route table; null where its name does not exist. */
async function tableOf(ec2: AwsCaller, id: string | null, name: string | null): Promise<string | null> {
  if (Boolean(id) === Boolean(name)) {
    throw misuse('One (but not both) of route_table_id or route_table_name must be provided.')
  }
  return id ?? idByName(ec2, 'route_table', name!)
}

const present = (fields: readonly (readonly [string, Value])[]): Dict =>
  new Map(fields.filter(([, value]) => value !== null))

const shownRoute = (route: AwsAnswer): Dict =>
  present([
    ['destination_cidr_block', route.text('destinationCidrBlock')],
    ['gateway_id', route.text('gatewayId')],
    ['instance_id', route.text('instanceId')],
    ['interface_id', route.text('networkInterfaceId')],
    ['nat_gateway_id', route.text('natGatewayId')],
    ['vpc_peering_connection_id', route.text('vpcPeeringConnectionId')],
  ])

const shownTable = (table: AwsAnswer): Dict =>
  new Map<Value, Value>([
    ['id', table.text('routeTableId')],
    ['vpc_id', table.text('vpcId')],
    ['tags', table.pairs('tagSet')],
    ['routes', table.rows('routeSet').map(shownRoute)],
    [
      'associations',
      table.rows('associationSet').map((one) =>
        present([
          ['id', one.text('routeTableAssociationId')],
          ['main', one.flag('main')],
          ['route_table_id', one.text('routeTableId')],
          ['subnet_id', one.text('subnetId')],
        ]),
      ),
    ],
  ])

async function changeRoute(
  ctx: FunctionContext,
  action: 'CreateRoute' | 'ReplaceRoute',
  given: RouteGiven,
): Promise<Record<string, Value>> {
  const key = action === 'CreateRoute' ? 'created' : 'replaced'
  const ec2 = networksOf(ctx, given)
  const table = await tableOf(ec2, given.route_table_id, given.route_table_name)
  if (given.destination_cidr_block === null) throw misuse('destination_cidr_block is required.')
  if (table === null) return { [key]: false, ...refused(`route table ${given.route_table_name} does not exist.`) }
  const target = await targetOf(ec2, given)
  if (typeof target === 'string') return { [key]: false, ...refused(target) }
  const parameters = { RouteTableId: table, DestinationCidrBlock: given.destination_cidr_block, ...target }
  await ec2.query(action, parameters)
  return { [key]: true }
}

/** Return the target of a route, with ids in place of names; a text if it does not exist. */
async function targetOf(ec2: AwsCaller, given: RouteGiven): Promise<Parameters | string> {
  const { internet_gateway_name, vpc_peering_connection_name, nat_gateway_subnet_name, nat_gateway_subnet_id } = given
  const subnet = nat_gateway_subnet_name ?? nat_gateway_subnet_id ?? null
  let { gateway_id, vpc_peering_connection_id, nat_gateway_id = null } = given
  if (internet_gateway_name) {
    gateway_id = await idByName(ec2, 'internet_gateway', internet_gateway_name)
    if (gateway_id === null) return `internet gateway ${internet_gateway_name} does not exist.`
  }
  if (vpc_peering_connection_name) {
    vpc_peering_connection_id = await idByName(ec2, 'vpc_peering_connection', vpc_peering_connection_name)
    if (vpc_peering_connection_id === null) {
      return `VPC peering connection ${vpc_peering_connection_name} does not exist.`
    }
  }
  if (subnet !== null) {
    const search = nat_gateway_subnet_name ? { subnet_name: subnet } : { subnet_id: subnet }
    nat_gateway_id = await natGatewayOf(ec2, search)
    if (nat_gateway_id === null) return `nat gateway for ${subnet} does not exist.`
  }
  return {
    GatewayId: gateway_id,
    InstanceId: given.instance_id,
    NetworkInterfaceId: given.interface_id,
    NatGatewayId: nat_gateway_id,
    VpcPeeringConnectionId: vpc_peering_connection_id,
  }
}

interface RouteGiven extends AwsLogin {
  route_table_id: string | null
  route_table_name: string | null
  destination_cidr_block: string | null
  gateway_id: string | null
  internet_gateway_name?: string | null
  instance_id: string | null
  interface_id: string | null
  vpc_peering_connection_id: string | null
  vpc_peering_connection_name?: string | null
  nat_gateway_id?: string | null
  nat_gateway_subnet_name?: string | null
  nat_gateway_subnet_id?: string | null
}

const CIDR = arg.text('Range of addresses that the route is for', { optional: true })
const GATEWAY = arg.text('Id of the gateway', { optional: true })
const INSTANCE = arg.text('Id of the machine', { optional: true })
const INTERFACE = arg.text('Id of the network interface', { optional: true })
const PEERING = arg.text('Id of the peering connection', { optional: true })

/** The common parameters of functions about routes. */
const ROUTE = {
  route_table_id: TABLE.route_table_id,
  destination_cidr_block: CIDR,
  route_table_name: TABLE.route_table_name,
}

export const routeFunctions = {
  create_route_table: changes({
    doc: 'Create a route table.',
    example: 'boto_vpc.create_route_table vpc_name=main route_table_name=public',
    args: {
      vpc_id: arg.text('Id of the network', { optional: true }),
      vpc_name: arg.text('Name of the network, in place of its id', { optional: true }),
      route_table_name: arg.text('Name of the route table', { optional: true }),
      tags: TAGS,
      ...LOGIN,
    },
    returns: ret.dict('`created` with `id` or `error`'),
    run: (ctx, { vpc_id, vpc_name, route_table_name, tags, ...login }) => {
      const ec2 = networksOf(ctx, login)
      const made = async () => {
        const network = await networkOf(ec2, vpc_id, vpc_name)
        if (network === null) return noNetwork('created', vpc_name, vpc_id)
        return create(ec2, 'route_table', { name: route_table_name, tags, parameters: { VpcId: network } })
      }
      return orError('created', made())
    },
  }),
  delete_route_table: changes({
    doc: 'Delete a route table.',
    example: 'boto_vpc.delete_route_table route_table_name=public',
    args: { ...TABLE, ...LOGIN },
    returns: ret.dict('`deleted`, or `error`'),
    run: (ctx, { route_table_id: id, route_table_name: name, ...login }) =>
      orError('deleted', remove(networksOf(ctx, login), 'route_table', { id, name })),
  }),
  route_table_exists: reads({
    doc: 'Return whether a route table exists.',
    example: 'boto_vpc.route_table_exists route_table_name=public',
    args: {
      route_table_id: TABLE.route_table_id,
      name: arg.text('Old name of `route_table_name`', { optional: true, deprecated: 'use route_table_name' }),
      route_table_name: TABLE.route_table_name,
      tags: TAGS,
      ...LOGIN,
    },
    returns: ret.dict('`exists`, or `error`'),
    run: (ctx, { route_table_id: id, name, route_table_name, tags, ...login }) =>
      existence(find(networksOf(ctx, login), 'route_table', { id, name: route_table_name ?? name, tags })),
  }),
  describe_route_tables: reads({
    doc: 'Return route tables with their routes and subnets.',
    example: 'boto_vpc.describe_route_tables vpc_id=vpc-a6a9efc3',
    args: {
      ...TABLE,
      vpc_id: arg.text('Id of the network', { optional: true }),
      tags: TAGS,
      ...LOGIN,
    },
    returns: ret.any('A list of dicts, or a dict with `error`'),
    run: (ctx, { route_table_id: id, route_table_name: name, vpc_id, tags, ...login }) => {
      if (!id && !name && !vpc_id && !tags) {
        throw misuse(
          'At least one of the following must be specified: route table id, route table name, vpc_id, or tags.',
        )
      }
      const filters: [string, Value][] = vpc_id ? [['vpc-id', vpc_id]] : []
      const found = find(networksOf(ctx, login), 'route_table', { id, name, tags, filters })
      return unlessFault(
        found.then((tables): Value => tables.map(shownTable)),
        (error): Value => new Map([['error', errorDict(error)]]),
      )
    },
  }),
  create_route: changes({
    doc: 'Create a route.',
    example:
      'boto_vpc.create_route route_table_name=public destination_cidr_block=0.0.0.0/0 internet_gateway_name=main',
    args: {
      ...ROUTE,
      gateway_id: GATEWAY,
      internet_gateway_name: arg.text('Name of the internet gateway', { optional: true }),
      instance_id: INSTANCE,
      interface_id: INTERFACE,
      vpc_peering_connection_id: PEERING,
      vpc_peering_connection_name: arg.text('Name of the peering connection', { optional: true }),
      ...LOGIN,
      nat_gateway_id: arg.text('Id of the NAT gateway', { optional: true }),
      nat_gateway_subnet_name: arg.text('Name of the subnet of the NAT gateway', { optional: true }),
      nat_gateway_subnet_id: arg.text('Id of the subnet of the NAT gateway', { optional: true }),
    },
    returns: ret.dict('`created`, or `error`'),
    run: (ctx, given) => orError('created', changeRoute(ctx, 'CreateRoute', given)),
  }),
  route_exists: reads({
    doc: 'Return whether a route table has a route.',
    example: 'boto_vpc.route_exists 10.0.0.0/16 route_table_name=public gateway_id=local',
    args: {
      destination_cidr_block: arg.text('Range of addresses that the route is for'),
      route_table_name: TABLE.route_table_name,
      route_table_id: TABLE.route_table_id,
      gateway_id: GATEWAY,
      instance_id: INSTANCE,
      interface_id: INTERFACE,
      tags: TAGS,
      ...LOGIN,
      vpc_peering_connection_id: PEERING,
    },
    returns: EXISTS,
    run: (ctx, { destination_cidr_block, route_table_name: name, route_table_id: id, tags, ...rest }) => {
      const { gateway_id, instance_id, interface_id, vpc_peering_connection_id, ...login } = rest
      if (!name && !id) {
        throw misuse('At least one of the following must be specified: route table name or route table id.')
      }
      const wanted = present([
        ['destination_cidr_block', destination_cidr_block],
        ...Object.entries({ gateway_id, instance_id, interface_id, vpc_peering_connection_id }),
      ])
      if (wanted.size < 2) {
        throw misuse(
          'At least one of the following must be specified: gateway id, instance id, interface id or VPC peering connection id.',
        )
      }
      const looked = async (): Promise<Record<string, Value>> => {
        const tables = await find(networksOf(ctx, login), 'route_table', { id, name, tags })
        if (tables.length !== 1) throw misuse(`Found ${tables.length} route tables, and not one.`)
        return { exists: tables[0]!.rows('routeSet').some((route) => equals(shownRoute(route), wanted)) }
      }
      return orItsError(looked())
    },
  }),
  replace_route_table_association: changes({
    doc: 'Let a subnet use another route table.',
    example: 'boto_vpc.replace_route_table_association rtbassoc-d8ccddba rtb-1f382e7d',
    args: {
      association_id: arg.text('Id of the association that the subnet has'),
      route_table_id: arg.text('Id of the other route table'),
      ...LOGIN,
    },
    returns: ret.dict('`replaced` with the new `association_id`, or `error`'),
    run: (ctx, { association_id, route_table_id, ...login }) => {
      const parameters = { AssociationId: association_id, RouteTableId: route_table_id }
      const done = networksOf(ctx, login).query('ReplaceRouteTableAssociation', parameters)
      return orError(
        'replaced',
        done.then((answer) => ({ replaced: true, association_id: answer.text('newAssociationId') })),
      )
    },
  }),
  replace_route: changes({
    doc: 'Replace a route.',
    example: 'boto_vpc.replace_route route_table_id=rtb-1f382e7d destination_cidr_block=0.0.0.0/0 gateway_id=igw-a1b2',
    args: {
      ...ROUTE,
      gateway_id: GATEWAY,
      instance_id: INSTANCE,
      interface_id: INTERFACE,
      ...LOGIN,
      vpc_peering_connection_id: PEERING,
    },
    returns: ret.dict('`replaced`, or `error`'),
    run: (ctx, given) => orError('replaced', changeRoute(ctx, 'ReplaceRoute', given)),
  }),
  delete_route: changes({
    doc: 'Delete a route.',
    example: 'boto_vpc.delete_route route_table_name=public destination_cidr_block=0.0.0.0/0',
    args: { ...ROUTE, ...LOGIN },
    returns: ret.dict('`deleted`, or `error`'),
    run: (ctx, { route_table_id, destination_cidr_block, route_table_name, ...login }) => {
      const ec2 = networksOf(ctx, login)
      const gone = async (): Promise<Record<string, Value>> => {
        const table = await tableOf(ec2, route_table_id, route_table_name)
        if (destination_cidr_block === null) throw misuse('destination_cidr_block is required.')
        if (table === null) return { deleted: false, ...refused(`route table ${route_table_name} does not exist.`) }
        await ec2.query('DeleteRoute', { RouteTableId: table, DestinationCidrBlock: destination_cidr_block })
        return { deleted: true }
      }
      return orError('deleted', gone())
    },
  }),
  associate_route_table: changes({
    doc: 'Let a subnet use a route table.',
    example: 'boto_vpc.associate_route_table route_table_name=public subnet_name=a',
    args: {
      route_table_id: TABLE.route_table_id,
      subnet_id: arg.text('Id of the subnet', { optional: true }),
      route_table_name: TABLE.route_table_name,
      subnet_name: arg.text('Name of the subnet, in place of its id', { optional: true }),
      ...LOGIN,
    },
    returns: ret.dict('`association_id`, or `associated` False with `error`'),
    run: (ctx, { route_table_id, subnet_id, route_table_name, subnet_name, ...login }) => {
      if (subnet_id && subnet_name) throw misuse('Only one of subnet_name or subnet_id may be provided.')
      const ec2 = networksOf(ctx, login)
      const joined = async (): Promise<Record<string, Value>> => {
        const subnet = subnet_id ?? (await idByName(ec2, 'subnet', subnet_name ?? ''))
        if (subnet === null) return { associated: false, ...refused(`Subnet ${subnet_name} does not exist.`) }
        const table = await tableOf(ec2, route_table_id, route_table_name)
        if (table === null) return { associated: false, ...refused(`Route table ${route_table_name} does not exist.`) }
        const answer = await ec2.query('AssociateRouteTable', { RouteTableId: table, SubnetId: subnet })
        return { association_id: answer.text('associationId') }
      }
      return orError('associated', joined())
    },
  }),
  disassociate_route_table: changes({
    doc: 'Let a subnet use the route table of its network again.',
    example: 'boto_vpc.disassociate_route_table rtbassoc-d8ccddba',
    args: { association_id: arg.text('Id of the association'), ...LOGIN },
    returns: ret.dict('`disassociated`, or `error`'),
    run: (ctx, { association_id, ...login }) => {
      const done = networksOf(ctx, login).query('DisassociateRouteTable', { AssociationId: association_id })
      return orError(
        'disassociated',
        done.then(() => ({ disassociated: true })),
      )
    },
  }),
}
