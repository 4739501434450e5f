// Calls of IAM, with answers in the shape of Salt's functions: names in lower case with underscores.
import { type Dict, dumpJson, isDict, loadJson, str, type Value } from '../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import { isAccepted, unlessFault } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'

export const iamOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'iam', login)

export const named = (doc: string) => ({ name: arg.text(doc), ...LOGIN })

export const PREFIX = arg.text('What paths begin with', { default: '/' })

/** Elements that are lists even if they are empty. */
const LISTS = new Set(
  'AccessKeyMetadata AttachedPolicies Groups InstanceProfiles MFADevices Policies PolicyGroups PolicyNames PolicyRoles PolicyUsers Roles Users Versions'.split(
    ' ',
  ),
)

const snake = (name: string): string =>
  name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()

/** Return everything in an element. */
export function shaped(answer: AwsAnswer): Value {
  const children = answer.children()
  if (LISTS.has(answer.name) || (children.length > 0 && children.every(({ name }) => name === 'member')))
    return children.map(shaped)
  if (children.length === 0) return answer.content() ?? ''
  return new Map(children.map((child): [Value, Value] => [snake(child.name), shaped(child)]))
}

/** Return an answer under its own name. */
export const whole = (answer: AwsAnswer): Dict => new Map([[snake(answer.name), shaped(answer)]])

/** Return the element at a path; undefined where AWS refuses. */
export async function find(
  ctx: FunctionContext,
  login: AwsLogin,
  action: string,
  parameters: Parameters,
): Promise<AwsAnswer | undefined> {
  return unlessFault(iamOf(ctx, login).query(action, parameters), (error) => {
    ctx.log('debug', error.message)
    return undefined
  })
}

/** Return whether AWS accepts an action; an error is logged. */
export const isDone = (
  ctx: FunctionContext,
  login: AwsLogin,
  action: string,
  parameters: Parameters,
): Promise<boolean> => isAccepted(ctx, iamOf(ctx, login).query(action, parameters))

/** Return all rows of a list. */
export async function list<T extends Value = Dict>(
  ctx: FunctionContext,
  login: AwsLogin,
  action: string,
  name: string,
  parameters: Parameters = {},
): Promise<T[]> {
  const token = { at: `${action}Result.Marker`, into: 'Marker' }
  return (await iamOf(ctx, login).rows(action, parameters, `${action}Result.${name}`, token)).map(shaped) as T[]
}

/** Return a document of a policy, which AWS escapes as in an address. */
export const documentOf = (text: string | null): Value => loadJson(decodeURIComponent(text ?? '{}'))

/** Return a policy as JSON. */
export const jsonOf = (policy: Value): string => (typeof policy === 'string' ? policy : dumpJson(policy))

export async function accountId(ctx: FunctionContext, login: AwsLogin): Promise<string> {
  const who = await AwsCaller.of(ctx, 'sts', login, 'iam').query('GetCallerIdentity')
  return who.text('GetCallerIdentityResult.Account') ?? ''
}

export async function policyArn(ctx: FunctionContext, name: string, login: AwsLogin): Promise<string> {
  return name.startsWith('arn:') ? name : `arn:aws:iam::${await accountId(ctx, login)}:policy/${name}`
}

export const entry = (value: Value, name: string): string => (isDict(value) ? str(value.get(name) ?? '') : '')

/** Return the members of a group; undefined if the group does not exist. */
export const membersOf = (ctx: FunctionContext, login: AwsLogin, group: string): Promise<Dict[] | undefined> =>
  unlessFault(list(ctx, login, 'GetGroup', 'Users', { GroupName: group }), () => undefined)
