// Drivers of salt-cloud from users' own files and extensions, in Salt's form: functions `create`, `destroy`, `list_nodes`, `avail_images` and
// the like, which see the providers and profiles in `__opts__`. A driver makes the machine; the key, the login and the minion on the machine
// are the work of the room `cloud/`, as for built-in drivers.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, isDict, isList, isSecretName, markSecret, SaltError, str, truthy, type Value } from '../data/mod.ts'
import { driverTable } from '../loader/mod.ts'
import type { ScopeFunction } from '../python/mod.ts'
import {
  arg,
  type CloudAccount,
  type CloudAction,
  type CloudContext,
  type CloudDriver,
  type CloudFunction,
  type CloudNode,
  type CloudSteps,
  type MachineRequest,
} from '../sdk/mod.ts'
import { type BoundPlugin, boundPlugin, type PluginRequest } from './bound-plugin.ts'

/** Seconds that calls may take. */
const MOST = { create: 7200, destroy: 1800, query: 600 } as const

/** Seconds until a machine that was destroyed must be gone, and between two looks. */
const GONE_AFTER = 300
const LOOK_EVERY = 2

/** Events that the room `cloud/` fires itself. */
const OF_HOST: ReadonlySet<string> = new Set([
  ...['creating', 'created', 'waiting_for_ssh', 'deploying', 'deploy_script', 'destroying', 'destroyed'],
])

/** The context of a driver, with the settings of its providers. */
export interface CloudSurroundings extends Omit<PluginRequest, 'family' | 'isParallel' | 'builtIn'> {
  /** Settings of all providers by alias and driver. */
  providers: Dict
  profiles: Dict
}

const NODE_FIELDS = ['id', 'image', 'size', 'state', 'private_ips', 'public_ips'] as const
const settings = { settings: arg.open('Settings of the driver') }
const keywords = { kwargs: arg.open('Keywords of the function') }

class PluginAccount implements CloudAccount<typeof settings> {
  private readonly plugin: BoundPlugin
  private readonly ctx: CloudContext
  private readonly driver: string
  readonly locations?: () => Promise<Dict>
  readonly images?: () => Promise<Dict>
  readonly sizes?: () => Promise<Dict>

  constructor(plugin: BoundPlugin, ctx: CloudContext, driver: string) {
    this.plugin = plugin
    this.ctx = ctx
    this.driver = driver
    for (const kind of ['locations', 'images', 'sizes'] as const) {
      if (plugin.has(`avail_${kind}`)) this[kind] = () => this.dictOf(`avail_${kind}`)
    }
  }

  /** Call a function; the driver's progress goes to `steps`. */
  async call(fun: string, args: Value[], kwargs: Dict, steps?: CloudSteps, login: Dict = new Map()): Promise<Value> {
    const most = fun === 'create' || fun === 'destroy' ? MOST[fun] : MOST.query
    const { alias, signal } = this.ctx
    const answers: Record<string, ScopeFunction> = {
      cloud_event: async ([tag, data]) => {
        const event = str(tag!).split('/').at(-1) ?? ''
        if (/^\w+$/.test(event) && !OF_HOST.has(event)) await steps?.report(event, isDict(data!) ? data : new Map())
        return null
      },
      cloud_login: ([found]) => {
        for (const [key, value] of isDict(found!) ? found : []) {
          if (isSecretName(str(key))) markSecret(value)
          login.set(key, value)
        }
        return null
      },
    }
    const facts = new Map<Value, Value>([['active_provider', `${alias}:${this.driver}`]])
    return this.plugin.call(fun, args, { kwargs, most, facts, answers, signal })
  }

  private async dictOf(fun: string): Promise<Dict> {
    const answer = await this.call(fun, [], new Map())
    if (isDict(answer)) return answer
    if (isList(answer)) return new Map(answer.map((name) => [name, new Map()]))
    throw new SaltError('SaltCloudExecutionFailure', `${this.driver}.${fun} gives neither a dict nor a list`)
  }

  async nodes(): Promise<CloudNode[]> {
    const full = this.plugin.has('list_nodes_full') ? await this.dictOf('list_nodes_full') : new Map<Value, Value>()
    const isWhole = (facts: Value): boolean => isDict(facts) && NODE_FIELDS.every((name) => facts.has(name))
    const isEnough = this.plugin.has('list_nodes_full') && [...full.values()].every(isWhole)
    const brief = isEnough || !this.plugin.has('list_nodes') ? full : await this.dictOf('list_nodes')
    return [...new Set([...brief.keys(), ...full.keys()])].map((name) =>
      nodeOf(str(name), brief.get(name), full.get(name)),
    )
  }

  async create({ name, written, profile }: MachineRequest<typeof settings>, steps: CloudSteps): Promise<CloudNode> {
    const origin = `${this.ctx.alias}:${this.driver}`
    const machine = new Map<Value, Value>([...written, ['name', name], ['profile', profile ?? null]])
    for (const key of ['driver', 'provider']) machine.set(key, origin)
    const login: Dict = new Map()
    const made = await this.call('create', [machine], new Map(), steps, login)
    if (!truthy(made)) {
      throw new SaltError(
        'SaltCloudExecutionFailure',
        `The driver ${this.driver} did not make ${name}; the log says why`,
      )
    }
    const facts = isDict(made) ? made : new Map<Value, Value>()
    const isWhole = NODE_FIELDS.every((field) => facts.has(field))
    const listed = isWhole ? undefined : (await this.nodes()).find((node) => node.name === name)
    return { ...(listed ?? nodeOf(name, facts, facts)), login }
  }

  /** Destroy a machine, and wait until the driver does not list it any more. */
  async destroy({ name }: CloudNode, steps: CloudSteps): Promise<Value> {
    const answer = await this.call('destroy', [name], new Map(), steps)
    const end = performance.now() + GONE_AFTER * 1000
    while ((await this.nodes()).some((node) => node.name === name && !GONE.test(node.state))) {
      if (performance.now() >= end) {
        throw new SaltError(
          'SaltCloudExecutionTimeout',
          `${name} is still there ${GONE_AFTER} s after it was destroyed`,
        )
      }
      await sleep(LOOK_EVERY * 1000, undefined, { signal: this.ctx.signal })
    }
    return answer ?? true
  }

  /** Call an action or a function as salt-cloud does. */
  asked(fun: string, call: 'action' | 'function', node: string | undefined, kwargs: Dict, steps?: CloudSteps) {
    const given: Dict = new Map<Value, Value>([['call', call]])
    const parameters = this.plugin.parameters(fun)
    if (kwargs.size > 0 || (call === 'function' && parameters.includes('kwargs'))) given.set('kwargs', kwargs)
    const known = parameters.includes('call') ? given : new Map([...given].filter(([key]) => key !== 'call'))
    return this.call(fun, node === undefined ? [] : [node], known, steps)
  }
}

const GONE = /^(terminated|destroyed|deleted|deleting|shutting-down)$/i

const textsOf = (value: Value | undefined): string[] => {
  if (value === undefined || value === null) return []
  return isList(value) ? value.map(str) : [str(value)].filter((text) => text !== '')
}

function nodeOf(name: string, brief: Value | undefined, full: Value | undefined): CloudNode {
  const details: Dict = isDict(full ?? null) ? (full as Dict) : new Map()
  const known: Dict = new Map([...details, ...(isDict(brief ?? null) ? (brief as Dict) : [])])
  const ownFields: ReadonlySet<Value> = new Set<Value>([...NODE_FIELDS, 'name'])
  return {
    name,
    id: known.get('id') ?? name,
    image: known.get('image') ?? null,
    size: known.get('size') ?? null,
    state: str(known.get('state') ?? known.get('status') ?? ''),
    private_ips: textsOf(known.get('private_ips')),
    public_ips: textsOf(known.get('public_ips')),
    details: new Map([...known].filter(([key]) => !ownFields.has(key))),
  }
}

/** Functions that are not called by their names. */
const HIDDEN: ReadonlySet<string> = new Set(['create', 'get_configured_provider', 'get_dependencies'])

/** Return the user's or extension's driver with this name; undefined if it does not exist. */
export async function ownDriver(around: CloudSurroundings): Promise<CloudDriver | undefined> {
  const { name, log } = around
  const open = (providers: Dict): Promise<BoundPlugin | undefined> => {
    const opts: Dict = new Map<Value, Value>([...around.opts, ['providers', providers], ['profiles', around.profiles]])
    return boundPlugin({ family: 'clouds', name, builtIn: Object.keys(driverTable), opts, log, isParallel: true })
  }
  const plugin = await open(around.providers)
  if (!plugin) return undefined
  const named = plugin.functions.filter((fun) => !HIDDEN.has(fun))
  return {
    name,
    doc: '',
    // the API's password is no password of machines
    provider: { password: arg.any('Password of the API', { optional: true, secret: true }), ...settings },
    machine: settings,
    actions: Object.fromEntries(named.map((fun) => [fun, actionOf(fun)])),
    functions: Object.fromEntries(named.map((fun) => [fun, functionOf(fun)])),
    open: async (ctx, given) => {
      const own: Dict = new Map<Value, Value>(given['settings'] as ReadonlyMap<string, Value>)
      const password = (given['password'] ?? null) as Value
      if (password !== null) own.set('password', password)
      for (const [key, value] of own) if (isSecretName(str(key))) markSecret(value)
      const before = around.providers.get(ctx.alias)
      const drivers = new Map<Value, Value>([...(isDict(before ?? null) ? (before as Dict) : []), [name, own]])
      const bound = await open(new Map<Value, Value>([...around.providers, [ctx.alias, drivers]]))
      if (!bound) throw new SaltError('SaltCloudConfigError', `The driver ${name} does not serve; the log says why`)
      return new PluginAccount(bound, ctx, name)
    },
  }
}

const actionOf = (fun: string): CloudAction => ({
  doc: '',
  args: keywords,
  run: (account, { name }, { kwargs }, steps) =>
    (account as PluginAccount).asked(fun, 'action', name, asDict(kwargs), steps),
})

const functionOf = (fun: string): CloudFunction => ({
  doc: '',
  args: keywords,
  run: (account, { kwargs }) => (account as PluginAccount).asked(fun, 'function', undefined, asDict(kwargs)),
})

const asDict = (kwargs: unknown): Dict => new Map<Value, Value>(kwargs as ReadonlyMap<string, Value>)
