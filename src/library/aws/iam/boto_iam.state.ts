// Users, groups and managed policies of IAM as states.
import { type Dict, dumpJson, isDict, isList, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { type Part, Parts } from '../common/part.ts'
import { unordered } from '../common/unordered.ts'
import { accountStates } from './account-states.ts'
import { ask, inlinePolicies, managedPolicies, noPolicies, type Owner, wantedPolicies } from './state-parts.ts'

const USER = arg.text('Name of the user')
const GROUP = arg.text('Name of the group')

const OWN = {
  policies: arg.dict('Policies within it by name', { optional: true }),
  policies_from_pillars: arg.list('Pillars with more of them', { optional: true }),
  managed_policies: arg.words('Names or ARNs of managed policies', { optional: true }),
}

const one = (name: string, value: Value): Dict => new Map([[name, value]])

const dictAt = (value: Value, ...path: string[]): Value =>
  path.reduce<Value>((at, name) => (isDict(at) ? (at.get(name) ?? null) : null), value)

async function password(ctx: StateContext, user: string, secret: string, login: AwsLogin): Promise<Part> {
  if (ctx.test) return { result: null, comment: `Login policy for ${user} is set to be changed.` }
  const made = await ask(ctx, 'create_login_profile', login, { user_name: user, password: secret })
  if (made === 'Conflict') return { result: true, comment: `Login profile for user ${user} exists.` }
  if (truthy(made))
    return { result: true, comment: `Password has been added to User ${user}.`, changes: one('password', 'REDACTED') }
  const comment = `Password for user ${user} could not be set.\nPlease check your password policy.`
  return { result: false, comment }
}

async function noKeys(ctx: StateContext, user: string, login: AwsLogin): Promise<Part[]> {
  const answer = await ask(ctx, 'get_all_access_keys', login, { user_name: user })
  const keys = dictAt(answer, 'list_access_keys_response', 'list_access_keys_result', 'access_key_metadata')
  const parts: Part[] = []
  for (const key of isList(keys) ? keys : []) {
    const id = str(dictAt(key, 'access_key_id'))
    if (ctx.test) {
      parts.push({ result: null, comment: `Key ${id} is set to be deleted.` })
      continue
    }
    const gone = await ask(ctx, 'delete_access_key', login, { access_key_id: id, user_name: user })
    if (isDict(gone)) parts.push({ result: true, comment: `Key ${id} has been deleted.`, changes: one(id, 'deleted') })
    else parts.push({ result: false, comment: `Key ${id} could not be deleted.` })
  }
  return parts
}

async function noDevices(ctx: StateContext, user: string, login: AwsLogin): Promise<Part[]> {
  const devices = await ask(ctx, 'get_all_mfa_devices', login, { user_name: user })
  const parts: Part[] = []
  for (const device of isList(devices) ? devices : []) {
    const serial = str(dictAt(device, 'serial_number'))
    const begin = `IAM user ${user} MFA device ${serial} is`
    if (ctx.test) {
      parts.push({ result: null, comment: `${begin} set to be deactivated.` })
      parts.push({ result: null, comment: `Virtual MFA device ${serial} is set to be deleted.` })
      continue
    }
    if (truthy(await ask(ctx, 'deactivate_mfa_device', login, { user_name: user, serial })))
      parts.push({ result: true, comment: `${begin} deactivated.` })
    if (truthy(await ask(ctx, 'delete_virtual_mfa_device', login, { serial })))
      parts.push({ result: true, comment: `Virtual MFA device ${serial} is deleted.` })
  }
  return parts
}

async function noPassword(ctx: StateContext, user: string, login: AwsLogin): Promise<Part[]> {
  const begin = `IAM user ${user} login profile is`
  if (ctx.test) return [{ result: null, comment: `${begin} set to be deleted.` }]
  const isGone = truthy(await ask(ctx, 'delete_login_profile', login, { user_name: user }))
  return isGone ? [{ result: true, comment: `${begin} deleted.` }] : []
}

async function userGone(ctx: StateContext, user: string, login: AwsLogin): Promise<Part[]> {
  if (ctx.test) return [{ result: null, comment: `IAM user ${user} is set to be deleted.` }]
  const gone = await ask(ctx, 'delete_user', login, { user_name: user })
  return gone === true
    ? [{ result: true, comment: `IAM user ${user} is deleted.`, changes: one('deleted', user) }]
    : [{ result: false, comment: `IAM user ${user} could not be deleted.\n ${str(gone)}` }]
}

/** Ensure that exactly the given users are in a group. */
async function members(ctx: StateContext, group: string, wanted: readonly string[], login: AwsLogin): Promise<Part[]> {
  const found = await ask(ctx, 'get_group_members', login, { group_name: group })
  const present = (isList(found) ? found : []).map((user) => str(dictAt(user, 'user_name')))
  const parts: Part[] = []
  for (const user of wanted) {
    const given = { user_name: user, group_name: group }
    if (present.includes(user))
      parts.push({ result: true, comment: `User ${user} is already a member of group ${group}.` })
    else if (ctx.test) parts.push({ result: null, comment: `User ${user} is set to be added to group ${group}.` })
    else if (truthy(await ask(ctx, 'add_user_to_group', login, given)))
      parts.push({
        result: true,
        comment: `User ${user} has been added to group ${group}.`,
        changes: one(user, group),
      })
    else parts.push({ result: false, comment: `User ${user} could not be added to group ${group}.` })
  }
  for (const user of present.filter((name) => !wanted.includes(name))) {
    const given = { user_name: user, group_name: group }
    const changes = one(user, `Removed from group ${group}.`)
    if (ctx.test) parts.push({ result: null, comment: `User ${user} is set to be removed from group ${group}.` })
    else if (truthy(await ask(ctx, 'remove_user_from_group', login, given)))
      parts.push({ result: true, comment: `User ${user} has been removed from group ${group}.`, changes })
    else parts.push({ result: false, comment: `User ${user} could not be removed from group ${group}.` })
  }
  return parts
}

async function groupGone(ctx: StateContext, group: string, login: AwsLogin): Promise<Part[]> {
  if (ctx.test) return [{ result: null, comment: `IAM group ${group} is set to be deleted.` }]
  return truthy(await ask(ctx, 'delete_group', login, { group_name: group }))
    ? [{ result: true, comment: `IAM group ${group} is deleted.`, changes: one('deleted', group) }]
    : [{ result: false, comment: `IAM group ${group} could not be deleted.` }]
}

/** Go through steps until one fails. */
async function all(name: string, steps: readonly (() => Promise<Part[]>)[]) {
  const parts = new Parts()
  for (const step of steps) {
    const done = await step()
    for (const part of done) parts.add(part)
    if (done.some(({ result }) => result === false)) break
  }
  return parts.report(name)
}

async function isKept(ctx: StateContext, owner: Owner, path: string | null): Promise<Part> {
  const { kind, name, login } = owner
  const word = kind === 'user' ? 'User' : 'Group'
  if (truthy(await ask(ctx, `get_${kind}`, login, { [`${kind}_name`]: name })))
    return { result: true, comment: `${word} ${name} is present.` }
  if (ctx.test) return { result: null, comment: `IAM ${kind} ${name} is set to be created.` }
  if (!truthy(await ask(ctx, `create_${kind}`, login, { [`${kind}_name`]: name, path })))
    return { result: false, comment: `Failed to create IAM ${kind} ${name}.` }
  return { result: true, comment: `${word} ${name} has been created.`, changes: one(kind, true) }
}

const none = (name: string, comment: string) => ({ name, result: true, comment, changes: {} })

export default defineState({
  name: 'boto_iam',
  doc: 'Manage users, groups, policies, access keys, certificates and SAML providers of IAM.',
  functions: {
    user_present: state({
      doc: 'Ensure that a user exists, with exactly the given policies.',
      args: {
        name: USER,
        ...OWN,
        password: arg.text('Password for the console; one that is set is left', { optional: true, secret: true }),
        path: arg.text('Path; `/` unless given', { optional: true }),
        ...LOGIN,
      },
      run: async (
        ctx,
        { name, policies, policies_from_pillars, managed_policies, password: secret, path, ...login },
      ) => {
        const owner: Owner = { kind: 'user', name, login }
        const wanted = await wantedPolicies(ctx, policies, policies_from_pillars ?? [])
        const kept = await isKept(ctx, owner, path)
        if (kept.result !== true) return { name, result: kept.result, comment: kept.comment, changes: {} }
        return all(name, [
          async () => [kept],
          async () => (secret ? [await password(ctx, name, secret, login)] : []),
          async () => [await inlinePolicies(ctx, owner, wanted, true)],
          async () => [await managedPolicies(ctx, owner, managed_policies ?? [], true)],
        ])
      },
    }),
    user_absent: state({
      doc: 'Ensure that a user does not exist.',
      args: {
        name: USER,
        delete_keys: arg.flag('Whether access keys are deleted first', { default: true }),
        delete_mfa_devices: arg.flag('Whether devices are deactivated first', { default: true }),
        delete_profile: arg.flag('Whether the password is deleted first', { default: true }),
        ...LOGIN,
      },
      run: async (ctx, { name, delete_keys, delete_mfa_devices, delete_profile, ...login }) => {
        if (!truthy(await ask(ctx, 'get_user', login, { user_name: name })))
          return none(name, `IAM User ${name} does not exist.`)
        return all(name, [
          async () => (delete_keys ? noKeys(ctx, name, login) : []),
          async () => (delete_mfa_devices ? noDevices(ctx, name, login) : []),
          async () => (delete_profile ? noPassword(ctx, name, login) : []),
          () => noPolicies(ctx, { kind: 'user', name, login }),
          () => userGone(ctx, name, login),
        ])
      },
    }),
    group_present: state({
      doc: 'Ensure that a group exists, with exactly the given policies and users.',
      args: {
        name: GROUP,
        ...OWN,
        users: arg.list('Users in it; not looked at unless given', { optional: true }),
        path: arg.text('Path', { default: '/' }),
        ...LOGIN,
        delete_policies: arg.flag('Whether other policies are deleted and detached', { default: true }),
      },
      run: async (ctx, given) => {
        const { name, path, region, key, keyid, profile, delete_policies } = given
        const login = { region, key, keyid, profile }
        const owner: Owner = { kind: 'group', name, login }
        const wanted = await wantedPolicies(ctx, given.policies, given.policies_from_pillars ?? [])
        const kept = await isKept(ctx, owner, path)
        if (kept.result !== true) return { name, result: kept.result, comment: kept.comment, changes: {} }
        return all(name, [
          async () => [kept],
          async () => [await inlinePolicies(ctx, owner, wanted, delete_policies)],
          async () => [await managedPolicies(ctx, owner, given.managed_policies ?? [], delete_policies)],
          async () => (given.users === null ? [] : members(ctx, name, given.users.map(str), login)),
        ])
      },
    }),
    group_absent: state({
      doc: 'Ensure that a group does not exist.',
      args: { name: GROUP, ...LOGIN },
      run: async (ctx, { name, ...login }) => {
        if (!truthy(await ask(ctx, 'get_group', login, { group_name: name })))
          return none(name, `IAM Group ${name} does not exist.`)
        return all(name, [
          () => noPolicies(ctx, { kind: 'group', name, login }),
          () => members(ctx, name, [], login),
          () => groupGone(ctx, name, login),
        ])
      },
    }),
    policy_present: state({
      doc: 'Ensure that a managed policy exists, with the given document in force.',
      args: {
        name: arg.text('Name of the policy'),
        policy_document: arg.any('The policy, or JSON of it'),
        path: arg.text('Path', { optional: true }),
        description: arg.text('What it is for', { optional: true }),
        ...LOGIN,
      },
      run: (ctx, { name, policy_document, path, description, ...login }) => {
        const wanted = typeof policy_document === 'string' ? loadJson(policy_document) : policy_document
        return ensure<'missing' | { old: string; version: string }>(ctx, {
          name,
          look: async () => {
            const policy = await ask(ctx, 'get_policy', login, { policy_name: name })
            if (!truthy(policy)) return 'missing'
            const version = str(dictAt(policy, 'policy', 'default_version_id'))
            const found = await ask(ctx, 'get_policy_version', login, { policy_name: name, version_id: version })
            const old = str(dictAt(found, 'policy_version', 'document'))
            const isSame = unordered(loadJson(old)) === unordered(wanted)
            return isSame ? settled(` Policy ${name} is present.`) : { old, version }
          },
          foresee: (gap) =>
            gap === 'missing' ? `IAM policy ${name} is set to be created.` : `Policy ${name} set to be modified.`,
          act: async (gap) => {
            if (gap === 'missing') {
              const given = { policy_name: name, policy_document: wanted, path, description }
              return truthy(await ask(ctx, 'create_policy', login, given))
                ? changed(` Policy ${name} has been created.`, { policy: true })
                : failed('Failed to update policy.')
            }
            const document = dumpJson(wanted)
            const given = { policy_name: name, policy_document: document, set_as_default: true }
            const made = await ask(ctx, 'create_policy_version', login, given)
            if (!truthy(dictAt(made, 'created')))
              return failed(`Failed to update policy: ${str(dictAt(made, 'error', 'message'))}.`)
            await ask(ctx, 'delete_policy_version', login, { policy_name: name, version_id: gap.version })
            const comment = ` Policy ${name} is present. Policy to be modified`
            return changed(comment, { new: { document }, old: { document: gap.old } })
          },
        })
      },
    }),
    policy_absent: state({
      doc: 'Ensure that a managed policy does not exist.',
      args: { name: arg.text('Name of the policy'), ...LOGIN },
      run: (ctx, { name, ...login }) => {
        const given = { policy_name: name }
        return ensure(ctx, {
          name,
          look: async () =>
            truthy(await ask(ctx, 'policy_exists', login, given)) ? 'there' : settled(`Policy ${name} does not exist.`),
          foresee: () => `Policy ${name} is set to be removed.`,
          act: async () => {
            const versions = await ask(ctx, 'list_policy_versions', login, given)
            for (const version of isList(versions) ? versions : []) {
              if (dictAt(version, 'is_default_version') === 'true') continue
              const version_id = dictAt(version, 'version_id')
              if (!truthy(await ask(ctx, 'delete_policy_version', login, { ...given, version_id })))
                return failed(`Failed to delete policy ${name}.`)
            }
            if (!truthy(await ask(ctx, 'delete_policy', login, given)))
              return failed(`Failed to delete policy ${name}.`)
            return changed(`Policy ${name} deleted.`, { old: { policy: name }, new: { policy: null } })
          },
        })
      },
    }),
    ...accountStates,
  },
})
