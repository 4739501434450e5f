// Functions on networks and volumes.
import { type Dict, isDict, isList, loadJson, str, type Value } from '../../../../data/mod.ts'
import { arg, changes, reads, ret } from '../../../../sdk/mod.ts'
import { docker, factsOf, inspect, lines, said, within } from './cli.ts'
import { networkDifference } from './compare.ts'
import * as container from './containers.ts'
import { networkWords } from './networks.ts'
import { listed } from './options.ts'

const networkId = arg.text('Name or ID of the network')
const containerId = arg.text('Name or ID of the container')
const compared = arg.any('Name or ID of a network, or what docker.inspect_network returns')
const done = ret.boolean('True; a refusal of Docker is an error')

/** Return the dicts of a JSON list. */
function dicts(json: string): Dict[] {
  const found = loadJson(json)
  return isList(found) ? found.filter(isDict) : []
}

const networks = {
  networks: reads({
    doc: 'Return networks.',
    args: {
      names: arg.any('Only networks with these names: a list, or a text with commas', { optional: true }),
      ids: arg.any('Only networks whose IDs begin so: a list, or a text with commas', { optional: true }),
    },
    returns: ret.dicts('Facts about each network'),
    run: async (ctx, given) => {
      const [names, ids] = [given.names, given.ids].map((value) => (value === null ? undefined : listed(value)))
      const found = await lines(ctx, 'network', 'ls', '--no-trunc', '--quiet')
      const facts = found.length > 0 ? dicts(await said(ctx, 'network', 'inspect', ...found)) : []
      const isNamed = (net: Dict): boolean => !names || names.includes(str(net.get('Name') ?? ''))
      const hasId = (net: Dict): boolean => !ids || ids.some((id) => str(net.get('Id') ?? '').startsWith(id))
      return facts.filter((net) => isNamed(net) && hasId(net))
    },
  }),
  inspect_network: reads({
    doc: 'Return all that Docker knows about a network.',
    args: { network_id: networkId },
    returns: ret.dict('Facts about the network'),
    example: 'docker.inspect_network web',
    run: (ctx, { network_id }) => inspect(ctx, 'network', network_id),
  }),
  connected: reads({
    doc: 'Return the containers in a network.',
    args: { name: networkId, verbose: arg.flag('Whether their facts are returned too', { default: false }) },
    returns: ret.any('List of names; with verbose, facts by name'),
    example: 'docker.connected web',
    run: async (ctx, { name, verbose }) => {
      const found = within(await inspect(ctx, 'network', name), 'Containers')
      const members = [...(isDict(found) ? found : [])].map(([id, facts]): [Value, Value] => [
        within(facts, 'Name'),
        new Map([...(isDict(facts) ? facts : []), ['Id', id]]),
      ])
      return verbose ? new Map(members) : members.map(([each]) => each)
    },
  }),
  create_network: changes({
    doc: 'Create a network.',
    args: {
      name: arg.text('Name of the network'),
      kwargs: arg.open('Options: driver, options, internal, labels, subnet, gateway, ip_range and so on'),
    },
    returns: ret.dict('`Id` and `Warning`'),
    example: 'docker.create_network web driver=bridge',
    run: async (ctx, { name, kwargs }) => ({
      Id: await said(ctx, 'network', 'create', ...networkWords(kwargs), name),
      Warning: '',
    }),
  }),
  remove_network: changes({
    doc: 'Remove a network.',
    args: { network_id: networkId },
    returns: done,
    example: 'docker.remove_network web',
    run: async (ctx, { network_id }) => {
      await docker(ctx, ['network', 'rm', network_id])
      return true
    },
  }),
  connect_container_to_network: changes({
    doc: 'Connect a container to a network.',
    args: {
      container: containerId,
      net_id: networkId,
      kwargs: arg.open('Settings: ipv4_address, ipv6_address, links, aliases'),
    },
    returns: done,
    example: 'docker.connect_container_to_network web-1 web',
    run: (ctx, { container: member, net_id, kwargs }) => container.connect(ctx, member, net_id, kwargs),
  }),
  disconnect_container_from_network: changes({
    doc: 'Disconnect a container from a network.',
    args: { container: containerId, network_id: networkId },
    returns: done,
    example: 'docker.disconnect_container_from_network web-1 web',
    run: async (ctx, { container, network_id }) => {
      await docker(ctx, ['network', 'disconnect', network_id, container])
      return true
    },
  }),
  compare_networks: reads({
    doc: 'Compare two networks.',
    args: {
      first: compared,
      second: compared,
      ignore: arg.any('Keys to ignore: a list, or a text with commas', { default: 'Name,Id,Created,Containers' }),
    },
    returns: ret.dict('Differences by option'),
    example: 'docker.compare_networks one two',
    run: async (ctx, { first, second, ignore }) =>
      networkDifference(await factsOf(ctx, 'network', first), await factsOf(ctx, 'network', second), listed(ignore)),
  }),
}

const volumeName = arg.text('Name of the volume')

const volumes = {
  volumes: reads({
    doc: 'Return volumes.',
    args: { filters: arg.dict('Filters of `docker volume ls` by name', { optional: true }) },
    returns: ret.dict('`Volumes`, None if there are none, and `Warnings`'),
    run: async (ctx, { filters }) => {
      const flags = [...(filters ?? [])].flatMap(([key, value]) =>
        (isList(value) ? value : [value]).map((each) => `--filter=${str(key)}=${str(each)}`),
      )
      const found = await lines(ctx, 'volume', 'ls', '--quiet', ...flags)
      const Volumes = found.length > 0 ? loadJson(await said(ctx, 'volume', 'inspect', ...found)) : null
      return { Volumes, Warnings: null }
    },
  }),
  create_volume: changes({
    doc: 'Create a volume.',
    args: {
      name: volumeName,
      driver: arg.text('Driver of the volume', { optional: true }),
      driver_opts: arg.dict('Options of the driver by name', { optional: true }),
    },
    returns: ret.dict('Facts about the volume'),
    example: 'docker.create_volume data driver=local',
    run: async (ctx, { name, driver, driver_opts }) => {
      const flags = [
        ...(driver === null ? [] : [`--driver=${driver}`]),
        ...[...(driver_opts ?? [])].map(([key, value]) => `--opt=${str(key)}=${str(value)}`),
      ]
      await docker(ctx, ['volume', 'create', ...flags, name])
      return inspect(ctx, 'volume', name)
    },
  }),
  inspect_volume: reads({
    doc: 'Return all that Docker knows about a volume.',
    args: { name: volumeName },
    returns: ret.dict('Facts about the volume'),
    example: 'docker.inspect_volume data',
    run: (ctx, { name }) => inspect(ctx, 'volume', name),
  }),
  remove_volume: changes({
    doc: 'Remove a volume.',
    args: { name: volumeName },
    returns: done,
    example: 'docker.remove_volume data',
    run: async (ctx, { name }) => {
      await docker(ctx, ['volume', 'rm', name])
      return true
    },
  }),
}

export const networkFunctions = { ...networks, ...volumes }
