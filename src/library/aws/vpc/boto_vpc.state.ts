// Networks of EC2 as states: VPCs, subnets, gateways, route tables, DHCP options and peering connections, each by its name.
import { type Dict, equals, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { LOGIN, loginOf } from '../common/login.ts'
import { oldNew, type Part, Parts } from '../common/part.ts'
import { errorOf } from '../common/state-calls.ts'
import { ensureAbsent } from './absence.ts'
import { gatewayStates } from './gateway-states.ts'
import { peeringStates } from './peering-states.ts'
import { ensureRoutes, ensureSubnets } from './route-table.ts'
import { ask, type Named } from './state-calls.ts'

const NAME = arg.text('Name of the resource, in its tag `Name`')
const VPC = {
  vpc_name: arg.text('Name of the network', { optional: true }),
  vpc_id: arg.text('Id of the network, in place of its name', { optional: true }),
}
const TAGS = arg.dict('Tags', { optional: true })

const SUBNET = {
  name: NAME,
  cidr_block: arg.text('Range of addresses'),
  ...VPC,
  availability_zone: arg.text('Zone within the region', { optional: true }),
  tags: TAGS,
  ...LOGIN,
  route_table_id: arg.text('Id of the route table that the subnet uses', { optional: true }),
  route_table_name: arg.text('Name of that route table, in place of its id', { optional: true }),
  auto_assign_public_ipv4: arg.flag('Whether machines get public addresses', { default: false }),
}

type Subnet = Bound<typeof SUBNET>

async function madeSubnet(ctx: StateContext, given: Subnet): Promise<Part> {
  const { name, tags } = given
  const found = await ask(ctx, 'subnet_exists', given, { subnet_name: name, tags })
  if (found.has('error')) return { result: false, comment: `Failed to create subnet: ${errorOf(found)}.` }
  if (truthy(found.get('exists') ?? false)) return { result: true, comment: 'Subnet present.' }
  if (ctx.test) return { result: null, comment: `Subnet ${name} is set to be created.` }
  const made = await ask(ctx, 'create_subnet', given, {
    subnet_name: name,
    cidr_block: given.cidr_block,
    availability_zone: given.availability_zone,
    auto_assign_public_ipv4: given.auto_assign_public_ipv4,
    vpc_name: given.vpc_name,
    vpc_id: given.vpc_id,
    tags,
  })
  if (!truthy(made.get('created') ?? false))
    return { result: false, comment: `Failed to create subnet: ${errorOf(made)}` }
  const now = await ask(ctx, 'describe_subnet', given, { subnet_id: made.get('id')! })
  return { result: true, comment: `Subnet ${name} created.`, changes: oldNew(new Map([['subnet', null]]), now) }
}

/** Ensure that a subnet uses the requested route table. */
async function joinedSubnet(ctx: StateContext, given: Subnet, table: Dict, title: string): Promise<Part> {
  const before = await ask(ctx, 'describe_subnet', given, { subnet_name: given.name })
  const subnet = before.get('subnet') as Dict
  const associations = (table.get('associations') ?? []) as Dict[]
  if (associations.some((one) => equals(one.get('subnet_id') ?? null, subnet.get('id')!))) {
    return { result: true, comment: `Subnet is already associated with route table ${title}` }
  }
  if (ctx.test) return { result: null, comment: `Subnet is set to be associated with route table ${title}` }
  const old = subnet.get('explicit_route_table_association_id') ?? null
  if (old !== null) {
    const freed = await ask(ctx, 'disassociate_route_table', given, { association_id: old })
    if (!truthy(freed.get('disassociated') ?? false)) {
      return { result: false, comment: `Unable to disassociate subnet ${given.name} with its current route table.` }
    }
  }
  const joined = await ask(ctx, 'associate_route_table', given, {
    route_table_id: table.get('id')!,
    subnet_name: given.name,
  })
  if (joined.has('error')) {
    const comment = `Failed to associate subnet ${given.name} with route table ${title}: ${errorOf(joined)}.`
    return { result: false, comment }
  }
  const now = await ask(ctx, 'describe_subnet', given, { subnet_name: given.name })
  const comment = `Subnet successfully associated with route table ${title}.`
  return { result: true, comment, changes: oldNew(before, now) }
}

/** Join the parts of a state as sentences. */
function sentences(name: string, parts: readonly Part[]): StateReturn {
  const all = new Parts()
  for (const part of parts) all.add(part)
  const report = all.report(name)
  return { ...report, comment: str(report.comment as Value).trimStart() }
}

export default defineState({
  name: 'boto_vpc',
  doc: 'Manage networks of EC2: VPCs, subnets, gateways, route tables, DHCP options, peering connections.',
  functions: {
    present: state({
      doc: 'Ensure that a network exists.',
      args: {
        name: NAME,
        cidr_block: arg.text('Range of addresses'),
        instance_tenancy: arg.text('`default` or `dedicated`', { optional: true }),
        dns_support: arg.any('Whether the network answers DNS', { optional: true }),
        dns_hostnames: arg.any('Whether machines get names in DNS', { optional: true }),
        tags: TAGS,
        ...LOGIN,
      },
      run: (ctx, { name, cidr_block, instance_tenancy, dns_support, dns_hostnames, tags, ...login }) =>
        ensure(ctx, {
          name,
          look: async () => {
            const found = await ask(ctx, 'exists', login, { name, tags })
            if (found.has('error')) return failed(`Failed to create VPC: ${errorOf(found)}.`)
            return truthy(found.get('exists') ?? false) ? settled('VPC present.') : 'missing'
          },
          foresee: () => `VPC ${name} is set to be created.`,
          act: async () => {
            const dns = { enable_dns_support: dns_support, enable_dns_hostnames: dns_hostnames }
            const made = await ask(ctx, 'create', login, { cidr_block, instance_tenancy, vpc_name: name, ...dns, tags })
            if (!truthy(made.get('created') ?? false)) return failed(`Error in creating VPC: ${errorOf(made)}.`)
            const now = await ask(ctx, 'describe', login, { vpc_id: made.get('id')! })
            return changed(`VPC ${name} created.`, { old: { vpc: null }, new: now })
          },
        }),
    }),
    absent: state({
      doc: 'Ensure that a network does not exist.',
      args: { name: NAME, tags: TAGS, ...LOGIN },
      run: (ctx, { name, tags, ...login }) =>
        ensureAbsent(ctx, name, {
          title: 'VPC',
          word: 'VPC',
          key: 'vpc',
          missing: `${name} VPC does not exist.`,
          look: () => ask(ctx, 'get_id', login, { name, tags }),
          remove: () => ask(ctx, 'delete', login, { vpc_name: name, tags }),
        }),
    }),
    subnet_present: state({
      doc: 'Ensure that a subnet exists, and uses a route table.',
      args: SUBNET,
      run: async (ctx, given) => {
        const { name, route_table_id, route_table_name } = given
        const title = route_table_id ?? route_table_name
        let table: Dict | undefined
        if (title !== null) {
          const tables: Value = await ctx.call('boto_vpc.describe_route_tables', [], {
            ...loginOf(given),
            ...(route_table_id ? { route_table_id } : { route_table_name }),
          })
          table = isList(tables) && isDict(tables[0] ?? null) ? (tables[0] as Dict) : undefined
          if (!table) {
            return sentences(name, [
              { result: false, comment: `The specified route table ${title} could not be found.` },
            ])
          }
        }
        const made = await madeSubnet(ctx, given)
        if (made.result !== true || table === undefined) return sentences(name, [made])
        return sentences(name, [made, await joinedSubnet(ctx, given, table, title!)])
      },
    }),
    subnet_absent: state({
      doc: 'Ensure that a subnet does not exist.',
      args: { name: NAME, subnet_id: arg.text('Not looked at', { optional: true }), ...LOGIN },
      run: (ctx, { name, ...login }) =>
        ensureAbsent(ctx, name, {
          title: 'Subnet',
          word: 'subnet',
          key: 'subnet',
          missing: `${name} subnet does not exist.`,
          look: () => ask(ctx, 'get_resource_id', login, { resource: 'subnet', name }),
          remove: () => ask(ctx, 'delete_subnet', login, { subnet_name: name }),
        }),
    }),
    internet_gateway_present: state({
      doc: 'Ensure that an internet gateway exists, attached to a network.',
      args: { name: NAME, ...VPC, tags: TAGS, ...LOGIN },
      run: (ctx, { name, vpc_name, vpc_id, tags, ...login }) =>
        ensure(ctx, {
          name,
          look: async () => {
            const found = await ask(ctx, 'resource_exists', login, { resource: 'internet_gateway', name })
            if (found.has('error')) return failed(`Failed to create internet gateway: ${errorOf(found)}.`)
            return truthy(found.get('exists') ?? false) ? settled(`Internet gateway ${name} present.`) : 'missing'
          },
          foresee: () => `Internet gateway ${name} is set to be created.`,
          act: async () => {
            const given = { internet_gateway_name: name, vpc_name, vpc_id, tags }
            const made = await ask(ctx, 'create_internet_gateway', login, given)
            if (!truthy(made.get('created') ?? false))
              return failed(`Failed to create internet gateway: ${errorOf(made)}`)
            return changed(`Internet gateway ${name} created.`, {
              old: { internet_gateway: null },
              new: { internet_gateway: made.get('id')! },
            })
          },
        }),
    }),
    internet_gateway_absent: state({
      doc: 'Ensure that an internet gateway does not exist.',
      args: {
        name: NAME,
        detach: arg.flag('Whether the gateway is detached from its network first', { default: false }),
        ...LOGIN,
      },
      run: (ctx, { name, detach, ...login }) =>
        ensureAbsent(ctx, name, {
          title: 'Internet gateway',
          word: 'internet gateway',
          key: 'internet_gateway',
          missing: `Internet gateway ${name} does not exist.`,
          look: () => ask(ctx, 'get_resource_id', login, { resource: 'internet_gateway', name }),
          remove: () => ask(ctx, 'delete_internet_gateway', login, { internet_gateway_name: name, detach }),
        }),
    }),
    route_table_present: state({
      doc: 'Ensure that a route table exists, with exactly the given routes, and the given subnets.',
      args: {
        name: NAME,
        ...VPC,
        routes: arg.list(
          'Dicts of routes: `destination_cidr_block`, and `internet_gateway_name`, `instance_name` or an id',
          {
            default: [],
          },
        ),
        subnet_ids: arg.list('Ids of the subnets that use it; not looked at unless these or names are given', {
          optional: true,
        }),
        subnet_names: arg.list('Names of the subnets that use it', { optional: true }),
        tags: TAGS,
        ...LOGIN,
      },
      run: async (ctx, { name, vpc_name, vpc_id, routes, subnet_ids, subnet_names, tags, ...login }) => {
        const table: Named = { name, ...login }
        const parts = new Parts()
        const found = await ask(ctx, 'get_resource_id', login, { resource: 'route_table', name })
        const id = found.get('id') ?? null
        if (found.has('error')) {
          parts.add({ result: false, comment: `Failed to create route table: ${errorOf(found)}.` })
          return parts.report(name)
        }
        if (truthy(id)) parts.add({ result: true, comment: `Route table ${name} (${str(id)}) present.` })
        else if (ctx.test) {
          parts.add({ result: null, comment: `Route table ${name} is set to be created.` })
          return parts.report(name)
        } else {
          const made = await ask(ctx, 'create_route_table', login, { route_table_name: name, vpc_name, vpc_id, tags })
          if (!truthy(made.get('created') ?? false)) {
            parts.add({ result: false, comment: `Failed to create route table: ${errorOf(made)}.` })
            return parts.report(name)
          }
          const changes = oldNew(new Map([['route_table', null]]), new Map([['route_table', made.get('id')!]]))
          parts.add({ result: true, comment: `Route table ${name} created.`, changes })
        }
        const routed = await ensureRoutes(ctx, table, routes)
        parts.add(routed)
        if (routed.result !== false && (subnet_ids !== null || subnet_names !== null)) {
          parts.add(await ensureSubnets(ctx, table, (subnet_ids ?? []).map(str), (subnet_names ?? []).map(str)))
        }
        return parts.report(name)
      },
    }),
    route_table_absent: state({
      doc: 'Ensure that a route table does not exist.',
      args: { name: NAME, ...LOGIN },
      run: (ctx, { name, ...login }) =>
        ensureAbsent(ctx, name, {
          title: 'Route table',
          word: 'route table',
          key: 'route_table',
          missing: `Route table ${name} does not exist.`,
          look: () => ask(ctx, 'get_resource_id', login, { resource: 'route_table', name }),
          remove: () => ask(ctx, 'delete_route_table', login, { route_table_name: name }),
        }),
    }),
    ...gatewayStates,
    ...peeringStates,
  },
})
