// firewalld through firewall-cmd. Nearly every function is one call of it in a zone, permanent unless told otherwise.
import {
  type Dict,
  isDict,
  isList,
  SaltError,
  splitLines,
  splitWords,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, type Result, reads, ret, runAll } from '../../../sdk/mod.ts'

async function firewallCmd(ctx: FunctionContext, words: string): Promise<string> {
  const path = await ctx.host.which('firewall-cmd')
  if (path === undefined)
    throw new SaltError('CommandExecutionError', "The 'firewall-cmd' binary was not found in $PATH")
  const { retcode, stdout, stderr } = await runAll(ctx, `${path} ${words}`)
  if (retcode !== 0) throw new SaltError('CommandExecutionError', `firewall-cmd failed: ${stderr || stdout}`)
  return stdout
}

interface Place {
  zone?: Value
  permanent?: Value
}

const lasting = (words: string, permanent: Value | undefined): string =>
  truthy(permanent ?? true) ? `${words} --permanent` : words

function inZone(ctx: FunctionContext, words: string, { zone, permanent }: Place): Promise<string> {
  return firewallCmd(
    ctx,
    lasting(zone === undefined || !truthy(zone) ? words : `--zone=${str(zone)} ${words}`, permanent),
  )
}

const listed = async (ctx: FunctionContext, words: string, place: Place): Promise<string[]> =>
  splitWords(await inZone(ctx, words, place))

/** Zones as `--list-all` shows them: names at the margin, their settings indented, further values behind a tab. */
function parseZones(text: string): Dict {
  const zones: Dict = new Map()
  let zone: Dict = new Map()
  let values: Value[] = []
  for (const line of splitLines(text)) {
    if (line.trim() === '') continue
    if (/^[a-z0-9]/i.test(line)) zones.set(line.trimEnd(), (zone = new Map()))
    else if (line.startsWith('\t')) values.push(line.trim())
    else {
      const colon = line.indexOf(':')
      values = [line.slice(colon + 1).trim()]
      zone.set(line.slice(0, colon).trim(), values)
    }
  }
  return zones
}

async function masquerades(ctx: FunctionContext, place: Place): Promise<boolean> {
  const zones = parseZones(await inZone(ctx, '--list-all', place))
  return ![...zones.values()].some((zone) => {
    const value = isDict(zone) ? zone.get('masquerade') : undefined
    return value !== undefined && isList(value) && value[0] === 'no'
  })
}

async function forceMasquerade(ctx: FunctionContext, force: boolean, zone: Value): Promise<void> {
  if (force && !(await masquerades(ctx, { zone }))) await inZone(ctx, '--add-masquerade', { zone })
}

async function needService(ctx: FunctionContext, service: Value): Promise<void> {
  if ((await listed(ctx, '--get-services', {})).includes(str(service))) return
  throw new SaltError('CommandExecutionError', 'The service does not exist.')
}

/** Blocks or allows a kind of ICMP message, unless that is so already. */
async function icmp(ctx: FunctionContext, block: boolean, kind: string, place: Place): Promise<Result> {
  if (!(await listed(ctx, '--get-icmptypes', { permanent: place.permanent ?? true })).includes(kind)) {
    ctx.log('error', 'Invalid ICMP type')
    return false
  }
  const blocked = (await listed(ctx, '--list-icmp-blocks', place)).includes(kind)
  if (blocked === block) return 'success'
  return inZone(ctx, `--${block ? 'add' : 'remove'}-icmp-block=${kind}`, place)
}

async function portForwards(ctx: FunctionContext, place: Place): Promise<Result> {
  return splitLines(await inZone(ctx, '--list-forward-ports', place)).map((line) => {
    const [source, protocol, port, address] = line.split(':').map((part) => part.split('=')[1] ?? '')
    return {
      'Source port': source,
      Protocol: protocol,
      'Destination port': port,
      'Destination address': address,
    }
  })
}

const zone = arg.any('The zone')
const anyZone = arg.any('The zone; the default one when not given', { optional: true })
const permanent = arg.any('Whether it is about the configuration that stays', { default: true })
const service = arg.any('The service')
const restart = arg.flag('Whether firewalld reads its configuration anew', { default: true })
const force_masquerade = arg.flag('Whether masquerading is switched on first', { default: false })

/** A list of words that firewall-cmd shows for all zones. */
const names = (doc: string, fun: string, words: string) =>
  reads({
    doc,
    example: `firewalld.${fun}`,
    args: { permanent },
    run: (ctx, { permanent }) => listed(ctx, words, { permanent }),
    returns: ret.texts('The names'),
  })

/** A list of words that firewall-cmd shows for one zone. */
const zoneNames = (doc: string, fun: string, words: string) =>
  reads({
    doc,
    example: `firewalld.${fun} zone`,
    args: { zone, permanent },
    run: (ctx, place) => listed(ctx, words, place),
  })

/** A definition of its own: a zone or a service. */
const defined = (doc: string, example: string, key: 'zone' | 'name', words: string) =>
  changes({
    doc,
    example: `firewalld.${example}`,
    args: { [key]: arg.any('Its name'), restart },
    run: async (ctx, args) => {
      const given = args as Readonly<Record<string, Value>>
      const answer = await firewallCmd(ctx, `${words}=${str(given[key]!)} --permanent`)
      return truthy(given['restart']!) && answer === 'success' ? firewallCmd(ctx, '--reload') : answer
    },
  })

/** Something that a zone has, given to it or taken away. */
const member = (doc: string, fun: string, parameter: string, option: (value: string) => string) =>
  changes({
    doc,
    example: `firewalld.${fun} zone ${parameter}`,
    args: { zone, [parameter]: arg.any('Which one'), permanent },
    run: (ctx, args) => {
      const given = args as Readonly<Record<string, Value>>
      return inZone(ctx, option(str(given[parameter]!)), { zone: given['zone']!, permanent: given['permanent']! })
    },
  })

const plain = (doc: string, fun: string, words: string) =>
  reads({ doc, example: `firewalld.${fun}`, args: {}, run: (ctx) => firewallCmd(ctx, words) })

const ofService = (doc: string, fun: string, parameter: 'port' | 'protocol', verb: string, mustExist: boolean) =>
  changes({
    doc,
    example: `firewalld.${fun} zone ${parameter}`,
    args: { service, [parameter]: arg.any('Which one') },
    run: async (ctx, args) => {
      const given = args as Readonly<Record<string, Value>>
      if (mustExist) await needService(ctx, given['service']!)
      return firewallCmd(
        ctx,
        `--permanent --service=${str(given['service']!)} --${verb}-${parameter}=${str(given[parameter]!)}`,
      )
    },
  })

const ofServiceList = (doc: string, fun: string, option: string) =>
  reads({
    doc,
    example: `firewalld.${fun} zone`,
    args: { service },
    run: async (ctx, { service }) =>
      splitWords(await firewallCmd(ctx, `--permanent --service=${str(service)} ${option}`)),
  })

const serviceInZone = (doc: string, verb: string) =>
  changes({
    doc,
    example: `firewalld.${verb}_service ssh`,
    args: { service, zone: anyZone, permanent },
    run: (ctx, { service, ...place }) => inZone(ctx, `--${verb}-service=${str(service)}`, place),
  })

const masquerade = (doc: string, verb: string) =>
  changes({
    doc,
    example: `firewalld.${verb}_masquerade`,
    args: { zone: anyZone, permanent },
    run: (ctx, place) => inZone(ctx, `--${verb}-masquerade`, place),
  })

const forward = {
  zone,
  src: arg.text('The port that is forwarded'),
  dest: arg.text('The port it leads to'),
  proto: arg.text('The protocol', { default: 'tcp' }),
  dstaddr: arg.text('The address it leads to', { default: '' }),
  permanent,
}

const forwarding = (
  verb: string,
  { src, dest, proto, dstaddr }: Readonly<Record<'src' | 'dest' | 'proto' | 'dstaddr', Value>>,
) => `--${verb}-forward-port=port=${str(src)}:proto=${str(proto)}:toport=${str(dest)}:toaddr=${str(dstaddr)}`

export default defineModule({
  name: 'firewalld',
  doc: 'Zones, services and ports of firewalld.',
  when: async ({ host }) =>
    (await host.which('firewall-cmd')) !== undefined ||
    'The firewalld execution module cannot be loaded: the firewall-cmd binary is not in the path.',
  functions: {
    version: plain('The version of firewalld.', 'version', '--version'),
    reload_rules: changes({
      doc: 'Put the permanent configuration into force.',
      example: 'firewalld.reload_rules',
      args: {},
      run: (ctx) => firewallCmd(ctx, '--reload'),
    }),
    default_zone: plain('The default zone.', 'default_zone', '--get-default-zone'),
    list_zones: reads({
      doc: 'All zones with their settings.',
      example: 'firewalld.list_zones',
      args: { permanent },
      run: async (ctx, place) => parseZones(await inZone(ctx, '--list-all-zones', place)),
    }),
    get_zones: names('The names of all zones.', 'get_zones', '--get-zones'),
    get_services: names('The names of all services.', 'get_services', '--get-services'),
    get_icmp_types: names('The names of all kinds of ICMP messages.', 'get_icmp_types', '--get-icmptypes'),
    new_zone: defined('Make a zone.', 'new_zone my_zone', 'zone', '--new-zone'),
    delete_zone: defined('Remove a zone.', 'delete_zone my_zone', 'zone', '--delete-zone'),
    set_default_zone: changes({
      doc: 'Choose the default zone.',
      example: 'firewalld.set_default_zone damian',
      args: { zone },
      run: (ctx, { zone }) => firewallCmd(ctx, `--set-default-zone=${str(zone)}`),
    }),
    new_service: defined('Define a service.', 'new_service my_service', 'name', '--new-service'),
    delete_service: defined('Remove a service.', 'delete_service my_service', 'name', '--delete-service'),
    list_all: reads({
      doc: 'All settings of a zone.',
      example: 'firewalld.list_all my_zone',
      args: { zone: anyZone, permanent },
      run: async (ctx, place) => parseZones(await inZone(ctx, '--list-all', place)),
    }),
    list_services: reads({
      doc: 'The services of a zone.',
      example: 'firewalld.list_services my_zone',
      args: { zone: anyZone, permanent },
      run: (ctx, place) => listed(ctx, '--list-services', place),
    }),
    add_service: serviceInZone('Let a service into a zone.', 'add'),
    remove_service: serviceInZone('Take a service out of a zone.', 'remove'),
    add_service_port: ofService('Give a service a port.', 'add_service_port', 'port', 'add', true),
    remove_service_port: ofService('Take a port from a service.', 'remove_service_port', 'port', 'remove', true),
    get_service_ports: ofServiceList('The ports of a service.', 'get_service_ports', '--get-ports'),
    add_service_protocol: ofService('Give a service a protocol.', 'add_service_protocol', 'protocol', 'add', false),
    remove_service_protocol: ofService(
      'Take a protocol from a service.',
      'remove_service_protocol',
      'protocol',
      'remove',
      false,
    ),
    get_service_protocols: ofServiceList('The protocols of a service.', 'get_service_protocols', '--get-protocols'),
    get_masquerade: reads({
      doc: 'Whether a zone masquerades.',
      example: 'firewalld.get_masquerade zone',
      args: { zone: anyZone, permanent },
      run: masquerades,
    }),
    add_masquerade: masquerade('Let a zone masquerade.', 'add'),
    remove_masquerade: masquerade('Let a zone no longer masquerade.', 'remove'),
    add_port: changes({
      doc: 'Open a port in a zone.',
      example: 'firewalld.add_port internal 443/tcp',
      args: { zone, port: arg.any('Port and protocol, as 443/tcp'), permanent, force_masquerade },
      run: async (ctx, { port, force_masquerade, ...place }) => {
        await forceMasquerade(ctx, force_masquerade, place.zone)
        return inZone(ctx, `--add-port=${str(port)}`, place)
      },
    }),
    remove_port: member('Close a port in a zone.', 'remove_port', 'port', (value) => `--remove-port=${value}`),
    list_ports: zoneNames('The open ports of a zone.', 'list_ports', '--list-ports'),
    add_port_fwd: changes({
      doc: 'Forward a port.',
      example: 'firewalld.add_port_fwd public 80 443 tcp',
      args: { ...forward, force_masquerade },
      run: async (ctx, { force_masquerade, ...given }) => {
        await forceMasquerade(ctx, force_masquerade, given.zone)
        return inZone(ctx, forwarding('add', given), given)
      },
    }),
    remove_port_fwd: changes({
      doc: 'Forward a port no longer.',
      example: 'firewalld.remove_port_fwd public 80 443 tcp',
      args: forward,
      run: (ctx, given) => inZone(ctx, forwarding('remove', given), given),
    }),
    list_port_fwd: reads({
      doc: 'The forwarded ports of a zone.',
      example: 'firewalld.list_port_fwd public',
      args: { zone, permanent },
      run: portForwards,
    }),
    block_icmp: changes({
      doc: 'Block a kind of ICMP message.',
      example: 'firewalld.block_icmp zone echo-reply',
      args: { zone, icmp: arg.text('Which one'), permanent },
      run: (ctx, { icmp: kind, ...place }) => icmp(ctx, true, kind, place),
    }),
    allow_icmp: changes({
      doc: 'Allow a kind of ICMP message.',
      example: 'firewalld.allow_icmp zone echo-reply',
      args: { zone, icmp: arg.text('Which one'), permanent },
      run: (ctx, { icmp: kind, ...place }) => icmp(ctx, false, kind, place),
    }),
    list_icmp_block: zoneNames('The ICMP messages that a zone blocks.', 'list_icmp_block', '--list-icmp-blocks'),
    make_permanent: changes({
      doc: 'Keep the configuration that is in force.',
      example: 'firewalld.make_permanent',
      args: {},
      run: (ctx) => firewallCmd(ctx, '--runtime-to-permanent'),
    }),
    get_interfaces: zoneNames('The interfaces of a zone.', 'get_interfaces', '--list-interfaces'),
    add_interface: member(
      'Bind an interface to a zone.',
      'add_interface',
      'interface',
      (value) => `--add-interface=${value}`,
    ),
    remove_interface: member(
      'Take an interface from a zone.',
      'remove_interface',
      'interface',
      (value) => `--remove-interface=${value}`,
    ),
    get_sources: zoneNames('The sources of a zone.', 'get_sources', '--list-sources'),
    add_source: member('Bind a source to a zone.', 'add_source', 'source', (value) => `--add-source=${value}`),
    remove_source: member(
      'Take a source from a zone.',
      'remove_source',
      'source',
      (value) => `--remove-source=${value}`,
    ),
    get_rich_rules: reads({
      doc: 'The rich rules of a zone.',
      example: 'firewalld.get_rich_rules zone',
      args: { zone, permanent },
      run: async (ctx, place) => splitLines(await inZone(ctx, '--list-rich-rules', place)),
    }),
    add_rich_rule: member(
      'Add a rich rule to a zone.',
      'add_rich_rule',
      'rule',
      (value) => `--add-rich-rule='${value}'`,
    ),
    remove_rich_rule: member(
      'Remove a rich rule from a zone.',
      'remove_rich_rule',
      'rule',
      (value) => `--remove-rich-rule='${value}'`,
    ),
  },
})
