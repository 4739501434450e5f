// Functions about the machines behind a load balancer.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { isFault, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { elbOf, findBalancer, NAME } from './balancer.ts'

const INSTANCES = arg.textOrList('Id of a machine, or a list of ids')

const idsOf = (instances: string | readonly Value[]): string[] =>
  typeof instances === 'string' ? [instances] : instances.map(str)

const instanceParameters = (ids: readonly string[]): Parameters[] => ids.map((id) => ({ InstanceId: id }))

/** Return the ids of the machines behind a load balancer. */
async function machinesOf(ctx: FunctionContext, name: string, login: AwsLogin): Promise<string[]> {
  const row = await findBalancer(elbOf(ctx, login), name)
  return row?.rows('Instances').map((one) => one.text('InstanceId') ?? '') ?? []
}

interface Members extends AwsLogin {
  name: string
  instances: string | readonly Value[]
}

/** Register or deregister machines; return the ids that failed, or AWS's error. */
async function change(
  ctx: FunctionContext,
  { name, instances, ...login }: Members,
  isAdding: boolean,
): Promise<string[] | { code: string }> {
  const ids = idsOf(instances)
  const action = `${isAdding ? 'Register' : 'Deregister'}Instances${isAdding ? 'With' : 'From'}LoadBalancer`
  try {
    await elbOf(ctx, login).query(action, { LoadBalancerName: name, Instances: instanceParameters(ids) })
  } catch (error) {
    if (!isFault(error)) throw error
    ctx.log('warning', error.message)
    return error.fault
  }
  const now = await machinesOf(ctx, name, login)
  const wrong = ids.filter((id) => now.includes(id) !== isAdding)
  const word = isAdding ? 'not registered with' : 'not deregistered from'
  if (wrong.length > 0) ctx.log('warning', `Instance(s): ${wrong.join(', ')} ${word} ELB ${name}.`)
  return wrong
}

const register = async (ctx: FunctionContext, members: Members): Promise<boolean> => {
  const wrong = await change(ctx, members, true)
  return Array.isArray(wrong) && wrong.length === 0
}

const deregister = async (ctx: FunctionContext, members: Members): Promise<boolean | null> => {
  const wrong = await change(ctx, members, false)
  if (Array.isArray(wrong)) return wrong.length === 0
  return wrong.code === 'InvalidInstance' || wrong.code === 'InvalidEndPoint' ? null : false
}

export const instanceFunctions = {
  register_instances: changes({
    doc: 'Add machines to a load balancer.',
    example: "boto_elb.register_instances myelb '[i-12345678]'",
    args: { name: NAME, instances: INSTANCES, ...LOGIN },
    returns: ret.boolean('Whether all of them are behind it'),
    run: register,
  }),
  deregister_instances: changes({
    doc: 'Take machines away from a load balancer.',
    example: "boto_elb.deregister_instances myelb '[i-12345678]'",
    args: { name: NAME, instances: INSTANCES, ...LOGIN },
    returns: ret.optional(ret.boolean('Whether none of them is behind it; None where one is not valid or never was')),
    run: deregister,
  }),
  set_instances: changes({
    doc: 'Set the machines behind a load balancer: these and no others.',
    example: "boto_elb.set_instances myelb region=us-east-1 instances='[i-12345678]'",
    args: {
      name: NAME,
      instances: INSTANCES,
      test: arg.flag('Whether to return only if something would change', { default: false }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it is done; with `test`, whether something would change'),
    run: async (ctx, { name, instances, test, ...login }) => {
      const [wanted, present] = [idsOf(instances), await machinesOf(ctx, name, login)]
      const remove = present.filter((id) => !wanted.includes(id))
      const add = wanted.filter((id) => !present.includes(id))
      if (test) return add.length + remove.length > 0
      const isRemoved = remove.length === 0 || (await deregister(ctx, { name, instances: remove, ...login })) !== false
      const isAdded = add.length === 0 || (await register(ctx, { name, instances: add, ...login }))
      return isRemoved && isAdded
    },
  }),
  get_instance_health: reads({
    doc: 'Return the health of the machines behind a load balancer.',
    example: "boto_elb.get_instance_health myelb region=us-east-1 instances='[i-12345678]'",
    args: {
      name: NAME,
      ...LOGIN,
      instances: arg.textOrList('Ids of machines; all unless given', { optional: true }),
    },
    returns: ret.dicts('`instance_id`, `description`, `state` and `reason_code` of each; empty where AWS refuses'),
    run: (ctx, { name, instances, ...login }) => {
      const parameters = { LoadBalancerName: name, Instances: instanceParameters(idsOf(instances ?? [])) }
      const found = elbOf(ctx, login)
        .query('DescribeInstanceHealth', parameters)
        .then((answer) =>
          answer.rows('DescribeInstanceHealthResult.InstanceStates').map(
            (row): Dict =>
              new Map<Value, Value>([
                ['instance_id', row.text('InstanceId')],
                ['description', row.text('Description')],
                ['state', row.text('State')],
                ['reason_code', row.text('ReasonCode')],
              ]),
          ),
        )
      return unlessFault(found, (error): Dict[] => {
        ctx.log('debug', error.message)
        return []
      })
    },
  }),
}
