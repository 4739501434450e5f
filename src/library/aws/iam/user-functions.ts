// Functions of boto_iam about users and groups.
import type { Value } from '../../../data/mod.ts'
import { arg, changes, reads, ret } from '../../../sdk/mod.ts'
import { unlessFault } from '../common/errors.ts'
import { LOGIN } from '../common/login.ts'
import { entry, find, iamOf, isDone, list, membersOf, PREFIX, shaped, whole } from './iam.ts'

const USER = arg.text('Name of the user')
const GROUP = arg.text('Name of the group')
const PATH = arg.text('Path; `/` unless given', { optional: true })
const DONE = ret.boolean('Whether it is done')
const SERIAL = arg.text('Serial number of the device')

export const USERS = {
  create_user: changes({
    doc: 'Create a user. One that exists is left as it is.',
    example: 'boto_iam.create_user myuser',
    args: { user_name: USER, path: PATH, ...LOGIN },
    returns: DONE,
    run: async (ctx, { user_name: UserName, path, ...login }) => {
      if ((await find(ctx, login, 'GetUser', { UserName })) !== undefined) return true
      return isDone(ctx, login, 'CreateUser', { UserName, Path: path || '/' })
    },
  }),
  get_user: reads({
    doc: 'Return a user; the one of the key unless a name is given.',
    example: 'boto_iam.get_user myuser',
    args: { user_name: arg.text('Name of the user', { optional: true }), ...LOGIN },
    returns: ret.any('`get_user_response`, or False where there is none'),
    run: async (ctx, { user_name: UserName, ...login }) => {
      const answer = await find(ctx, login, 'GetUser', { UserName })
      return answer === undefined ? false : whole(answer)
    },
  }),
  get_all_users: reads({
    doc: 'Return all users.',
    args: { path_prefix: PREFIX, ...LOGIN },
    returns: ret.dicts('The users'),
    run: (ctx, { path_prefix: PathPrefix, ...login }) => list(ctx, login, 'ListUsers', 'Users', { PathPrefix }),
  }),
  delete_user: changes({
    doc: 'Delete a user. One that does not exist counts as deleted.',
    example: 'boto_iam.delete_user myuser',
    args: { user_name: USER, ...LOGIN },
    returns: ret.any('True, or what AWS says against it'),
    run: async (ctx, { user_name: UserName, ...login }) => {
      if ((await find(ctx, login, 'GetUser', { UserName })) === undefined) return true
      const gone = iamOf(ctx, login)
        .query('DeleteUser', { UserName })
        .then(() => true)
      return unlessFault<boolean, Value>(gone, (error) => error.message)
    },
  }),
  get_all_access_keys: reads({
    doc: 'Return the access keys of a user, without their secret parts.',
    example: 'boto_iam.get_all_access_keys myuser',
    args: {
      user_name: USER,
      marker: arg.text('Where to go on', { optional: true }),
      max_items: arg.integer('How many at most', { optional: true }),
      ...LOGIN,
    },
    returns: ret.any('`list_access_keys_response`, or what AWS says against it'),
    run: (ctx, { user_name: UserName, marker: Marker, max_items: MaxItems, ...login }) =>
      unlessFault<Value, Value>(
        iamOf(ctx, login).query('ListAccessKeys', { UserName, Marker, MaxItems }).then(whole),
        (error) => error.message,
      ),
  }),
  create_access_key: changes({
    doc: 'Create an access key of a user, and return it with its secret part, which cannot be read later.',
    example: 'boto_iam.create_access_key myuser',
    args: { user_name: USER, ...LOGIN },
    returns: ret.any('`create_access_key_response`, or what AWS says against it'),
    run: (ctx, { user_name: UserName, ...login }) =>
      unlessFault<Value, Value>(
        iamOf(ctx, login).query('CreateAccessKey', { UserName }).then(whole),
        (error) => error.message,
      ),
  }),
  delete_access_key: changes({
    doc: 'Delete an access key.',
    example: 'boto_iam.delete_access_key AKIA… myuser',
    args: {
      access_key_id: arg.text('Id of the key'),
      user_name: arg.text('Name of the user', { optional: true }),
      ...LOGIN,
    },
    returns: ret.any('`delete_access_key_response`, or what AWS says against it'),
    run: (ctx, { access_key_id: AccessKeyId, user_name: UserName, ...login }) =>
      unlessFault<Value, Value>(
        iamOf(ctx, login).query('DeleteAccessKey', { AccessKeyId, UserName }).then(whole),
        (error) => error.message,
      ),
  }),
  create_login_profile: changes({
    doc: 'Give a user a password for the console.',
    example: 'boto_iam.create_login_profile myuser password',
    args: { user_name: USER, password: arg.text('The password', { secret: true }), ...LOGIN },
    returns: ret.any('`create_login_profile_response`, `Conflict` where there is one, or False'),
    run: async (ctx, { user_name: UserName, password: Password, ...login }) => {
      if ((await find(ctx, login, 'GetUser', { UserName })) === undefined) return false
      const made = iamOf(ctx, login).query('CreateLoginProfile', { UserName, Password }).then(whole)
      return unlessFault<Value, Value>(made, ({ fault }) => (fault.status === 409 ? 'Conflict' : false))
    },
  }),
  delete_login_profile: changes({
    doc: 'Take the password for the console from a user.',
    example: 'boto_iam.delete_login_profile myuser',
    args: { user_name: USER, ...LOGIN },
    returns: DONE,
    run: async (ctx, { user_name: UserName, ...login }) => {
      if ((await find(ctx, login, 'GetUser', { UserName })) === undefined) return false
      const gone = iamOf(ctx, login)
        .query('DeleteLoginProfile', { UserName })
        .then(() => true)
      return unlessFault(gone, ({ fault }) => fault.status === 404)
    },
  }),
  get_all_mfa_devices: reads({
    doc: 'Return the devices for multi-factor authentication of a user.',
    example: 'boto_iam.get_all_mfa_devices myuser',
    args: { user_name: USER, ...LOGIN },
    returns: ret.any('A list of dicts, or False where there is no such user'),
    run: (ctx, { user_name: UserName, ...login }) =>
      unlessFault<Value, Value>(list(ctx, login, 'ListMFADevices', 'MFADevices', { UserName }), () => false),
  }),
  deactivate_mfa_device: changes({
    doc: 'Deactivate a device for multi-factor authentication.',
    example: 'boto_iam.deactivate_mfa_device myuser serial_num',
    args: { user_name: USER, serial: SERIAL, ...LOGIN },
    returns: DONE,
    run: async (ctx, { user_name: UserName, serial: SerialNumber, ...login }) => {
      if ((await find(ctx, login, 'GetUser', { UserName })) === undefined) return false
      const gone = iamOf(ctx, login)
        .query('DeactivateMFADevice', { UserName, SerialNumber })
        .then(() => true)
      return unlessFault(gone, ({ fault }) => fault.status === 404)
    },
  }),
  delete_virtual_mfa_device: changes({
    doc: 'Delete a virtual device for multi-factor authentication.',
    example: 'boto_iam.delete_virtual_mfa_device serial_num',
    args: { serial: SERIAL, ...LOGIN },
    returns: DONE,
    run: (ctx, { serial: SerialNumber, ...login }) =>
      unlessFault(
        iamOf(ctx, login)
          .query('DeleteVirtualMFADevice', { SerialNumber })
          .then(() => true),
        ({ fault }) => fault.code === 'NoSuchEntity',
      ),
  }),
}

export const GROUPS = {
  create_group: changes({
    doc: 'Create a group. One that exists is left as it is.',
    example: 'boto_iam.create_group mygroup',
    args: { group_name: GROUP, path: PATH, ...LOGIN },
    returns: DONE,
    run: async (ctx, { group_name: GroupName, path, ...login }) => {
      if ((await find(ctx, login, 'GetGroup', { GroupName, MaxItems: 1 })) !== undefined) return true
      return isDone(ctx, login, 'CreateGroup', { GroupName, Path: path || '/' })
    },
  }),
  get_group: reads({
    doc: 'Return a group.',
    example: 'boto_iam.get_group mygroup',
    args: { group_name: GROUP, ...LOGIN },
    returns: ret.any('The group, or False where there is none'),
    run: async (ctx, { group_name: GroupName, ...login }) => {
      const group = (await find(ctx, login, 'GetGroup', { GroupName, MaxItems: 1 }))?.at('GetGroupResult.Group')
      return group === undefined ? false : shaped(group)
    },
  }),
  get_group_members: reads({
    doc: 'Return the users in a group.',
    example: 'boto_iam.get_group_members mygroup',
    args: { group_name: GROUP, ...LOGIN },
    returns: ret.any('A list of dicts, or False where there is no such group'),
    run: async (ctx, { group_name, ...login }): Promise<Value> => (await membersOf(ctx, login, group_name)) ?? false,
  }),
  user_exists_in_group: reads({
    doc: 'Return whether a user is in a group.',
    example: 'boto_iam.user_exists_in_group myuser mygroup',
    args: { user_name: USER, group_name: GROUP, ...LOGIN },
    returns: ret.boolean('Whether the user is in it'),
    run: async (ctx, { user_name, group_name, ...login }) =>
      ((await membersOf(ctx, login, group_name)) ?? []).some((user) => entry(user, 'user_name') === user_name),
  }),
  add_user_to_group: changes({
    doc: 'Add a user to a group.',
    example: 'boto_iam.add_user_to_group myuser mygroup',
    args: { user_name: USER, group_name: GROUP, ...LOGIN },
    returns: ret.any('`add_user_to_group_response`, True where the user is in it, or False'),
    run: async (ctx, { user_name: UserName, group_name: GroupName, ...login }): Promise<Value> => {
      const members = (await membersOf(ctx, login, GroupName)) ?? []
      if (members.some((user) => entry(user, 'user_name') === UserName)) return true
      const answer = await find(ctx, login, 'AddUserToGroup', { UserName, GroupName })
      return answer === undefined ? false : whole(answer)
    },
  }),
  remove_user_from_group: changes({
    doc: 'Remove a user from a group.',
    example: 'boto_iam.remove_user_from_group mygroup myuser',
    args: { group_name: GROUP, user_name: USER, ...LOGIN },
    returns: ret.any('`remove_user_from_group_response`, True where the user is not in it, or False'),
    run: async (ctx, { group_name: GroupName, user_name: UserName, ...login }): Promise<Value> => {
      if ((await find(ctx, login, 'GetUser', { UserName })) === undefined) return false
      const members = (await membersOf(ctx, login, GroupName)) ?? []
      if (!members.some((user) => entry(user, 'user_name') === UserName)) return true
      const answer = await find(ctx, login, 'RemoveUserFromGroup', { UserName, GroupName })
      return answer === undefined ? false : whole(answer)
    },
  }),
  get_all_groups: reads({
    doc: 'Return all groups.',
    args: { path_prefix: PREFIX, ...LOGIN },
    returns: ret.dicts('The groups'),
    run: (ctx, { path_prefix: PathPrefix, ...login }) => list(ctx, login, 'ListGroups', 'Groups', { PathPrefix }),
  }),
  delete_group: changes({
    doc: 'Delete a group. One that does not exist counts as deleted.',
    example: 'boto_iam.delete_group mygroup',
    args: { group_name: GROUP, ...LOGIN },
    returns: DONE,
    run: async (ctx, { group_name: GroupName, ...login }) => {
      if ((await find(ctx, login, 'GetGroup', { GroupName, MaxItems: 1 })) === undefined) return true
      return isDone(ctx, login, 'DeleteGroup', { GroupName })
    },
  }),
}
