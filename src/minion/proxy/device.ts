// The device behind a proxy minion. The minion's pillar or configuration names a proxy module under `proxy`. The module
// is initialised once, and again after a restart of Python; functions of the minion reach the device through it.
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { BrineError, type Log, namedLog, toError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, isDict, isList, merge, str, textOf, truthy, type Value } from '../../data/mod.ts'
import type { Registry } from '../../loader/mod.ts'
import type { OwnProxy } from '../../pybridge/mod.ts'
import type { ProxyAccess } from '../../sdk/mod.ts'
import { builtInProxies, builtInProxy } from './built-in.ts'

/** Pauses between attempts of `init`, in seconds. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 60

/** How long the end of the minion waits for the device, in seconds. */
const PARTING = 10

/** Functions that get the options as their argument. */
const WITH_OPTIONS = ['init', 'shutdown', 'alive']

/** The interface of the device to its minion. */
export interface ProxyHome {
  readonly opts: Dict
  readonly pillar: Dict
  readonly functions: Promise<Registry>
  forgetFunctions(): void
  refreshGrains(): Promise<void>
}

export class ProxyDevice implements ProxyAccess {
  readonly memory: Dict = new Map()
  type = ''
  /** The names in `module_executors` of the proxy module. */
  executors: readonly string[] = []
  /** Receives the settings after the device was initialised. */
  onOpen: (settings: Dict) => void = () => undefined
  private readonly log: Log
  private readonly isPatient: boolean
  private readonly closing = new AbortController()
  private home!: ProxyHome
  private module: OwnProxy | undefined
  private opened: Promise<void> | undefined
  private refreshing: Promise<void> | undefined
  private initialised: Promise<unknown> | undefined
  /** The Python process that has the state of the module. */
  private process: number | undefined
  private stamp = ''

  /** `isPatient`: whether `init` is called again until it works. */
  constructor(log: Log, isPatient = true) {
    this.log = namedLog(log, 'salt.proxy')
    this.isPatient = isPatient
  }

  get isOpen(): boolean {
    return this.module !== undefined
  }

  /** Take the settings from the pillar. The first call also opens the device. */
  async begin(home: ProxyHome): Promise<void> {
    takeSettings(home.opts, home.pillar)
    if (!this.opened) {
      this.home = home
      this.opened = this.open()
    }
    await this.opened
    home.forgetFunctions()
    await home.refreshGrains()
  }

  private async open(): Promise<void> {
    const { opts } = this.home
    this.type = str((opts.get('proxy') as Dict).get('proxytype') ?? '')
    const functions = await this.home.functions
    // the proxy module may be new on the file server
    await functions.call('saltutil.sync_all', [], new Map([['saltenv', option(opts, 'saltenv')]]))
    this.home.forgetFunctions()
    const module = await this.find()
    await this.settle(module)
    this.home.forgetFunctions()
    if (module.functions.includes('module_executors')) {
      const named = await this.call('module_executors')
      this.executors = isList(named) ? named.map(str) : []
    }
    this.onOpen(opts.get('proxy') as Dict)
  }

  private async find(): Promise<OwnProxy> {
    const { type } = this
    const { ctx } = await this.home.functions
    const { ownProxy } = await import('../../pybridge/mod.ts')
    const own = await ownProxy(ctx, { name: type, memory: this.memory, builtIn: builtInProxies })
    const found = typeof own === 'string' ? (builtInProxy(type) ?? own) : own
    if (typeof found === 'string') {
      throw new BrineError('ProxyAborted', `Proxymodule ${type} could not be loaded: ${found}. Salt-proxy aborted.`)
    }
    if (!['init', 'shutdown'].every((fun) => found.functions.includes(fun))) {
      const what = `Proxymodule ${type} is missing an init() or a shutdown() or both.`
      throw new BrineError('ProxyAborted', `${what} Check your proxymodule.  Salt-proxy aborted.`)
    }
    return found
  }

  /** Initialise a module. For a daemon, repeat it until it works or the minion ends. */
  private async settle(module: OwnProxy): Promise<void> {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        await this.initialise(module)
        this.module = module
        this.stamp = stampOf(module)
        return
      } catch (error) {
        const failure = `Proxymodule ${this.type} could not reach its device`
        const why = toError(error).message
        if (!this.isPatient) throw new BrineError('ProxyAborted', `${failure}: ${why}`, { cause: error })
        this.log('error', `${failure}, next try in ${pause} seconds: ${why}`)
      }
      await sleep(pause * 1000, undefined, { signal: this.closing.signal, ref: false })
    }
  }

  private async initialise(module: OwnProxy): Promise<void> {
    await module.callWithOptions((await this.withSelf(module)).ctx, 'init')
    this.process = module.process()
  }

  /** Return the functions of the minion with access to the device, also while it is being initialised. */
  private async withSelf(module: OwnProxy): Promise<Registry> {
    const functions = await this.home.functions
    if (functions.ctx.proxy) return functions
    const early: ProxyAccess = {
      type: this.type,
      memory: this.memory,
      executors: [],
      names: () => module.functions,
      has: (fun) => module.functions.includes(fun),
      source: async (fun) => module.source(fun),
      call: async (fun, args = [], kwargs) => module.call(functions.ctx, fun, args, kwargs),
    }
    return functions.with({ proxy: early })
  }

  /** Load a proxy module again whose file has changed, after shutting down the previous one. */
  refresh(): Promise<void> {
    // one reload at a time: `init` may be repeated for long
    this.refreshing ??= this.reload().finally(() => {
      this.refreshing = undefined
    })
    return this.refreshing
  }

  private async reload(): Promise<void> {
    const { module } = this
    if (!module || stampOf(module) === this.stamp) return
    this.log('info', `Proxymodule ${this.type} has changed and is loaded anew`)
    await this.part(module)
    try {
      await this.settle(await this.find())
    } catch (error) {
      if (this.closing.signal.aborted) return
      this.stamp = stampOf(module)
      this.log('error', toError(error).message)
    }
  }

  /** Return the module; initialise it again if Python was restarted and lost its state. */
  private async awake(): Promise<OwnProxy> {
    const { module } = this
    if (!module) throw new BrineError('ProxyAbsent', `The proxy module ${this.type} is not there yet`)
    if (module.process() === this.process) return module
    this.initialised ??= this.initialise(module).finally(() => {
      this.initialised = undefined
    })
    await this.initialised
    return module
  }

  names(): readonly string[] {
    return this.module?.functions ?? []
  }

  has(fun: string): boolean {
    return this.names().includes(fun)
  }

  async source(fun: string): Promise<{ path: string; attr: string } | undefined> {
    return (await this.awake()).source(fun)
  }

  async call(fun: string, args: readonly Value[] = [], kwargs?: Dict): Promise<Value> {
    if (!this.has(fun)) throw new BrineError('ProxyAbsent', `'${this.type}.${fun}' is not available.`)
    const module = await this.awake()
    const { ctx } = await this.home.functions
    if (args.length === 0 && WITH_OPTIONS.includes(fun)) return module.callWithOptions(ctx, fun)
    return module.call(ctx, fun, args, kwargs)
  }

  private async part(module: OwnProxy): Promise<void> {
    try {
      const { ctx } = await this.withSelf(module)
      await Promise.race([module.callWithOptions(ctx, 'shutdown'), sleep(PARTING * 1000, undefined, { ref: false })])
    } catch (error) {
      this.log('warning', `Proxymodule ${this.type} did not shut down: ${toError(error).message}`)
    }
  }

  async close(): Promise<void> {
    this.closing.abort()
    // a restarted Python has nothing to shut down
    if (this.module && this.module.process() === this.process) await this.part(this.module)
  }
}

const stampOf = (module: OwnProxy): string => {
  const path = module.source('init')?.path
  return path === undefined ? '' : `${path}:${statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? ''}`
}

/** Copy the settings of the device from the pillar to the options. */
function takeSettings(opts: Dict, pillar: Dict): void {
  const named = opts.get('proxy') ?? null
  const settings = truthy(named) ? named : (pillar.get('proxy') ?? null)
  if (!isDict(settings)) {
    const what = `No proxy key found in pillar or opts for id ${option(opts, 'id')}.`
    throw new BrineError(
      'ProxyAborted',
      `${what} Check your pillar/opts configuration and contents.  Salt-proxy aborted.`,
    )
  }
  opts.set('proxy', settings)
  if (option(opts, 'proxy_merge_pillar_in_opts')) mergePillar(opts, pillar)
  else if (option(opts, 'proxy_mines_pillar') && pillar.has('mine_interval')) {
    opts.set('mine_interval', pillar.get('mine_interval')!)
  }
}

/** `proxy_merge_pillar_in_opts`: merge the pillar into the options, except for `master`. */
function mergePillar(opts: Dict, pillar: Dict): void {
  const strategy = textOf(option(opts, 'proxy_merge_pillar_in_opts_strategy')) ?? 'smart'
  const mergeLists = option(opts, 'proxy_deep_merge_pillar_in_opts')
  for (const [name, value] of pillar) {
    if (name === 'master') continue
    const known = opts.get(name) ?? null
    const merged = isDict(known) && isDict(value) ? merge(known, value, { strategy, mergeLists }) : value
    opts.set(name, merged)
  }
}
