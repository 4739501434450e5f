// Functions of boto_iam about roles and instance profiles.
import { type Dict, dictFrom, isDict, isList, truthy } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { documentOf, entry, find, iamOf, isDone, jsonOf, list, named, PREFIX, shaped } from './iam.ts'

const ROLE = arg.text('Name of the role')
const PROFILE = arg.text('Name of the instance profile')
const DONE = ret.boolean('Whether it is done')

const isThere = async (ctx: FunctionContext, login: AwsLogin, what: 'Role' | 'InstanceProfile', name: string) =>
  (await find(ctx, login, `Get${what}`, { [`${what}Name`]: name })) !== undefined

/** Return the policy that lets machines of EC2 take on a role. */
function machinePolicy(region: string): Dict {
  const service = region.startsWith('cn-') ? 'ec2.amazonaws.com.cn' : 'ec2.amazonaws.com'
  const statement = dictFrom({ Principal: new Map([['Service', service]]), Effect: 'Allow', Action: 'sts:AssumeRole' })
  return dictFrom({ Statement: [statement], Version: '2008-10-17' })
}

const isAssociated = async (ctx: FunctionContext, login: AwsLogin, role: string, profile: string): Promise<boolean> => {
  const profiles = list(ctx, login, 'ListInstanceProfilesForRole', 'InstanceProfiles', { RoleName: role })
  const found = await unlessFault(profiles, () => [])
  return found.some((one) => entry(one, 'instance_profile_name') === profile)
}

/** Return a role with its policy as data. Empty ids of statements are left out. */
function roleOf(role: Dict): Dict {
  const policy = documentOf((role.get('assume_role_policy_document') ?? null) as string | null)
  const statements = isDict(policy) ? (policy.get('Statement') ?? null) : null
  for (const statement of isList(statements) ? statements : []) {
    if (isDict(statement) && statement.get('Sid') === '') statement.delete('Sid')
  }
  return new Map([...role, ['assume_role_policy_document', policy]])
}

export const ROLES = {
  role_exists: reads({
    doc: 'Return whether a role exists.',
    example: 'boto_iam.role_exists myirole',
    args: named('Name of the role'),
    returns: ret.boolean('Whether it exists'),
    run: (ctx, { name, ...login }) => isThere(ctx, login, 'Role', name),
  }),
  describe_role: reads({
    doc: 'Return a role.',
    example: 'boto_iam.describe_role myirole',
    args: named('Name of the role'),
    returns: ret.any('The role, with `assume_role_policy_document` as a dict, or False where there is none'),
    run: async (ctx, { name, ...login }) => {
      const role = (await find(ctx, login, 'GetRole', { RoleName: name }))?.at('GetRoleResult.Role')
      return role === undefined ? false : roleOf(shaped(role) as Dict)
    },
  }),
  build_policy: reads({
    doc: 'Return the policy that lets machines of EC2 take on a role.',
    args: LOGIN,
    returns: ret.dict('The policy'),
    run: (ctx, login) => machinePolicy(iamOf(ctx, login).region),
  }),
  create_role: changes({
    doc: 'Create a role. One that exists is left as it is.',
    example: 'boto_iam.create_role myrole',
    args: {
      name: ROLE,
      policy_document: arg.any('Who may take it on; machines of EC2 unless given', { optional: true }),
      path: arg.text('Path', { optional: true }),
      ...LOGIN,
    },
    returns: DONE,
    run: async (ctx, { name, policy_document, path, ...login }) => {
      if (await isThere(ctx, login, 'Role', name)) return true
      const policy = truthy(policy_document) ? policy_document : machinePolicy(iamOf(ctx, login).region)
      const parameters = { RoleName: name, AssumeRolePolicyDocument: jsonOf(policy), Path: path || null }
      return isDone(ctx, login, 'CreateRole', parameters)
    },
  }),
  delete_role: changes({
    doc: 'Delete a role. One that does not exist counts as deleted.',
    example: 'boto_iam.delete_role myirole',
    args: named('Name of the role'),
    returns: DONE,
    run: async (ctx, { name, ...login }) =>
      !(await isThere(ctx, login, 'Role', name)) || isDone(ctx, login, 'DeleteRole', { RoleName: name }),
  }),
  update_assume_role_policy: changes({
    doc: 'Set who may take on a role.',
    example: 'boto_iam.update_assume_role_policy myrole \'{"Statement": []}\'',
    args: { role_name: ROLE, policy_document: arg.any('The policy, or JSON of it'), ...LOGIN },
    returns: DONE,
    run: (ctx, { role_name: RoleName, policy_document, ...login }) =>
      isDone(ctx, login, 'UpdateAssumeRolePolicy', { RoleName, PolicyDocument: jsonOf(policy_document) }),
  }),
  get_all_roles: reads({
    doc: 'Return all roles.',
    args: { path_prefix: arg.text('What paths begin with', { optional: true }), ...LOGIN },
    returns: ret.dicts('The roles'),
    run: (ctx, { path_prefix: PathPrefix, ...login }) => list(ctx, login, 'ListRoles', 'Roles', { PathPrefix }),
  }),
}

export const PROFILES = {
  instance_profile_exists: reads({
    doc: 'Return whether an instance profile exists.',
    example: 'boto_iam.instance_profile_exists myiprofile',
    args: named('Name of the instance profile'),
    returns: ret.boolean('Whether it exists'),
    run: (ctx, { name, ...login }) => isThere(ctx, login, 'InstanceProfile', name),
  }),
  create_instance_profile: changes({
    doc: 'Create an instance profile. One that exists is left as it is.',
    example: 'boto_iam.create_instance_profile myiprofile',
    args: named('Name of the instance profile'),
    returns: DONE,
    run: async (ctx, { name, ...login }) =>
      (await isThere(ctx, login, 'InstanceProfile', name)) ||
      isDone(ctx, login, 'CreateInstanceProfile', { InstanceProfileName: name }),
  }),
  delete_instance_profile: changes({
    doc: 'Delete an instance profile. One that does not exist counts as deleted.',
    example: 'boto_iam.delete_instance_profile myiprofile',
    args: named('Name of the instance profile'),
    returns: DONE,
    run: async (ctx, { name, ...login }) =>
      !(await isThere(ctx, login, 'InstanceProfile', name)) ||
      isDone(ctx, login, 'DeleteInstanceProfile', { InstanceProfileName: name }),
  }),
  profile_associated: reads({
    doc: 'Return whether an instance profile has a role.',
    example: 'boto_iam.profile_associated myirole myiprofile',
    args: { role_name: ROLE, profile_name: PROFILE, ...LOGIN },
    returns: ret.boolean('Whether it has'),
    run: (ctx, { role_name, profile_name, ...login }) => isAssociated(ctx, login, role_name, profile_name),
  }),
  associate_profile_to_role: changes({
    doc: 'Add a role to an instance profile.',
    example: 'boto_iam.associate_profile_to_role myprofile myirole',
    args: { profile_name: PROFILE, role_name: ROLE, ...LOGIN },
    returns: DONE,
    run: async (ctx, { profile_name: InstanceProfileName, role_name: RoleName, ...login }) =>
      (await isAssociated(ctx, login, RoleName, InstanceProfileName)) ||
      isDone(ctx, login, 'AddRoleToInstanceProfile', { InstanceProfileName, RoleName }),
  }),
  disassociate_profile_from_role: changes({
    doc: 'Remove a role from an instance profile.',
    example: 'boto_iam.disassociate_profile_from_role myprofile myirole',
    args: { profile_name: PROFILE, role_name: ROLE, ...LOGIN },
    returns: ret.boolean('Whether it is done; False where one of them does not exist'),
    run: async (ctx, { profile_name: InstanceProfileName, role_name: RoleName, ...login }) => {
      if (!(await isThere(ctx, login, 'Role', RoleName))) return false
      if (!(await isThere(ctx, login, 'InstanceProfile', InstanceProfileName))) return false
      if (!(await isAssociated(ctx, login, RoleName, InstanceProfileName))) return true
      return isDone(ctx, login, 'RemoveRoleFromInstanceProfile', { InstanceProfileName, RoleName })
    },
  }),
  get_all_instance_profiles: reads({
    doc: 'Return all instance profiles.',
    args: { path_prefix: PREFIX, ...LOGIN },
    returns: ret.dicts('The instance profiles'),
    run: (ctx, { path_prefix: PathPrefix, ...login }) =>
      list(ctx, login, 'ListInstanceProfiles', 'InstanceProfiles', { PathPrefix }),
  }),
  list_instance_profiles: reads({
    doc: 'Return the names of all instance profiles.',
    args: { path_prefix: PREFIX, ...LOGIN },
    returns: ret.texts('The names'),
    run: async (ctx, { path_prefix: PathPrefix, ...login }) => {
      const profiles = await list(ctx, login, 'ListInstanceProfiles', 'InstanceProfiles', { PathPrefix })
      return profiles.map((profile) => entry(profile, 'instance_profile_name'))
    },
  }),
}
