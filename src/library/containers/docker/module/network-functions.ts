// Functions on networks and volumes.
import { type Dict, isDict, isList, loadJson, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type FunctionContext, ret } from '../../../../sdk/mod.ts'
import { asking, changing, flag, further, name, optional, text, value } from './arguments.ts'
import { docker, factsOf, type Given, inspect, lines, said, within } from './cli.ts'
import { networkDifference } from './compare.ts'
import * as container from './containers.ts'
import { networkWords } from './networks.ts'
import { listed } from './options.ts'

const network_id = arg.any('The network')
const containerArg = arg.any('The container')

async function allNetworks(ctx: FunctionContext, given: Given): Promise<Dict[]> {
  const [names, ids] = ['names', 'ids'].map((key) =>
    value(given, key) === null ? undefined : listed(value(given, key)),
  )
  const found = await lines(ctx, 'network', 'ls', '--no-trunc', '--quiet')
  const facts = found.length > 0 ? (loadJson(await said(ctx, 'network', 'inspect', ...found)) as Dict[]) : []
  return facts.filter(
    (net) =>
      (!names || names.includes(str(net.get('Name')!))) &&
      (!ids || ids.some((id) => str(net.get('Id')!).startsWith(id))),
  )
}

export const networks = {
  networks: asking(
    'Networks.',
    { names: optional('Only these'), ids: optional('Only these') },
    'networks',
    allNetworks,
    ret.dicts('The facts of each'),
  ),
  inspect_network: asking(
    'All that is known of a network.',
    { network_id },
    'inspect_network web',
    (ctx, given) => inspect(ctx, 'network', value(given, 'network_id')),
    ret.dict('The facts'),
  ),
  connected: asking(
    'The containers in a network.',
    { name, verbose: flag('Whether all is told') },
    'connected web',
    async (ctx, given) => {
      const found = within(await inspect(ctx, 'network', value(given, 'name')), 'Containers')
      const members = [...(isDict(found) ? found : new Map<Value, Value>())].map(
        ([id, facts]) => [within(facts, 'Name'), new Map([...(facts as Dict), ['Id', id]])] as const,
      )
      return truthy(value(given, 'verbose')) ? new Map<Value, Value>(members) : members.map(([each]) => each)
    },
  ),
  create_network: changing(
    'Make a network.',
    { name, kwargs: further('driver, options, internal, labels, subnet, gateway, ip_range, …') },
    'create_network web driver=bridge',
    async (ctx, given, kwargs) => ({
      Id: await said(ctx, 'network', 'create', ...networkWords(kwargs), text(given, 'name')),
      Warning: '',
    }),
  ),
  remove_network: changing('Remove a network.', { network_id }, 'remove_network web', async (ctx, given) => {
    await docker(ctx, ['network', 'rm', text(given, 'network_id')])
    return true
  }),
  connect_container_to_network: changing(
    'Let a container join a network.',
    { container: containerArg, net_id: network_id, kwargs: further('ipv4_address, ipv6_address, links, aliases') },
    'connect_container_to_network web-1 web',
    (ctx, given, kwargs) => container.connect(ctx, value(given, 'container'), value(given, 'net_id'), kwargs),
  ),
  disconnect_container_from_network: changing(
    'Let a container leave a network.',
    { container: containerArg, network_id },
    'disconnect_container_from_network web-1 web',
    async (ctx, given) => {
      await docker(ctx, ['network', 'disconnect', text(given, 'network_id'), text(given, 'container')])
      return true
    },
  ),
  compare_networks: asking(
    'How two networks differ.',
    { first: name, second: name, ignore: arg.any('Keys that do not count', { default: 'Name,Id,Created,Containers' }) },
    'compare_networks one two',
    async (ctx, given) =>
      networkDifference(
        await factsOf(ctx, 'network', value(given, 'first')),
        await factsOf(ctx, 'network', value(given, 'second')),
        listed(value(given, 'ignore')),
      ),
    ret.dict('The differences, by option'),
  ),
}

export const volumes = {
  volumes: asking(
    'Volumes.',
    { filters: optional('Filters by name') },
    'volumes',
    async (ctx, given) => {
      const filters = isDict(value(given, 'filters')) ? [...(value(given, 'filters') as Dict)] : []
      const flags = filters.flatMap(([key, inner]) =>
        (isList(inner) ? (inner as Value[]) : [inner]).map((each) => `--filter=${str(key)}=${str(each)}`),
      )
      const found = await lines(ctx, 'volume', 'ls', '--quiet', ...flags)
      return {
        Volumes: found.length > 0 ? (loadJson(await said(ctx, 'volume', 'inspect', ...found)) as Value[]) : null,
        Warnings: null,
      }
    },
    ret.dict('`Volumes` and `Warnings`'),
  ),
  create_volume: changing(
    'Make a volume.',
    { name, driver: optional('The driver'), driver_opts: optional('Options of the driver') },
    'create_volume data driver=local',
    async (ctx, given) => {
      const options = isDict(value(given, 'driver_opts')) ? [...(value(given, 'driver_opts') as Dict)] : []
      const driver = value(given, 'driver') === null ? [] : [`--driver=${text(given, 'driver')}`]
      await docker(ctx, [
        'volume',
        'create',
        ...driver,
        ...options.map(([key, inner]) => `--opt=${str(key)}=${str(inner)}`),
        text(given, 'name'),
      ])
      return inspect(ctx, 'volume', value(given, 'name'))
    },
  ),
  inspect_volume: asking('All that is known of a volume.', { name }, 'inspect_volume data', (ctx, given) =>
    inspect(ctx, 'volume', value(given, 'name')),
  ),
  remove_volume: changing('Remove a volume.', { name }, 'remove_volume data', async (ctx, given) => {
    await docker(ctx, ['volume', 'rm', text(given, 'name')])
    return true
  }),
}
