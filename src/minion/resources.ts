// Resources of this minion, as in Salt 3008: devices that are targeted like minions. They are listed in pillar and
// reported to the master with their grains; jobs that target them are answered in their names.
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { match } from '../match/mod.ts'
import type { JobHome } from './jobs.ts'
import type { Resource, ResourceCall, ResourceContext, ResourceType } from './resources/resource.ts'
import { ownType, resourceTypes } from './resources/types.ts'

/** Functions about the minion and its jobs, which nothing behind it can answer. */
const OF_THE_MINION = new Set([
  ...['find_job', 'running', 'is_running', 'kill_job', 'signal_job', 'term_job'].map((name) => `saltutil.${name}`),
  ...['refresh_grains', 'sync_all', 'sync_grains', 'sync_modules'].map((name) => `saltutil.${name}`),
  'sys.reload_modules',
])

const OPERATORS = new Set(['and', 'or', 'not', '(', ')'])
/** A term that matches no minion, in place of terms that target minions. */
const NEVER = 'E@(?!)'

export interface ResourceParts {
  opts: Dict
  log: Log
  files: ResourceContext['files']
}

/** The resources that a job targets, and whether it targets only resources. */
export interface MeantResources {
  resources: Resource[]
  isPure: boolean
}

const NONE: MeantResources = { resources: [], isPure: false }

export class MinionResources {
  private readonly parts: ResourceParts
  private configs = new Map<string, Dict>()
  /** The types that pillar names. */
  private types = new Map<string, ResourceType>()
  private all: Resource[] = []
  private readonly grains = new Map<string, Dict>()

  constructor(parts: ResourceParts) {
    this.parts = parts
  }

  /** Read the resources from pillar and report them to the master. The report is never cleared. */
  async register(pillar: Dict, ask: (load: Dict) => Promise<Value>): Promise<void> {
    await this.discover(pillar)
    const { opts } = this.parts
    const names = this.names()
    opts.set('resources', names)
    await this.gatherGrains()
    await ask(
      new Map<Value, Value>([
        ['cmd', '_register_resources'],
        ['id', option(opts, 'id')],
        ['resources', names],
        ['resource_grains', new Map<Value, Value>(this.grains)],
      ]),
    )
  }

  /** Ids by type. */
  private names(): Dict {
    const names = new Map<string, Value[]>()
    for (const { type, id } of this.all) names.set(type, [...(names.get(type) ?? []), id])
    return new Map<Value, Value>(names)
  }

  private async discover(pillar: Dict): Promise<void> {
    const { opts, log } = this.parts
    const declared = pillar.get(option(opts, 'resource_pillar_key'))
    const [configs, types, all] = [new Map<string, Dict>(), new Map<string, ResourceType>(), [] as Resource[]]
    for (const [key, config] of declared !== undefined && isDict(declared) ? declared : []) {
      const name = str(key)
      try {
        const type = resourceTypes.get(name) ?? (await ownType({ name, opts, pillar, log }))
        if (!type) {
          log('warning', `No resource module found for type '${name}'; skipping discovery.`)
          continue
        }
        const given: Dict = isDict(config) ? config : new Map()
        configs.set(name, given)
        types.set(name, type)
        all.push(...type.ids(given).map((id) => ({ type: name, id })))
      } catch (error) {
        log('error', `The resources of type '${name}' could not be discovered: ${toError(error).message}`)
      }
    }
    this.configs = configs
    this.types = types
    this.all = all
  }

  /**
   * Gather the grains of all resources at the same time, so that an unreachable one does not delay others; it then has
   * no grains.
   */
  private async gatherGrains(): Promise<void> {
    this.grains.clear()
    const found = this.all.map(async (resource): Promise<[string, Dict] | undefined> => {
      const { type, id } = resource
      try {
        return [`${type}:${id}`, await this.types.get(type)!.grains(this.contextOf(resource), id)]
      } catch (error) {
        this.parts.log('warning', `Failed to collect grains for resource ${type}:${id}: ${toError(error).message}`)
        return undefined
      }
    })
    for (const each of await Promise.all(found)) if (each) this.grains.set(...each)
  }

  private contextOf({ type, id }: Resource): ResourceContext {
    const { opts, log, files } = this.parts
    const grains = this.grains.get(`${type}:${id}`)
    return { opts, log, files, config: this.configs.get(type) ?? new Map(), ...(grains && { grains }) }
  }

  /** Return the resources that a job targets; `isMinionMeant`: whether the job targets their minion too. */
  meantBy(load: Dict, isMinionMeant: boolean): MeantResources {
    const fun = load.get('fun') ?? ''
    if (this.all.length === 0 || isList(fun) || OF_THE_MINION.has(str(fun))) return NONE
    const kind = textOf(load.get('tgt_type') ?? null) ?? 'glob'
    const target = load.get('tgt') ?? ''
    if (kind === 'glob') return this.byName(str(target), isMinionMeant)
    if (kind === 'compound') return this.byExpression(target)
    if (!['list', 'grain', 'grain_pcre', 'resource'].includes(kind)) return NONE
    return { resources: this.fitting(kind, target), isPure: kind === 'resource' }
  }

  /** A name selects one resource; a pattern that matches the minion selects all its resources. */
  private byName(pattern: string, isMinionMeant: boolean): MeantResources {
    if (/[*?[]/.test(pattern)) return { resources: isMinionMeant ? this.all : [], isPure: false }
    const found = this.all.filter(({ id }) => id === pattern)
    return { resources: found.slice(0, 1), isPure: found.length > 0 }
  }

  private byExpression(target: Value): MeantResources {
    const words = isList(target) ? target.map(str) : str(target).split(/\s+/).filter(Boolean)
    const terms = words.map((word) => (OPERATORS.has(word) || /^[TGPLE][^@]?@/.test(word) ? word : NEVER))
    const isPure = words.every((word) => OPERATORS.has(word) || /^[TM]@/.test(word))
    return { resources: this.fitting('compound', terms), isPure }
  }

  private fitting(kind: string, target: Value): Resource[] {
    return this.all.filter(({ type, id }) => {
      const opts: Dict = new Map([['resources', new Map([[type, [id]]])]])
      const grains = this.grains.get(`${type}:${id}`) ?? new Map()
      return match(kind, target, { id, grains, pillar: new Map(), opts, log: this.parts.log }) === true
    })
  }

  /** Answers a job in the name of a resource. */
  home(resource: Resource, functions: () => Promise<Registry>, send: (ret: Dict) => void): JobHome {
    const { type, id } = resource
    const open = async (): Promise<ResourceCall> =>
      this.types.get(type)!.functions(this.contextOf(resource), id, await functions())
    let opened: Promise<ResourceCall> | undefined
    let refusal: string | undefined
    return {
      functions: async () => {
        opened ??= open()
        const call = await opened
        refusal = call.refusal
        return call.functions
      },
      finished: (ret) => send(ret.set('resource_id', id) as Dict),
      unknown: (fun) => refusal ?? `Function '${fun}' is not available for resource '${type}:${id}'.`,
      ended: async () => {
        // if the resource could not be opened, its return has the reason
        await opened?.then(
          (call) => call.close?.(),
          () => undefined,
        )
      },
    }
  }
}
