// The firewall daemon firewalld, through firewall-cmd. Nearly every function is one call in a zone, permanent by default.
import { type Dict, failure, isDict, isList, splitLines, splitWords, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  type Result,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'

async function firewallCmd(ctx: FunctionContext, ...words: string[]): Promise<string> {
  const path = await ctx.host.which('firewall-cmd')
  if (path === undefined) throw failure("The 'firewall-cmd' binary was not found in $PATH")
  const { retcode, stdout, stderr } = await runAll(ctx, [path, ...words])
  if (retcode !== 0) throw failure(`firewall-cmd failed: ${stderr || stdout}`)
  return stdout
}

interface Place {
  zone?: string | null
  permanent?: boolean
}

function inZone(ctx: FunctionContext, word: string, { zone, permanent = true }: Place): Promise<string> {
  return firewallCmd(ctx, ...(zone ? [`--zone=${zone}`] : []), word, ...(permanent ? ['--permanent'] : []))
}

const listed = async (ctx: FunctionContext, word: string, place: Place): Promise<string[]> =>
  splitWords(await inZone(ctx, word, place))

/** Parse the zones of `--list-all`: names at the margin, settings indented, further values after a tab. */
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

async function forceMasquerade(ctx: FunctionContext, force: boolean, zone: string): Promise<void> {
  if (force && !(await masquerades(ctx, { zone }))) await inZone(ctx, '--add-masquerade', { zone })
}

async function needService(ctx: FunctionContext, service: string): Promise<void> {
  if ((await listed(ctx, '--get-services', {})).includes(service)) return
  throw failure('The service does not exist.')
}

/** Block or allow an ICMP type, unless that is done already. */
async function icmp(ctx: FunctionContext, block: boolean, kind: string, place: Place): Promise<Result> {
  if (
    !(
      await listed(ctx, '--get-icmptypes', place.permanent === undefined ? {} : { permanent: place.permanent })
    ).includes(kind)
  ) {
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

const zone = arg.text('Zone')
const anyZone = arg.text('Zone; the default zone if not given', { optional: true })
const permanent = arg.flag('Whether to use the permanent configuration instead of the runtime configuration', {
  default: true,
})
const service = arg.text('Service')
const restart = arg.flag('Whether to reload the configuration', { default: true })
const force_masquerade = arg.flag('Whether to enable masquerading first', { default: false })

const MEMBERS = {
  port: 'Port and protocol, such as 443/tcp',
  protocol: 'Protocol',
  interface: 'Interface',
  source: 'Source address or network',
}

/** Return a text parameter with one of some names. */
const named = <Name extends string>(name: Name, doc: string) => ({ [name]: arg.text(doc) }) as Record<Name, Arg<string>>

/** Declare a function that returns the words which firewall-cmd shows for all zones. */
const names = (doc: string, fun: string, word: string) =>
  reads({
    doc,
    example: `firewalld.${fun}`,
    args: { permanent },
    run: (ctx, { permanent }) => listed(ctx, word, { permanent }),
    returns: ret.texts('The names'),
  })

/** Declare a function that returns the words which firewall-cmd shows for one zone. */
const zoneNames = (doc: string, fun: string, word: string) =>
  reads({
    doc,
    example: `firewalld.${fun} zone`,
    args: { zone, permanent },
    run: (ctx, place) => listed(ctx, word, place),
  })

/** Declare a function that adds or removes the definition of a zone or service. */
const defined = (doc: string, example: string, key: 'zone' | 'name', word: string) =>
  changes({
    doc,
    example: `firewalld.${example}`,
    args: { ...named(key, 'Name'), restart },
    run: async (ctx, args) => {
      const answer = await firewallCmd(ctx, `${word}=${args[key]}`, '--permanent')
      return args.restart && answer === 'success' ? firewallCmd(ctx, '--reload') : answer
    },
  })

/** Declare a function that adds something to a zone or removes it. */
const member = (doc: string, verb: 'add' | 'remove', noun: 'port' | 'interface' | 'source') =>
  changes({
    doc,
    example: `firewalld.${verb}_${noun} zone ${noun}`,
    args: { zone, ...named(noun, MEMBERS[noun]), permanent },
    run: (ctx, args) => inZone(ctx, `--${verb}-${noun}=${args[noun]}`, args),
  })

const richRule = (doc: string, verb: 'add' | 'remove') =>
  changes({
    doc,
    example: `firewalld.${verb}_rich_rule zone rule`,
    args: { zone, rule: arg.text('Rich rule'), permanent },
    run: (ctx, { rule, ...place }) => inZone(ctx, `--${verb}-rich-rule=${rule}`, place),
  })

const plain = (doc: string, fun: string, word: string) =>
  reads({ doc, example: `firewalld.${fun}`, args: {}, run: (ctx) => firewallCmd(ctx, word) })

const ofService = (doc: string, verb: 'add' | 'remove', noun: 'port' | 'protocol') =>
  changes({
    doc,
    example: `firewalld.${verb}_service_${noun} zone ${noun}`,
    args: { service, ...named(noun, MEMBERS[noun]) },
    run: async (ctx, args) => {
      if (noun === 'port') await needService(ctx, args.service)
      return firewallCmd(ctx, '--permanent', `--service=${args.service}`, `--${verb}-${noun}=${args[noun]}`)
    },
  })

const ofServiceList = (doc: string, fun: string, option: string) =>
  reads({
    doc,
    example: `firewalld.${fun} zone`,
    args: { service },
    run: async (ctx, { service }) => splitWords(await firewallCmd(ctx, '--permanent', `--service=${service}`, option)),
  })

const serviceInZone = (doc: string, verb: string) =>
  changes({
    doc,
    example: `firewalld.${verb}_service ssh`,
    args: { service, zone: anyZone, permanent },
    run: (ctx, { service, ...place }) => inZone(ctx, `--${verb}-service=${service}`, place),
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
  src: arg.text('Forwarded port'),
  dest: arg.text('Destination port'),
  proto: arg.text('Protocol', { default: 'tcp' }),
  dstaddr: arg.text('Destination address', { default: '' }),
  permanent,
}

const forwarding = (verb: string, { src, dest, proto, dstaddr }: Bound<typeof forward>): string =>
  `--${verb}-forward-port=port=${src}:proto=${proto}:toport=${dest}:toaddr=${dstaddr}`

export default defineModule({
  name: 'firewalld',
  doc: 'Manage zones, services and ports of firewalld.',
  when: async ({ host }) =>
    (await host.which('firewall-cmd')) !== undefined ||
    'The firewalld execution module cannot be loaded: the firewall-cmd binary is not in the path.',
  functions: {
    version: plain('Return the version of firewalld.', 'version', '--version'),
    reload_rules: changes({
      doc: 'Reload the permanent configuration.',
      run: (ctx) => firewallCmd(ctx, '--reload'),
    }),
    default_zone: plain('Return the default zone.', 'default_zone', '--get-default-zone'),
    list_zones: reads({
      doc: 'Return all zones with their settings.',
      args: { permanent },
      run: async (ctx, place) => parseZones(await inZone(ctx, '--list-all-zones', place)),
    }),
    get_zones: names('Return the names of all zones.', 'get_zones', '--get-zones'),
    get_services: names('Return the names of all services.', 'get_services', '--get-services'),
    get_icmp_types: names('Return the names of all ICMP types.', 'get_icmp_types', '--get-icmptypes'),
    new_zone: defined('Create a zone.', 'new_zone my_zone', 'zone', '--new-zone'),
    delete_zone: defined('Remove a zone.', 'delete_zone my_zone', 'zone', '--delete-zone'),
    set_default_zone: changes({
      doc: 'Set the default zone.',
      example: 'firewalld.set_default_zone damian',
      args: { zone },
      run: (ctx, { zone }) => firewallCmd(ctx, `--set-default-zone=${zone}`),
    }),
    new_service: defined('Create a service.', 'new_service my_service', 'name', '--new-service'),
    delete_service: defined('Remove a service.', 'delete_service my_service', 'name', '--delete-service'),
    list_all: reads({
      doc: 'Return all settings of a zone.',
      example: 'firewalld.list_all my_zone',
      args: { zone: anyZone, permanent },
      run: async (ctx, place) => parseZones(await inZone(ctx, '--list-all', place)),
    }),
    list_services: reads({
      doc: 'Return the services of a zone.',
      example: 'firewalld.list_services my_zone',
      args: { zone: anyZone, permanent },
      run: (ctx, place) => listed(ctx, '--list-services', place),
    }),
    add_service: serviceInZone('Add a service to a zone.', 'add'),
    remove_service: serviceInZone('Remove a service from a zone.', 'remove'),
    add_service_port: ofService('Add a port to a service.', 'add', 'port'),
    remove_service_port: ofService('Remove a port from a service.', 'remove', 'port'),
    get_service_ports: ofServiceList('Return the ports of a service.', 'get_service_ports', '--get-ports'),
    add_service_protocol: ofService('Add a protocol to a service.', 'add', 'protocol'),
    remove_service_protocol: ofService('Remove a protocol from a service.', 'remove', 'protocol'),
    get_service_protocols: ofServiceList(
      'Return the protocols of a service.',
      'get_service_protocols',
      '--get-protocols',
    ),
    get_masquerade: reads({
      doc: 'Return whether masquerading is enabled in a zone.',
      example: 'firewalld.get_masquerade zone',
      args: { zone: anyZone, permanent },
      run: masquerades,
    }),
    add_masquerade: masquerade('Enable masquerading in a zone.', 'add'),
    remove_masquerade: masquerade('Disable masquerading in a zone.', 'remove'),
    add_port: changes({
      doc: 'Open a port in a zone.',
      example: 'firewalld.add_port internal 443/tcp',
      args: { zone, port: arg.text('Port and protocol, such as 443/tcp'), permanent, force_masquerade },
      run: async (ctx, { port, force_masquerade, ...place }) => {
        await forceMasquerade(ctx, force_masquerade, place.zone)
        return inZone(ctx, `--add-port=${port}`, place)
      },
    }),
    remove_port: member('Close a port in a zone.', 'remove', 'port'),
    list_ports: zoneNames('Return the open ports of a zone.', 'list_ports', '--list-ports'),
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
      doc: 'Stop forwarding a port.',
      example: 'firewalld.remove_port_fwd public 80 443 tcp',
      args: forward,
      run: (ctx, given) => inZone(ctx, forwarding('remove', given), given),
    }),
    list_port_fwd: reads({
      doc: 'Return the forwarded ports of a zone.',
      example: 'firewalld.list_port_fwd public',
      args: { zone, permanent },
      run: portForwards,
    }),
    block_icmp: changes({
      doc: 'Block an ICMP type.',
      example: 'firewalld.block_icmp zone echo-reply',
      args: { zone, icmp: arg.text('ICMP type, such as echo-reply'), permanent },
      run: (ctx, { icmp: kind, ...place }) => icmp(ctx, true, kind, place),
    }),
    allow_icmp: changes({
      doc: 'Allow an ICMP type.',
      example: 'firewalld.allow_icmp zone echo-reply',
      args: { zone, icmp: arg.text('ICMP type, such as echo-reply'), permanent },
      run: (ctx, { icmp: kind, ...place }) => icmp(ctx, false, kind, place),
    }),
    list_icmp_block: zoneNames('Return the ICMP types that a zone blocks.', 'list_icmp_block', '--list-icmp-blocks'),
    make_permanent: changes({
      doc: 'Make the runtime configuration permanent.',
      run: (ctx) => firewallCmd(ctx, '--runtime-to-permanent'),
    }),
    get_interfaces: zoneNames('Return the interfaces of a zone.', 'get_interfaces', '--list-interfaces'),
    add_interface: member('Add an interface to a zone.', 'add', 'interface'),
    remove_interface: member('Remove an interface from a zone.', 'remove', 'interface'),
    get_sources: zoneNames('Return the sources of a zone.', 'get_sources', '--list-sources'),
    add_source: member('Add a source to a zone.', 'add', 'source'),
    remove_source: member('Remove a source from a zone.', 'remove', 'source'),
    get_rich_rules: reads({
      doc: 'Return the rich rules of a zone.',
      example: 'firewalld.get_rich_rules zone',
      args: { zone, permanent },
      run: async (ctx, place) => splitLines(await inZone(ctx, '--list-rich-rules', place)),
    }),
    add_rich_rule: richRule('Add a rich rule to a zone.', 'add'),
    remove_rich_rule: richRule('Remove a rich rule from a zone.', 'remove'),
  },
})
