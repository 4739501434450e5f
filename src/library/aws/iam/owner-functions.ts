// Policies of users, groups and roles: inline policies, and attached managed ones. The functions are the same for all
// three.
import type { Value } from '../../../data/mod.ts'
import { arg, changes, reads, ret } from '../../../sdk/mod.ts'
import { unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { documentOf, find, isDone, jsonOf, list, policyArn } from './iam.ts'

type Kind = 'User' | 'Group' | 'Role'

const POLICY = arg.text('Name of the policy')
const MANAGED = arg.text('Name or ARN of the managed policy')
const DONE = ret.boolean('Whether it is done')

const ownerArg = (kind: Kind) => ({ [`${kind.toLowerCase()}_name`]: arg.text(`Name of the ${kind.toLowerCase()}`) })

/** Return the name of the owner among the arguments, as a parameter of a request. */
const ownerOf = (kind: Kind, given: object): Record<string, string> => ({
  [`${kind}Name`]: (given as Record<string, string>)[`${kind.toLowerCase()}_name`]!,
})

const loginIn = (given: object): AwsLogin => given as AwsLogin

const example = (fun: string, words: string): string => `boto_iam.${fun} ${words}`

/** Return the document of a policy within a user, group or role. */
export const getPolicy = (kind: Kind) => {
  const owner = kind.toLowerCase()
  return reads({
    doc: `Return a policy within a ${owner}.`,
    example: example(`get_${owner}_policy`, `my${owner} mypolicy`),
    args: { ...ownerArg(kind), policy_name: POLICY, ...LOGIN },
    returns: ret.any(`The policy; ${kind === 'Role' ? 'an empty dict' : 'False'} where there is none`),
    run: async (ctx, given) => {
      const parameters = { ...ownerOf(kind, given), PolicyName: given.policy_name as string }
      const answer = await find(ctx, loginIn(given), `Get${kind}Policy`, parameters)
      if (answer === undefined) return kind === 'Role' ? new Map<Value, Value>() : false
      return documentOf(answer.text(`Get${kind}PolicyResult.PolicyDocument`))
    },
  })
}

/** Return a function that writes a policy within a user, group or role. */
export const putPolicy = (kind: Kind, fun: string, field: 'policy' | 'policy_json') => {
  const owner = kind.toLowerCase()
  return changes({
    doc: `Write a policy within a ${owner}.`,
    example: example(fun, `my${owner} mypolicy '{"Version": "2012-10-17", "Statement": []}'`),
    args: { ...ownerArg(kind), policy_name: POLICY, [field]: arg.any('The policy, or JSON of it'), ...LOGIN },
    returns: DONE,
    run: (ctx, given) => {
      const values = given as unknown as Record<string, Value>
      const policy = { PolicyName: values['policy_name'] as string, PolicyDocument: jsonOf(values[field] ?? null) }
      return isDone(ctx, loginIn(given), `Put${kind}Policy`, { ...ownerOf(kind, given), ...policy })
    },
  })
}

export const deletePolicy = (kind: Kind) => {
  const owner = kind.toLowerCase()
  return changes({
    doc: `Delete a policy within a ${owner}. One that does not exist counts as deleted.`,
    example: example(`delete_${owner}_policy`, `my${owner} mypolicy`),
    args: { ...ownerArg(kind), policy_name: POLICY, ...LOGIN },
    returns: DONE,
    run: async (ctx, given) => {
      const parameters = { ...ownerOf(kind, given), PolicyName: given.policy_name as string }
      if ((await find(ctx, loginIn(given), `Get${kind}Policy`, parameters)) === undefined) return true
      return isDone(ctx, loginIn(given), `Delete${kind}Policy`, parameters)
    },
  })
}

/** Return a function that lists the names of the policies within a user, group or role. */
export const listPolicies = (kind: Kind, fun: string) => {
  const owner = kind.toLowerCase()
  return reads({
    doc: `Return the names of the policies within a ${owner}.`,
    example: example(fun, `my${owner}`),
    args: { ...ownerArg(kind), ...LOGIN },
    returns: ret.any(`The names; ${kind === 'User' ? 'False' : 'none'} where there is no such ${owner}`),
    run: (ctx, given) => {
      const names = list<Value>(ctx, loginIn(given), `List${kind}Policies`, 'PolicyNames', ownerOf(kind, given))
      return unlessFault<Value, Value>(names, () => (kind === 'User' ? false : []))
    },
  })
}

const attachment = (kind: Kind, verb: 'Attach' | 'Detach') => {
  const owner = kind.toLowerCase()
  return changes({
    doc: verb === 'Attach' ? `Attach a managed policy to a ${owner}.` : `Detach a managed policy from a ${owner}.`,
    example: example(`${verb.toLowerCase()}_${owner}_policy`, `mypolicy my${owner}`),
    args: { policy_name: MANAGED, ...ownerArg(kind), ...LOGIN },
    returns: DONE,
    run: async (ctx, given) => {
      const PolicyArn = await policyArn(ctx, given.policy_name as string, loginIn(given))
      return isDone(ctx, loginIn(given), `${verb}${kind}Policy`, { ...ownerOf(kind, given), PolicyArn })
    },
  })
}

export const attachPolicy = (kind: Kind) => attachment(kind, 'Attach')
export const detachPolicy = (kind: Kind) => attachment(kind, 'Detach')

export const listAttached = (kind: Kind) => {
  const owner = kind.toLowerCase()
  return reads({
    doc: `Return the managed policies that are attached to a ${owner}.`,
    example: example(`list_attached_${owner}_policies`, `my${owner}`),
    args: {
      ...ownerArg(kind),
      path_prefix: arg.text('What paths begin with', { optional: true }),
      entity_filter: arg.text('Not looked at', { optional: true }),
      ...LOGIN,
    },
    returns: ret.dicts('`policy_name` and `policy_arn` of each'),
    run: (ctx, given) => {
      const parameters = { ...ownerOf(kind, given), PathPrefix: given.path_prefix as string | null }
      const found = list(ctx, loginIn(given), `ListAttached${kind}Policies`, 'AttachedPolicies', parameters)
      return unlessFault(found, () => [])
    },
  })
}
