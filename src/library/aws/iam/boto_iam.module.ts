// Users, groups, roles, instance profiles and policies of IAM by Salt's names.
import { defineModule, reads, ret } from '../../../sdk/mod.ts'
import { LOGIN } from '../common/login.ts'
import { ACCOUNT } from './account-functions.ts'
import { accountId } from './iam.ts'
import {
  attachPolicy,
  deletePolicy,
  detachPolicy,
  getPolicy,
  listAttached,
  listPolicies,
  putPolicy,
} from './owner-functions.ts'
import { POLICIES } from './policy-functions.ts'
import { PROFILES, ROLES } from './role-functions.ts'
import { GROUPS, USERS } from './user-functions.ts'

export default defineModule({
  name: 'boto_iam',
  doc: 'Manage users, groups, roles, instance profiles, policies, certificates and SAML providers of IAM.',
  functions: {
    ...USERS,
    ...GROUPS,
    ...ROLES,
    ...PROFILES,
    ...POLICIES,
    ...ACCOUNT,
    get_account_id: reads({
      doc: 'Return the number of the account.',
      args: LOGIN,
      returns: ret.string('The number'),
      run: (ctx, login) => accountId(ctx, login),
    }),
    get_user_policy: getPolicy('User'),
    put_user_policy: putPolicy('User', 'put_user_policy', 'policy_json'),
    delete_user_policy: deletePolicy('User'),
    get_all_user_policies: listPolicies('User', 'get_all_user_policies'),
    get_group_policy: getPolicy('Group'),
    put_group_policy: putPolicy('Group', 'put_group_policy', 'policy_json'),
    delete_group_policy: deletePolicy('Group'),
    get_all_group_policies: listPolicies('Group', 'get_all_group_policies'),
    get_role_policy: getPolicy('Role'),
    create_role_policy: putPolicy('Role', 'create_role_policy', 'policy'),
    delete_role_policy: deletePolicy('Role'),
    list_role_policies: listPolicies('Role', 'list_role_policies'),
    attach_user_policy: attachPolicy('User'),
    detach_user_policy: detachPolicy('User'),
    list_attached_user_policies: listAttached('User'),
    attach_group_policy: attachPolicy('Group'),
    detach_group_policy: detachPolicy('Group'),
    list_attached_group_policies: listAttached('Group'),
    attach_role_policy: attachPolicy('Role'),
    detach_role_policy: detachPolicy('Role'),
    list_attached_role_policies: listAttached('Role'),
  },
})
