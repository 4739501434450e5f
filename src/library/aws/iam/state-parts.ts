// Parts of the states about users, groups and roles: their policies, and calls of the module.
import { type Dict, isDict, isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import type { StateContext } from '../../../sdk/mod.ts'
import { type AwsLogin, loginOf } from '../common/login.ts'
import { oldNew, type Part } from '../common/part.ts'
import { parsed } from '../common/structured.ts'
import { unordered } from '../common/unordered.ts'

export async function ask(
  ctx: StateContext,
  fun: string,
  login: AwsLogin,
  given: Record<string, Value> = {},
): Promise<Value> {
  return (await ctx.call(`boto_iam.${fun}`, [], { ...given, ...loginOf(login) })) as Value
}

/** A user, group or role. */
export interface Owner {
  kind: 'user' | 'group' | 'role'
  name: string
  login: AwsLogin
}

const LIST = { user: 'get_all_user_policies', group: 'get_all_group_policies', role: 'list_role_policies' }
const PUT = { user: 'put_user_policy', group: 'put_group_policy', role: 'create_role_policy' }

const about = ({ kind, name }: Owner): Record<string, Value> => ({ [`${kind}_name`]: name })

const listed = (value: Value): string[] => (isList(value) ? value.map(str) : [])

const policiesIn = async (ctx: StateContext, owner: Owner): Promise<string[]> =>
  listed(await ask(ctx, LIST[owner.kind], owner.login, about(owner)))

interface Attached {
  name: string
  arn: string
}

async function attachedTo(ctx: StateContext, owner: Owner): Promise<Attached[]> {
  const found = await ask(ctx, `list_attached_${owner.kind}_policies`, owner.login, about(owner))
  return (isList(found) ? found : []).filter(isDict).map((one) => ({
    name: str(one.get('policy_name') ?? ''),
    arn: str(one.get('policy_arn') ?? ''),
  }))
}

/** Return the policies of a state, merged with those in pillar under the given names. */
export async function wantedPolicies(ctx: StateContext, given: Value, pillars: readonly Value[]): Promise<Dict> {
  const wanted: Dict = new Map()
  for (const name of pillars) {
    const found = await ctx.call('pillar.get', [name, null])
    if (!isDict(found)) throw misuse(`The pillar '${str(name)}' has no dict of policies`)
    for (const [policy, document] of found) wanted.set(policy, document)
  }
  if (isDict(given)) for (const [policy, document] of given) wanted.set(policy, document)
  return wanted
}

/** One change of a policy: a function of the module and its arguments. */
interface Step {
  fun: string
  given: Record<string, Value>
  failed: string
}

/** Carry out steps in order, and return the result for a list. */
async function take(
  ctx: StateContext,
  owner: Owner,
  steps: readonly Step[],
  { field, list }: { field: string; list: () => Promise<string[]> },
): Promise<{ failed: string | undefined; changes: Dict }> {
  const old = await list()
  let failed: string | undefined
  for (const step of steps) {
    if (truthy(await ask(ctx, step.fun, owner.login, { ...about(owner), ...step.given }))) continue
    failed = step.failed
    break
  }
  return { failed, changes: oldNew(new Map([[field, old]]), new Map([[field, await list()]])) }
}

async function modify(
  ctx: StateContext,
  owner: Owner,
  steps: readonly Step[],
  { names, ...shape }: { names: string[]; field: string; list: () => Promise<string[]> },
): Promise<Part> {
  const { kind, name } = owner
  if (steps.length === 0) return { result: true, comment: '' }
  if (ctx.test) return { result: null, comment: `${names.join(', ')} policies to be modified on ${kind} ${name}.` }
  const { failed, changes } = await take(ctx, owner, steps, shape)
  if (failed !== undefined) return { result: false, comment: failed, changes }
  const now = await shape.list()
  return { result: true, comment: `${now.join(', ')} policies modified on ${kind} ${name}.`, changes }
}

/** Ensure that the policies within an owner are as wanted. */
export async function inlinePolicies(
  ctx: StateContext,
  owner: Owner,
  wanted: Dict,
  deletesOthers: boolean,
): Promise<Part> {
  const { kind, name, login } = owner
  const present = await policiesIn(ctx, owner)
  const put: Step[] = []
  for (const [key, document] of wanted) {
    const policy = str(key)
    const given = { ...about(owner), policy_name: policy }
    const now = present.includes(policy) ? await ask(ctx, `get_${kind}_policy`, login, given) : null
    if (unordered(now) === unordered(parsed(document))) continue
    const content = { [kind === 'role' ? 'policy' : 'policy_json']: document }
    const failed = `Failed to add policy ${policy} to ${kind} ${name}`
    put.push({ fun: PUT[kind], given: { policy_name: policy, ...content }, failed })
  }
  const others = deletesOthers ? present.filter((policy) => !wanted.has(policy)) : []
  const remove = others.map((policy) => ({
    fun: `delete_${kind}_policy`,
    given: { policy_name: policy },
    failed: `Failed to remove policy ${policy} from ${kind} ${name}`,
  }))
  const names = [...others, ...put.map(({ given }) => str(given['policy_name']!))]
  return modify(ctx, owner, [...put, ...remove], { names, field: 'policies', list: () => policiesIn(ctx, owner) })
}

/** Ensure that the managed policies of an owner are as wanted, each by name or ARN. */
export async function managedPolicies(
  ctx: StateContext,
  owner: Owner,
  wanted: readonly string[],
  detachesOthers: boolean,
): Promise<Part> {
  const { kind, name } = owner
  const present = await attachedTo(ctx, owner)
  const attach = wanted.filter((policy) => !present.some((one) => one.name === policy || one.arn === policy))
  const others = present.filter((one) => !wanted.includes(one.name) && !wanted.includes(one.arn))
  const detach = detachesOthers ? others.map(({ arn }) => arn) : []
  const step = (verb: string, policy: string, word: string): Step => ({
    fun: `${verb}_${kind}_policy`,
    given: { policy_name: policy },
    failed: `Failed to ${word} ${kind} ${name}`,
  })
  const steps = [
    ...attach.map((policy) => step('attach', policy, `add policy ${policy} to`)),
    ...detach.map((policy) => step('detach', policy, `remove policy ${policy} from`)),
  ]
  const list = async (): Promise<string[]> => (await attachedTo(ctx, owner)).map(({ arn }) => arn)
  return modify(ctx, owner, steps, { names: [...detach, ...attach], field: 'managed_policies', list })
}

/** Detach all managed policies of an owner, and delete its inline policies. */
export async function noPolicies(ctx: StateContext, owner: Owner): Promise<Part[]> {
  const { kind, name } = owner
  const arns = async (): Promise<string[]> => (await attachedTo(ctx, owner)).map(({ arn }) => arn)
  const inside = (): Promise<string[]> => policiesIn(ctx, owner)
  const remove = async (
    list: () => Promise<string[]>,
    words: { field: string; none: string; verb: string; done: string },
  ): Promise<Part> => {
    const old = await list()
    if (old.length === 0) return { result: true, comment: `No ${words.none} policies in ${kind} ${name}.` }
    const policies = `${old.join(', ')} policies`
    if (ctx.test) return { result: null, comment: `${policies} to be ${words.done} from ${kind} ${name}.` }
    const steps = old.map((policy) => ({
      fun: `${words.verb}_${kind}_policy`,
      given: { policy_name: policy },
      failed: `Failed to ${words.verb} ${policy} from ${kind} ${name}`,
    }))
    const { failed, changes } = await take(ctx, owner, steps, { field: words.field, list })
    if (failed !== undefined) return { result: false, comment: failed, changes }
    return { result: true, comment: `${policies} ${words.done} from ${kind} ${name}.`, changes }
  }
  const managed = { field: 'managed_policies', none: 'attached', verb: 'detach', done: 'detached' }
  const own = { field: 'inline_policies', none: 'inline', verb: 'delete', done: 'deleted' }
  return [await remove(arns, managed), await remove(inside, own)]
}
