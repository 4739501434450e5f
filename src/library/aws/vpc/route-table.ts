// The routes and subnets of a route table in a state.
import { type Dict, equals, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import type { StateContext } from '../../../sdk/mod.ts'
import { loginOf } from '../common/login.ts'
import { oldNew, type Part } from '../common/part.ts'
import { errorOf } from '../common/state-calls.ts'
import { ask, type Named } from './state-calls.ts'

async function described(ctx: StateContext, table: Named): Promise<Dict | undefined> {
  const given = { route_table_name: table.name, ...loginOf(table) }
  const tables: Value = await ctx.call('boto_vpc.describe_route_tables', [], given)
  return isList(tables) && isDict(tables[0] ?? null) ? (tables[0] as Dict) : undefined
}

const unread = (table: Named): Part => ({
  result: false,
  comment: `Could not retrieve configuration for route table ${table.name}.`,
})

const TARGETS = ['gateway_id', 'instance_id', 'interface_id', 'vpc_peering_connection_id', 'nat_gateway_id']

/** Return a route with ids in the place of names. */
async function resolved(ctx: StateContext, table: Named, wanted: Dict): Promise<Dict> {
  const route: Dict = new Map()
  for (const key of ['destination_cidr_block', ...TARGETS]) if (wanted.has(key)) route.set(key, wanted.get(key)!)
  const named = async (key: string, resource: string, field: string, title: string): Promise<void> => {
    const name = wanted.get(key) ?? null
    if (!truthy(name)) return
    const found = await ask(ctx, 'get_resource_id', table, { resource, name })
    if (!truthy(found.get('id') ?? null)) throw misuse(`${title} ${str(name)} does not exist.`)
    route.set(field, found.get('id')!)
  }
  await named('internet_gateway_name', 'internet_gateway', 'gateway_id', 'Internet gateway')
  await named(
    'vpc_peering_connection_name',
    'vpc_peering_connection',
    'vpc_peering_connection_id',
    'VPC peering connection',
  )
  const subnet = wanted.get('nat_gateway_subnet_name') ?? null
  if (truthy(subnet)) {
    const found: Value = (await ctx.call('boto_vpc.describe_nat_gateways', [], {
      subnet_name: subnet,
      ...loginOf(table),
    })) as Value
    const gateway = isList(found) ? (found[0] ?? null) : null
    if (!isDict(gateway)) throw misuse('Nat gateway does not exist.')
    route.set('nat_gateway_id', gateway.get('NatGatewayId') ?? null)
  }
  const instance = wanted.get('instance_name') ?? null
  if (truthy(instance)) {
    const states = ['pending', 'rebooting', 'running', 'stopping', 'stopped']
    const id: Value = await ctx.call('boto_ec2.get_id', [], {
      name: instance,
      in_states: states,
      ...loginOf(table),
    })
    if (!truthy(id)) throw misuse(`Instance ${str(instance)} does not exist.`)
    route.set('instance_id', id)
  }
  return route
}

/** Ensure that a route table has exactly these routes, and the local one of its network. */
export async function ensureRoutes(ctx: StateContext, table: Named, routes: readonly Value[]): Promise<Part> {
  const now = await described(ctx, table)
  if (now === undefined) return unread(table)
  const wanted: Dict[] = []
  for (const route of routes) {
    if (!isDict(route)) throw misuse('Each entry of routes must be a dict')
    wanted.push(await resolved(ctx, table, route))
  }
  const present = (now.get('routes') ?? []) as Dict[]
  const add = wanted.filter((route) => !present.some((one) => equals(one, route)))
  const remove = present.filter(
    (one) => one.get('gateway_id') !== 'local' && !wanted.some((route) => equals(one, route)),
  )
  if (add.length + remove.length === 0) return { result: true, comment: '' }
  if (ctx.test) return { result: null, comment: `Route table ${table.name} set to have routes modified.` }
  const comments: string[] = []
  for (const [list, fun, key, done, verb] of [
    [remove, 'delete_route', 'deleted', 'Deleted route %s from', 'delete'],
    [add, 'create_route', 'created', 'Created route %s in', 'create'],
  ] as const) {
    for (const route of list) {
      const cidr = str(route.get('destination_cidr_block') ?? null)
      const all = Object.fromEntries([...route].map(([name, value]) => [str(name), value]))
      const given = fun === 'create_route' ? all : { destination_cidr_block: cidr }
      const answer = await ask(ctx, fun, table, { route_table_id: now.get('id')!, ...given })
      if (!truthy(answer.get(key) ?? false)) {
        const comment = `Failed to ${verb} route ${cidr} ${verb === 'delete' ? 'from' : 'in'} route table ${table.name}: ${errorOf(answer)}.`
        return { result: false, comment }
      }
      comments.push(`${done.replace('%s', cidr)} route table ${table.name}.`)
    }
  }
  const after = await described(ctx, table)
  const changes = oldNew(new Map([['routes', present]]), new Map([['routes', after?.get('routes') ?? null]]))
  return { result: true, comment: comments.join(' '), changes }
}

/** Ensure that exactly these subnets use a route table. */
export async function ensureSubnets(
  ctx: StateContext,
  table: Named,
  ids: readonly string[],
  names: readonly string[],
): Promise<Part> {
  const wanted = new Set(ids)
  for (const name of names) {
    const found = await ask(ctx, 'get_resource_id', table, { resource: 'subnet', name })
    if (found.has('error')) return { result: false, comment: `Error looking up subnet ids: ${errorOf(found)}` }
    if (!truthy(found.get('id') ?? null)) return { result: false, comment: `Subnet ${name} does not exist.` }
    wanted.add(str(found.get('id')!))
  }
  const now = await described(ctx, table)
  if (now === undefined) return unread(table)
  const present = ((now.get('associations') ?? []) as Dict[]).filter((one) => one.has('subnet_id'))
  const add = [...wanted].filter((id) => !present.some((one) => one.get('subnet_id') === id))
  const remove = present.filter((one) => !wanted.has(str(one.get('subnet_id')!)))
  if (add.length + remove.length === 0) return { result: true, comment: '' }
  if (ctx.test)
    return { result: null, comment: `Subnet associations for route table ${table.name} set to be modified.` }
  const comments: string[] = []
  for (const one of remove) {
    const id = str(one.get('id') ?? null)
    const freed = await ask(ctx, 'disassociate_route_table', table, { association_id: id })
    if (freed.has('error')) {
      return { result: false, comment: `Failed to dissociate ${id} from route table ${table.name}: ${errorOf(freed)}.` }
    }
    comments.push(`Dissociated subnet ${id} from route table ${table.name}.`)
  }
  for (const id of add) {
    const joined = await ask(ctx, 'associate_route_table', table, { route_table_id: now.get('id')!, subnet_id: id })
    if (joined.has('error')) {
      return {
        result: false,
        comment: `Failed to associate subnet ${id} with route table ${table.name}: ${errorOf(joined)}.`,
      }
    }
    comments.push(`Associated subnet ${id} with route table ${table.name}.`)
  }
  const after = await described(ctx, table)
  const key = 'subnets_associations'
  const changes = oldNew(
    new Map([[key, now.get('associations')!]]),
    new Map([[key, after?.get('associations') ?? null]]),
  )
  return { result: true, comment: comments.join(' '), changes }
}
