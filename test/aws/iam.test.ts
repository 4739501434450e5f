// The module boto_iam and the states boto_iam and boto_iam_role against moto, and against answers recorded from it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { AwsCalls } from './calls.ts'
import { awsCli } from './cli.ts'
import { type AwsService, awsService, hasMoto, ways, withoutMoto } from './service.ts'

describe.each(ways())('IAM, %s', (way) => {
  let service: AwsService
  let calls: AwsCalls
  beforeAll(async () => {
    service = await awsService(way, 'iam')
    calls = new AwsCalls(service.url)
  })
  afterAll(() => service.close())

  const call = (name: string, given?: Plain) => calls.call(name, given)
  const policy = (action: string) => ({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: [action], Resource: '*' }],
  })

  test('users have keys, a password and devices', async () => {
    const user_name = 'ann'
    expect(await call('boto_iam.get_user', { user_name })).toBe(false)
    expect(await call('boto_iam.create_user', { user_name })).toBe(true)
    expect(await call('boto_iam.create_user', { user_name })).toBe(true)
    expect(await call('boto_iam.get_user', { user_name })).toMatchObject({
      get_user_response: { get_user_result: { user: { user_name: 'ann', path: '/' } } },
    })
    expect(await call('boto_iam.get_all_users')).toMatchObject([{ user_name: 'ann' }])
    const made = (await call('boto_iam.create_access_key', { user_name })) as Record<string, Record<string, Plain>>
    expect(made).toMatchObject({
      create_access_key_response: { create_access_key_result: { access_key: { user_name: 'ann' } } },
    })
    const result = made['create_access_key_response']!['create_access_key_result'] as Record<
      string,
      Record<string, string>
    >
    const access_key_id = result['access_key']!['access_key_id']!
    const keys = await call('boto_iam.get_all_access_keys', { user_name })
    expect(keys).toMatchObject({
      list_access_keys_response: { list_access_keys_result: { access_key_metadata: [{ access_key_id }] } },
    })
    expect(await call('boto_iam.delete_access_key', { user_name, access_key_id })).toMatchObject({
      delete_access_key_response: {},
    })
    expect(await call('boto_iam.create_access_key', { user_name: 'nobody' })).toContain('NoSuchEntity')
    const login = { user_name, password: 'Long-enough-1' }
    expect(await call('boto_iam.create_login_profile', login)).toMatchObject({ create_login_profile_response: {} })
    expect(await call('boto_iam.create_login_profile', login)).toBe('Conflict')
    expect(await call('boto_iam.delete_login_profile', { user_name })).toBe(true)
    expect(await call('boto_iam.delete_login_profile', { user_name })).toBe(true)
    expect(await call('boto_iam.get_all_mfa_devices', { user_name })).toEqual([])
    expect(await call('boto_iam.deactivate_mfa_device', { user_name, serial: 'arn:aws:iam::1:mfa/none' })).toBe(true)
    expect(await call('boto_iam.delete_virtual_mfa_device', { serial: 'arn:aws:iam::1:mfa/none' })).toBe(true)
    expect(await call('boto_iam.get_account_id')).toMatch(/^\d{12}$/)
  })

  test('groups have members', async () => {
    const group_name = 'ops'
    const both = { group_name, user_name: 'ann' }
    expect(await call('boto_iam.get_group', { group_name })).toBe(false)
    expect(await call('boto_iam.create_group', { group_name })).toBe(true)
    expect(await call('boto_iam.get_group', { group_name })).toMatchObject({ group_name, path: '/' })
    expect(await call('boto_iam.get_all_groups')).toMatchObject([{ group_name }])
    expect(await call('boto_iam.get_group_members', { group_name })).toEqual([])
    expect(await call('boto_iam.add_user_to_group', both)).toMatchObject({ add_user_to_group_response: {} })
    expect(await call('boto_iam.add_user_to_group', both)).toBe(true)
    expect(await call('boto_iam.user_exists_in_group', both)).toBe(true)
    expect(await call('boto_iam.get_group_members', { group_name })).toMatchObject([{ user_name: 'ann' }])
    expect(await call('boto_iam.remove_user_from_group', both)).toMatchObject({ remove_user_from_group_response: {} })
    expect(await call('boto_iam.remove_user_from_group', both)).toBe(true)
    expect(await call('boto_iam.get_group_members', { group_name: 'none' })).toBe(false)
  })

  test('roles and instance profiles belong together', async () => {
    const both = { role_name: 'web', profile_name: 'web' }
    expect(await call('boto_iam.role_exists', { name: 'web' })).toBe(false)
    expect(await call('boto_iam.describe_role', { name: 'web' })).toBe(false)
    expect(await call('boto_iam.create_role', { name: 'web' })).toBe(true)
    const machines = await call('boto_iam.build_policy')
    expect(machines).toMatchObject({ Statement: [{ Principal: { Service: 'ec2.amazonaws.com' } }] })
    expect(await call('boto_iam.describe_role', { name: 'web' })).toMatchObject({
      role_name: 'web',
      assume_role_policy_document: machines as object,
    })
    expect(await call('boto_iam.get_all_roles')).toMatchObject([{ role_name: 'web' }])
    const trust = { ...(machines as object), Version: '2012-10-17' }
    expect(await call('boto_iam.update_assume_role_policy', { role_name: 'web', policy_document: trust })).toBe(true)
    expect(await call('boto_iam.create_instance_profile', { name: 'web' })).toBe(true)
    expect(await call('boto_iam.instance_profile_exists', { name: 'web' })).toBe(true)
    expect(await call('boto_iam.profile_associated', both)).toBe(false)
    expect(await call('boto_iam.associate_profile_to_role', both)).toBe(true)
    expect(await call('boto_iam.profile_associated', both)).toBe(true)
    expect(await call('boto_iam.list_instance_profiles')).toEqual(['web'])
    expect(await call('boto_iam.get_all_instance_profiles')).toMatchObject([{ roles: [{ role_name: 'web' }] }])
    expect(await call('boto_iam.disassociate_profile_from_role', both)).toBe(true)
    expect(await call('boto_iam.delete_instance_profile', { name: 'web' })).toBe(true)
  })

  test('managed policies have versions', async () => {
    const policy_name = 'read'
    expect(await call('boto_iam.policy_exists', { policy_name })).toBe(false)
    expect(await call('boto_iam.get_policy', { policy_name })).toBe(null)
    expect(await call('boto_iam.create_policy', { policy_name, policy_document: policy('s3:Get*') })).toBe(true)
    expect(await call('boto_iam.get_policy', { policy_name })).toMatchObject({
      policy: { policy_name, default_version_id: 'v1' },
    })
    expect(JSON.stringify(await call('boto_iam.list_policies'))).toContain(':policy/read"')
    const more = { policy_name, policy_document: policy('s3:*'), set_as_default: true }
    expect(await call('boto_iam.create_policy_version', more)).toEqual({ created: true, version_id: 'v2' })
    expect(await call('boto_iam.create_policy_version', { ...more, policy_name: 'none' })).toMatchObject({
      created: false,
    })
    expect(await call('boto_iam.list_policy_versions', { policy_name })).toHaveLength(2)
    expect(await call('boto_iam.set_default_policy_version', { policy_name, version_id: 'v1' })).toBe(true)
    const found = (await call('boto_iam.get_policy_version', { policy_name, version_id: 'v2' })) as Record<
      string,
      Record<string, string>
    >
    expect(JSON.parse(found['policy_version']!['document']!)).toEqual(policy('s3:*'))
    expect(await call('boto_iam.delete_policy_version', { policy_name, version_id: 'v2' })).toBe(true)
    expect(await call('boto_iam.policy_version_exists', { policy_name, version_id: 'v2' })).toBe(false)
  })

  test.each([
    {
      kind: 'user',
      name: 'ann',
      field: 'policy_json',
      put: 'boto_iam.put_user_policy',
      get: 'boto_iam.get_user_policy',
      list: 'boto_iam.get_all_user_policies',
      remove: 'boto_iam.delete_user_policy',
      attach: 'boto_iam.attach_user_policy',
      detach: 'boto_iam.detach_user_policy',
      attached: 'boto_iam.list_attached_user_policies',
    },
    {
      kind: 'group',
      name: 'ops',
      field: 'policy_json',
      put: 'boto_iam.put_group_policy',
      get: 'boto_iam.get_group_policy',
      list: 'boto_iam.get_all_group_policies',
      remove: 'boto_iam.delete_group_policy',
      attach: 'boto_iam.attach_group_policy',
      detach: 'boto_iam.detach_group_policy',
      attached: 'boto_iam.list_attached_group_policies',
    },
    {
      kind: 'role',
      name: 'web',
      field: 'policy',
      put: 'boto_iam.create_role_policy',
      get: 'boto_iam.get_role_policy',
      list: 'boto_iam.list_role_policies',
      remove: 'boto_iam.delete_role_policy',
      attach: 'boto_iam.attach_role_policy',
      detach: 'boto_iam.detach_role_policy',
      attached: 'boto_iam.list_attached_role_policies',
    },
  ])('a $kind has policies within it and attached to it', async ({ kind, name, field, ...funs }) => {
    const owner = { [`${kind}_name`]: name }
    const inside = { ...owner, policy_name: 'own' }
    expect(await call(funs.put, { ...inside, [field]: policy('s3:Get*') })).toBe(true)
    expect(await call(funs.get, inside)).toEqual(policy('s3:Get*'))
    expect(await call(funs.list, owner)).toEqual(['own'])
    expect(await call(funs.remove, inside)).toBe(true)
    expect(await call(funs.remove, inside)).toBe(true)
    expect(await call(funs.list, owner)).toEqual([])
    const read = { ...owner, policy_name: 'read' }
    expect(await call(funs.attach, read)).toBe(true)
    expect(await call(funs.attached, owner)).toMatchObject([{ policy_name: 'read' }])
    const entities = (await call('boto_iam.list_entities_for_policy', { policy_name: 'read' })) as Record<string, Plain>
    expect(entities[`policy_${kind}s`]).toMatchObject([owner])
    expect(await call(funs.detach, read)).toBe(true)
    expect(await call(funs.detach, read)).toBe(false)
  })

  test('users, groups, roles and policies are deleted', async () => {
    expect(await call('boto_iam.delete_user', { user_name: 'ann' })).toBe(true)
    expect(await call('boto_iam.delete_group', { group_name: 'ops' })).toBe(true)
    expect(await call('boto_iam.delete_role', { name: 'web' })).toBe(true)
    expect(await call('boto_iam.delete_policy', { policy_name: 'read' })).toBe(true)
    expect(await call('boto_iam.delete_policy', { policy_name: 'read' })).toBe(true)
  })

  test('a policy, a user and a group are as their states say', async () => {
    const managed = { name: 'list', policy_document: policy('s3:List*') }
    const made = await calls.apply('boto_iam.policy_present', managed)
    expect(made.foreseen).toMatchObject({ result: null, comment: 'IAM policy list is set to be created.' })
    const other = await calls.apply('boto_iam.policy_present', { ...managed, policy_document: policy('s3:Get*') })
    expect(other.foreseen.comment).toBe('Policy list set to be modified.')
    expect(other.done.changes['old']!['document']).toContain('s3:List*')
    const user = {
      name: 'bob',
      policies: { own: policy('s3:Get*') },
      managed_policies: ['list'],
      password: 'Long-pw-1',
    }
    const bob = await calls.apply('boto_iam.user_present', user)
    expect(bob.foreseen).toMatchObject({ result: null, comment: 'IAM user bob is set to be created.' })
    expect(bob.done.comment).toContain(' User bob has been created. Password has been added to User bob.')
    expect(bob.done.changes).toMatchObject({ user: true, password: 'REDACTED', new: { policies: ['own'] } })
    const fewer = await calls.apply('boto_iam.user_present', { name: 'bob' })
    expect(fewer.foreseen.comment).toContain('own policies to be modified on user bob.')
    expect(fewer.done.changes['new']).toEqual({ policies: [], managed_policies: [] })
    const group = { name: 'dev', users: ['bob'], managed_policies: ['list'], policies: { own: policy('s3:Get*') } }
    const dev = await calls.apply('boto_iam.group_present', group)
    expect(dev.done.comment).toContain('User bob has been added to group dev.')
    const empty = await calls.apply('boto_iam.group_present', { ...group, users: [] })
    expect(empty.foreseen.comment).toContain('User bob is set to be removed from group dev.')
    const gone = await calls.apply('boto_iam.group_absent', { name: 'dev' })
    expect(gone.done).toMatchObject({ comment: expect.stringContaining('IAM group dev is deleted.') })
    await call('boto_iam.create_access_key', { user_name: 'bob' })
    const left = await calls.apply('boto_iam.user_absent', { name: 'bob' })
    expect(left.foreseen.comment).toMatch(
      /Key \w+ is set to be deleted\. IAM user bob login profile is set to be deleted\./,
    )
    expect(left.done.changes).toMatchObject({ deleted: 'bob' })
    const none = await calls.apply('boto_iam.policy_absent', { name: 'list' })
    expect(none.done).toMatchObject({ comment: 'Policy list deleted.', changes: { new: { policy: null } } })
  })

  test('a role is as its state says', async () => {
    const made = await calls.apply('boto_iam_role.present', { name: 'app', policies: { own: policy('s3:Get*') } })
    expect(made.foreseen.comment).toContain('IAM role app is set to be created.')
    expect(made.done.comment).toBe(
      ' IAM role app created. Instance profile app created. Instance profile app associated. own policies modified on role app. ',
    )
    const trust = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Principal: '*', Action: 'sts:AssumeRole' }] }
    const other = await calls.apply('boto_iam_role.present', { name: 'app', policy_document: trust })
    expect(other.foreseen.comment).toContain('app role present. Assume role policy document to be updated.')
    expect(other.done.changes['new']).toMatchObject({ policy_document: trust, policies: [] })
    const gone = await calls.apply('boto_iam_role.absent', { name: 'app' })
    expect(gone.foreseen.result).toBe(null)
    expect(gone.done.changes).toMatchObject({ old: { role: 'app', instance_profile: 'app' }, new: { role: null } })
    expect(gone.again.comment).toContain('app role does not exist.')
  })

  test.runIf(way === 'moto')('aws-cli and the module see the same', async () => {
    const aws = awsCli(service.url)
    await calls.run('boto_iam_role.present', { name: 'ours', policies: { own: policy('s3:Get*') } }, false)
    const role = await aws('iam', 'get-role-policy', '--role-name', 'ours', '--policy-name', 'own')
    expect(role.PolicyDocument).toEqual(policy('s3:Get*'))
    await aws('iam', 'create-user', '--user-name', 'theirs')
    expect(await call('boto_iam.get_all_users')).toMatchObject([{ user_name: 'theirs' }])
  })
})

test.skipIf(hasMoto())(`IAM against moto (${withoutMoto})`, (ctx) => ctx.skip())
