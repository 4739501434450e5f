// Calls of RDS, with answers in the shape of Amazon's newer library: lists and dicts by the names of AWS, numbers and truth values.
import { type Dict, isDict, isList, misuse, str, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import { AwsCaller } from '../common/caller.ts'
import type { Parameters } from '../common/form.ts'
import type { AwsLogin } from '../common/login.ts'

/** AWS's codes for resources that do not exist. */
export const NO_INSTANCE = 'DBInstanceNotFound'
export const NO_SUBNET_GROUP = 'DBSubnetGroupNotFoundFault'
export const NO_PARAMETER_GROUP = 'DBParameterGroupNotFound'

export const rdsOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'rds', login)

const NUMBERS = new Set([
  'AllocatedStorage',
  'BackupRetentionPeriod',
  'DbInstancePort',
  'Iops',
  'MaxAllocatedStorage',
  'MonitoringInterval',
  'PerformanceInsightsRetentionPeriod',
  'Port',
  'PromotionTier',
  'StorageThroughput',
])

const FLAGS = new Set([
  'AutoMinorVersionUpgrade',
  'CopyTagsToSnapshot',
  'CustomerOwnedIpEnabled',
  'DedicatedLogVolume',
  'DeletionProtection',
  'IAMDatabaseAuthenticationEnabled',
  'IsModifiable',
  'IsStorageConfigUpgradeAvailable',
  'MultiAZ',
  'MultiTenant',
  'Normal',
  'PerformanceInsightsEnabled',
  'PubliclyAccessible',
  'StorageEncrypted',
])

/** Elements that are lists even if they are empty. */
const LISTS = new Set([
  'AdditionalStorageVolumes',
  'AssociatedRoles',
  'DBInstanceAutomatedBackupsReplications',
  'DBInstances',
  'DBParameterGroups',
  'DBSecurityGroups',
  'DBSubnetGroups',
  'DnsIps',
  'DomainMemberships',
  'EnabledCloudwatchLogsExports',
  'LogTypesToDisable',
  'LogTypesToEnable',
  'OptionGroupMemberships',
  'Parameters',
  'ProcessorFeatures',
  'ReadReplicaDBClusterIdentifiers',
  'ReadReplicaDBInstanceIdentifiers',
  'StatusInfos',
  'Subnets',
  'SupportedNetworkTypes',
  'TagList',
  'VpcSecurityGroups',
])

function scalar(name: string, text: string): Value {
  // AWS itself returns asterisks; substitutes may not
  if (name === 'MasterUserPassword') return '****'
  if (NUMBERS.has(name) && /^\d{1,15}$/.test(text)) return Number(text)
  return FLAGS.has(name) ? text === 'true' : text
}

/** Return an element of an answer as a value. */
export function shaped(answer: AwsAnswer): Value {
  const inside = answer.children()
  if (LISTS.has(answer.name)) return inside.map(shaped)
  if (inside.length === 0) return scalar(answer.name, answer.content() ?? '')
  return new Map(inside.map((entry): [Value, Value] => [entry.name, shaped(entry)]))
}

/** Return tags as parameters. Those with two leading underscores are Salt's own. */
export function tagsOf(tags: Dict | null): Parameters {
  const own = [...(tags ?? [])].filter(([name]) => !str(name).startsWith('__'))
  return { Tags: { Tag: own.map(([name, value]) => ({ Key: str(name), Value: str(value) })) } }
}

/** Return filters, dicts with `Name` and `Values`, as parameters. */
export function filtersOf(filters: readonly Value[] | null): Parameters {
  const all = (filters ?? []).map((filter) => {
    const values = isDict(filter) ? (filter.get('Values') ?? null) : null
    if (!isDict(filter) || !isList(values)) throw misuse("A filter must be a dict with 'Name' and 'Values', a list")
    return { Name: str(filter.get('Name') ?? ''), Values: { Value: values.map(str) } }
  })
  return { Filters: { Filter: all } }
}

/** Return the shaped pages of a list. */
export async function listPages(rds: AwsCaller, action: string, parameters: Parameters): Promise<Value[]> {
  const pages: Value[] = []
  const token = { at: `${action}Result.Marker`, into: 'Marker' }
  for await (const page of rds.pages(action, parameters, token)) {
    const result = page.at(`${action}Result`)
    if (result !== undefined) pages.push(shaped(result))
  }
  return pages
}
