// Creation, change and deletion of database instances.
import { setTimeout as sleep } from 'node:timers/promises'
import { misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, ret } from '../../../sdk/mod.ts'
import { orError, unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { FORMER_TAGS, instance, NAME, type Reply } from './instances.ts'
import { NO_INSTANCE, rdsOf, shaped, tagsOf } from './rds.ts'
import {
  GROUPS_BY_NAME,
  NEW_INSTANCE,
  OPERATION,
  REPLICA_SETTINGS,
  requestOf,
  settings,
  TAGS,
  WAIT_STATUS,
} from './settings.ts'

const PAUSE_MS = 10_000
const MOST_WAIT_SECONDS = 3600
const STATUSES = ['available', 'modifying', 'backing-up']

/** Poll until there is a result, or the time is over. */
async function waited<T>(seconds: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const found = await look()
    const rest = end - performance.now()
    if (found !== undefined || rest <= 0) return found
    await sleep(Math.min(PAUSE_MS, rest))
  }
}

/** Return the ids of security groups, given by id and by name. */
async function securityGroups(
  ctx: FunctionContext,
  login: AwsLogin,
  ids: readonly string[] | null,
  names: readonly string[] | null,
): Promise<string[] | null> {
  if (names === null || names.length === 0) return ids && [...ids]
  const found = (await ctx.call('boto_secgroup.convert_to_group_ids', [], {
    groups: [...names],
    ...loginOf(login),
  })) as Value[]
  return [...(ids ?? []), ...found.map(str)]
}

/** Wait until an instance that was just made has a status. */
async function untilStatus(ctx: FunctionContext, login: AwsLogin, name: string, wanted: string): Promise<Reply> {
  let last = ''
  const reached = await waited(MOST_WAIT_SECONDS, async () => {
    last = str((await instance(ctx, login, name))?.get('DBInstanceStatus') ?? '')
    return last === wanted || last === '' ? last : undefined
  })
  if (reached === wanted) return { created: true, message: `RDS instance ${name} created (current status ${wanted})` }
  const message =
    last === ''
      ? `RDS instance ${name} should have been created but now I can't find it.`
      : `RDS instance ${name} is '${last}' and not '${wanted}' after ${MOST_WAIT_SECONDS} seconds`
  return { created: false, error: new Map([['message', message]]) }
}

const CREATE = {
  ...NEW_INSTANCE,
  ...settings('db_name', 'db_security_groups', 'vpc_security_group_ids'),
  vpc_security_groups: GROUPS_BY_NAME,
  ...settings('availability_zone', 'db_subnet_group_name', 'preferred_maintenance_window', 'db_parameter_group_name'),
  ...OPERATION,
  wait_status: WAIT_STATUS,
  tags: TAGS,
  ...settings(
    'db_cluster_identifier',
    'storage_type',
    'tde_credential_arn',
    'tde_credential_password',
    'storage_encrypted',
    'kms_key_id',
    'domain',
    'copy_tags_to_snapshot',
    'monitoring_interval',
    'monitoring_role_arn',
    'domain_iam_role_name',
  ),
  region: LOGIN.region,
  ...settings('promotion_tier'),
  key: LOGIN.key,
  keyid: LOGIN.keyid,
  profile: LOGIN.profile,
}

const REQUIRED = [
  'allocated_storage',
  'db_instance_class',
  'engine',
  'master_username',
  'master_user_password',
] as const

const create = changes({
  doc: 'Create a database instance.',
  example: 'boto_rds.create mydb 20 db.t3.micro postgres admin PASSWORD',
  args: CREATE,
  returns: ret.dict('`created` and `message`, or `error`'),
  run: async (ctx, { region, key, keyid, profile, wait_status, tags, vpc_security_groups, ...given }) => {
    const login = { region, key, keyid, profile }
    for (const name of REQUIRED) if (!given[name]) throw misuse(`${name} is required`)
    if (given.availability_zone && given.multi_az)
      throw misuse('availability_zone and multi_az are mutually exclusive arguments.')
    if (wait_status && !STATUSES.includes(wait_status))
      throw misuse(`wait_status can be one of: ${STATUSES.join(', ')}`)
    const vpc_security_group_ids = await securityGroups(ctx, login, given.vpc_security_group_ids, vpc_security_groups)
    const { name } = given
    const made = async (): Promise<Reply> => {
      const request = {
        DBInstanceIdentifier: name,
        ...requestOf({ ...given, vpc_security_group_ids }),
        ...tagsOf(tags),
      }
      await rdsOf(ctx, login).query('CreateDBInstance', request)
      if (wait_status) return untilStatus(ctx, login, name, wait_status)
      return { created: true, message: `RDS instance ${name} created.` }
    }
    return orError(made())
  },
})

const create_read_replica = changes({
  doc: 'Create a read replica of an instance.',
  example: 'boto_rds.create_read_replica myreplica mydb',
  args: {
    name: arg.text('Name of the replica'),
    source_name: arg.text('Name of the instance that it follows'),
    ...REPLICA_SETTINGS,
    tags: TAGS,
    ...settings(
      'db_subnet_group_name',
      'storage_type',
      'copy_tags_to_snapshot',
      'monitoring_interval',
      'monitoring_role_arn',
    ),
    ...LOGIN,
  },
  returns: ret.dict('`exists`, with `message` where nothing was done, or `error`'),
  run: (ctx, { name, source_name, tags, region, key, keyid, profile, ...given }) => {
    const login = { region, key, keyid, profile }
    const made = async (): Promise<Reply> => {
      if ((await instance(ctx, login, source_name)) === undefined)
        return { exists: false, message: `RDS instance source ${source_name} does not exists.` }
      if ((await instance(ctx, login, name)) !== undefined)
        return { exists: true, message: `RDS replica instance ${name} already exists.` }
      const names = { DBInstanceIdentifier: name, SourceDBInstanceIdentifier: source_name }
      await rdsOf(ctx, login).query('CreateDBInstanceReadReplica', { ...names, ...requestOf(given), ...tagsOf(tags) })
      return { exists: true }
    }
    return orError(made())
  },
})

const remove = changes({
  doc: 'Delete a database instance.',
  example: 'boto_rds.delete mydb skip_final_snapshot=True',
  args: {
    name: NAME,
    skip_final_snapshot: arg.flag('Whether to make no last snapshot', { optional: true }),
    final_db_snapshot_identifier: arg.text('Name of the last snapshot', { optional: true }),
    ...LOGIN,
    tags: FORMER_TAGS,
    wait_for_deletion: arg.flag('Whether to wait until the instance is gone', { default: true }),
    timeout: arg.count('Seconds to wait; 180 means 420 where a last snapshot is made', { default: 180 }),
  },
  returns: ret.dict('`deleted` and `message`, or `error`'),
  run: async (ctx, given) => {
    const { name, skip_final_snapshot, final_db_snapshot_identifier, wait_for_deletion } = given
    const seconds = given.timeout === 180 && !skip_final_snapshot ? 420 : given.timeout
    if (!skip_final_snapshot && !final_db_snapshot_identifier) {
      throw misuse('At least one of the following must be specified: skip_final_snapshot final_db_snapshot_identifier')
    }
    const gone = async (): Promise<Reply> => {
      await rdsOf(ctx, given).query('DeleteDBInstance', {
        DBInstanceIdentifier: name,
        SkipFinalSnapshot: skip_final_snapshot,
        FinalDBSnapshotIdentifier: final_db_snapshot_identifier,
      })
      if (!wait_for_deletion) return { deleted: true, message: `Deleted RDS instance ${name}.` }
      const look = async () => ((await instance(ctx, given, name)) === undefined ? true : undefined)
      if (await waited(seconds, look)) return { deleted: true, message: `Deleted RDS instance ${name} completely.` }
      throw misuse(`RDS instance ${name} has not been deleted completely after ${seconds} seconds`)
    }
    return orError(gone())
  },
})

const modify_db_instance = changes({
  doc: 'Change settings of a database instance.',
  example: 'boto_rds.modify_db_instance mydb backup_retention_period=7',
  args: {
    name: NAME,
    ...settings(
      'allocated_storage',
      'allow_major_version_upgrade',
      'apply_immediately',
      'auto_minor_version_upgrade',
      'backup_retention_period',
      'ca_certificate_identifier',
      'character_set_name',
      'copy_tags_to_snapshot',
      'db_cluster_identifier',
      'db_instance_class',
      'db_name',
      'db_parameter_group_name',
      'db_port_number',
      'db_security_groups',
      'db_subnet_group_name',
      'domain',
      'domain_iam_role_name',
      'engine_version',
      'iops',
      'kms_key_id',
      'license_model',
      'master_user_password',
      'monitoring_interval',
      'monitoring_role_arn',
      'multi_az',
      'new_db_instance_identifier',
      'option_group_name',
      'preferred_backup_window',
      'preferred_maintenance_window',
      'promotion_tier',
      'publicly_accessible',
      'storage_encrypted',
      'storage_type',
      'tde_credential_arn',
      'tde_credential_password',
      'vpc_security_group_ids',
    ),
    ...LOGIN,
  },
  returns: ret.dict('`modified`, `message` and `results`, or `error`'),
  run: (ctx, { name, region, key, keyid, profile, ...given }) => {
    const request = { DBInstanceIdentifier: name, ...requestOf(given) }
    const done = rdsOf(ctx, { region, key, keyid, profile }).query('ModifyDBInstance', request)
    const reply = done.then((answer): Reply => {
      const result = answer.at('ModifyDBInstanceResult')
      const results = result === undefined ? null : shaped(result)
      return { modified: true, message: `Modified RDS db instance ${name}.`, results }
    })
    const missing: Reply = { modified: false, message: `RDS db instance ${name} does not exist.` }
    return orError(unlessFault(reply, () => missing, NO_INSTANCE))
  },
})

export const INSTANCE_CHANGES = { create, create_read_replica, delete: remove, modify_db_instance }
