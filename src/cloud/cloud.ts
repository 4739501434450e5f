// salt-cloud over its files: queries, listings, machines of profiles and maps, actions and functions. The program, the runner and orchestrations
// use the same object.
import { didYouMean, type Log, toError, withHint } from '../base/mod.ts'
import { type CloudFiles, type CloudProvider, type ConfigRenderer, withoutTemplateSecrets } from '../config/mod.ts'
import { type Dict, maskMarked, quote, str, type Value } from '../data/mod.ts'
import {
  bind,
  type CloudClient,
  type CloudListing,
  type CloudNode,
  type CloudOutcome,
  type CloudPlan,
  type CloudQuery,
  type CloudRequest,
  type MapRequest,
  toValue,
} from '../sdk/mod.ts'
import { type Accounts, type OpenAccount, placeText } from './accounts.ts'
import { assertFree, removeKey } from './bootstrap/key.ts'
import { type CreationParts, checkName, createMachine, type MachineOrder, stepsOf, undoAbandoned } from './creation.ts'
import { cloudNotFound, configError } from './errors.ts'
import { withoutSecrets } from './events.ts'
import { inWaves, mappedMachines, overridden, readMapFile } from './map.ts'
import { shown, shownFully } from './node-cache.ts'
import { refuseElsewhere, refuseMap, refuseReaching } from './outside.ts'

export interface CloudParts extends CreationParts {
  files: CloudFiles
  accounts: Accounts
  render: ConfigRenderer
  /** How many machines are worked on at once. */
  atOnce: number
  selection: readonly string[]
  /** Settings of the command line, which win. */
  given: Dict
  log: Log
  signal: AbortSignal
}

/** The state of machines that are as good as gone. */
const GONE = /^(terminated|destroyed|deleted|deleting|shutting-down)$/i

export class Cloud implements CloudClient {
  private readonly parts: CloudParts

  constructor(parts: CloudParts) {
    this.parts = parts
  }

  /** All that the files say, without secrets. */
  configuration(): Dict {
    const { own, providers, profiles } = this.parts.files
    const all = new Map<Value, Value>([
      ...own,
      ['providers', byProvider(providers.map((provider) => [provider, provider.settings]))],
      ['profiles', new Map<Value, Value>([...profiles].map(([name, { settings }]) => [name, settings]))],
    ])
    return maskMarked(withoutTemplateSecrets(withoutSecrets(all))) as Dict
  }

  /** Undo the incomplete creations of earlier runs. */
  settle(): Promise<boolean> {
    return undoAbandoned(this.parts)
  }

  async close(): Promise<void> {
    await this.parts.accounts.close()
    await this.parts.undoing.close()
  }

  providers(): Dict {
    return byProvider(this.parts.files.providers.map((provider) => [provider, new Map()]))
  }

  profiles(wanted: string): Dict {
    const { files, accounts } = this.parts
    const meant = wanted === 'all' ? undefined : accounts.named(wanted)
    const shownProfiles: [CloudProvider, Dict][] = []
    for (const { name, settings } of files.profiles.values()) {
      const provider = this.providerOf(name)
      if (meant && !meant.includes(provider)) continue
      const { alias, driver } = provider
      const own = maskMarked(withoutTemplateSecrets(withoutSecrets(settings))) as Dict
      shownProfiles.push([
        provider,
        new Map([[name, new Map<Value, Value>([...own, ['profile', name], ['provider', `${alias}:${driver}`]])]]),
      ])
    }
    return byProvider(shownProfiles)
  }

  async query(kind: CloudQuery): Promise<CloudOutcome> {
    const { selection } = this.parts
    const fields = (node: CloudNode): Dict => {
      if (kind === 'list_nodes') return shown(node)
      const all = shownFully(node)
      return kind === 'list_nodes_full' ? all : new Map([...all].filter(([key]) => selection.includes(str(key))))
    }
    return this.fromAll([...this.parts.accounts.providers], async (opened) => {
      const nodes = await this.nodes(opened)
      return new Map<Value, Value>(nodes.map((node) => [node.name, fields(node)]))
    })
  }

  async listing(kind: CloudListing, provider: string): Promise<CloudOutcome> {
    const meant = this.parts.accounts.named(provider)
    const isOneOfMany = provider === 'all' && meant.length > 1
    return this.fromAll(meant, async ({ account, driver }) => {
      const list = account[kind]
      if (list) return list.call(account)
      if (isOneOfMany) return undefined
      throw cloudNotFound(`The driver ${driver.name} has no ${kind}`)
    })
  }

  async profile(name: string, names: readonly string[], request: CloudRequest = {}): Promise<CloudOutcome> {
    const wishes: MachineOrder[] = []
    if (request.isFromOutside) refuseReaching(request.overrides)
    for (const machine of new Set(names)) wishes.push(await this.wishOf(machine, name, request.overrides ?? new Map()))
    if (request.isFromOutside) for (const { account } of wishes) refuseElsewhere(account.driver, request.overrides)
    return this.createAll(wishes, request)
  }

  async create(provider: string, names: readonly string[], request: CloudRequest): Promise<CloudOutcome> {
    const settings: Dict = request.overrides ?? new Map()
    if (request.isFromOutside) refuseReaching(settings)
    const { accounts } = this.parts
    const account = await accounts.open(accounts.one(provider, 'The call'))
    if (request.isFromOutside) refuseElsewhere(account.driver, settings)
    const where = `The call for the provider ${quote(provider)}`
    accounts.tellUnknown(settings, account.driver, where)
    const all = this.settled(account, await accounts.fetched(settings, where))
    const wishes = [...new Set(names)].map((name) => ({ name, profile: null, account, settings: all, where }))
    for (const { name } of wishes) checkName(name)
    return this.createAll(wishes, request)
  }

  async running(names: readonly string[]): Promise<Dict> {
    const all: [CloudProvider, Dict][] = []
    for (const [{ provider }, node] of await this.found(names)) {
      all.push([provider, new Map([[node.name, shown(node)]])])
    }
    return byProvider(all)
  }

  async destroy(names: readonly string[]): Promise<CloudOutcome> {
    const found = await this.found(names)
    const missing = names.filter((name) => !found.some(([, node]) => node.name === name))
    const all: [CloudProvider, Dict][] = []
    let failed = missing.length > 0
    await this.eachOf(found, true, async ([opened, node]) => {
      const outcome = await this.attempt(`${node.name} could not be destroyed`, () => this.destroyOne(opened, node))
      failed ||= outcome.failed
      all.push([opened.provider, new Map([[node.name, outcome.value]])])
    })
    const value = byProvider(all)
    if (missing.length > 0) value.set('Not Found', missing)
    return { value, failed }
  }

  async action(fun: string, names: readonly string[], kwargs: Dict, isFromOutside = false): Promise<CloudOutcome> {
    if (isFromOutside) refuseReaching(kwargs)
    const found = await this.found(names)
    const missing = names.filter((name) => !found.some(([, node]) => node.name === name))
    const all: [CloudProvider, Dict][] = []
    let failed = missing.length > 0
    // all are looked up before the first one changes anything
    const calls = found.map(([opened, node]) => {
      const { actions = {}, name: driver } = opened.driver
      const action = Object.hasOwn(actions, fun) ? actions[fun]! : undefined
      if (!action)
        throw cloudNotFound(`The driver ${driver} has no action ${quote(fun)}`, didYouMean(fun, Object.keys(actions)))
      return { opened, node, action, args: bind({ args: action.args ?? {} }, fun, [], keywords(kwargs)) }
    })
    for (const { opened, node, action, args } of calls) {
      const outcome = await this.attempt(`${fun} failed on ${node.name}`, async () =>
        toValue(await action.run(opened.account, node, args, stepsOf(this.parts, node.name))),
      )
      failed ||= outcome.failed
      all.push([opened.provider, new Map([[node.name, outcome.value]])])
    }
    const value = byProvider(all)
    if (missing.length > 0) value.set('Not Found', missing).set('Not Actioned/Not Running', missing)
    return { value, failed }
  }

  async function(fun: string, provider: string, kwargs: Dict, isFromOutside = false): Promise<CloudOutcome> {
    if (isFromOutside) refuseReaching(kwargs)
    const { accounts } = this.parts
    const opened = await accounts.open(accounts.one(provider, 'The call'))
    const { functions = {}, name } = opened.driver
    const found = Object.hasOwn(functions, fun) ? functions[fun]! : undefined
    if (!found)
      throw cloudNotFound(`The driver ${name} has no function ${quote(fun)}`, didYouMean(fun, Object.keys(functions)))
    const args = bind({ args: found.args ?? {} }, fun, [], keywords(kwargs))
    const value = toValue(await found.run(opened.account, args))
    return { value: byProvider([[opened.provider, new Map([[fun, value]])]]), failed: false }
  }

  async plan(map: string | Dict, { isHard, isFromOutside }: MapRequest): Promise<CloudPlan> {
    const { files, render, accounts, deploying } = this.parts
    if (isHard && files.own.get('enable_hard_maps') !== true) {
      throw configError(
        "--hard destroys machines that the map does not name, and must be enabled by 'enable_hard_maps: True' in the file cloud",
      )
    }
    if (isFromOutside && typeof map === 'string') refuseMap(map, deploying.folder)
    const where = typeof map === 'string' ? `The map ${map}` : 'The map'
    const data = typeof map === 'string' ? await readMapFile(map, files.opts, render) : map
    const wanted = mappedMachines(data, files, where)
    if (isFromOutside && typeof map !== 'string') {
      for (const { overrides, profile } of wanted) {
        refuseReaching(overrides)
        refuseElsewhere((await accounts.open(this.providerOf(profile))).driver, overrides)
      }
    }
    const plan: CloudPlan = { create: new Map(), existing: new Map(), destroy: new Map() }
    const meant = isHard ? [...accounts.providers] : [...new Set(wanted.map(({ profile }) => this.providerOf(profile)))]
    const present = new Map<string, Set<string>>()
    for (const provider of meant) {
      const label = `${provider.alias}:${provider.driver}`
      const nodes = await this.nodes(await accounts.open(provider))
      for (const { name, state } of nodes)
        if (!GONE.test(state)) present.set(name, (present.get(name) ?? new Set()).add(label))
    }
    for (const { name, profile, overrides } of wanted) {
      const { alias, driver } = this.providerOf(profile)
      if (present.get(name)?.has(`${alias}:${driver}`)) plan.existing.set(name, `${alias}:${driver}`)
      else plan.create.set(name, new Map<Value, Value>([...overrides, ['profile', profile]]))
    }
    const names = new Set(wanted.map(({ name }) => name))
    if (isHard)
      for (const [name, labels] of present) if (!names.has(name)) plan.destroy.set(name, [...labels].join(', '))
    inWaves(plan.create, (name) => present.has(name))
    if (isFromOutside) for (const name of plan.create.keys()) this.assertFree(name)
    return plan
  }

  async carryOut(plan: CloudPlan, parallel: boolean): Promise<CloudOutcome> {
    const value: Dict = new Map()
    let failed = false
    for (const wave of inWaves(plan.create, () => true)) {
      if (failed) {
        for (const name of wave) value.set(name, errorDict('Not created, because a machine before it failed'))
        continue
      }
      const wishes = await Promise.all(wave.map((name) => this.wishOfPlan(name, plan.create.get(name)!)))
      const outcome = await this.createAll(wishes, { parallel })
      failed ||= outcome.failed
      for (const [name, one] of outcome.value as Dict) value.set(name, one)
    }
    if (plan.destroy.size > 0 && !failed) {
      const outcome = await this.destroy([...plan.destroy.keys()])
      failed ||= outcome.failed
      value.set('Destroyed', outcome.value)
    }
    for (const name of plan.existing.keys()) value.set(name, new Map([['Message', 'Already running.']]))
    return { value, failed }
  }

  private wishOfPlan(name: string, planned: Dict): Promise<MachineOrder> {
    const overrides: Dict = new Map(planned)
    const profile = str(overrides.get('profile')!)
    overrides.delete('profile')
    return this.wishOf(name, profile, overrides)
  }

  private async wishOf(name: string, profile: string, overrides: Dict): Promise<MachineOrder> {
    checkName(name)
    const { files, accounts } = this.parts
    const provider = this.providerOf(profile)
    const { settings, at } = files.profiles.get(profile)!
    const account = await accounts.open(provider)
    const where = `The profile ${quote(profile)} in ${placeText(at)}`
    const own = overridden(settings, overrides)
    accounts.tellUnknown(own, account.driver, where)
    const fetched = await accounts.fetched(own, where)
    return { name, profile, account, settings: this.settled(account, fetched), where }
  }

  /** Settings of the file `cloud`, of the provider, of the profile and the map, and of the command line. */
  private settled(account: OpenAccount, own: Dict): Dict {
    const { files, given } = this.parts
    const usual: Dict = new Map([...files.own].filter(([key]) => !CLOUD_ONLY.has(str(key))))
    return overridden(overridden(overridden(usual, account.settings), own), given)
  }

  private providerOf(profile: string): CloudProvider {
    const { files, accounts } = this.parts
    const found = files.profiles.get(profile)
    if (!found) throw cloudNotFound(`Profile ${profile} is not defined`, didYouMean(profile, files.profiles.keys()))
    const named = found.settings.get('provider') ?? null
    const where = `The profile ${quote(profile)} in ${placeText(found.at)}`
    if (named === null) throw configError(`${where} names no provider`)
    try {
      return accounts.one(str(named), where)
    } catch (error) {
      throw configError(`${where}: ${toError(error).message}`)
    }
  }

  private async createAll(
    wishes: readonly MachineOrder[],
    { parallel = false, isFromOutside = false }: CloudRequest,
  ): Promise<CloudOutcome> {
    const value: Dict = new Map(wishes.map(({ name }) => [name, null]))
    const present = new Map<OpenAccount, CloudNode[]>()
    for (const { account } of wishes) if (!present.has(account)) present.set(account, await this.nodes(account))
    let failed = false
    await this.eachOf(wishes, parallel, async (wish) => {
      const { provider } = wish.account
      const known = present.get(wish.account)!.find(({ name, state }) => name === wish.name && !GONE.test(state))
      if (known) {
        value.set(wish.name, errorDict(`${wish.name} already exists under ${provider.alias}:${provider.driver}`))
        return
      }
      const outcome = await this.attempt(`${wish.name} could not be created`, () => {
        if (isFromOutside) this.assertFree(wish.name)
        return createMachine(this.parts, wish)
      })
      failed ||= outcome.failed
      value.set(wish.name, outcome.value)
    })
    return { value, failed }
  }

  /** Refuse the id of a minion: its key would go with the machine of the same name. */
  private assertFree(name: string): void {
    assertFree(this.parts.deploying.access, name, undefined, false)
  }

  private async destroyOne(opened: OpenAccount, node: CloudNode): Promise<Value> {
    const { report, cache, deploying } = this.parts
    const { name } = node
    const data: Dict = new Map<Value, Value>([['instance_id', node.id]])
    await report(name, 'destroying', data)
    const value = toValue(await opened.account.destroy(node, stepsOf(this.parts, name)))
    await removeKey(deploying.access, name)
    cache.forget(opened, name)
    await report(name, 'destroyed', data)
    return value
  }

  /** Return the machines with these names in all providers. A failing provider is reported and skipped. */
  private async found(names: readonly string[]): Promise<[OpenAccount, CloudNode][]> {
    const { accounts, log } = this.parts
    const wanted = new Set(names)
    const all: [OpenAccount, CloudNode][] = []
    await Promise.all(
      accounts.providers.map(async (provider) => {
        try {
          const opened = await accounts.open(provider)
          for (const node of await opened.account.nodes()) {
            if (wanted.has(node.name) && !GONE.test(node.state)) all.push([opened, node])
          }
        } catch (error) {
          log('error', `${provider.alias}:${provider.driver}: ${toError(error).message}`)
        }
      }),
    )
    return all
  }

  private async nodes(opened: OpenAccount): Promise<CloudNode[]> {
    const nodes = await opened.account.nodes()
    await this.parts.cache.keepAll(
      opened,
      nodes.filter(({ state }) => !GONE.test(state)),
    )
    return nodes
  }

  /** Query several providers at the same time. A failing one is reported and skipped. */
  private async fromAll(
    providers: readonly CloudProvider[],
    ask: (opened: OpenAccount) => Promise<Dict | undefined>,
  ): Promise<CloudOutcome> {
    const { accounts, log } = this.parts
    let failed = false
    const answers = await Promise.all(
      providers.map(async (provider): Promise<[CloudProvider, Dict] | undefined> => {
        try {
          const answer = await ask(await accounts.open(provider))
          return answer && [provider, answer]
        } catch (error) {
          const { hint } = error as { hint?: string }
          log('error', withHint(`${provider.alias}:${provider.driver}: ${toError(error).message}`, hint))
          failed = true
          return undefined
        }
      }),
    )
    return { value: byProvider(answers.filter((answer) => answer !== undefined)), failed }
  }

  private async eachOf<T>(items: readonly T[], parallel: boolean, work: (item: T) => Promise<void>): Promise<void> {
    const waiting = [...items]
    const worker = async (): Promise<void> => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
    }
    await Promise.all(Array.from({ length: parallel ? Math.min(this.parts.atOnce, waiting.length) : 1 }, worker))
  }

  private async attempt(what: string, work: () => Promise<Value>): Promise<CloudOutcome> {
    try {
      if (this.parts.signal.aborted) return { value: errorDict('interrupted'), failed: true }
      return { value: await work(), failed: false }
    } catch (error) {
      const { hint } = error as { hint?: string }
      const text = withHint(toError(error).message, hint)
      this.parts.log('error', `${what}: ${text}`)
      return { value: errorDict(text), failed: true }
    }
  }
}

/** Options of the file `cloud` that are no defaults of machines. */
const CLOUD_ONLY: ReadonlySet<string> = new Set([
  'providers',
  'profiles',
  'providers_config',
  'profiles_config',
  'cachedir',
])

const errorDict = (text: string): Dict => new Map([['Error', text]])

const keywords = (kwargs: Dict): Map<string, Value> => new Map([...kwargs].map(([key, value]) => [str(key), value]))

/** Merge the results into one dict by alias and driver. */
function byProvider(found: readonly (readonly [CloudProvider, Dict])[]): Dict {
  const all: Dict = new Map()
  for (const [{ alias, driver }, value] of found) {
    const drivers = (all.get(alias) ?? new Map()) as Dict
    drivers.set(driver, new Map([...((drivers.get(driver) ?? new Map()) as Dict), ...value]))
    all.set(alias, drivers)
  }
  return all
}
