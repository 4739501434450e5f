// The resources of ElastiCache: clusters, replication groups and others. All are described, created, changed and
// deleted in the same way.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, isDict, isList, markSecret, misuse, numberOf, str, type Value } from '../../../data/mod.ts'
import { arg, type FunctionContext } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { isAccepted, unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { parametersOf, shapedDict } from './shapes.ts'

export interface Resource {
  /** The name in actions. */
  noun: string
  /** The name in texts. */
  words: string
  /** The parameter with its name. */
  id: string
  missing: string
  /** Path of the status in a description; the resource is ready if that is `available`. */
  status?: string
}

export const CLUSTER: Resource = {
  noun: 'CacheCluster',
  words: 'cache cluster',
  id: 'CacheClusterId',
  missing: 'CacheClusterNotFound',
  status: 'CacheClusterStatus',
}
export const REPLICATION: Resource = {
  noun: 'ReplicationGroup',
  words: 'replication group',
  id: 'ReplicationGroupId',
  missing: 'ReplicationGroupNotFoundFault',
  status: 'Status',
}
export const SUBNETS: Resource = {
  noun: 'CacheSubnetGroup',
  words: 'cache subnet group',
  id: 'CacheSubnetGroupName',
  missing: 'CacheSubnetGroupNotFoundFault',
}
export const SECURITY: Resource = {
  noun: 'CacheSecurityGroup',
  words: 'cache security group',
  id: 'CacheSecurityGroupName',
  missing: 'CacheSecurityGroupNotFound',
}
export const PARAMETERS: Resource = {
  noun: 'CacheParameterGroup',
  words: 'cache parameter group',
  id: 'CacheParameterGroupName',
  missing: 'CacheParameterGroupNotFound',
}

export const NAME = arg.text('Name')
export const CONN = arg.any('Not looked at', { optional: true })
export const MORE = arg.open('Further parameters of the action, by the names of AWS')
export const WAIT = arg.any('Seconds to wait until it is done; 0 does not wait', { default: 600 })

export const cacheOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'elasticache', login)

/** Return further parameters. A password among them is masked. */
export function further(more: ReadonlyMap<string, Value>): Dict {
  const token = more.get('AuthToken')
  if (typeof token === 'string') markSecret(token)
  return new Map([...more].filter(([name]) => !name.startsWith('_')))
}

/** Return descriptions; null if the resource does not exist. */
export function describeAll(
  cache: AwsCaller,
  { noun, id, missing }: Resource,
  name: string | null,
  more: Dict = new Map(),
): Promise<Dict[] | null> {
  const action = `Describe${noun}s`
  const parameters = { ...parametersOf(more), ...(name ? { [id]: name } : {}) }
  const found = cache
    .rows(action, parameters, `${action}Result.${noun}s`, { at: `${action}Result.Marker`, into: 'Marker' })
    .then((rows): Dict[] | null => rows.map(shapedDict))
  return unlessFault(found, () => null, missing)
}

const describeOne = async (cache: AwsCaller, resource: Resource, name: string): Promise<Dict | undefined> =>
  (await describeAll(cache, resource, name))?.[0]

export const exists = async (cache: AwsCaller, resource: Resource, name: string): Promise<boolean> =>
  (await describeOne(cache, resource, name)) !== undefined

const PAUSE_MS = 15_000

/** Look again and again until it is as wanted, or for some seconds. */
async function waitFor(seconds: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    if (await isDone()) return true
    const rest = end - performance.now()
    if (rest <= 0) return false
    await sleep(Math.min(PAUSE_MS, rest))
  }
}

function secondsOf(wait: Value): number {
  const seconds = typeof wait === 'boolean' ? Number(wait) : (numberOf(wait) ?? Number(str(wait)))
  if (Number.isFinite(seconds)) return seconds
  throw misuse(`Bad value ('${str(wait)}') passed for 'wait' param - must be an int or boolean.`)
}

export interface Change {
  verb: 'Create' | 'Modify' | 'Delete'
  name: string
  wait?: Value
  more: Dict
}

/** Make, change or delete something, and wait until that is done. */
export async function change(
  ctx: FunctionContext,
  cache: AwsCaller,
  resource: Resource,
  { verb, name: given, wait = 0, more }: Change,
): Promise<boolean> {
  const { noun, words, id, status } = resource
  const seconds = secondsOf(wait)
  const name = str(more.get(id) ?? given)
  const call = cache.query(`${verb}${noun}`, { ...parametersOf(more), [id]: name })
  if (!(await isAccepted(ctx, call))) return false
  if (seconds <= 0 || status === undefined) return true
  const isDone = await waitFor(seconds, async () => {
    const found = await describeOne(cache, resource, name)
    if (verb === 'Delete') return found === undefined || found.get(status) === 'deleted'
    return found?.get(status) === 'available'
  })
  const goal = verb === 'Delete' ? 'deleted' : 'available'
  if (!isDone) ctx.log('error', `${words} ${name} is not ${goal} after ${seconds} seconds`)
  return isDone
}

const listOf = (value: Value | undefined): Value[] => (value === undefined ? [] : isList(value) ? value : [value])

/** Add the ids of security groups by their names. */
export async function withGroups(ctx: FunctionContext, groups: Value, login: AwsLogin, more: Dict): Promise<Dict> {
  const names = groups === null ? [] : listOf(groups).map(str)
  if (names.length === 0) return more
  const { region = null, key = null, keyid = null, profile = null } = login
  const place = { groups: names, region, key, keyid, profile }
  const ids = await ctx.call('boto_secgroup.convert_to_group_ids', [], place)
  return new Map([...more, ['SecurityGroupIds', [...listOf(more.get('SecurityGroupIds')), ...ids]]])
}

/** Return the ids of subnets by their names or ids. */
export async function subnetIds(
  ctx: Pick<FunctionContext, 'call'>,
  subnets: Value,
  { region = null, key = null, keyid = null, profile = null }: AwsLogin,
): Promise<string[]> {
  const ids: string[] = []
  for (const subnet of subnets === null ? [] : listOf(subnets).map(str)) {
    if (subnet.startsWith('subnet-')) {
      ids.push(subnet)
      continue
    }
    const given = { subnet_names: [subnet], region, key, keyid, profile }
    const answer = await ctx.call('boto_vpc.describe_subnets', [], given)
    const found = isDict(answer) ? listOf(answer.get('subnets')).filter(isDict) : []
    const [first] = found
    if (first === undefined) throw misuse(`Could not resolve Subnet Name ${subnet} to an ID.`)
    if (found.length > 1) throw misuse(`Subnet Name ${subnet} returned more than one ID.`)
    ids.push(str(first.get('id') ?? ''))
  }
  return ids
}

export async function withSubnets(ctx: FunctionContext, subnets: Value, login: AwsLogin, more: Dict): Promise<Dict> {
  const ids = await subnetIds(ctx, subnets, login)
  return ids.length === 0 ? more : new Map([...more, ['SubnetIds', [...listOf(more.get('SubnetIds')), ...ids]]])
}

export const NAMED = { name: NAME, ...LOGIN }
