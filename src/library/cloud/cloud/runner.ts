// salt-cloud as functions of the master.
import { type Dict, failure, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type CloudClient,
  type CloudOutcome,
  type CloudQuery,
  defineRunner,
  type MasterContext,
  masterFn,
  ret,
} from '../../../sdk/mod.ts'

/** Give the result, or fail with it: a failure of a machine is one of the call. */
async function outcome(ctx: MasterContext, work: (cloud: CloudClient) => Promise<CloudOutcome>): Promise<Value> {
  const { value, failed } = await ctx.cloud(work)
  if (failed) throw failure(errorsIn(value).join('\n') || 'salt-cloud failed: see the log of the master')
  return value
}

/** Return the texts under `Error` in a result, with their path. */
function errorsIn(value: Value, path: readonly string[] = []): string[] {
  if (!isDict(value)) return []
  const own = value.get('Error')
  const missing = value.get('Not Found')
  return [
    ...(typeof own === 'string' ? [[...path, own].join(': ')] : []),
    ...(Array.isArray(missing) ? [`Not found: ${missing.map(str).join(', ')}`] : []),
    ...[...value].flatMap(([key, item]) => errorsIn(item, [...path.slice(-1), str(key)].slice(-1))),
  ]
}

const provider = arg.text('Alias of a provider, `alias:driver`, or `all`', { default: 'all' })
const instances = arg.words('Names of machines: a list, or separated by commas')
const ignored = arg.any('Options of Salt’s client, which have no effect', { optional: true })

const queryFn = (doc: string, kind: CloudQuery) =>
  masterFn({
    doc,
    args: { query_type: arg.text('list_nodes, list_nodes_full or list_nodes_select', { default: kind }) },
    returns: ret.any('Machines by alias, driver and name'),
    run: (ctx, { query_type }) => {
      if (!['list_nodes', 'list_nodes_full', 'list_nodes_select'].includes(query_type)) {
        throw misuse(`'${query_type}' is none of list_nodes, list_nodes_full, list_nodes_select`)
      }
      return outcome(ctx, (cloud) => cloud.query(query_type as CloudQuery))
    },
  })

const listingFn = (doc: string, kind: 'locations' | 'images' | 'sizes') =>
  masterFn({
    doc,
    args: { provider },
    returns: ret.any('Entries by alias, driver and name'),
    run: (ctx, args) => outcome(ctx, (cloud) => cloud.listing(kind, args.provider)),
  })

const isFromOutside = (ctx: MasterContext): boolean => ctx.caller !== undefined

const overridesOf = (kwargs: ReadonlyMap<string, Value>): Dict =>
  new Map([...kwargs].filter(([name]) => !name.startsWith('__')))

export default defineRunner({
  name: 'cloud',
  doc: 'Make, query and destroy machines of cloud providers, as salt-cloud does.',
  functions: {
    list_sizes: listingFn('Return the sizes of a provider.', 'sizes'),
    list_images: listingFn('Return the images of a provider.', 'images'),
    list_locations: listingFn('Return the locations of a provider.', 'locations'),
    query: queryFn('Return a few facts about all machines.', 'list_nodes'),
    full_query: queryFn('Return all facts about all machines.', 'list_nodes_full'),
    select_query: queryFn('Return the facts that `query.selection` names about all machines.', 'list_nodes_select'),
    list_providers: masterFn({
      doc: 'Return the providers of the files by alias and driver.',
      returns: ret.dict('Providers'),
      run: (ctx) => ctx.cloud(async (cloud) => cloud.providers()),
    }),
    list_profiles: masterFn({
      doc: 'Return the profiles of a provider.',
      args: { provider },
      returns: ret.dict('Profiles by alias and driver'),
      run: (ctx, args) => ctx.cloud(async (cloud) => cloud.profiles(args.provider)),
    }),
    profile: masterFn({
      doc: 'Make machines of a profile.',
      examples: ['salt-run cloud.profile prof=my-ec2 instances=node1,node2,node3'],
      args: {
        prof: arg.text('Name of the profile', { optional: true }),
        instances: arg.words('Names of machines: a list, or separated by commas', { optional: true }),
        opts: ignored,
        kwargs: arg.open(
          '`profile` and `names` in place of the first two; `vm_overrides` and further settings of the machines',
        ),
      },
      returns: ret.any('What is known of each machine'),
      run: (ctx, { prof, instances, kwargs }) => {
        const overrides = overridesOf(kwargs)
        const take = (key: string): Value => {
          const value = overrides.get(key) ?? null
          overrides.delete(key)
          return value
        }
        const [profile, names, vm_overrides, parallel] = ['profile', 'names', 'vm_overrides', 'parallel'].map(take) as [
          Value,
          Value,
          Value,
          Value,
        ]
        const name = prof ?? (profile === null ? null : str(profile))
        const machines =
          instances ?? (names === null ? null : Array.isArray(names) ? names.map(str) : str(names).split(','))
        if (name === null) throw misuse('A profile (or prof) must be defined')
        if (machines === null) throw misuse('One or more instances (comma-delimited) must be set')
        if (isDict(vm_overrides)) for (const [key, value] of vm_overrides) overrides.set(key, value)
        const request = { overrides, parallel: parallel === true, isFromOutside: isFromOutside(ctx) }
        return outcome(ctx, (cloud) => cloud.profile(name, machines, request))
      },
    }),
    map_run: masterFn({
      doc: 'Make the machines of a map that are missing.',
      examples: ['salt-run cloud.map_run /etc/salt/cloud.maps.d/web.map'],
      args: {
        path: arg.text('File of the map', { optional: true }),
        opts: ignored,
        map_data: arg.any('A map as data, in place of a file', { optional: true }),
        parallel: arg.flag('Make machines at the same time', { default: false }),
        hard: arg.flag('Destroy machines that the map does not name; needs enable_hard_maps', { default: false }),
        test: arg.flag('Return what would be done', { default: false, beyond: true }),
        kwargs: arg.ignored(),
      },
      returns: ret.any('What is known of each machine, or the plan'),
      run: (ctx, { path, map_data, parallel, hard, test }) => {
        const map = path ?? (isDict(map_data) ? map_data : undefined)
        if (map === undefined) throw misuse('A path or map_data must be defined')
        return outcome(ctx, async (cloud) => {
          const plan = await cloud.plan(map, { isHard: hard, isFromOutside: isFromOutside(ctx) })
          if (!test) return cloud.carryOut(plan, parallel)
          const names = (all: Map<string, unknown>): Value[] => [...all.keys()]
          const value: Dict = new Map<Value, Value>([
            ['create', names(plan.create)],
            ['existing', names(plan.existing)],
            ['destroy', names(plan.destroy)],
          ])
          return { value, failed: false }
        })
      },
    }),
    destroy: masterFn({
      doc: 'Destroy machines, and remove the keys of their minions.',
      examples: ['salt-run cloud.destroy node1,node2'],
      args: { instances, opts: ignored },
      returns: ret.any('What the provider says, by alias, driver and name'),
      run: (ctx, { instances }) => outcome(ctx, (cloud) => cloud.destroy(instances)),
    }),
    action: masterFn({
      doc: 'Do something to machines, or ask a provider something.',
      examples: [
        'salt-run cloud.action start instance=my-salt-vm',
        'salt-run cloud.action show_image provider=my-ec2 image=ami-1',
      ],
      args: {
        func: arg.text('Name of the action or function'),
        cloudmap: arg.text('File of a map whose machines are meant', { optional: true }),
        instances: arg.words('Names of machines: a list, or separated by commas', { optional: true }),
        provider: arg.text('Provider to ask, where no machine is meant', { optional: true }),
        instance: arg.text('Name of one machine', { optional: true }),
        opts: ignored,
        kwargs: arg.open('Arguments of the action'),
      },
      returns: ret.any('What the action returns, by alias, driver and name'),
      run: (ctx, { func, cloudmap, instances, provider, instance, kwargs }) => {
        const given = overridesOf(kwargs)
        const names = instances ?? (instance === null ? [] : [instance])
        if (cloudmap === null && names.length === 0 && provider === null)
          throw misuse('A provider, a map or one or more instances must be named')
        const outside = isFromOutside(ctx)
        return outcome(ctx, async (cloud) => {
          if (cloudmap === null && names.length === 0) return cloud.function(func, provider!, given, outside)
          const plan =
            cloudmap === null ? undefined : await cloud.plan(cloudmap, { isHard: false, isFromOutside: outside })
          return cloud.action(func, [...names, ...(plan?.existing.keys() ?? [])], given, outside)
        })
      },
    }),
    create: masterFn({
      doc: 'Make machines of a provider without a profile.',
      examples: [
        "salt-run cloud.create my-ec2-config myinstance image=ami-1624987f size='t1.micro' ssh_username=ec2-user",
      ],
      args: {
        provider: arg.text('Alias of a provider, or `alias:driver`'),
        instances,
        opts: ignored,
        kwargs: arg.open('Settings of the machines'),
      },
      returns: ret.any('What is known of each machine'),
      run: (ctx, { provider, instances, kwargs }) => {
        const request = { overrides: overridesOf(kwargs), isFromOutside: isFromOutside(ctx) }
        return outcome(ctx, (cloud) => cloud.create(provider, instances, request))
      },
    }),
  },
})
