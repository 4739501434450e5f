// Caches of ElastiCache as states, with parameters by the names of AWS.
import { type Dict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { askerOf } from '../common/ask.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { dictsIn } from '../common/structured.ts'
import { unordered } from '../common/unordered.ts'
import { CLUSTER_CHANGES, clusterSettings, differing, REPLICATION_CHANGES, replicationSettings } from './differences.ts'
import { further, MORE, NAME, subnetIds, WAIT } from './resources.ts'

const ask = askerOf('boto3_elasticache')

const PRESENT = {
  name: NAME,
  wait: arg.any('Seconds to wait until it is available; 0 does not wait', { default: 900 }),
  security_groups: arg.any('Names or ids of security groups, besides `SecurityGroupIds`', { optional: true }),
  ...LOGIN,
  args: MORE,
}

/** A kind of resource: its names in functions and comments, and its differences in parameters. */
interface Kind {
  fun: string
  title: string
  words: string
  /** Parameters that only a change can have. */
  onlyOnModify: readonly string[]
  gap: (present: Dict) => Promise<Dict>
}

interface Wanted {
  name: string
  login: AwsLogin
  /** Parameters of the functions that create and change it, besides those of AWS. */
  given: Record<string, Value>
  more: Dict
}

async function find(ctx: StateContext, { fun }: Kind, { name, login }: Wanted): Promise<Dict | undefined> {
  const found = await ask(ctx, `describe_${fun}s`, login, { name })
  return dictsIn(found)[0]
}

const entries = (dict: Dict): Record<string, Value> =>
  Object.fromEntries([...dict].map(([key, value]) => [str(key), value]))

interface Gap {
  present: Dict | undefined
  change: Dict
}

/** Create a resource, and modify it at once if a parameter is only for changes. */
async function create(ctx: StateContext, kind: Kind, wanted: Wanted): Promise<{ comment: string; isDone: boolean }> {
  const { fun, title, words, onlyOnModify } = kind
  const { name, login, given, more } = wanted
  const first = new Map([...more].filter(([key]) => !onlyOnModify.includes(str(key))))
  if (!truthy(await ask(ctx, `create_${fun}`, login, { ...given, ...entries(first), name })))
    return { comment: `Failed to create ${name} ${words}.`, isDone: false }
  const created = `${title} ${name} was created.`
  if (first.size === more.size) return { comment: created, isDone: true }
  const change = await kind.gap((await find(ctx, kind, wanted)) ?? new Map())
  if (change.size === 0) return { comment: created, isDone: true }
  if (!truthy(await ask(ctx, `modify_${fun}`, login, { ...given, ...entries(change), name })))
    return { comment: `Failed to modify ${words} ${name}.`, isDone: false }
  return { comment: `${created} ... and then immediately modified.`, isDone: true }
}

/** Ensure that a resource exists with the given settings. */
function present(ctx: StateContext, kind: Kind, wanted: Wanted): Promise<StateReturn> {
  const { fun, title, words } = kind
  const { name, login, given } = wanted
  return ensure<Gap>(ctx, {
    name,
    look: async () => {
      const now = await find(ctx, kind, wanted)
      if (now === undefined) return { present: now, change: new Map() }
      const change = await kind.gap(now)
      return change.size === 0 ? settled(`${title} ${name} is in the desired state.`) : { present: now, change }
    },
    foresee: ({ present: now }) => `${title} ${name} would be ${now === undefined ? 'created' : 'modified'}.`,
    act: async ({ present: old, change }) => {
      const after = async (): Promise<Value> => (await find(ctx, kind, wanted)) ?? null
      if (old === undefined) {
        const { comment, isDone } = await create(ctx, kind, wanted)
        return isDone ? changed(comment, { old: null, new: await after() }) : failed(comment)
      }
      if (!truthy(await ask(ctx, `modify_${fun}`, login, { ...given, ...entries(change), name })))
        return failed(`Failed to modify ${words} ${name}.`)
      return changed(`${title} ${name} was modified.`, { old, new: await after() })
    },
  })
}

/** Ensure that a resource does not exist. */
function absent(
  ctx: StateContext,
  { fun, title, words }: Pick<Kind, 'fun' | 'title' | 'words'>,
  { name, login, given, more }: Wanted,
): Promise<StateReturn> {
  return ensure(ctx, {
    name,
    look: async () =>
      truthy(await ask(ctx, `${fun}_exists`, login, { name })) ? 'there' : settled(`${title} ${name} already absent.`),
    foresee: () => `${title} ${name} would be removed.`,
    act: async () =>
      truthy(await ask(ctx, `delete_${fun}`, login, { ...given, ...entries(more), name }))
        ? changed('', { old: name, new: null })
        : failed(`Failed to delete ${name} ${words}.`),
  })
}

const CLUSTER = { fun: 'cache_cluster', title: 'Cache cluster', words: 'cache cluster' }
const REPLICATION = { fun: 'replication_group', title: 'Replication group', words: 'replication group' }
const SUBNETS = { fun: 'cache_subnet_group', title: 'Cache subnet group', words: 'cache subnet group' }

const ABSENT = { name: NAME, wait: WAIT, ...LOGIN, args: MORE }

/** Return the first cluster of a replication group. */
async function memberOf(ctx: StateContext, group: Dict, login: AwsLogin): Promise<Dict> {
  const members = group.get('MemberClusters') ?? null
  const [name] = isList(members) ? members : []
  const found = name === undefined ? null : await ask(ctx, 'describe_cache_clusters', login, { name })
  return dictsIn(found)[0] ?? new Map()
}

/** Return the differences between a subnet group and the wanted one. */
function subnetGap(wanted: Dict, group: Dict): Dict {
  const subnets = group.get('Subnets') ?? null
  const ids = dictsIn(subnets).map((one) => one.get('SubnetIdentifier') ?? null)
  const present = new Map<Value, Value>([
    ['CacheSubnetGroupDescription', group.get('CacheSubnetGroupDescription') ?? null],
    ['SubnetIds', ids],
  ])
  const isOther = ([key, value]: [Value, Value]): boolean =>
    present.has(key) && unordered(value) !== unordered(present.get(key) ?? null)
  return new Map([...wanted].filter(isOther))
}

export default defineState({
  name: 'boto3_elasticache',
  doc: 'Manage caches of ElastiCache.',
  functions: {
    cache_cluster_present: state({
      doc: 'Ensure that a cache cluster exists, with the settings that are given.',
      args: PRESENT,
      run: (ctx, { name, wait, security_groups, args, ...login }) => {
        const more = further(args)
        const kind: Kind = {
          ...CLUSTER,
          onlyOnModify: ['CacheNodeIdsToRemove', 'NewAvailabilityZones', 'NotificationTopicStatus'],
          gap: async (now) => differing(more, clusterSettings(now), CLUSTER_CHANGES),
        }
        return present(ctx, kind, { name, login, given: { wait, security_groups }, more })
      },
    }),
    cache_cluster_absent: state({
      doc: 'Ensure that a cache cluster does not exist.',
      args: ABSENT,
      run: (ctx, { name, wait, args, ...login }) =>
        absent(ctx, CLUSTER, { name, login, given: { wait }, more: further(args) }),
    }),
    replication_group_present: state({
      doc: 'Ensure that a replication group exists, with the settings that are given.',
      args: PRESENT,
      run: (ctx, { name, wait, security_groups, args, ...login }) => {
        const more = further(args)
        const kind: Kind = {
          ...REPLICATION,
          onlyOnModify: ['SnapshottingClusterId', 'NotificationTopicStatus'],
          gap: async (now) =>
            differing(more, replicationSettings(now, await memberOf(ctx, now, login)), REPLICATION_CHANGES),
        }
        return present(ctx, kind, { name, login, given: { wait, security_groups }, more })
      },
    }),
    replication_group_absent: state({
      doc: 'Ensure that a replication group does not exist.',
      args: ABSENT,
      run: (ctx, { name, wait, args, ...login }) =>
        absent(ctx, REPLICATION, { name, login, given: { wait }, more: further(args) }),
    }),
    cache_subnet_group_present: state({
      doc: 'Ensure that a cache subnet group exists, with the subnets and the description that are given.',
      args: {
        name: NAME,
        subnets: arg.any('Names or ids of subnets, besides `SubnetIds`', { optional: true }),
        ...LOGIN,
        args: MORE,
      },
      run: async (ctx, { name, subnets, args, ...login }) => {
        const own = further(args)
        const listed = own.get('SubnetIds') ?? null
        const ids = [...(isList(listed) ? listed : []), ...(await subnetIds(ctx, subnets, login))]
        const more = ids.length === 0 ? own : new Map([...own, ['SubnetIds', ids] as [Value, Value]])
        const kind: Kind = { ...SUBNETS, onlyOnModify: [], gap: async (now) => subnetGap(more, now) }
        return present(ctx, kind, { name, login, given: {}, more })
      },
    }),
    cache_subnet_group_absent: state({
      doc: 'Ensure that a cache subnet group does not exist.',
      args: { name: NAME, ...LOGIN, args: MORE },
      run: (ctx, { name, args, ...login }) => absent(ctx, SUBNETS, { name, login, given: {}, more: further(args) }),
    }),
  },
})
