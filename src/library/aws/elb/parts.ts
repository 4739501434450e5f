// Parts of the state of a load balancer: its listeners, places, security groups, settings and tags.
import { type Dict, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import type { StateContext } from '../../../sdk/mod.ts'
import { askerOf } from '../common/ask.ts'
import type { AwsLogin } from '../common/login.ts'
import { compareTags, fieldChange, oldNew, type Part, perform } from '../common/part.ts'
import { isYes } from '../common/structured.ts'
import { unordered } from '../common/unordered.ts'
import { listenerTuple, portOf } from './balancer.ts'

export interface Balancer {
  ctx: StateContext
  name: string
  login: AwsLogin
}

const call = askerOf('boto_elb')

/** Call a function of the module about a load balancer. */
export const ask = ({ ctx, name, login }: Balancer, fun: string, given: Record<string, Value> = {}): Promise<Value> =>
  call(ctx, fun, login, { name, ...given })

export async function configOf(balancer: Balancer): Promise<Dict> {
  const config = await ask(balancer, 'get_elb_config')
  return isDict(config) ? config : new Map()
}

export const listIn = (dict: Dict, name: string): Value[] => {
  const list = dict.get(name) ?? null
  return isList(list) ? list : []
}

const isSameSet = (one: readonly Value[], other: readonly Value[]): boolean =>
  unordered([...one]) === unordered([...other])

export async function securityGroups(balancer: Balancer, wanted: readonly string[]): Promise<Part> {
  const { ctx, name } = balancer
  const present = listIn(await configOf(balancer), 'security_groups')
  if (isSameSet(present, wanted)) return { result: true, comment: `security_groups already set on ELB ${name}.` }
  return perform(ctx, {
    foreseen: `ELB ${name} set to have security groups modified.`,
    done: `Modified security_groups on ${name} ELB.`,
    failed: `Failed to modify security_groups on ${name} ELB.`,
    act: () => ask(balancer, 'apply_security_groups', { security_groups: [...wanted] }),
    changes: fieldChange('security_groups', present, [...wanted]),
  })
}

/** Return the text by which listeners are compared. */
function keyOf(listener: Dict): string {
  const [port, instancePort, protocol, ...others] = listenerTuple(listener)
  return [portOf(port ?? null), portOf(instancePort ?? null), str(protocol ?? '').toUpperCase(), ...others].join(' ')
}

export async function listenersPresent(balancer: Balancer, wanted: readonly Dict[]): Promise<Part> {
  const { ctx, name } = balancer
  const present = listIn(await configOf(balancer), 'listeners').filter(isDict)
  const [wantedKeys, presentKeys] = [wanted.map(keyOf), present.map(keyOf)]
  const remove = present.filter((_, index) => !wantedKeys.includes(presentKeys[index]!))
  const create = wanted.filter((_, index) => !presentKeys.includes(wantedKeys[index]!))
  if (remove.length + create.length === 0) return { result: true, comment: `Listeners already set on ELB ${name}.` }
  if (ctx.test) {
    const lines = [
      `ELB ${name} set to have listeners modified:`,
      ...create.map((listener) => `Listener ${str(listenerTuple(listener))} added.`),
      ...remove.map((listener) => `Listener ${str(listenerTuple(listener))} deleted.`),
    ]
    return { result: null, comment: lines.join('  ') }
  }
  const lines: string[] = []
  let result = true
  const step = async (word: [string, string], fun: string, given: Record<string, Value>): Promise<void> => {
    const isDone = truthy(await ask(balancer, fun, given))
    lines.push(isDone ? `${word[0]} listeners on ${name} ELB.` : `Failed to ${word[1]} listeners on ${name} ELB.`)
    result &&= isDone
  }
  const ports = remove.map((listener) => listener.get('elb_port') ?? null)
  if (remove.length > 0) await step(['Deleted', 'delete'], 'delete_listeners', { ports })
  if (create.length > 0) await step(['Created', 'create'], 'create_listeners', { listeners: create })
  const now = listIn(await configOf(balancer), 'listeners')
  return { result, comment: lines.join(' '), changes: new Map([['listeners', oldNew(present, now)]]) }
}

/** The location of a load balancer: zones or subnets. */
interface Place {
  field: 'availability_zones' | 'subnets'
  words: string
  add: { fun: string; verb: string; done: string }
  remove: { fun: string; verb: string; done: string }
}

const ZONES: Place = {
  field: 'availability_zones',
  words: 'availability zones',
  add: { fun: 'enable_availability_zones', verb: 'enable', done: 'Enabled' },
  remove: { fun: 'disable_availability_zones', verb: 'disable', done: 'Disabled' },
}

const SUBNETS: Place = {
  field: 'subnets',
  words: 'subnets',
  add: { fun: 'attach_subnets', verb: 'attach', done: 'Attached' },
  remove: { fun: 'detach_subnets', verb: 'detach', done: 'Detached' },
}

async function place(
  balancer: Balancer,
  wanted: readonly string[],
  { field, words, add, remove }: Place,
): Promise<Part> {
  const { ctx, name } = balancer
  const present = listIn(await configOf(balancer), field).map(str)
  const steps = [
    { ...add, places: wanted.filter((one) => !present.includes(one)) },
    { ...remove, places: present.filter((one) => !wanted.includes(one)) },
  ].filter(({ places }) => places.length > 0)
  if (steps.length === 0) {
    return { result: true, comment: `${words[0]?.toUpperCase()}${words.slice(1)} already set on ELB ${name}.` }
  }
  if (ctx.test) return { result: null, comment: `ELB ${name} to have ${words} set.` }
  const lines: string[] = []
  let result = true
  for (const { fun, verb, done, places } of steps) {
    const isDone = truthy(await ask(balancer, fun, { [field]: places }))
    lines.push(isDone ? `${done} ${words} on ${name} ELB.` : `Failed to ${verb} ${words} on ${name} ELB.`)
    result &&= isDone
  }
  const now = listIn(await configOf(balancer), field)
  return { result, comment: lines.join('  '), changes: fieldChange(field, present, now) }
}

export const zonesPresent = (balancer: Balancer, zones: readonly string[]): Promise<Part> =>
  place(balancer, zones, ZONES)

export const subnetsPresent = (balancer: Balancer, subnets: readonly string[]): Promise<Part> =>
  place(balancer, subnets, SUBNETS)

/** Return whether a setting is as wanted; settings that say yes or no may be texts. */
const isSet = (wanted: Value, present: Value): boolean =>
  typeof present === 'boolean' ? isYes(wanted) === present : str(wanted) === str(present)

/** Return whether all settings of a state are as wanted; missing settings count as their defaults. */
function areSet(wanted: Dict, present: Dict): boolean {
  return [...wanted].every(([group, settings]) => {
    const now = present.get(group) ?? null
    if (!isDict(settings) || !isDict(now)) return true
    const isDraining = group === 'connection_draining' && isYes(settings.get('enabled') ?? null)
    const full = isDraining && !settings.has('timeout') ? new Map([...settings, ['timeout', 300]]) : settings
    return [...full].every(([name, value]) => isSet(value, now.get(name) ?? null))
  })
}

export async function attributesPresent(balancer: Balancer, wanted: Dict): Promise<Part> {
  const { ctx, name } = balancer
  const present = await ask(balancer, 'get_attributes')
  if (!isDict(present) || present.size === 0)
    return { result: false, comment: `Failed to retrieve attributes for ELB ${name}.` }
  if (areSet(wanted, present)) return { result: true, comment: `Attributes already set on ELB ${name}.` }
  return perform(ctx, {
    foreseen: `ELB ${name} set to have attributes set.`,
    done: `Set attributes on ELB ${name}.`,
    failed: `Failed to set attributes on ELB ${name}.`,
    act: () => ask(balancer, 'set_attributes', { attributes: wanted }),
    changes: fieldChange('attributes', present, wanted),
  })
}

export async function healthCheckPresent(balancer: Balancer, wanted: Dict): Promise<Part> {
  const { ctx, name } = balancer
  const present = await ask(balancer, 'get_health_check')
  if (!isDict(present) || present.size === 0)
    return { result: false, comment: `Failed to retrieve health_check for ELB ${name}.` }
  if ([...wanted].every(([key, value]) => isSet(value, present.get(key) ?? null)))
    return { result: true, comment: `Health check already set on ELB ${name}.` }
  return perform(ctx, {
    foreseen: `ELB ${name} set to have health check set.`,
    done: `Set health check on ELB ${name}.`,
    failed: `Failed to set health check on ELB ${name}.`,
    act: () => ask(balancer, 'set_health_check', { health_check: wanted }),
    changes: async () => fieldChange('health_check', present, await ask(balancer, 'get_health_check')),
  })
}

export async function tagsPresent(balancer: Balancer, wanted: Dict | null): Promise<Part> {
  if (wanted === null || wanted.size === 0) return { result: true, comment: '' }
  const now = (await configOf(balancer)).get('tags') ?? null
  const change = compareTags(wanted, isDict(now) ? now : new Map())
  if (change === undefined) return { result: true, comment: 'Tags are already set.' }
  const { set, remove, comment, changes } = change
  if (balancer.ctx.test) return { result: null, comment }
  if (remove.length > 0 && !truthy(await ask(balancer, 'delete_tags', { tags: remove })))
    return { result: false, comment: `Error attempting to delete tag ${str(remove)}.` }
  if (set.size > 0 && !truthy(await ask(balancer, 'set_tags', { tags: set })))
    return { result: false, comment: 'Error attempting to set tags.' }
  return { result: true, comment: '', changes }
}

/** Ensure that these machines and no others are behind a load balancer. */
export async function instancesPresent(balancer: Balancer, ids: readonly string[]): Promise<Part> {
  const { ctx, name } = balancer
  const instances = [...ids]
  if (instances.length === 0 || !truthy(await ask(balancer, 'set_instances', { instances, test: true })))
    return { result: true, comment: '' }
  const old = await healthOf(balancer)
  return perform(ctx, {
    foreseen: `ELB ${name} instances would be updated.`,
    done: '',
    failed: 'Failed to set requested instances.',
    act: () => ask(balancer, 'set_instances', { instances }),
    changes: fieldChange(
      'instances',
      old.map((one) => one.get('instance_id') ?? null),
      instances,
    ),
  })
}

/** Return the health of the machines behind a load balancer. */
export async function healthOf(balancer: Balancer): Promise<Dict[]> {
  const health = await ask(balancer, 'get_instance_health')
  return isList(health) ? health.filter(isDict) : []
}
