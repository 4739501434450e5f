// Calls of a module for AWS by its states.
import { isDict, str, type Value } from '../../../data/mod.ts'
import type { FunctionContext, StateContext } from '../../../sdk/mod.ts'
import { type AwsLogin, loginOf } from './login.ts'

export type Ask = (ctx: StateContext, fun: string, login: AwsLogin, given?: Record<string, Value>) => Promise<Value>

/** Return a function that calls functions of a module with the parameters that say where to call. */
export const askerOf =
  (module: string): Ask =>
  async (ctx, fun, login, given = {}) =>
    (await ctx.call(`${module}.${fun}`, [], { ...given, ...loginOf(login) })) as Value

/** Return the ids of subnets by their names; a text is an error. */
export async function subnetsByName(
  ctx: StateContext,
  names: readonly Value[],
  login: AwsLogin,
): Promise<string[] | string> {
  const ids: string[] = []
  for (const name of names) {
    const given = { resource: 'subnet', name, ...loginOf(login) }
    const found = await ctx.call('boto_vpc.get_resource_id', [], given)
    if (isDict(found) && found.has('error')) return `Error looking up subnet ids: ${str(found.get('error')!)}`
    const id = isDict(found) ? (found.get('id') ?? null) : null
    if (id === null) return `Subnet ${str(name)} does not exist.`
    ids.push(str(id))
  }
  return ids
}

/** Return the network that subnets are in; undefined where that is not one. */
export async function networkOf(
  ctx: StateContext,
  subnets: readonly string[],
  login: AwsLogin,
): Promise<string | undefined> {
  const given = { subnets: [...subnets], ...loginOf(login) }
  const found = await ctx.call('boto_vpc.get_subnet_association', [], given)
  const id = isDict(found) ? (found.get('vpc_id') ?? null) : null
  return id === null ? undefined : str(id)
}

/** Return the ids of security groups by their names, within a network where one is given. */
export async function groupIds(
  ctx: Pick<FunctionContext, 'call'>,
  groups: readonly Value[],
  { vpc_id, ...login }: AwsLogin & { vpc_id?: string },
): Promise<string[]> {
  const given = { groups: [...groups], vpc_id: vpc_id ?? null, ...loginOf(login) }
  return (await ctx.call('boto_secgroup.convert_to_group_ids', [], given)).map(str)
}
