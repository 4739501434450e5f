// Settings of database instances: Salt's names, those of AWS, and their meaning.
import { type Dict, isList, markSecret, str, type Value } from '../../../data/mod.ts'
import { type Arg, arg } from '../../../sdk/mod.ts'
import type { Parameter, Parameters } from '../common/form.ts'

const text = (doc: string) => arg.text(doc, { optional: true })
const flag = (doc: string) => arg.flag(doc, { optional: true })
const count = (doc: string) => arg.count(doc, { optional: true })
const secret = (doc: string) => arg.text(doc, { optional: true, secret: true })

const DECLARED = {
  allocated_storage: count('Gigabytes of storage'),
  allow_major_version_upgrade: flag('Whether `engine_version` may be another major version'),
  apply_immediately: flag('Whether to change now, instead of in the next maintenance window'),
  auto_minor_version_upgrade: flag('Whether AWS installs minor versions in the maintenance window'),
  availability_zone: text('Availability zone; not together with `multi_az`'),
  backup_retention_period: count('Days that automatic backups are kept; 0 means no backups'),
  ca_certificate_identifier: text('Certificate authority of the server certificate'),
  character_set_name: text('Character set'),
  copy_tags_to_snapshot: flag('Whether snapshots get the tags of the instance'),
  db_cluster_identifier: text('Cluster that the instance belongs to'),
  db_instance_class: text('Class of the instance, such as `db.t3.micro`'),
  db_name: text('Name of the first database'),
  db_parameter_group_name: text('Parameter group'),
  db_port_number: count('Port; `port` of a new instance'),
  db_security_groups: arg.words('Security groups of RDS', { optional: true }),
  db_subnet_group_name: text('Subnet group'),
  domain: text('Id of the Active Directory domain'),
  domain_iam_role_name: text('Role for calls to the directory service'),
  engine: text('Engine, such as `postgres`'),
  engine_version: text('Version of the engine'),
  iops: count('Provisioned input and output operations per second'),
  kms_key_id: text('Key of KMS for encrypted storage'),
  license_model: text('License model'),
  master_user_password: secret('Password of the main user'),
  master_username: text('Name of the main user'),
  monitoring_interval: count('Seconds between enhanced metrics'),
  monitoring_role_arn: text('ARN of the role for enhanced metrics'),
  multi_az: flag('Whether a standby runs in another availability zone'),
  new_db_instance_identifier: text('New name of the instance'),
  option_group_name: text('Option group'),
  port: count('Port'),
  preferred_backup_window: text('Daily time of backups, such as `04:00-04:30` (UTC)'),
  preferred_maintenance_window: text('Weekly time of maintenance, such as `sun:05:00-sun:06:00` (UTC)'),
  promotion_tier: count('Order in which replicas of a cluster are promoted'),
  publicly_accessible: flag('Whether the instance has a public address'),
  storage_encrypted: flag('Whether the storage is encrypted'),
  storage_type: text('`standard`, `gp2`, `gp3`, `io1` or `io2`'),
  tde_credential_arn: text('ARN of the key for transparent encryption'),
  tde_credential_password: secret('Password of the key for transparent encryption'),
  vpc_security_group_ids: arg.words('Ids of security groups', { optional: true }),
}

type Setting = keyof typeof DECLARED

/** Names that differ from AWS's in Salt's spelling. */
const IRREGULAR: Readonly<Record<string, string>> = {
  ca_certificate_identifier: 'CACertificateIdentifier',
  domain_iam_role_name: 'DomainIAMRoleName',
  multi_az: 'MultiAZ',
}

const WORDS: Readonly<Record<string, string>> = { db: 'DB' }

/** Return the name of a setting at AWS: `db_instance_class` is `DBInstanceClass`. */
function awsName(name: string): string {
  const word = (part: string): string => WORDS[part] ?? `${part.charAt(0).toUpperCase()}${part.slice(1)}`
  return IRREGULAR[name] ?? name.split('_').map(word).join('')
}

/** The entries of lists in requests. */
const ENTRIES: Readonly<Record<string, string>> = {
  db_security_groups: 'DBSecurityGroupName',
  vpc_security_group_ids: 'VpcSecurityGroupId',
}

/** Return the declared parameters of some settings, in that order. */
export const settings = <const N extends Setting>(...names: N[]): { [K in N]: (typeof DECLARED)[K] } =>
  Object.fromEntries(names.map((name) => [name, DECLARED[name]])) as { [K in N]: (typeof DECLARED)[K] }

/** Settings of a new instance. */
export const NEW_INSTANCE = {
  name: arg.text('Name of the instance'),
  allocated_storage: arg.count(DECLARED.allocated_storage.doc),
  db_instance_class: arg.text(DECLARED.db_instance_class.doc),
  engine: arg.text(DECLARED.engine.doc),
  master_username: arg.text(DECLARED.master_username.doc),
  master_user_password: arg.text(DECLARED.master_user_password.doc, { secret: true }),
}

/** A part of the settings of a new instance, in Salt's order. */
export const OPERATION = settings(
  'backup_retention_period',
  'preferred_backup_window',
  'port',
  'multi_az',
  'engine_version',
  'auto_minor_version_upgrade',
  'license_model',
  'iops',
  'option_group_name',
  'character_set_name',
  'publicly_accessible',
)

/** Settings of a new replica that can differ from its source. */
export const REPLICA_SETTINGS = settings(
  'db_instance_class',
  'availability_zone',
  'port',
  'auto_minor_version_upgrade',
  'iops',
  'option_group_name',
  'publicly_accessible',
)

export const GROUPS_BY_NAME = arg.words('Names or ids of security groups', { optional: true })
export const WAIT_STATUS = arg.text('Status to wait for: `available`, `modifying` or `backing-up`', { optional: true })
export const TAGS: Arg<Dict | null> = arg.dict('Tags', { optional: true })

const SECRETS = ['master_user_password', 'tde_credential_password']

/** Return the settings that are given as parameters of a request. Passwords are marked. */
export function requestOf(given: Readonly<Record<string, Value>>): Parameters {
  for (const name of SECRETS) if (given[name]) markSecret(given[name])
  const names = Object.keys(DECLARED).filter((name) => (given[name] ?? null) !== null)
  return Object.fromEntries(names.map((name) => [awsName(name), parameterOf(name, given[name]!)]))
}

function parameterOf(name: string, value: Value): Parameter {
  const entry = ENTRIES[name]
  if (entry !== undefined) return { [entry]: isList(value) ? value.map(str) : [str(value)] }
  return typeof value === 'boolean' || typeof value === 'number' ? value : str(value)
}
