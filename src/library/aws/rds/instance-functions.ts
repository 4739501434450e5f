// Descriptions of database instances and subnet groups.
import { isDict, isList, jmespathSearch, type Value } from '../../../data/mod.ts'
import { arg, reads, ret } from '../../../sdk/mod.ts'
import { orError, unlessFault } from '../common/errors.ts'
import { LOGIN } from '../common/login.ts'
import { FORMER_TAGS, instance, instances, NAME, type Reply } from './instances.ts'
import { filtersOf, listPages, NO_INSTANCE, rdsOf } from './rds.ts'

/** Return the parts of pages that an expression selects: the entries of lists, anything else as it is. */
function selected(pages: readonly Value[], expression: string | null): Value[] {
  if (!expression) return [...pages]
  return pages.flatMap((page) => {
    const found = jmespathSearch(expression, page)
    return isList(found) ? found : [found]
  })
}

const described = {
  filters: arg.list('Filters: dicts with `Name` and `Values`', { optional: true }),
}

const FIELDS = [
  'DBInstanceIdentifier',
  'DBInstanceClass',
  'Engine',
  'DBInstanceStatus',
  'DBName',
  'AllocatedStorage',
  'PreferredBackupWindow',
  'BackupRetentionPeriod',
  'AvailabilityZone',
  'PreferredMaintenanceWindow',
  'LatestRestorableTime',
  'EngineVersion',
  'AutoMinorVersionUpgrade',
  'LicenseModel',
  'Iops',
  'CharacterSetName',
  'PubliclyAccessible',
  'StorageType',
  'TdeCredentialArn',
  'DBInstancePort',
  'DBClusterIdentifier',
  'StorageEncrypted',
  'KmsKeyId',
  'DbiResourceId',
  'CACertificateIdentifier',
  'CopyTagsToSnapshot',
  'MonitoringInterval',
  'MonitoringRoleArn',
  'PromotionTier',
  'DomainMemberships',
]

export const INSTANCES = {
  exists: reads({
    doc: 'Return whether a database instance exists. Of one that does not, the answer is an error, as in Salt.',
    example: 'boto_rds.exists mydb region=us-east-1',
    args: { name: NAME, tags: FORMER_TAGS, ...LOGIN },
    returns: ret.dict('`exists`, or `error`'),
    run: (ctx, { name, tags: _tags, ...login }) =>
      orError(instances(ctx, login, { DBInstanceIdentifier: name }).then((): Reply => ({ exists: true }))),
  }),
  describe: reads({
    doc: 'Return the main settings of a database instance.',
    example: 'boto_rds.describe mydb',
    args: { name: NAME, tags: FORMER_TAGS, ...LOGIN },
    returns: ret.dict('`rds`; `exists` and `message` where there is no such instance; or `error`'),
    run: (ctx, { name, tags: _tags, ...login }) => {
      const reply = async (): Promise<Reply> => {
        const found = await instance(ctx, login, name)
        if (found === undefined) return { exists: false, message: `RDS instance ${name} does not exist.` }
        const fields = FIELDS.map((field): [Value, Value] => [field, found.get(field) ?? null])
        return { rds: new Map(fields) }
      }
      return orError(reply())
    },
  }),
  describe_db_instances: reads({
    doc: 'Return database instances, or parts of them.',
    example: "boto_rds.describe_db_instances jmespath='DBInstances[*].DBInstanceIdentifier'",
    args: {
      name: arg.text('Name of the instance; all unless given', { optional: true }),
      ...described,
      jmespath: arg.text('Expression of JMESPath that selects parts of each page', { default: 'DBInstances' }),
      ...LOGIN,
    },
    returns: ret.list('What the expression selects; an empty list where AWS refuses'),
    run: (ctx, { name, filters, jmespath, ...login }) => {
      const parameters = { DBInstanceIdentifier: name || null, ...filtersOf(filters) }
      const found = listPages(rdsOf(ctx, login), 'DescribeDBInstances', parameters)
      return unlessFault(
        found.then((pages) => selected(pages, jmespath)),
        (error): Value[] => {
          if (error.fault.code !== NO_INSTANCE) ctx.log('error', error.message)
          return []
        },
      )
    },
  }),
  describe_db_subnet_groups: reads({
    doc: 'Return subnet groups, or parts of them.',
    example: 'boto_rds.describe_db_subnet_groups',
    args: {
      name: arg.text('Name of the subnet group; all unless given', { optional: true }),
      ...described,
      jmespath: arg.text('Expression of JMESPath that selects parts of each page', { default: 'DBSubnetGroups' }),
      ...LOGIN,
    },
    returns: ret.list('What the expression selects'),
    run: async (ctx, { name, filters, jmespath, ...login }) => {
      const parameters = { DBSubnetGroupName: name || null, ...filtersOf(filters) }
      return selected(await listPages(rdsOf(ctx, login), 'DescribeDBSubnetGroups', parameters), jmespath)
    },
  }),
  get_endpoint: reads({
    doc: 'Return the host name of a database instance.',
    example: 'boto_rds.get_endpoint mydb',
    args: { name: NAME, tags: FORMER_TAGS, ...LOGIN },
    returns: ret.any('The host name; False where there is no such instance, or no address yet'),
    run: async (ctx, { name, tags: _tags, ...login }) => {
      const endpoint = (await instance(ctx, login, name))?.get('Endpoint') ?? null
      return isDict(endpoint) ? (endpoint.get('Address') ?? false) : false
    },
  }),
}
