// Databases of RDS as states.
import { isList, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { oldNew } from '../common/part.ts'
import { errorOf, hasCode } from '../common/state-calls.ts'
import { parameter_present } from './parameter-state.ts'
import { NO_INSTANCE } from './rds.ts'
import { GROUPS_BY_NAME, NEW_INSTANCE, OPERATION, REPLICA_SETTINGS, settings, TAGS, WAIT_STATUS } from './settings.ts'
import { ask } from './state-calls.ts'

const NAME = arg.text('Name of the instance')
const FORMER_TAGS = arg.any('Not looked at', { optional: true })

/** Read an instance, and end the state if it is, or is not, as wanted, or if AWS returns an error. */
async function look<T>(
  ctx: StateContext,
  name: string,
  login: AwsLogin,
  { there, missing }: { there: () => Promise<T | Verdict> | T | Verdict; missing: T | Verdict },
): Promise<T | Verdict> {
  const found = await ask(ctx, 'exists', login, { name })
  if (truthy(found.get('exists') ?? false)) return there()
  if (!found.has('error') || hasCode(found, NO_INSTANCE)) return missing
  return failed(`Failed to look for RDS instance ${name}: ${errorOf(found)}.`)
}

async function describe(ctx: StateContext, name: string, login: AwsLogin, jmespath: string): Promise<Value[]> {
  const given = { name, jmespath, ...loginOf(login) }
  const found: Value = await ctx.call('boto_rds.describe_db_instances', [], given)
  return isList(found) ? found : []
}

const INSTANCE = {
  ...NEW_INSTANCE,
  ...settings('db_name', 'storage_type', 'db_security_groups', 'vpc_security_group_ids'),
  vpc_security_groups: GROUPS_BY_NAME,
  ...settings(
    'availability_zone',
    'db_subnet_group_name',
    'preferred_maintenance_window',
    'db_parameter_group_name',
    'db_cluster_identifier',
    'tde_credential_arn',
    'tde_credential_password',
    'storage_encrypted',
  ),
  kms_keyid: arg.text('Key of KMS for encrypted storage', { optional: true }),
  ...OPERATION,
  wait_status: WAIT_STATUS,
  tags: TAGS,
  ...settings('copy_tags_to_snapshot'),
  region: LOGIN.region,
  ...settings('domain'),
  key: LOGIN.key,
  keyid: LOGIN.keyid,
  ...settings('monitoring_interval', 'monitoring_role_arn', 'domain_iam_role_name', 'promotion_tier'),
  profile: LOGIN.profile,
}

const present = state({
  doc: 'Ensure that a database instance exists. The settings of one that exists are not changed.',
  args: INSTANCE,
  run: (ctx, { region, key, keyid, profile, kms_keyid, ...given }) => {
    const login = { region, key, keyid, profile }
    const { name } = given
    return ensure(ctx, {
      name,
      look: () =>
        look<'missing'>(ctx, name, login, {
          there: () => settled(`RDS instance ${name} exists.`),
          missing: 'missing',
        }),
      foresee: () => `RDS instance ${name} would be created.`,
      act: async () => {
        const made = await ask(ctx, 'create', login, { ...given, kms_key_id: kms_keyid })
        if (!truthy(made.get('created') ?? false)) return failed(`Failed to create RDS instance ${errorOf(made)}.`)
        const instance = await describe(ctx, name, login, 'DBInstances[0]')
        return changed(`RDS instance ${name} created.`, { old: { instance: null }, new: { instance } })
      },
    })
  },
})

const REPLICA = {
  name: arg.text('Name of the replica'),
  source: arg.text('Name of the instance that it follows'),
  ...REPLICA_SETTINGS,
  tags: TAGS,
  ...LOGIN,
  ...settings('db_parameter_group_name'),
}

type Replica = Bound<typeof REPLICA>

type ReplicaGap = 'missing' | { present: Value; wanted: string }

/** Return the parameter group of a replica where it is another than the wanted one. */
async function otherGroup(ctx: StateContext, { name, db_parameter_group_name: wanted, ...login }: Replica) {
  if (wanted === null) return undefined
  const path = 'DBInstances[0].DBParameterGroups[0].DBParameterGroupName'
  const [present = null] = await describe(ctx, name, login, path)
  return present === wanted ? undefined : { present, wanted }
}

const replica_present = state({
  doc: 'Ensure that a read replica exists, with the given parameter group.',
  args: REPLICA,
  run: (ctx, replica) => {
    const { name, source, db_parameter_group_name: _group, region, key, keyid, profile, ...given } = replica
    const login = { region, key, keyid, profile }
    return ensure<ReplicaGap>(ctx, {
      name,
      look: () =>
        look<ReplicaGap>(ctx, name, login, {
          there: async () => (await otherGroup(ctx, replica)) ?? settled(`RDS replica ${name} exists.`),
          missing: 'missing',
        }),
      foresee: (gap) =>
        gap === 'missing'
          ? `RDS read replica ${name} is set to be created `
          : `Parameter group of RDS replica ${name} is set to be changed to ${gap.wanted}.`,
      act: async (gap) => {
        if (gap === 'missing') {
          const made = await ask(ctx, 'create_read_replica', login, { name, source_name: source, ...given })
          if (!truthy(made.get('exists') ?? false))
            return failed(`Failed to create RDS replica ${name}: ${str(made.get('message') ?? errorOf(made))}`)
        }
        const other = gap === 'missing' ? await otherGroup(ctx, replica) : gap
        if (other !== undefined) {
          const group = { name, db_parameter_group_name: other.wanted }
          const set = await ask(ctx, 'modify_db_instance', login, group)
          if (!truthy(set.get('modified') ?? false))
            return failed(`Failed to update parameter group of ${name} RDS instance: ${errorOf(set)}`)
        }
        if (gap !== 'missing') return changed(`RDS replica ${name} exists.`, oldNew(gap.present, gap.wanted))
        const instance = await describe(ctx, name, login, 'DBInstances[0]')
        return changed(`RDS replica ${name} created.`, { old: { instance: null }, new: { instance } })
      },
    })
  },
})

const absent = state({
  doc: 'Ensure that a database instance does not exist.',
  args: {
    name: NAME,
    skip_final_snapshot: arg.flag('Whether to make no last snapshot', { optional: true }),
    final_db_snapshot_identifier: arg.text('Name of the last snapshot', { optional: true }),
    tags: FORMER_TAGS,
    wait_for_deletion: arg.flag('Whether to wait until the instance is gone', { default: true }),
    timeout: arg.count('Seconds to wait; 180 means 420 where a last snapshot is made', { default: 180 }),
    ...LOGIN,
  },
  run: (ctx, { tags: _tags, region, key, keyid, profile, ...given }) => {
    const login = { region, key, keyid, profile }
    const { name } = given
    return ensure(ctx, {
      name,
      look: () =>
        look<'there'>(ctx, name, login, { there: () => 'there', missing: settled(`${name} RDS already absent.`) }),
      foresee: () => `RDS ${name} would be removed.`,
      act: async () => {
        const [instance = null] = await describe(ctx, name, login, 'DBInstances')
        const gone = await ask(ctx, 'delete', login, given)
        if (!truthy(gone.get('deleted') ?? false)) return failed(`Failed to delete ${name} RDS: ${errorOf(gone)}.`)
        return changed(`RDS ${name} deleted.`, { old: { instance }, new: { instance: null } })
      },
    })
  },
})

/** Return the ids of subnets by name; a text is an error. */
async function subnetIds(ctx: StateContext, names: readonly string[], login: AwsLogin): Promise<string[] | string> {
  const ids: string[] = []
  for (const name of names) {
    const given = { resource: 'subnet', name, ...loginOf(login) }
    const found = await ctx.call('boto_vpc.get_resource_id', [], given)
    if (found.has('error')) return `Error looking up subnet ids: ${errorOf(found)}`
    const id = found.get('id') ?? null
    if (id === null) return `Subnet ${name} does not exist.`
    ids.push(str(id))
  }
  return ids
}

const GROUP = arg.text('Name of the subnet group')

const subnet_group_present = state({
  doc: 'Ensure that a subnet group exists. The subnets of one that exists are not changed.',
  args: {
    name: GROUP,
    description: arg.text('What it is for'),
    subnet_ids: arg.words('Ids of subnets', { optional: true }),
    subnet_names: arg.words('Names of subnets, in place of their ids', { optional: true }),
    tags: TAGS,
    ...LOGIN,
  },
  run: (ctx, { name, description, subnet_ids, subnet_names, tags, ...login }) => {
    const [given, names] = [subnet_ids ?? [], subnet_names ?? []]
    if (given.length > 0 === names.length > 0)
      throw misuse('One (but not both) of subnet_ids or subnet_names must be provided.')
    return ensure<string[]>(ctx, {
      name,
      look: async () => {
        const ids = given.length > 0 ? given : await subnetIds(ctx, names, login)
        if (typeof ids === 'string') return failed(ids)
        const found = await ask(ctx, 'subnet_group_exists', login, { name })
        if (found.has('error')) return failed(`Failed to look for subnet group ${name}: ${errorOf(found)}.`)
        return truthy(found.get('exists') ?? false) ? settled(`Subnet ${name} present.`) : ids
      },
      foresee: () => `Subnet group ${name} is set to be created.`,
      act: async (ids) => {
        const made = await ask(ctx, 'create_subnet_group', login, { name, description, subnet_ids: ids, tags })
        return made.has('error')
          ? failed(`Failed to create ${name} subnet group: ${errorOf(made)}.`)
          : changed(`Subnet ${name} created.`, oldNew(null, name))
      },
    })
  },
})

const subnet_group_absent = state({
  doc: 'Ensure that a subnet group does not exist.',
  args: { name: GROUP, tags: FORMER_TAGS, ...LOGIN },
  run: (ctx, { name, tags: _tags, ...login }) =>
    ensure(ctx, {
      name,
      look: async () => {
        const found = await ask(ctx, 'subnet_group_exists', login, { name })
        if (found.has('error')) return failed(`Failed to look for subnet group ${name}: ${errorOf(found)}.`)
        return truthy(found.get('exists') ?? false) ? 'there' : settled(`${name} RDS subnet group does not exist.`)
      },
      foresee: () => `RDS subnet group ${name} is set to be removed.`,
      act: async () => {
        const gone = await ask(ctx, 'delete_subnet_group', login, { name })
        return truthy(gone.get('deleted') ?? false)
          ? changed(`RDS subnet group ${name} deleted.`, oldNew(name, null))
          : failed(`Failed to delete ${name} RDS subnet group: ${errorOf(gone)}.`)
      },
    }),
})

export default defineState({
  name: 'boto_rds',
  doc: 'Manage databases of RDS, with their subnet groups and parameter groups.',
  functions: {
    present,
    replica_present,
    absent,
    subnet_group_present,
    subnet_group_absent,
    parameter_present,
  },
})
