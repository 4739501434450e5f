// Differences between a cluster or replication group of ElastiCache and the parameters of a state. Only given
// parameters count.
import { type Dict, isDict, isList, str, type Value } from '../../../data/mod.ts'
import { dictsIn } from '../common/structured.ts'
import { unordered } from '../common/unordered.ts'

const inside = (dict: Dict, ...path: string[]): Value => {
  let at: Value = dict
  for (const key of path) at = isDict(at) ? (at.get(key) ?? null) : null
  return at
}

const namesIn = (dict: Dict, list: string, key: string): Value => {
  const found = dict.get(list) ?? null
  return isList(found) ? found.filter(isDict).map((one) => one.get(key) ?? null) : null
}

/** Return settings of a cluster by the names of the parameters that change them. */
export function clusterSettings(cluster: Dict): Dict {
  const derived: [string, Value][] = [
    ['SecurityGroupIds', namesIn(cluster, 'SecurityGroups', 'SecurityGroupId')],
    ['CacheSecurityGroupNames', namesIn(cluster, 'CacheSecurityGroups', 'CacheSecurityGroupName')],
    ['NotificationTopicArn', inside(cluster, 'NotificationConfiguration', 'TopicArn')],
    ['NotificationTopicStatus', inside(cluster, 'NotificationConfiguration', 'TopicStatus')],
    ['CacheParameterGroupName', inside(cluster, 'CacheParameterGroup', 'CacheParameterGroupName')],
  ]
  return new Map([...cluster, ...derived.filter(([, value]) => value !== null)])
}

/**
 * Return settings of a replication group by the names of the parameters that change them; some are those of its
 * clusters.
 */
export function replicationSettings(group: Dict, member: Dict): Dict {
  const failover = group.get('AutomaticFailover') ?? null
  const nodes = dictsIn(group.get('NodeGroups') ?? null)
  const members = nodes.flatMap((one) => dictsIn(one.get('NodeGroupMembers') ?? null))
  const primary = members.find((one) => one.get('CurrentRole') === 'primary')
  const derived: [string, Value][] = [
    ['AutomaticFailoverEnabled', failover === null ? null : ['enabled', 'enabling'].includes(str(failover))],
    ['ReplicationGroupDescription', group.get('Description') ?? null],
    ['PrimaryClusterId', primary?.get('CacheClusterId') ?? null],
  ]
  return new Map([...clusterSettings(member), ...group, ...derived.filter(([, value]) => value !== null)])
}

/** Parameters that a change can have. Those in the second list modify another change, and are sent with it. */
export interface Changeable {
  settings: readonly string[]
  along: readonly string[]
}

export const CLUSTER_CHANGES: Changeable = {
  settings: [
    'AutoMinorVersionUpgrade',
    'CacheNodeType',
    'CacheParameterGroupName',
    'CacheSecurityGroupNames',
    'EngineVersion',
    'NotificationTopicArn',
    'NotificationTopicStatus',
    'NumCacheNodes',
    'PreferredMaintenanceWindow',
    'SecurityGroupIds',
    'SnapshotRetentionLimit',
    'SnapshotWindow',
  ],
  along: ['AZMode', 'CacheNodeIdsToRemove', 'NewAvailabilityZones', 'ApplyImmediately'],
}

export const REPLICATION_CHANGES: Changeable = {
  settings: [
    'AutomaticFailoverEnabled',
    'AutoMinorVersionUpgrade',
    'CacheNodeType',
    'CacheParameterGroupName',
    'CacheSecurityGroupNames',
    'EngineVersion',
    'NotificationTopicArn',
    'NotificationTopicStatus',
    'PreferredMaintenanceWindow',
    'PrimaryClusterId',
    'ReplicationGroupDescription',
    'SecurityGroupIds',
    'SnapshotRetentionLimit',
    'SnapshottingClusterId',
    'SnapshotWindow',
  ],
  along: ['ApplyImmediately'],
}

const text = (value: Value): Value =>
  isList(value) ? value.map(text) : isDict(value) || value === null ? value : str(value).toLowerCase()

/** Return whether a setting is as wanted: numbers may be texts, and `7.0` means every release of it. */
function isSame(name: string, wanted: Value, present: Value): boolean {
  const [one, other] = [text(wanted), text(present)]
  if (name === 'EngineVersion' && typeof one === 'string' && typeof other === 'string')
    return other === one || other.startsWith(`${one}.`) || (one.endsWith('.x') && other.startsWith(one.slice(0, -1)))
  return unordered(one) === unordered(other)
}

/**
 * Return the parameters of a change to the wanted state; an empty dict if nothing differs. Settings that AWS does not
 * return are ignored.
 */
export function differing(wanted: Dict, present: Dict, { settings, along }: Changeable): Dict {
  const changed = settings.filter(
    (name) =>
      wanted.has(name) && present.has(name) && !isSame(name, wanted.get(name) ?? null, present.get(name) ?? null),
  )
  if (changed.length === 0) return new Map()
  return new Map(
    [...changed, ...along.filter((name) => wanted.has(name))].map((name) => [name, wanted.get(name) ?? null]),
  )
}
