// Functions of boto_iam about managed policies and their versions.
import type { Dict, Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { errorDict, unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { find, iamOf, isDone, jsonOf, list, policyArn, shaped } from './iam.ts'

const POLICY = { policy_name: arg.text('Name or ARN of the policy') }
const VERSION = { version_id: arg.text('Version, such as `v1`') }
const DOCUMENT = { policy_document: arg.any('The policy, or JSON of it') }
const DONE = ret.boolean('Whether it is done')

const getPolicy = async (ctx: FunctionContext, name: string, login: AwsLogin) =>
  find(ctx, login, 'GetPolicy', { PolicyArn: await policyArn(ctx, name, login) })

const getVersion = async (ctx: FunctionContext, name: string, version: string, login: AwsLogin) =>
  find(ctx, login, 'GetPolicyVersion', { PolicyArn: await policyArn(ctx, name, login), VersionId: version })

const ENTITIES = ['PolicyGroups', 'PolicyUsers', 'PolicyRoles'] as const

export const POLICIES = {
  policy_exists: reads({
    doc: 'Return whether a managed policy exists.',
    example: 'boto_iam.policy_exists mypolicy',
    args: { ...POLICY, ...LOGIN },
    returns: ret.boolean('Whether it exists'),
    run: async (ctx, { policy_name, ...login }) => (await getPolicy(ctx, policy_name, login)) !== undefined,
  }),
  get_policy: reads({
    doc: 'Return a managed policy.',
    example: 'boto_iam.get_policy mypolicy',
    args: { ...POLICY, ...LOGIN },
    returns: ret.any('`policy`, or None where there is none'),
    run: async (ctx, { policy_name, ...login }) => {
      const result = (await getPolicy(ctx, policy_name, login))?.at('GetPolicyResult')
      return result === undefined ? null : shaped(result)
    },
  }),
  create_policy: changes({
    doc: 'Create a managed policy. One that exists is left as it is.',
    example: 'boto_iam.create_policy mypolicy \'{"Version": "2012-10-17", "Statement": []}\'',
    args: {
      ...POLICY,
      ...DOCUMENT,
      path: arg.text('Path', { optional: true }),
      description: arg.text('What it is for', { optional: true }),
      ...LOGIN,
    },
    returns: DONE,
    run: async (ctx, { policy_name, policy_document, path: Path, description: Description, ...login }) => {
      if ((await getPolicy(ctx, policy_name, login)) !== undefined) return true
      const parameters = { PolicyName: policy_name, PolicyDocument: jsonOf(policy_document), Path, Description }
      return isDone(ctx, login, 'CreatePolicy', parameters)
    },
  }),
  delete_policy: changes({
    doc: 'Delete a managed policy. One that does not exist counts as deleted.',
    example: 'boto_iam.delete_policy mypolicy',
    args: { ...POLICY, ...LOGIN },
    returns: DONE,
    run: async (ctx, { policy_name, ...login }) => {
      const PolicyArn = await policyArn(ctx, policy_name, login)
      if ((await find(ctx, login, 'GetPolicy', { PolicyArn })) === undefined) return true
      return isDone(ctx, login, 'DeletePolicy', { PolicyArn })
    },
  }),
  list_policies: reads({
    doc: 'Return the managed policies, page by page as AWS returns them.',
    args: LOGIN,
    returns: ret.any('A list of lists of dicts'),
    run: async (ctx, login) => {
      const found: Value[] = []
      const token = { at: 'ListPoliciesResult.Marker', into: 'Marker' }
      for await (const page of iamOf(ctx, login).pages('ListPolicies', {}, token))
        found.push(page.rows('ListPoliciesResult.Policies').map(shaped))
      return found
    },
  }),
  policy_version_exists: reads({
    doc: 'Return whether a version of a managed policy exists.',
    example: 'boto_iam.policy_version_exists mypolicy v1',
    args: { ...POLICY, ...VERSION, ...LOGIN },
    returns: ret.boolean('Whether it exists'),
    run: async (ctx, { policy_name, version_id, ...login }) =>
      (await getVersion(ctx, policy_name, version_id, login)) !== undefined,
  }),
  get_policy_version: reads({
    doc: 'Return a version of a managed policy.',
    example: 'boto_iam.get_policy_version mypolicy v1',
    args: { ...POLICY, ...VERSION, ...LOGIN },
    returns: ret.any('`policy_version`, with `document` as JSON, or None where there is none'),
    run: async (ctx, { policy_name, version_id, ...login }) => {
      const answer = await getVersion(ctx, policy_name, version_id, login)
      const version = answer?.at('GetPolicyVersionResult.PolicyVersion')
      if (version === undefined) return null
      const document = decodeURIComponent(version.text('Document') ?? '')
      return { policy_version: new Map([...(shaped(version) as Dict), ['document', document]]) }
    },
  }),
  create_policy_version: changes({
    doc: 'Create a version of a managed policy.',
    example: 'boto_iam.create_policy_version mypolicy \'{"Version": "2012-10-17", "Statement": []}\'',
    args: {
      ...POLICY,
      ...DOCUMENT,
      set_as_default: arg.any('Whether it becomes the version in force', { optional: true }),
      ...LOGIN,
    },
    returns: ret.dict('`created` and `version_id`, or `created` and `error`'),
    run: async (ctx, { policy_name, policy_document, set_as_default, ...login }) => {
      const PolicyArn = await policyArn(ctx, policy_name, login)
      const SetAsDefault = set_as_default === null ? null : set_as_default === true || set_as_default === 'true'
      const parameters = { PolicyArn, PolicyDocument: jsonOf(policy_document), SetAsDefault }
      const made = iamOf(ctx, login)
        .query('CreatePolicyVersion', parameters)
        .then((answer): Record<string, Value> => {
          const version_id = answer.text('CreatePolicyVersionResult.PolicyVersion.VersionId')
          return { created: true, version_id }
        })
      return unlessFault(made, (error): Record<string, Value> => ({ created: false, error: errorDict(error) }))
    },
  }),
  delete_policy_version: changes({
    doc: 'Delete a version of a managed policy. One that does not exist counts as deleted.',
    example: 'boto_iam.delete_policy_version mypolicy v1',
    args: { ...POLICY, ...VERSION, ...LOGIN },
    returns: DONE,
    run: async (ctx, { policy_name, version_id: VersionId, ...login }) => {
      if ((await getVersion(ctx, policy_name, VersionId, login)) === undefined) return true
      const PolicyArn = await policyArn(ctx, policy_name, login)
      return isDone(ctx, login, 'DeletePolicyVersion', { PolicyArn, VersionId })
    },
  }),
  list_policy_versions: reads({
    doc: 'Return the versions of a managed policy.',
    example: 'boto_iam.list_policy_versions mypolicy',
    args: { ...POLICY, ...LOGIN },
    returns: ret.dicts('The versions'),
    run: async (ctx, { policy_name, ...login }) => {
      const PolicyArn = await policyArn(ctx, policy_name, login)
      return unlessFault(list(ctx, login, 'ListPolicyVersions', 'Versions', { PolicyArn }), () => [])
    },
  }),
  set_default_policy_version: changes({
    doc: 'Set which version of a managed policy is in force.',
    example: 'boto_iam.set_default_policy_version mypolicy v1',
    args: { ...POLICY, ...VERSION, ...LOGIN },
    returns: DONE,
    run: async (ctx, { policy_name, version_id: VersionId, ...login }) => {
      const PolicyArn = await policyArn(ctx, policy_name, login)
      return isDone(ctx, login, 'SetDefaultPolicyVersion', { PolicyArn, VersionId })
    },
  }),
  list_entities_for_policy: reads({
    doc: 'Return the users, groups and roles that a managed policy is attached to.',
    example: 'boto_iam.list_entities_for_policy mypolicy',
    args: {
      ...POLICY,
      path_prefix: arg.text('What paths begin with', { optional: true }),
      entity_filter: arg.text('`User`, `Group` or `Role`', { optional: true }),
      ...LOGIN,
    },
    returns: ret.dict('`policy_groups`, `policy_users` and `policy_roles`; nothing where there is no such policy'),
    run: async (ctx, { policy_name, path_prefix: PathPrefix, entity_filter: EntityFilter, ...login }) => {
      const PolicyArn = await policyArn(ctx, policy_name, login)
      const found: Record<string, Value[]> = { policy_groups: [], policy_users: [], policy_roles: [] }
      const token = { at: 'ListEntitiesForPolicyResult.Marker', into: 'Marker' }
      const read = async (): Promise<Record<string, Value>> => {
        const parameters = { PolicyArn, PathPrefix, EntityFilter }
        for await (const page of iamOf(ctx, login).pages('ListEntitiesForPolicy', parameters, token)) {
          for (const [index, name] of Object.keys(found).entries())
            found[name]!.push(...page.rows(`ListEntitiesForPolicyResult.${ENTITIES[index]}`).map(shaped))
        }
        return found
      }
      return unlessFault(read(), (): Record<string, Value> => ({}))
    },
  }),
}
