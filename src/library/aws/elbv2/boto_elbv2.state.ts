// Target groups of load balancers (ELB, version 2) as states.
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { HEALTH_CHECK, TARGET_GROUP } from './target-group.ts'

const GROUP = arg.text('Name or ARN of the target group')
const MEMBERS = { name: GROUP, targets: arg.textOrList('Ids of machines'), ...LOGIN }

async function ask(ctx: StateContext, fun: string, login: AwsLogin, given: Record<string, Value>): Promise<Value> {
  return (await ctx.call(`boto_elbv2.${fun}`, [], { ...given, ...loginOf(login) })) as Value
}

const exists = async (ctx: StateContext, name: string, login: AwsLogin): Promise<boolean> =>
  truthy(await ask(ctx, 'target_group_exists', login, { name }))

async function healthOf(ctx: StateContext, name: string, login: AwsLogin): Promise<Dict> {
  const health = await ask(ctx, 'describe_target_health', login, { name })
  return isDict(health) ? health : new Map()
}

/** The direction of a change of targets. */
interface Direction {
  fun: string
  /** State of a target after the change, for a dry run. */
  next: string
  isRegistering: boolean
  refusal: string
}

const REGISTER: Direction = { fun: 'register_targets', next: 'initial', isRegistering: true, refusal: 'add' }
const DEREGISTER: Direction = { fun: 'deregister_targets', next: 'draining', isRegistering: false, refusal: 'remove' }

/** Ensure that targets are in a group, or are not. */
function changeTargets(
  ctx: StateContext,
  { name, targets, ...login }: Bound<typeof MEMBERS>,
  { fun, next, isRegistering, refusal }: Direction,
): Promise<StateReturn> {
  const wanted = (typeof targets === 'string' ? [targets] : targets).map(str)
  const line = (target: string, health: Dict): string =>
    isRegistering
      ? `Target/s ${target} already registered and is ${str(health.get(target) ?? null)}.\n`
      : `Target/s ${target} already deregistered\n`
  return ensure<{ health: Dict; rest: string[] }>(ctx, {
    name,
    look: async () => {
      if (!(await exists(ctx, name, login))) return failed(`Could not find target group ${name}`)
      const health = await healthOf(ctx, name, login)
      const isIn = (target: string): boolean => health.has(target) && health.get(target) !== 'draining'
      const rest = wanted.filter((target) => isIn(target) !== isRegistering)
      return rest.length === 0 ? settled(wanted.map((target) => line(target, health)).join('')) : { health, rest }
    },
    foresee: ({ health, rest }) => {
      const after = new Map<Value, Value>([...health, ...rest.map((target): [Value, Value] => [target, next])])
      return foreseen(`Target Group ${name} would be changed`, { old: health, new: after })
    },
    act: async ({ health, rest }) => {
      if (!truthy(await ask(ctx, fun, login, { name, targets: rest })))
        return failed(`Target Group ${name} failed to ${refusal} targets`)
      return changed(`Target Group ${name} has been changed`, { old: health, new: await healthOf(ctx, name, login) })
    },
  })
}

export default defineState({
  name: 'boto_elbv2',
  doc: 'Manage target groups of load balancers.',
  functions: {
    create_target_group: state({
      doc: 'Ensure that a target group exists. The settings of one that exists are not changed.',
      args: { ...TARGET_GROUP, ...LOGIN, ...HEALTH_CHECK },
      run: (ctx, { region, key, keyid, profile, ...group }) => {
        const login = { region, key, keyid, profile }
        const { name } = group
        return ensure(ctx, {
          name,
          look: async () =>
            (await exists(ctx, name, login)) ? settled(`Target Group ${name} already exists`) : 'missing',
          foresee: () => foreseen(`Target Group ${name} will be created`, { target_group: name }),
          act: async () =>
            truthy(await ask(ctx, 'create_target_group', login, group))
              ? changed(`Target Group ${name} created`, { target_group: name })
              : failed(`Target Group ${name} creation failed`),
        })
      },
    }),
    delete_target_group: state({
      doc: 'Ensure that a target group does not exist.',
      args: { name: GROUP, ...LOGIN },
      run: (ctx, { name, ...login }) =>
        ensure(ctx, {
          name,
          look: async () =>
            (await exists(ctx, name, login)) ? 'there' : settled(`Target Group ${name} does not exists`),
          foresee: () => foreseen(`Target Group ${name} will be deleted`, { target_group: name }),
          act: async () =>
            truthy(await ask(ctx, 'delete_target_group', login, { name }))
              ? changed(`Target Group ${name} deleted`, { target_group: name })
              : failed(`Target Group ${name} deletion failed`),
        }),
    }),
    targets_registered: state({
      doc: 'Ensure that machines are in a target group. Others stay in it.',
      args: MEMBERS,
      run: (ctx, members) => changeTargets(ctx, members, REGISTER),
    }),
    targets_deregistered: state({
      doc: 'Ensure that machines are not in a target group.',
      args: MEMBERS,
      run: (ctx, members) => changeTargets(ctx, members, DEREGISTER),
    }),
  },
})
