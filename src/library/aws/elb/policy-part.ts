// The policies of a load balancer in its state: the policies, and their assignment to listeners and ports.
import { createHash } from 'node:crypto'
import { compareText, type Dict, isDict, misuse, PySet, repr, str, truthy, type Value } from '../../../data/mod.ts'
import { oldNew, type Part } from '../common/part.ts'
import { dictOf } from '../common/structured.ts'
import { ask, type Balancer, configOf, listIn } from './parts.ts'

interface Policy {
  /** Its name in AWS: type, name and a hash of the attributes, so that other attributes give another policy. */
  name: string
  type: string
  attributes: Dict
}

/** Return the AWS name of a policy, as Salt builds it. */
function nameOf(name: string, type: string, attributes: Dict): string {
  const items = [...attributes].sort(([one], [other]) => compareText(str(one), str(other)))
  const text = `[${items.map(([key, value]) => `(${repr(key)}, ${repr(value)})`).join(', ')}]`
  return `${type.replace(/Type$/, '')}-${name}-${createHash('md5').update(text).digest('hex')}`
}

/** Return the policies of a state by their names in the state. */
export function policiesOf(given: readonly Dict[]): Map<string, Policy> {
  const policies = new Map<string, Policy>()
  for (const policy of given) {
    const text = (key: string): string => {
      if (!policy.has(key)) throw misuse(`${key} is a required value for policies.`)
      return str(policy.get(key) ?? '')
    }
    const [name, type] = [text('policy_name'), text('policy_type')]
    if (!policy.has('policy')) throw misuse('policy is a required value for policies.')
    if (policies.has(name)) throw misuse(`Policy names must be unique: policy ${name} is declared twice.`)
    const attributes = dictOf('policy', policy.get('policy') ?? null)
    policies.set(name, { name: nameOf(name, type, attributes), type, attributes })
  }
  return policies
}

/** Names of policies by port. */
type ByPort = Map<string, string[]>

/** Return the policies that ports are to have, by their names at AWS. */
export function wantedByPort(
  entries: readonly Dict[],
  policies: ReadonlyMap<string, Policy>,
  { port, what }: { port: string; what: string },
): ByPort {
  return new Map(
    entries.map((entry) => {
      const number = str(entry.get(port) ?? '')
      const names = listIn(entry, 'policies').map((name) => {
        const policy = policies.get(str(name))
        if (policy === undefined) throw misuse(`${what} ${number} refers to undefined policy ${str(name)}.`)
        return policy.name
      })
      return [number, [...new Set(names)].sort()]
    }),
  )
}

/** Policies that AWS assigns to TLS listeners without one. */
const isDefault = (name: string): boolean => /^ELBSecurityPolicy-\d{4}-\d{2}$/.test(name)

function presentByPort(config: Dict, list: string, port: string): ByPort {
  const rows = listIn(config, list).filter(isDict)
  return new Map(rows.map((row) => [str(row.get(port) ?? ''), listIn(row, 'policies').map(str).sort()]))
}

/** Return the ports with different policies. */
function differing(wanted: ByPort, present: ByPort): string[] {
  const ports = [...new Set([...wanted.keys(), ...present.keys()])]
  return ports.filter((port) => {
    const [one, other] = [wanted.get(port) ?? [], present.get(port) ?? []]
    const isOwn = (name: string): boolean => one.length > 0 || !isDefault(name)
    return one.join('\n') !== other.filter(isOwn).join('\n')
  })
}

interface Step {
  foreseen: string
  done: string
  fun: string
  given: Record<string, Value>
  change: [string, Dict]
}

function portSteps(
  { name }: Balancer,
  { wanted, present, kind, fun }: { wanted: ByPort; present: ByPort; kind: string; fun: string },
): Step[] {
  return differing(wanted, present).map((port) => {
    const [now, old] = [wanted.get(port) ?? [], present.get(port) ?? []]
    return {
      foreseen: `${kind === 'listener' ? 'Listener' : 'Backend'} ${port} policies updated.`,
      done: `Policy ${repr(new PySet(now))} was created on ELB ${name} ${kind} ${port}`,
      fun,
      given: { port, policies: now },
      change: [`${kind}_${port}_policy`, oldNew(old, now)],
    }
  })
}

export interface WantedPolicies {
  policies: ReadonlyMap<string, Policy>
  listeners: ByPort
  backends: ByPort
}

/** Ensure the policies: new ones are created first, and unused ones are deleted last. */
export async function policiesPresent(balancer: Balancer, wanted: WantedPolicies): Promise<Part> {
  const { ctx, name } = balancer
  const config = await configOf(balancer)
  if (config.size === 0) return { result: false, comment: `${name} ELB configuration could not be retrieved.` }
  const present = listIn(config, 'policies').map(str)
  const all = [...wanted.policies.values()]
  const create = all.filter((policy) => !present.includes(policy.name))
  const remove = present.filter((policy) => !isDefault(policy) && !all.some((one) => one.name === policy))
  const listeners = presentByPort(config, 'listeners', 'elb_port')
  const backends = presentByPort(config, 'backends', 'instance_port')
  const ports = [
    ...portSteps(balancer, {
      wanted: wanted.listeners,
      present: listeners,
      kind: 'listener',
      fun: 'set_listener_policy',
    }),
    ...portSteps(balancer, { wanted: wanted.backends, present: backends, kind: 'backend', fun: 'set_backend_policy' }),
  ]
  const creation = create.map(
    ({ name: policy_name, type, attributes }): Step => ({
      foreseen: `Policy ${policy_name} added.`,
      done: `Policy ${policy_name} was created on ELB ${name}`,
      fun: 'create_policy',
      given: { policy_name, policy_type: type, policy: attributes },
      change: [policy_name, new Map([['new', policy_name]])],
    }),
  )
  const removal = remove.map(
    (policy_name): Step => ({
      foreseen: `Policy ${policy_name} deleted.`,
      done: `Policy ${policy_name} was deleted from ELB ${name}`,
      fun: 'delete_policy',
      given: { policy_name },
      change: [policy_name, new Map([['old', policy_name]])],
    }),
  )
  const steps = [...creation, ...ports, ...removal]
  if (!ctx.test) return take(balancer, steps)
  if (steps.length === 0) return { result: true, comment: `Policies already set on ELB ${name}.` }
  const begin = create.length + remove.length > 0 ? `set to have policies modified:` : 'policies:'
  const lines = [...creation, ...removal, ...ports].map(({ foreseen }) => foreseen)
  return { result: null, comment: [`ELB ${name} ${begin}`, ...lines].join('  ') }
}

/** Carry out steps in order, until AWS refuses one. */
async function take(balancer: Balancer, steps: readonly Step[]): Promise<Part> {
  const changes: Dict = new Map()
  let comment = ''
  for (const { fun, given, done, change } of steps) {
    if (!truthy(await ask(balancer, fun, given)))
      return { result: false, comment: `${comment}  boto_elb.${fun} failed on ELB ${balancer.name}`, changes }
    changes.set(...change)
    comment = `${comment}  ${done}`
  }
  return { result: true, comment, changes }
}
