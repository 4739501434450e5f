// Networks of Docker. What differs from the wish cannot be changed in place: the network is made again, and its
// containers join it again.
import { randomBytes } from 'node:crypto'
import { type Dict, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { answered, type Given, ifPresent, namesOf, report, whenDocker } from './state/report.ts'

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

/** Takes the containers out of a network and removes it; why not, otherwise. */
async function removed({ ctx, changes }: Task, network: Dict): Promise<string | undefined> {
  const [name, errors] = [str(network.get('Name')!), [] as string[]]
  for (const [id, facts] of containersOf(network)) {
    const shown = isDict(facts) ? (facts.get('Name') ?? id) : id
    const left = await answered(() => ctx.call('docker.disconnect_container_from_network', [id, name]))
    if ('refusal' in left) errors.push(`Failed to disconnect container '${str(shown)}' : ${left.refusal}`)
    else changes['disconnected'] = [...((changes['disconnected'] ?? []) as Value[]), shown]
  }
  if (errors.length > 0) return errors.join('\n')
  const gone = await answered(() => ctx.call('docker.remove_network', [name]))
  return 'refusal' in gone ? `Failed to remove network: ${gone.refusal}` : undefined
}

/** How the network differs from one that is made for comparison, by name only. */
async function differences({ ctx, options }: Task, network: Dict): Promise<Dict | string> {
  const trial = randomBytes(10).toString('hex')
  // pools of addresses cannot be there twice, so they are compared as they are written
  const { subnet, gateway, ip_range, iprange, ipam_pools, ipam, ...plain } = options
  const made = await answered(() => ctx.call('docker.create_network', [trial], plain))
  if ('refusal' in made) return `Failed to create temp network for comparison: ${made.refusal}`
  try {
    const wanted = new Map(await ctx.call('docker.inspect_network', [trial]))
    const pools = poolsOf({ subnet, gateway, ip_range: ip_range ?? iprange, ipam_pools, ipam })
    const own = network.get('IPAM') as Dict
    const current = (own?.get('Config') ?? []) as Value[]
    const asMade = pools.length === 0 || matches(current, pools)
    wanted.set('IPAM', asMade ? own : new Map([...own, ['Config', pools]] as [Value, Value][]))
    return await ctx.call('docker.compare_networks', [network, wanted])
  } finally {
    await ctx.call('docker.remove_network', [trial])
  }
}

type Wishes = Readonly<Record<string, Value | undefined>>

/** The pools that are asked for, in the words of the Engine. */
function poolsOf({ subnet, gateway, ip_range, ipam_pools, ipam }: Wishes): Dict[] {
  const pool = (wish: Wishes): Dict =>
    new Map(
      (
        [
          ['Subnet', wish['subnet'] ?? null],
          ['IPRange', wish['ip_range'] ?? null],
          ['Gateway', wish['gateway'] ?? null],
        ] as [Value, Value][]
      ).filter(([, value]) => truthy(value)),
    )
  if (isDict(ipam ?? null)) return ((ipam as Dict).get('Config') ?? []) as Dict[]
  if (Array.isArray(ipam_pools)) {
    return (ipam_pools as Dict[]).map((each) =>
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

/** Whether each pool that is asked for is there; what the daemon added by itself does not count. */
const matches = (current: readonly Value[], wanted: readonly Dict[]): boolean =>
  current.length === wanted.length &&
  wanted.every((pool) =>
    current.some((own) => isDict(own) && [...pool].every(([key, value]) => own.get(key) === value)),
  )

/** IDs of running containers that shall be in the network, and warnings about others. */
async function members(
  ctx: StateContext,
  containers: Value,
): Promise<{ wanted: Map<string, string>; warnings: string[] }> {
  const wanted = new Map<string, string>()
  const [missing, stopped]: [string[], string[]] = [[], []]
  for (const name of namesOf(containers)) {
    const facts = await answered(() => ctx.call('docker.inspect_container', [name]))
    if ('refusal' in facts) missing.push(name)
    else if (!truthy(((facts.value as Dict).get('State') as Dict | undefined)?.get('Running') ?? null))
      stopped.push(name)
    else wanted.set(str((facts.value as Dict).get('Id')!), name)
  }
  const warnings = [
    ...(missing.length > 0 ? [`The following containers do not exist: ${missing.join(', ')}.`] : []),
    ...(stopped.length > 0 ? [`The following containers are not running: ${stopped.join(', ')}.`] : []),
  ]
  return { wanted, warnings }
}

async function present(ctx: StateContext, given: Given, options: Map<string, Value>): Promise<StateReturn> {
  const { containers = null, reconnect = null } = given
  const task: Task = { ctx, name: str(given['name']!), options: Object.fromEntries(options), changes: {} }
  const { name, changes } = task
  const found = await ifPresent(() => ctx.call('docker.inspect_network', [name]))
  if ('refusal' in found) return report(name, false, found.refusal)
  const { wanted, warnings } = await members(ctx, containers)
  const told = (result: boolean | null, comment: string): StateReturn => ({
    ...report(name, result, comment, changes),
    ...(warnings.length > 0 && { warnings }),
  })
  const network = found.value as Dict | null
  const before = network ? containersOf(network) : new Map<Value, Value>()
  if (network) {
    const different = await differences(task, network)
    if (typeof different === 'string') return told(false, different)
    if (different.size === 0)
      return join(task, wanted, before, told, `Network '${name}' already exists, and is configured as specified`)
    changes[name] = different
    if (ctx.test) return told(null, 'Network would be recreated with new config')
    const { [name]: kept, ...rest } = changes
    const why = await removed({ ...task, changes: rest }, network)
    if (why !== undefined) return { ...told(false, why), changes: { [name]: kept!, ...rest } }
  }
  if (ctx.test) return told(null, 'Network will be created')
  const made = await answered(() => ctx.call('docker.create_network', [name], task.options))
  if ('refusal' in made) return told(false, `Failed to create network '${name}': ${made.refusal}`)
  changes[network ? 'recreated' : 'created'] = true
  const again = containers === null && truthy(reconnect)
  const back = new Map(
    [...before].map(([id, facts]) => [str(id), isDict(facts) ? str(facts.get('Name') ?? id) : str(id)]),
  )
  const comment = `Network '${name}' ${network ? 'was replaced with updated config' : 'created'}`
  return join(task, again ? back : wanted, new Map(), told, comment, again ? 'reconnected' : 'connected')
}

/** Lets containers join that are not in the network. */
async function join(
  { ctx, name, changes }: Task,
  wanted: ReadonlyMap<string, string>,
  there: Dict,
  told: (result: boolean | null, comment: string) => StateReturn,
  comment: string,
  verb = 'connected',
): Promise<StateReturn> {
  const errors: string[] = []
  const joining = [...wanted].filter(([id]) => !there.has(id))
  if (ctx.test && joining.length > 0) return told(null, `${comment}; containers would be connected`)
  for (const [id, shown] of joining) {
    const answer = await answered(() => ctx.call('docker.connect_container_to_network', [id, name]))
    if ('refusal' in answer) errors.push(answer.refusal)
    else changes[verb] = [...((changes[verb] ?? []) as Value[]), shown]
  }
  return errors.length > 0 ? told(false, `${comment}. ${errors.join('. ')}.`) : told(true, comment)
}

async function absent(ctx: StateContext, name: string): Promise<StateReturn> {
  const found = await ifPresent(() => ctx.call('docker.inspect_network', [name]))
  if ('refusal' in found) return report(name, false, found.refusal)
  if (found.value === null) return report(name, true, `Network '${name}' already absent`)
  if (ctx.test) return report(name, null, `Network '${name}' will be removed`)
  const changes: Record<string, Value> = {}
  const why = await removed({ ctx, name, options: {}, changes }, found.value as Dict)
  if (why !== undefined) return report(name, false, why, changes)
  return report(name, true, `Removed network '${name}'`, { ...changes, removed: true })
}

const name = arg.text('The name of the network')

export default defineState({
  name: 'docker_network',
  doc: 'Keep networks of Docker.',
  when: whenDocker,
  functions: {
    present: state({
      doc: 'A network is there, with these containers in it.',
      args: {
        name,
        skip_translate: arg.any('Accepted', { optional: true }),
        ignore_collisions: arg.flag('Accepted', { default: false }),
        validate_ip_addrs: arg.flag('Accepted', { default: true }),
        containers: arg.any('Containers that are in it', { optional: true }),
        reconnect: arg.any('Whether containers join again when it is replaced', { default: true }),
        kwargs: arg.open('driver, options, subnet, gateway, ip_range, internal, labels, …'),
      },
      run: (ctx, { kwargs, ...given }) => present(ctx, given, kwargs),
    }),
    absent: state({ doc: 'A network is not there.', args: { name }, run: (ctx, { name }) => absent(ctx, name) }),
  },
})
