// salt-cloud for states and orchestrations on the machine of the master: each function calls the runner of the same name.
import { type Dict, failure, isDict, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

const NOT_BESIDE =
  'Functions of cloud run on the machine of a master: in an orchestration, or on the minion beside the master'

/** Call a runner function of salt-cloud. Its failure is a dict with `Error`, as in Salt. */
async function ask(ctx: FunctionContext, name: string, kwargs: Readonly<Record<string, Value>>): Promise<Value> {
  const master = ctx.master ?? (await ctx.daemon?.masterBeside?.())
  if (!master) throw failure(NOT_BESIDE)
  const given = new Map(Object.entries(kwargs).filter(([key, value]) => value !== null && !key.startsWith('__')))
  const call = { name: `cloud.${name}`, args: [], kwargs: given, user: master.user }
  const { value, success } = await master.call('runner', call)
  return success ? value : new Map([['Error', str(value)]])
}

const provider = arg.text('Alias of a provider, or `all`', { default: 'all' })
const names = arg.words('Names of machines: a list, or separated by commas')
const oneProvider = arg.text('Alias of the provider')

/** A function of the provider, which a driver may have or not. */
const providerFunction = (doc: string, fun: string) =>
  changes({
    doc,
    args: { provider: oneProvider, names: arg.words('Names'), kwargs: arg.open('Arguments of the function') },
    returns: ret.any('What the provider answers'),
    run: (ctx, { provider, names, kwargs }) => callProvider(ctx, fun, provider, names, kwargs),
  })

/** Call a function of a provider for each name. */
async function callProvider(
  ctx: FunctionContext,
  fun: string,
  provider: string,
  names: readonly string[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Value> {
  const all: Dict = new Map()
  for (const name of names) {
    const answer = await ask(ctx, 'action', { ...Object.fromEntries(kwargs), func: fun, provider, name })
    if (isDict(answer) && answer.has('Error')) return answer
    all.set(name, answerOf(answer, fun))
  }
  return all
}

const listOf = (doc: string, fun: string) =>
  reads({
    doc,
    args: { provider: oneProvider },
    returns: ret.any('Entries by name'),
    run: async (ctx, { provider }) => answerOf(await ask(ctx, 'action', { func: fun, provider }), fun),
  })

/** The answer of one provider, without alias, driver and name of the function. */
function answerOf(value: Value, fun: string): Value {
  if (!isDict(value) || value.has('Error')) return value
  for (const drivers of value.values()) {
    if (isDict(drivers))
      for (const answers of drivers.values()) if (isDict(answers) && answers.has(fun)) return answers.get(fun)!
  }
  return value
}

/** The facts of a machine in the answer to a query. */
function machineIn(all: Value, name: string, provider: string | null): Dict | undefined {
  if (!isDict(all)) return undefined
  for (const [alias, drivers] of all) {
    if ((provider !== null && str(alias) !== provider.split(':')[0]) || !isDict(drivers)) continue
    for (const nodes of drivers.values()) {
      const found = isDict(nodes) ? nodes.get(name) : undefined
      if (found !== undefined && isDict(found)) return found
    }
  }
  return undefined
}

const query = (doc: string, name: string) =>
  reads({
    doc,
    args: { query_type: arg.text('Kind of query', { optional: true }) },
    returns: ret.any('Machines by alias, driver and name'),
    run: (ctx, { query_type }) => ask(ctx, name, { query_type }),
  })

const listing = (doc: string, name: string) =>
  reads({
    doc,
    args: { provider },
    returns: ret.any('Entries by alias, driver and name'),
    run: (ctx, args) => ask(ctx, name, { provider: args.provider }),
  })

export default defineModule({
  name: 'cloud',
  doc: 'Make, query and destroy machines of cloud providers, on the machine of a master.',
  examples: 'given',
  functions: {
    list_sizes: listing('Return the sizes of a provider.', 'list_sizes'),
    list_images: listing('Return the images of a provider.', 'list_images'),
    list_locations: listing('Return the locations of a provider.', 'list_locations'),
    query: query('Return a few facts about all machines.', 'query'),
    full_query: query('Return all facts about all machines.', 'full_query'),
    select_query: query('Return selected facts about all machines.', 'select_query'),
    has_instance: reads({
      doc: 'Return whether a machine exists.',
      args: { name: arg.text('Name of the machine'), provider: arg.text('Alias of its provider', { optional: true }) },
      returns: ret.boolean('Whether it exists'),
      run: async (ctx, { name, provider }) => machineIn(await ask(ctx, 'query', {}), name, provider) !== undefined,
    }),
    get_instance: reads({
      doc: 'Return all facts about a machine.',
      args: { name: arg.text('Name of the machine'), provider: arg.text('Alias of its provider', { optional: true }) },
      returns: ret.any('Its facts, or None'),
      run: async (ctx, { name, provider }) => machineIn(await ask(ctx, 'full_query', {}), name, provider) ?? null,
    }),
    profile: changes({
      doc: 'Make machines of a profile.',
      calledAs: 'profile_',
      args: {
        profile: arg.text('Name of the profile'),
        names,
        vm_overrides: arg.dict('Settings over those of the profile', { optional: true }),
        opts: arg.any('Options of Salt’s client, which have no effect', { optional: true }),
        kwargs: arg.open('Further settings'),
      },
      returns: ret.any('What is known of each machine'),
      run: (ctx, { profile, names, vm_overrides, kwargs }) =>
        ask(ctx, 'profile', { ...Object.fromEntries(kwargs), prof: profile, instances: names, vm_overrides }),
    }),
    map_run: changes({
      doc: 'Make the machines of a map that are missing.',
      args: { path: arg.text('File of the map', { optional: true }), kwargs: arg.open('map_data, parallel, hard') },
      returns: ret.any('What is known of each machine'),
      run: (ctx, { path, kwargs }) => ask(ctx, 'map_run', { ...Object.fromEntries(kwargs), path }),
    }),
    destroy: changes({
      doc: 'Destroy machines, and remove the keys of their minions.',
      args: { names },
      returns: ret.any('What the provider says'),
      run: (ctx, { names }) => ask(ctx, 'destroy', { instances: names }),
    }),
    action: changes({
      doc: 'Do something to machines, or ask a provider something.',
      args: {
        fun: arg.text('Name of the action or function'),
        cloudmap: arg.text('File of a map whose machines are meant', { optional: true }),
        names: arg.words('Names of machines', { optional: true }),
        provider: arg.text('Provider to ask, where no machine is meant', { optional: true }),
        instance: arg.text('Name of one machine', { optional: true }),
        kwargs: arg.open('Arguments of the action'),
      },
      returns: ret.any('What the action returns, by alias, driver and name'),
      run: (ctx, { fun, names, kwargs, ...rest }) =>
        ask(ctx, 'action', { ...Object.fromEntries(kwargs), ...rest, func: fun, instances: names }),
    }),
    create: changes({
      doc: 'Make machines of a provider without a profile.',
      args: {
        provider: oneProvider,
        names,
        opts: arg.any('Options of Salt’s client, which have no effect', { optional: true }),
        kwargs: arg.open('Settings of the machines'),
      },
      returns: ret.any('What is known of each machine'),
      run: (ctx, { provider, names, kwargs }) =>
        ask(ctx, 'create', { ...Object.fromEntries(kwargs), provider, instances: names }),
    }),
    volume_list: listOf('Return the volumes of a provider.', 'volume_list'),
    volume_create: providerFunction('Make volumes.', 'volume_create'),
    volume_delete: providerFunction('Delete volumes.', 'volume_delete'),
    volume_attach: providerFunction('Attach volumes to a machine: `server_name`.', 'volume_attach'),
    volume_detach: providerFunction('Detach volumes from a machine.', 'volume_detach'),
    network_list: listOf('Return the networks of a provider.', 'network_list'),
    network_create: providerFunction('Make networks.', 'network_create'),
    virtual_interface_list: providerFunction('Return the virtual interfaces of machines.', 'virtual_interface_list'),
    virtual_interface_create: providerFunction('Make virtual interfaces of machines.', 'virtual_interface_create'),
  },
})
