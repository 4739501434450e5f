// Caches of ElastiCache by the names of Salt's functions for boto3.
import { type Dict, isList, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { isAccepted, unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import {
  CLUSTER,
  CONN,
  cacheOf,
  change,
  describeAll,
  exists,
  further,
  MORE,
  NAME,
  NAMED,
  PARAMETERS,
  REPLICATION,
  type Resource,
  SECURITY,
  SUBNETS,
  WAIT,
  withGroups,
  withSubnets,
} from './resources.ts'
import { parametersOf, shaped } from './shapes.ts'

const FOUND = { name: arg.text('Name; all unless given', { optional: true }), conn: CONN, ...LOGIN }
const GROUPS = arg.any('Names or ids of security groups, besides `SecurityGroupIds`', { optional: true })
const WAITED = { name: NAME, wait: WAIT, ...LOGIN, args: MORE }
const GUARDED = { name: NAME, wait: WAIT, security_groups: GROUPS, ...LOGIN, args: MORE }
const PLACED = {
  name: NAME,
  subnets: arg.any('Names or ids of subnets, besides `SubnetIds`', { optional: true }),
  ...LOGIN,
  args: MORE,
}
const FREE = { ...NAMED, args: MORE }
const DONE = ret.boolean('Whether it is done')

const describe = (resource: Resource) =>
  reads({
    doc: `Return the ${resource.words} of a name, or all of them.`,
    example: `boto3_elasticache.describe_${resource.words.replaceAll(' ', '_')}s region=us-east-1`,
    args: FOUND,
    returns: ret.optional(ret.dicts('Descriptions by the names of AWS; None where there is none of that name')),
    run: (ctx, { name, conn: _conn, ...login }) => describeAll(cacheOf(ctx, login), resource, name),
  })

const there = (resource: Resource) =>
  reads({
    doc: `Return whether a ${resource.words} exists.`,
    example: `boto3_elasticache.${resource.words.replaceAll(' ', '_')}_exists mine`,
    args: NAMED,
    returns: ret.boolean('Whether it exists'),
    run: (ctx, { name, ...login }) => exists(cacheOf(ctx, login), resource, name),
  })

const guarded = (resource: Resource, verb: 'Create' | 'Modify') =>
  changes({
    doc: `${verb} a ${resource.words}, and wait until it is available.`,
    example: `boto3_elasticache.${verb.toLowerCase()}_${resource.words.replaceAll(' ', '_')} mine CacheNodeType=cache.t3.micro`,
    args: GUARDED,
    returns: ret.boolean('Whether it is available; with `wait=0`, whether AWS accepts it'),
    run: async (ctx, { name, wait, security_groups, args, ...login }) => {
      const more = await withGroups(ctx, security_groups, login, further(args))
      return change(ctx, cacheOf(ctx, login), resource, { verb, name, wait, more })
    },
  })

const removed = (resource: Resource) =>
  changes({
    doc: `Delete a ${resource.words}, and wait until it is gone.`,
    example: `boto3_elasticache.delete_${resource.words.replaceAll(' ', '_')} mine`,
    args: WAITED,
    returns: ret.boolean('Whether it is gone; with `wait=0`, whether AWS accepts it'),
    run: (ctx, { name, wait, args, ...login }) =>
      change(ctx, cacheOf(ctx, login), resource, { verb: 'Delete', name, wait, more: further(args) }),
  })

const placed = (verb: 'Create' | 'Modify') =>
  changes({
    doc: `${verb} a cache subnet group.`,
    example: `boto3_elasticache.${verb.toLowerCase()}_cache_subnet_group mine subnets='[front-a, front-b]' CacheSubnetGroupDescription=Front`,
    args: PLACED,
    returns: DONE,
    run: async (ctx, { name, subnets, args, ...login }) => {
      const more = await withSubnets(ctx, subnets, login, further(args))
      return change(ctx, cacheOf(ctx, login), SUBNETS, { verb, name, more })
    },
  })

const plain = (resource: Resource, verb: 'Create' | 'Delete') =>
  changes({
    doc: `${verb} a ${resource.words}.`,
    example: `boto3_elasticache.${verb.toLowerCase()}_${resource.words.replaceAll(' ', '_')} mine`,
    args: FREE,
    returns: DONE,
    run: (ctx, { name, args, ...login }) =>
      change(ctx, cacheOf(ctx, login), resource, { verb, name, more: further(args) }),
  })

/** Call an action with the name in a parameter, unless that parameter is given by itself. */
async function call(
  ctx: FunctionContext,
  { name, args, ...login }: Bound<typeof FREE>,
  { action, id }: { action: string; id: string },
): Promise<boolean> {
  const more: Dict = further(args)
  const parameters = { ...parametersOf(more), [id]: str(more.get(id) ?? name) }
  return isAccepted(ctx, cacheOf(ctx, login).query(action, parameters))
}

/** Return the tags of something by its ARN. */
async function tagsOf(ctx: FunctionContext, ResourceName: string, login: AwsLogin): Promise<Value[]> {
  const answer = await cacheOf(ctx, login).query('ListTagsForResource', { ResourceName })
  const list = answer.at('ListTagsForResourceResult.TagList')
  const tags = list === undefined ? [] : shaped(list)
  return isList(tags) ? tags : []
}

export default defineModule({
  name: 'boto3_elasticache',
  doc: 'Manage caches of ElastiCache, with parameters and results by the names of AWS.',
  functions: {
    describe_cache_clusters: reads({
      doc: 'Return the cache cluster of a name, or all of them.',
      example: 'boto3_elasticache.describe_cache_clusters region=us-east-1',
      args: { ...FOUND, args: MORE },
      returns: ret.optional(ret.dicts('Descriptions by the names of AWS; None where there is none of that name')),
      run: (ctx, { name, conn: _conn, args, ...login }) =>
        describeAll(cacheOf(ctx, login), CLUSTER, name, further(args)),
    }),
    cache_cluster_exists: reads({
      doc: 'Return whether a cache cluster exists.',
      example: 'boto3_elasticache.cache_cluster_exists mine',
      args: { name: NAME, conn: CONN, ...LOGIN },
      returns: ret.boolean('Whether it exists'),
      run: (ctx, { name, conn: _conn, ...login }) => exists(cacheOf(ctx, login), CLUSTER, name),
    }),
    create_cache_cluster: guarded(CLUSTER, 'Create'),
    modify_cache_cluster: guarded(CLUSTER, 'Modify'),
    delete_cache_cluster: removed(CLUSTER),
    describe_replication_groups: describe(REPLICATION),
    replication_group_exists: there(REPLICATION),
    create_replication_group: guarded(REPLICATION, 'Create'),
    modify_replication_group: guarded(REPLICATION, 'Modify'),
    delete_replication_group: removed(REPLICATION),
    describe_cache_subnet_groups: describe(SUBNETS),
    cache_subnet_group_exists: there(SUBNETS),
    list_cache_subnet_groups: reads({
      doc: 'Return the names of all cache subnet groups.',
      example: 'boto3_elasticache.list_cache_subnet_groups region=us-east-1',
      args: LOGIN,
      returns: ret.texts('Names'),
      run: async (ctx, login) => {
        const all = (await describeAll(cacheOf(ctx, login), SUBNETS, null)) ?? []
        return all.map((group) => str(group.get('CacheSubnetGroupName') ?? ''))
      },
    }),
    create_cache_subnet_group: placed('Create'),
    modify_cache_subnet_group: placed('Modify'),
    delete_cache_subnet_group: plain(SUBNETS, 'Delete'),
    describe_cache_security_groups: describe(SECURITY),
    cache_security_group_exists: there(SECURITY),
    create_cache_security_group: plain(SECURITY, 'Create'),
    delete_cache_security_group: plain(SECURITY, 'Delete'),
    authorize_cache_security_group_ingress: changes({
      doc: 'Let machines of an EC2 security group use the caches of a cache security group.',
      example:
        'boto3_elasticache.authorize_cache_security_group_ingress mine EC2SecurityGroupName=web EC2SecurityGroupOwnerId=123456789012',
      args: FREE,
      returns: DONE,
      run: (ctx, given) =>
        call(ctx, given, { action: 'AuthorizeCacheSecurityGroupIngress', id: 'CacheSecurityGroupName' }),
    }),
    revoke_cache_security_group_ingress: changes({
      doc: 'Let machines of an EC2 security group no longer use the caches of a cache security group.',
      example:
        'boto3_elasticache.revoke_cache_security_group_ingress mine EC2SecurityGroupName=web EC2SecurityGroupOwnerId=123456789012',
      args: FREE,
      returns: DONE,
      run: (ctx, given) =>
        call(ctx, given, { action: 'RevokeCacheSecurityGroupIngress', id: 'CacheSecurityGroupName' }),
    }),
    list_tags_for_resource: reads({
      doc: 'Return the tags of something by its ARN.',
      example: 'boto3_elasticache.list_tags_for_resource arn:aws:elasticache:us-west-2:123456789012:snapshot:mine',
      args: FREE,
      returns: ret.list('Dicts with `Key` and `Value`; empty where AWS refuses'),
      run: (ctx, { name, args, ...login }) =>
        unlessFault(tagsOf(ctx, str(args.get('ResourceName') ?? name), login), (error): Value[] => {
          ctx.log('error', error.message)
          return []
        }),
    }),
    add_tags_to_resource: changes({
      doc: 'Set tags of something by its ARN. Other tags stay.',
      example: `boto3_elasticache.add_tags_to_resource arn:aws:elasticache:us-west-2:123456789012:snapshot:mine Tags='[{"Key": "team", "Value": "web"}]'`,
      args: FREE,
      returns: DONE,
      run: (ctx, given) => call(ctx, given, { action: 'AddTagsToResource', id: 'ResourceName' }),
    }),
    remove_tags_from_resource: changes({
      doc: 'Remove tags of something by its ARN.',
      example: `boto3_elasticache.remove_tags_from_resource arn:aws:elasticache:us-west-2:123456789012:snapshot:mine TagKeys='["team"]'`,
      args: FREE,
      returns: DONE,
      run: (ctx, given) => call(ctx, given, { action: 'RemoveTagsFromResource', id: 'ResourceName' }),
    }),
    copy_snapshot: changes({
      doc: 'Copy a snapshot.',
      example: 'boto3_elasticache.copy_snapshot mine TargetSnapshotName=copy',
      args: FREE,
      returns: DONE,
      run: (ctx, given) => call(ctx, given, { action: 'CopySnapshot', id: 'SourceSnapshotName' }),
    }),
    describe_cache_parameter_groups: describe(PARAMETERS),
    create_cache_parameter_group: plain(PARAMETERS, 'Create'),
    delete_cache_parameter_group: plain(PARAMETERS, 'Delete'),
  },
})
