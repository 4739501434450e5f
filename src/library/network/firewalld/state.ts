// Zones and services of firewalld. A dry run sends no query about a zone that does not exist yet.
import { isFailure, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Args,
  arg,
  type Bound,
  defineState,
  display,
  option,
  type Result,
  type StateContext,
  type StateReturn,
  state,
  toValue,
} from '../../../sdk/mod.ts'
import { ICMP, PARTS, type Part, settle } from './state/parts.ts'

type Zone = Omit<Bound<typeof zone>, 'name'>
type Changes = Record<string, Result>

/** Report an error of firewall-cmd as the comment, with the changes that were made before it. */
async function withErrors(name: string, run: (changes: Changes) => Promise<StateReturn>): Promise<StateReturn> {
  const changes: Changes = {}
  try {
    return await run(changes)
  } catch (error) {
    if (!isFailure(error)) throw error
    return { name, changes, result: false, comment: `Error: ${error.message}` }
  }
}

async function zonePart(ctx: StateContext, name: string, given: Zone, part: Part, fresh: boolean) {
  const wanted = given[part.name]
  const prune = given[`prune_${part.name}`]
  if (!truthy(wanted) && !prune) return undefined
  const current = fresh && ctx.test ? [] : ((await ctx.call(part.list, [name], { permanent: true })) as Value[])
  return settle(ctx, name, part, truthy(wanted) ? wanted : [], prune, current)
}

async function masquerade(ctx: StateContext, name: string, wanted: boolean | null, fresh: boolean): Promise<Result> {
  const current =
    fresh && ctx.test ? false : truthy(await ctx.call('firewalld.get_masquerade', [name], { permanent: true }))
  if (wanted === null || wanted === current) return undefined
  const verb = wanted ? 'add' : 'remove'
  if (!ctx.test) await ctx.call(`firewalld.${verb}_masquerade`, [name], { permanent: true })
  return { old: current, new: `Masquerading successfully ${verb === 'add' ? 'set' : 'disabled'}.` }
}

async function changeZone(ctx: StateContext, name: string, given: Zone, changes: Changes): Promise<void> {
  const zones = await ctx.call('firewalld.get_zones', [], { permanent: true })
  const fresh = !zones.includes(name)
  if (fresh) {
    if (!ctx.test) await ctx.call('firewalld.new_zone', [name])
    changes[name] = { old: zones, new: name }
  }
  const blocked = await zonePart(ctx, name, given, ICMP, fresh)
  if (blocked) changes[ICMP.change] = blocked
  if (given.default) {
    const old = await ctx.call('firewalld.default_zone', [])
    if (old !== name) {
      if (!ctx.test) await ctx.call('firewalld.set_default_zone', [name])
      changes['default'] = { old, new: name }
    }
  }
  const masked = await masquerade(ctx, name, given.masquerade, fresh)
  if (masked !== undefined) changes['masquerade'] = masked
  for (const part of PARTS) {
    const change = await zonePart(ctx, name, given, part, fresh)
    if (change) changes[part.change] = change
  }
}

async function present(ctx: StateContext, name: string, given: Zone, changes: Changes): Promise<StateReturn> {
  await changeZone(ctx, name, given, changes)
  if (Object.keys(changes).length === 0) {
    return { name, changes, result: true, comment: `'${name}' is already in the desired state.` }
  }
  if (ctx.test) {
    const opts = new Map<Value, Value>([['color', option(ctx.opts, 'color')]])
    const shown = display('nested', toValue(changes), opts, { terminal: true }).trimEnd()
    return { name, changes: {}, result: null, comment: `Configuration for '${name}' will change:\n${shown}` }
  }
  await ctx.call('firewalld.reload_rules')
  return { name, changes, result: true, comment: `'${name}' was configured.` }
}

/** Change the ports or protocols of a service to exactly the wanted ones. */
async function serviceList(
  ctx: StateContext,
  name: string,
  noun: 'port' | 'protocol',
  wanted: string[],
  fresh: boolean,
) {
  const known = fresh && ctx.test ? [] : ((await ctx.call(`firewalld.get_service_${noun}s`, [name])) as Value[])
  const current = known.map(str)
  const missing = wanted.filter((item) => !current.includes(item))
  const unwanted = current.filter((item) => !wanted.includes(item))
  if (missing.length + unwanted.length === 0) return undefined
  if (!ctx.test) {
    for (const item of new Set(missing)) await ctx.call(`firewalld.add_service_${noun}`, [name, item])
    for (const item of new Set(unwanted)) await ctx.call(`firewalld.remove_service_${noun}`, [name, item])
  }
  return { old: current, new: wanted }
}

async function service(
  ctx: StateContext,
  name: string,
  wanted: Readonly<Record<'port' | 'protocol', string[] | null>>,
  changes: Changes,
): Promise<StateReturn> {
  const fresh = !(await ctx.call('firewalld.get_services')).includes(name)
  if (fresh && !ctx.test) await ctx.call('firewalld.new_service', [name], { restart: false })
  for (const noun of ['port', 'protocol'] as const) {
    const change = await serviceList(ctx, name, noun, wanted[noun] ?? [], fresh)
    if (change) changes[`${noun}s`] = change
  }
  if (Object.keys(changes).length === 0) {
    return { name, changes, result: true, comment: `'${name}' is already in the desired state.` }
  }
  if (ctx.test) return { name, changes, result: null, comment: `Configuration for '${name}' will change.` }
  await ctx.call('firewalld.reload_rules')
  return { name, changes, result: true, comment: `'${name}' was configured.` }
}

const prune = (items: string) => arg.flag(`Whether to remove ${items} that are not listed`, { default: false })

const zone = {
  name: arg.string('Zone'),
  block_icmp: arg.words('ICMP types to block, as a list or with commas', { optional: true }),
  prune_block_icmp: prune('blocks'),
  default: arg.flag('Whether to make this the default zone', { optional: true }),
  masquerade: arg.flag('Whether masquerading is enabled; not changed if None', { optional: true }),
  ports: arg.words('Open ports such as 22/tcp, as a list or with commas', { optional: true }),
  prune_ports: prune('ports'),
  port_fwd: arg.any('Forwarded ports, a list of source:destination:protocol[:address]', { optional: true }),
  prune_port_fwd: prune('forwards'),
  services: arg.words('Services, as a list or with commas', { optional: true }),
  prune_services: prune('services'),
  interfaces: arg.words('Interfaces, as a list or with commas', { optional: true }),
  prune_interfaces: prune('interfaces'),
  sources: arg.words('Sources, as a list or with commas', { optional: true }),
  prune_sources: prune('sources'),
  rich_rules: arg.any('List of rich rules', { optional: true }),
  prune_rich_rules: prune('rich rules'),
} satisfies Args

export default defineState({
  name: 'firewalld',
  doc: 'Manage zones and services of firewalld.',
  when: async ({ host }) =>
    (await host.which('firewall-cmd')) !== undefined ||
    'firewall-cmd is not available, firewalld is probably not installed.',
  functions: {
    present: state({
      doc: 'Ensure that a zone exists and has the given settings.',
      args: zone,
      run: (ctx, { name, ...given }) => withErrors(name, (changes) => present(ctx, name, given, changes)),
    }),
    service: state({
      doc: 'Ensure that a service exists and has exactly the given ports and protocols.',
      args: {
        name: arg.string('Service'),
        ports: arg.words('Ports such as 80/tcp, as a list or with commas', { optional: true }),
        protocols: arg.words('Protocols, as a list or with commas', { optional: true }),
      },
      run: (ctx, { name, ports, protocols }) =>
        withErrors(name, (changes) => service(ctx, name, { port: ports, protocol: protocols }, changes)),
    }),
  },
})
