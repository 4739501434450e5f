// Load balancers (classic ELB) as states.
import { type Dict, isList, misuse, repr, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { alarmsOf, alarmsPresent, withPillar } from '../common/alarms.ts'
import { groupIds, networkOf, subnetsByName } from '../common/ask.ts'
import { type AwsLogin, LOGIN, loginOf, optionOf } from '../common/login.ts'
import { oldNew, type Part, Parts } from '../common/part.ts'
import { dictsOf } from '../common/structured.ts'
import { NAME } from './balancer.ts'
import {
  ask,
  attributesPresent,
  type Balancer,
  configOf,
  healthCheckPresent,
  healthOf,
  instancesPresent,
  listenersPresent,
  listIn,
  securityGroups,
  subnetsPresent,
  tagsPresent,
  zonesPresent,
} from './parts.ts'
import { policiesOf, policiesPresent, wantedByPort } from './policy-part.ts'

const fromPillar = (what: string, name: string) =>
  arg.text(`Where options or pillar have further ${what}`, { default: name })

const PRESENT = {
  name: NAME,
  listeners: arg.any(
    'Dicts with `elb_port`, `instance_port`, `elb_protocol`, and where wanted `instance_protocol`, `certificate`, `policies` and `policies_from_pillar`',
  ),
  availability_zones: arg.words('Zones; exactly one of zones, `subnets` and `subnet_names` is given', {
    optional: true,
  }),
  subnets: arg.words('Ids of subnets', { optional: true }),
  subnet_names: arg.words('Names of subnets', { optional: true }),
  security_groups: arg.any('Names or ids of security groups, a list or with commas between', { optional: true }),
  scheme: arg.text('`internet-facing` or `internal`; not changed later', { default: 'internet-facing' }),
  health_check: arg.dict('Parameter `health_check` of `boto_elb.set_health_check`', { optional: true }),
  attributes: arg.dict('Parameter `attributes` of `boto_elb.set_attributes`', { optional: true }),
  attributes_from_pillar: fromPillar('attributes', 'boto_elb_attributes'),
  cnames: arg.list('Dicts with the arguments of `boto_route53.present`, or of the state module `provider`', {
    optional: true,
  }),
  alarms: arg.dict('Dicts with `name` and `attributes`, the arguments of `boto_cloudwatch_alarm.present`', {
    optional: true,
  }),
  alarms_from_pillar: fromPillar('alarms', 'boto_elb_alarms'),
  policies: arg.list('Dicts with `policy_name`, `policy_type` and `policy`', { optional: true }),
  policies_from_pillar: fromPillar('policies', 'boto_elb_policies'),
  backends: arg.list('Dicts with `instance_port` and `policies`', { optional: true }),
  ...LOGIN,
  wait_for_sync: arg.flag('Whether to wait until all name servers have a change of `cnames`', { default: true }),
  tags: arg.dict('Tags: these and no others', { optional: true }),
  instance_ids: arg.words('Ids of machines: these and no others; not looked at unless given', { optional: true }),
  instance_names: arg.words('Names of machines, besides `instance_ids`', { optional: true }),
}

type Present = Bound<typeof PRESENT>

const LISTENER_POLICIES = 'boto_elb_listener_policies'

/** Return listeners with their policies, some of which may be in pillar by protocol. */
function listenersOf(ctx: StateContext, given: Value): Dict[] {
  return dictsOf('listeners', given).map((listener) => {
    for (const key of ['elb_port', 'instance_port', 'elb_protocol'])
      if (!listener.has(key)) throw misuse(`${key} is a required value for listeners.`)
    const protocol = str(listener.get('elb_protocol') ?? '').toUpperCase()
    if (protocol === 'HTTPS' && !listener.has('certificate'))
      throw misuse('certificate is a required value for listeners if HTTPS is set for elb_protocol.')
    const own = listIn(listener, 'policies')
    const pillar = listener.get('policies_from_pillar') ?? (own.length === 0 ? LISTENER_POLICIES : null)
    const more = truthy(pillar) ? listIn(withPillar(ctx, str(pillar), null), protocol) : []
    return new Map<Value, Value>([...listener, ['elb_protocol', protocol], ['policies', [...own, ...more]]])
  })
}

interface Site {
  subnets: string[]
  /** Undefined leaves them unchanged. */
  groups: string[] | undefined
}

const RUNNING = ['pending', 'rebooting', 'running', 'stopping', 'stopped']

/** Return the subnets and security groups of a state; a text is an error. */
async function siteOf({ ctx, login }: Balancer, given: Present): Promise<Site | string> {
  const { availability_zones, subnets, subnet_names, security_groups } = given
  const places = [availability_zones, subnets, subnet_names].filter((list) => list !== null && list.length > 0)
  if (places.length !== 1)
    throw misuse('Exactly one of availability_zones, subnets, subnet_names must be provided as arguments.')
  if (security_groups !== null && typeof security_groups !== 'string' && !isList(security_groups))
    return "The 'security_group' parameter must be either a list or a comma-separated string."
  const named = typeof security_groups === 'string' ? security_groups.split(',') : (security_groups ?? [])
  const ids = subnet_names?.length ? await subnetsByName(ctx, subnet_names, login) : (subnets ?? [])
  if (typeof ids === 'string') return ids
  if (ids.length === 0) {
    return { subnets: ids, groups: named.length === 0 ? undefined : await groupIds(ctx, named, login) }
  }
  const vpc_id = await networkOf(ctx, ids, login)
  if (vpc_id === undefined) return `Subnets ${repr(ids)} do not map to a valid vpc id.`
  const groups = await groupIds(ctx, named, { ...login, vpc_id })
  if (groups.length > 0) return { subnets: ids, groups }
  return `Security groups ${repr(security_groups)} do not map to valid security group ids.`
}

async function createBalancer(balancer: Balancer, given: Present, listeners: Dict[], site: Site): Promise<Part> {
  const { ctx, name } = balancer
  if (ctx.test) return { result: null, comment: `ELB ${name} is set to be created.` }
  const { availability_zones, scheme } = given
  const groups = site.groups ?? null
  const parameters = { availability_zones, listeners, subnets: site.subnets, security_groups: groups, scheme }
  if (!truthy(await ask(balancer, 'create', parameters)))
    return { result: false, comment: `Failed to create ${name} ELB.` }
  return {
    result: true,
    comment: `ELB ${name} created.`,
    changes: oldNew(new Map([['elb', null]]), new Map([['elb', name]])),
  }
}

/** Ensure that names lead to a load balancer. */
async function namesPresent({ ctx, login, ...balancer }: Balancer, parts: Parts, given: Present): Promise<boolean> {
  const cnames = dictsOf('cnames', given.cnames)
  const address = cnames.length > 0 ? (await configOf({ ctx, login, ...balancer })).get('dns_name') : undefined
  for (const cname of address === undefined ? [] : cnames) {
    const { provider = 'boto_route53', ...own } = Object.fromEntries(
      [...cname].map(([key, value]) => [str(key), value]),
    )
    const access = provider === 'boto_route53' ? { ...loginOf(login), wait_for_sync: given.wait_for_sync } : {}
    const report = await ctx.state(`${str(provider)}.present`, {
      ...access,
      ...own,
      record_type: 'CNAME',
      value: address!,
    })
    const result = report.get('result') ?? null
    const part = {
      result: result === null ? null : result === true,
      comment: str(report.get('comment') ?? ''),
      changes: report.get('changes') as Dict,
    }
    if (!parts.addUnlessFailed(part)) return false
  }
  return true
}

async function instanceIds({ ctx, login }: Balancer, { instance_ids, instance_names }: Present): Promise<string[]> {
  const ids = [...(instance_ids ?? [])]
  for (const name of instance_names ?? []) {
    const given = { name, in_states: RUNNING, ...loginOf(login) }
    ids.push(...((await ctx.call('boto_ec2.find_instances', [], given)) as string[]))
  }
  return [...new Set(ids)]
}

async function ensureBalancer(ctx: StateContext, parts: Parts, given: Present): Promise<void> {
  const { name, region, key, keyid, profile } = given
  const login: AwsLogin = { region, key, keyid, profile }
  const balancer: Balancer = { ctx, name, login }
  const add = (part: Part): boolean => parts.addUnlessFailed(part)
  const listeners = listenersOf(ctx, given.listeners)
  const more = (given.policies_from_pillar && optionOf(ctx, given.policies_from_pillar)) || []
  const policies = policiesOf(dictsOf('policies', [...(given.policies ?? []), ...(isList(more) ? more : [])]))
  const wanted = {
    policies,
    listeners: wantedByPort(listeners, policies, { port: 'elb_port', what: `ELB ${name}: listener` }),
    backends: wantedByPort(dictsOf('backends', given.backends), policies, {
      port: 'instance_port',
      what: `ELB ${name}: backend`,
    }),
  }
  const site = await siteOf(balancer, given)
  if (typeof site === 'string') {
    add({ result: false, comment: site })
    return
  }
  if (!truthy(await ask(balancer, 'exists'))) {
    if (!parts.add(await createBalancer(balancer, given, listeners, site))) return
  } else {
    add({ result: true, comment: `ELB ${name} present.` })
    if (site.groups !== undefined && !add(await securityGroups(balancer, site.groups))) return
    if (!add(await listenersPresent(balancer, listeners))) return
    const zones = given.availability_zones ?? []
    if (!add(await (zones.length > 0 ? zonesPresent(balancer, zones) : subnetsPresent(balancer, site.subnets)))) return
  }
  const attributes = withPillar(ctx, given.attributes_from_pillar, given.attributes)
  if (attributes.size > 0 && !add(await attributesPresent(balancer, attributes))) return
  if (!add(await healthCheckPresent(balancer, given.health_check ?? new Map()))) return
  if (!(await namesPresent(balancer, parts, given))) return
  const alarms = alarmsOf(name, withPillar(ctx, given.alarms_from_pillar, given.alarms))
  for (const { attributes: own } of alarms) own.set('dimensions', new Map([['LoadBalancerName', [name]]]))
  if (!add(await alarmsPresent(ctx, alarms, login))) return
  if (!add(await policiesPresent(balancer, wanted))) return
  if (!add(await tagsPresent(balancer, given.tags))) return
  add(await instancesPresent(balancer, await instanceIds(balancer, given)))
}

const LEAVING = 'Instance deregistration currently in progress.'

export default defineState({
  name: 'boto_elb',
  doc: 'Manage load balancers (classic ELB).',
  functions: {
    present: state({
      doc: 'Ensure that a load balancer exists, with the given listeners, places and settings.',
      args: PRESENT,
      run: async (ctx, given) => {
        const parts = new Parts('  ')
        await ensureBalancer(ctx, parts, given)
        return parts.report(given.name)
      },
    }),
    register_instances: state({
      doc: 'Ensure that machines are behind a load balancer. Others stay there.',
      args: { name: NAME, instances: arg.words('Ids of machines'), ...LOGIN },
      run: (ctx, { name, instances, ...login }) => {
        const balancer: Balancer = { ctx, name, login }
        return ensure<{ nodes: string[]; missing: string[] }>(ctx, {
          name,
          look: async () => {
            if (!truthy(await ask(balancer, 'exists'))) return failed(`Could not find lb ${name}`)
            const health = (await healthOf(balancer)).filter((one) => one.get('description') !== LEAVING)
            const nodes = health.map((one) => str(one.get('instance_id') ?? ''))
            const missing = instances.filter((id) => !nodes.includes(id))
            const known = repr(instances).replace(/^\[|\]$/g, '')
            return missing.length === 0 ? settled(`Instance/s ${known} already exist.`) : { nodes, missing }
          },
          foresee: ({ missing }) => `ELB ${name} is set to register : ${repr(missing)}.`,
          act: async ({ nodes }) => {
            if (!truthy(await ask(balancer, 'register_instances', { instances })))
              return failed(`Load balancer ${name} failed to add instances`)
            const now = [...new Set([...nodes, ...instances])]
            return changed(`Load Balancer ${name} has been changed`, { old: nodes.join('\n'), new: now.join('\n') })
          },
        })
      },
    }),
    absent: state({
      doc: 'Ensure that a load balancer does not exist.',
      args: { name: NAME, ...LOGIN },
      run: (ctx, { name, ...login }) => {
        const balancer: Balancer = { ctx, name, login }
        return ensure(ctx, {
          name,
          look: async () => (truthy(await ask(balancer, 'exists')) ? 'there' : settled(`${name} ELB does not exist.`)),
          foresee: () => `ELB ${name} is set to be removed.`,
          act: async () =>
            truthy(await ask(balancer, 'delete'))
              ? changed(`ELB ${name} deleted.`, { old: { elb: name }, new: { elb: null } })
              : failed(`Failed to delete ${name} ELB.`),
        })
      },
    }),
  },
})
