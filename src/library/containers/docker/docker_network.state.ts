// Networks of Docker. A network cannot be changed in place: a different one is created again, and its containers are
// connected again.
import { randomBytes } from 'node:crypto'
import { type Dict, isDict, isList, str, traverse, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { answered, ifPresent, namesOf, report, whenDocker } from './state/report.ts'

const name = arg.text('Name of the network')
const network = {
  name,
  skip_translate: arg.any('Ignored', { optional: true }),
  ignore_collisions: arg.flag('Ignored', { default: false }),
  validate_ip_addrs: arg.flag('Ignored', { default: true }),
  containers: arg.any('Containers to connect: a list, or a text with commas', { optional: true }),
  reconnect: arg.flag('Whether the containers of a replaced network are connected again', { default: true }),
  kwargs: arg.open('Options: driver, options, subnet, gateway, ip_range, internal, labels and so on'),
}

interface Task {
  ctx: StateContext
  name: string
  options: Record<string, Value>
  changes: Record<string, Value>
}

const containersOf = (network: Dict): Dict => {
  const found = network.get('Containers') ?? null
  return isDict(found) ? found : new Map()
}

/** Disconnect the containers of a network and remove it; return the reason of a failure. */
async function removed({ ctx, changes }: Task, network: Dict): Promise<string | undefined> {
  const name = str(network.get('Name') ?? '')
  const errors: string[] = []
  const disconnected: Value[] = []
  for (const [id, facts] of containersOf(network)) {
    const shown = isDict(facts) ? (facts.get('Name') ?? id) : id
    const left = await answered(() => ctx.call('docker.disconnect_container_from_network', [id, name]))
    if ('refusal' in left) errors.push(`Failed to disconnect container '${str(shown)}' : ${left.refusal}`)
    else {
      disconnected.push(shown)
      changes['disconnected'] = disconnected
    }
  }
  if (errors.length > 0) return errors.join('\n')
  const gone = await answered(() => ctx.call('docker.remove_network', [name]))
  return 'refusal' in gone ? `Failed to remove network: ${gone.refusal}` : undefined
}

/** Return the differences between a network and a temporary one with the wanted options. */
async function differences({ ctx, options }: Task, network: Dict): Promise<Dict | string> {
  const trial = randomBytes(10).toString('hex')
  // two networks cannot have the same address pools, so the pools are compared as the user wrote them
  const { subnet, gateway, ip_range, iprange, ipam_pools, ipam, ...plain } = options
  const made = await answered(() => ctx.call('docker.create_network', [trial], plain))
  if ('refusal' in made) return `Failed to create temp network for comparison: ${made.refusal}`
  try {
    const wanted = new Map(await ctx.call('docker.inspect_network', [trial]))
    const pools = poolsOf({ subnet, gateway, ip_range: ip_range ?? iprange, ipam_pools, ipam })
    const ipamNow = network.get('IPAM') ?? null
    const own: Dict = isDict(ipamNow) ? ipamNow : new Map()
    const current = own.get('Config') ?? []
    const asMade = pools.length === 0 || (isList(current) && matches(current, pools))
    wanted.set('IPAM', asMade ? own : new Map<Value, Value>([...own, ['Config', pools]]))
    return await ctx.call('docker.compare_networks', [network, wanted])
  } finally {
    await ctx.call('docker.remove_network', [trial])
  }
}

type Pool = Readonly<Record<string, Value | undefined>>

/** Return the wanted address pools in the Engine's form. */
function poolsOf({ subnet, gateway, ip_range, ipam_pools, ipam }: Pool): Dict[] {
  const pool = (wanted: Pool): Dict =>
    new Map(
      Object.entries({ Subnet: wanted['subnet'], IPRange: wanted['ip_range'], Gateway: wanted['gateway'] }).flatMap(
        ([key, value = null]): [Value, Value][] => (truthy(value) ? [[key, value]] : []),
      ),
    )
  const dicts = (value: Value = null): Dict[] => (Array.isArray(value) ? value.filter(isDict) : [])
  if (ipam !== undefined && isDict(ipam)) return dicts(ipam.get('Config'))
  if (Array.isArray(ipam_pools)) {
    return dicts(ipam_pools).map((each) =>
      pool({
        subnet: each.get('subnet'),
        gateway: each.get('gateway'),
        ip_range: each.get('ip_range') ?? each.get('iprange'),
      }),
    )
  }
  const one = pool({ subnet, gateway, ip_range })
  return one.size > 0 ? [one] : []
}

/** Return whether the network has each wanted pool, ignoring additions of the daemon. */
const matches = (current: readonly Value[], wanted: readonly Dict[]): boolean =>
  current.length === wanted.length &&
  wanted.every((pool) =>
    current.some((own) => isDict(own) && [...pool].every(([key, value]) => own.get(key) === value)),
  )

/** Return the IDs of the running containers to connect, and warnings about the others. */
async function members(
  ctx: StateContext,
  containers: Value,
): Promise<{ wanted: Map<string, string>; warnings: string[] }> {
  const wanted = new Map<string, string>()
  const [missing, stopped]: [string[], string[]] = [[], []]
  for (const name of namesOf(containers)) {
    const facts = await answered(() => ctx.call('docker.inspect_container', [name]))
    if ('refusal' in facts) missing.push(name)
    else if (!truthy(traverse(facts.value, 'State:Running'))) stopped.push(name)
    else wanted.set(str(traverse(facts.value, 'Id')), name)
  }
  const warnings = [
    ...(missing.length > 0 ? [`The following containers do not exist: ${missing.join(', ')}.`] : []),
    ...(stopped.length > 0 ? [`The following containers are not running: ${stopped.join(', ')}.`] : []),
  ]
  return { wanted, warnings }
}

async function present(ctx: StateContext, given: Bound<typeof network>): Promise<StateReturn> {
  const { name, containers, reconnect, kwargs } = given
  const task: Task = { ctx, name, options: Object.fromEntries(kwargs), changes: {} }
  const { changes } = task
  const found = await ifPresent(() => ctx.call('docker.inspect_network', [name]))
  if ('refusal' in found) return report(name, false, found.refusal)
  const { wanted, warnings } = await members(ctx, containers)
  const reported = (result: boolean | null, comment: string): StateReturn => ({
    ...report(name, result, comment, changes),
    ...(warnings.length > 0 && { warnings }),
  })
  const network = isDict(found.value) ? found.value : null
  const before = network ? containersOf(network) : new Map<Value, Value>()
  if (network) {
    const different = await differences(task, network)
    if (typeof different === 'string') return reported(false, different)
    if (different.size === 0)
      return join(task, wanted, before, reported, `Network '${name}' already exists, and is configured as specified`)
    changes[name] = different
    if (ctx.test) return reported(null, 'Network would be recreated with new config')
    const { [name]: kept, ...rest } = changes
    const why = await removed({ ...task, changes: rest }, network)
    if (why !== undefined) return { ...reported(false, why), changes: { [name]: kept!, ...rest } }
  }
  if (ctx.test) return reported(null, 'Network will be created')
  const made = await answered(() => ctx.call('docker.create_network', [name], task.options))
  if ('refusal' in made) return reported(false, `Failed to create network '${name}': ${made.refusal}`)
  changes[network ? 'recreated' : 'created'] = true
  const again = containers === null && reconnect
  const back = new Map(
    [...before].map(([id, facts]) => [str(id), isDict(facts) ? str(facts.get('Name') ?? id) : str(id)]),
  )
  const comment = `Network '${name}' ${network ? 'was replaced with updated config' : 'created'}`
  return join(task, again ? back : wanted, new Map(), reported, comment, again ? 'reconnected' : 'connected')
}

/** Connect the containers that are not in the network. */
async function join(
  { ctx, name, changes }: Task,
  wanted: ReadonlyMap<string, string>,
  there: Dict,
  reported: (result: boolean | null, comment: string) => StateReturn,
  comment: string,
  verb = 'connected',
): Promise<StateReturn> {
  const errors: string[] = []
  const connected: Value[] = []
  const joining = [...wanted].filter(([id]) => !there.has(id))
  if (ctx.test && joining.length > 0) return reported(null, `${comment}; containers would be connected`)
  for (const [id, shown] of joining) {
    const answer = await answered(() => ctx.call('docker.connect_container_to_network', [id, name]))
    if ('refusal' in answer) errors.push(answer.refusal)
    else {
      connected.push(shown)
      changes[verb] = connected
    }
  }
  return errors.length > 0 ? reported(false, `${comment}. ${errors.join('. ')}.`) : reported(true, comment)
}

async function absent(ctx: StateContext, name: string): Promise<StateReturn> {
  const found = await ifPresent(() => ctx.call('docker.inspect_network', [name]))
  if ('refusal' in found) return report(name, false, found.refusal)
  if (found.value === null) return report(name, true, `Network '${name}' already absent`)
  if (ctx.test) return report(name, null, `Network '${name}' will be removed`)
  const changes: Record<string, Value> = {}
  const why = await removed({ ctx, name, options: {}, changes }, isDict(found.value) ? found.value : new Map())
  if (why !== undefined) return report(name, false, why, changes)
  return report(name, true, `Removed network '${name}'`, { ...changes, removed: true })
}

export default defineState({
  name: 'docker_network',
  doc: 'Manage networks of Docker.',
  when: whenDocker,
  functions: {
    present: state({
      doc: 'Ensure that a network exists, with the given containers in it.',
      args: network,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that a network does not exist.',
      args: { name },
      run: (ctx, { name }) => absent(ctx, name),
    }),
  },
})
