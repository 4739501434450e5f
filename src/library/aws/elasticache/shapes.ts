// Parameters and answers of ElastiCache: dicts with AWS's names, as in boto3. In forms and answers, each list entry has
// its own element.
import { type Dict, Float, isDict, isList, misuse, str, type Value } from '../../../data/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import type { Parameter, Parameters } from '../common/form.ts'

/** Lists in parameters: the elements around their entries. */
const ENTRIES: Readonly<Record<string, string>> = {
  CacheNodeIdsToRemove: 'CacheNodeId',
  CacheSecurityGroupNames: 'CacheSecurityGroupName',
  LogDeliveryConfigurations: 'LogDeliveryConfigurationRequest',
  NewAvailabilityZones: 'PreferredAvailabilityZone',
  NodeGroupConfiguration: 'NodeGroupConfiguration',
  PreferredAvailabilityZones: 'PreferredAvailabilityZone',
  PreferredCacheClusterAZs: 'AvailabilityZone',
  PreferredOutpostArns: 'PreferredOutpostArn',
  ReplicaAvailabilityZones: 'AvailabilityZone',
  ReplicaOutpostArns: 'OutpostArn',
  SecurityGroupIds: 'SecurityGroupId',
  SnapshotArns: 'SnapshotArn',
  SubnetIds: 'SubnetIdentifier',
  Tags: 'Tag',
}

/** Lists in answers. */
const LISTS = new Set([
  'CacheClusters',
  'CacheNodeIdsToReboot',
  'CacheNodeIdsToRemove',
  'CacheNodes',
  'CacheParameterGroups',
  'CacheSecurityGroups',
  'CacheSubnetGroups',
  'EC2SecurityGroups',
  'LogDeliveryConfigurations',
  'MemberClusters',
  'MemberClustersOutpostArns',
  'NodeGroupMembers',
  'NodeGroups',
  'ReplicationGroups',
  'SecurityGroups',
  'Subnets',
  'SupportedNetworkTypes',
  'TagList',
  'UserGroupIds',
  'UserGroupIdsToAdd',
  'UserGroupIdsToRemove',
])

const NUMBERS = new Set(['NumCacheNodes', 'NumNodeGroups', 'Port', 'ReplicaCount', 'SnapshotRetentionLimit'])

function parameterOf(name: string, value: Value): Parameter {
  if (value === null) return null
  if (isList(value)) return { [ENTRIES[name] ?? 'member']: value.map((entry) => parameterOf('', entry)) }
  if (isDict(value)) return parametersOf(value)
  return typeof value === 'boolean' ? value : str(value)
}

/** Return a dict as parameters. */
export function parametersOf(dict: Dict): Parameters {
  for (const name of dict.keys())
    if (!/^[A-Za-z0-9]{1,64}$/.test(str(name))) throw misuse(`'${str(name)}' is no parameter of ElastiCache`)
  return Object.fromEntries([...dict].map(([name, value]) => [str(name), parameterOf(str(name), value)]))
}

function textValue(name: string, text: string | null): Value {
  if (text === null) return ''
  if (NUMBERS.has(name) && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (name === 'ProgressPercentage') return new Float(Number(text))
  return text === 'true' || text === 'false' ? text === 'true' : text
}

/** Return an element of an answer as a dict, a list or a converted text. */
export function shaped(answer: AwsAnswer): Value {
  const inside = answer.children()
  if (LISTS.has(answer.name)) return inside.map(shaped)
  if (inside.length === 0) return textValue(answer.name, answer.content())
  return new Map(inside.map((one): [Value, Value] => [one.name, shaped(one)]))
}

export const shapedDict = (answer: AwsAnswer): Dict => {
  const value = shaped(answer)
  return isDict(value) ? value : new Map()
}
