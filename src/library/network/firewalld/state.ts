// Zones and services of firewalld. A dry run asks nothing about a zone that is still to be made.
import { isList, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Args,
  arg,
  defineState,
  display,
  option,
  type Result,
  type StateContext,
  type StateReturn,
  state,
  toValue,
} from '../../../sdk/mod.ts'
import { ICMP, PARTS, settle } from './state/parts.ts'

type Given = Readonly<Record<string, Value>>
type Changes = Record<string, Result>

/** What firewall-cmd complains about becomes the comment; what was changed before it is told as well. */
async function reported(name: string, run: (changes: Changes) => Promise<StateReturn>): Promise<StateReturn> {
  const changes: Changes = {}
  try {
    return await run(changes)
  } catch (error) {
    if (!(error instanceof SaltError) || error.code !== 'CommandExecutionError') throw error
    return { name, changes, result: false, comment: `Error: ${error.message}` }
  }
}

async function zonePart(ctx: StateContext, name: string, given: Given, part: (typeof PARTS)[number], fresh: boolean) {
  const wish = given[part.wish]!
  const prune = truthy(given[part.prune]!)
  if (!truthy(wish) && !prune) return undefined
  const current = fresh && ctx.test ? [] : ((await ctx.call(part.list, [name], { permanent: true })) as Value[])
  return settle(ctx, name, part, truthy(wish) ? wish : [], prune, current)
}

async function masquerade(ctx: StateContext, name: string, wish: Value, fresh: boolean): Promise<Result> {
  const current =
    fresh && ctx.test ? false : truthy(await ctx.call('firewalld.get_masquerade', [name], { permanent: true }))
  if (wish === null || truthy(wish) === current) return undefined
  const verb = truthy(wish) ? 'add' : 'remove'
  if (!ctx.test) await ctx.call(`firewalld.${verb}_masquerade`, [name], { permanent: true })
  return { old: current, new: `Masquerading successfully ${verb === 'add' ? 'set' : 'disabled'}.` }
}

async function changeZone(ctx: StateContext, name: string, given: Given, changes: Changes): Promise<void> {
  const zones = await ctx.call('firewalld.get_zones', [], { permanent: true })
  const fresh = !zones.includes(name)
  if (fresh) {
    if (!ctx.test) await ctx.call('firewalld.new_zone', [name])
    changes[name] = { old: zones, new: name }
  }
  const blocked = await zonePart(ctx, name, given, ICMP, fresh)
  if (blocked) changes[ICMP.change] = blocked
  if (truthy(given['default']!)) {
    const old = await ctx.call('firewalld.default_zone', [])
    if (old !== name) {
      if (!ctx.test) await ctx.call('firewalld.set_default_zone', [name])
      changes['default'] = { old, new: name }
    }
  }
  const masked = await masquerade(ctx, name, given['masquerade']!, fresh)
  if (masked !== undefined) changes['masquerade'] = masked
  for (const part of PARTS) {
    const change = await zonePart(ctx, name, given, part, fresh)
    if (change) changes[part.change] = change
  }
}

async function present(ctx: StateContext, name: string, given: Given, changes: Changes): Promise<StateReturn> {
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

/** The ports or protocols of a service become exactly those asked for. */
async function serviceList(ctx: StateContext, name: string, noun: 'port' | 'protocol', wish: Value, fresh: boolean) {
  const wanted = isList(wish) ? wish.map(str) : []
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
  wishes: Readonly<Record<'port' | 'protocol', Value>>,
  changes: Changes,
): Promise<StateReturn> {
  const fresh = !(await ctx.call('firewalld.get_services')).includes(name)
  if (fresh && !ctx.test) await ctx.call('firewalld.new_service', [name], { restart: false })
  for (const noun of ['port', 'protocol'] as const) {
    const change = await serviceList(ctx, name, noun, wishes[noun], fresh)
    if (change) changes[`${noun}s`] = change
  }
  if (Object.keys(changes).length === 0) {
    return { name, changes, result: true, comment: `'${name}' is already in the desired state.` }
  }
  if (ctx.test) return { name, changes, result: null, comment: `Configuration for '${name}' will change.` }
  await ctx.call('firewalld.reload_rules')
  return { name, changes, result: true, comment: `'${name}' was configured.` }
}

const listOf = (doc: string) => arg.any(doc, { optional: true })
const prune = (what: string) => arg.any(`Whether ${what} that are not listed are removed`, { default: false })

const zone = {
  name: arg.string('The zone'),
  block_icmp: listOf('ICMP types that are blocked'),
  prune_block_icmp: prune('blocks'),
  default: arg.any('Whether it is the default zone', { optional: true }),
  masquerade: arg.any('Whether it masquerades', { optional: true }),
  ports: listOf('Open ports, as 22/tcp'),
  prune_ports: prune('ports'),
  port_fwd: listOf('Forwarded ports, as source:target:protocol[:address]'),
  prune_port_fwd: prune('forwards'),
  services: listOf('Services'),
  prune_services: prune('services'),
  interfaces: listOf('Interfaces'),
  prune_interfaces: prune('interfaces'),
  sources: listOf('Sources'),
  prune_sources: prune('sources'),
  rich_rules: listOf('Rich rules'),
  prune_rich_rules: prune('rich rules'),
} as const satisfies Args

export default defineState({
  name: 'firewalld',
  doc: 'Zones and services of firewalld.',
  when: async ({ host }) =>
    (await host.which('firewall-cmd')) !== undefined ||
    'firewall-cmd is not available, firewalld is probably not installed.',
  functions: {
    present: state({
      doc: 'A zone is as described.',
      args: zone,
      run: (ctx, { name, ...given }) => reported(name, (changes) => present(ctx, name, given as Given, changes)),
    }),
    service: state({
      doc: 'A service is as described.',
      args: {
        name: arg.string('The service'),
        ports: listOf('Its ports, as 80/tcp'),
        protocols: listOf('Its protocols'),
      },
      run: (ctx, { name, ports, protocols }) =>
        reported(name, (changes) => service(ctx, name, { port: ports, protocol: protocols }, changes)),
    }),
  },
})
