// Types of resources from users' own files and extensions, in Salt's form: a module with `discover(opts)`, `grains()`,
// optionally `init(opts)`, and further functions. A job for a resource gets the functions of its minion for that
// `resource_type`, overridden by those in the folder `modules` of the type.
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { moduleTable, type Registry } from '../loader/mod.ts'
import type { AnswerFamily } from '../python/mod.ts'
import { functionFamily } from './answers.ts'
import { type BoundPlugin, boundPlugin, type PluginRequest } from './bound-plugin.ts'
import { noteResource } from './resource-facts.ts'

/** Limit of resources of one minion; more are dropped. */
const MOST_IDS = 10_000

export interface OwnResources {
  ids: string[]
  grains(id: string): Promise<Dict>
  /** Return the functions of one resource; `minion` has those of the minion. */
  functions(id: string, grains: Dict, minion: Registry): Promise<Registry>
}

export interface ResourceRequest extends Omit<PluginRequest, 'family' | 'isParallel'> {
  /** The pillar of the minion, which has the settings. */
  pillar: Dict
}

const factsOf = (type: string, id: string): Dict =>
  new Map<Value, Value>([
    ['id', id],
    ['type', type],
  ])

/** Return the resources of a type that is not built in; undefined if the type does not exist. */
export async function ownResources(wish: ResourceRequest): Promise<OwnResources | undefined> {
  const { name, opts, pillar, log } = wish
  const plugin = await boundPlugin({ ...wish, family: 'resources' })
  if (!plugin?.has('discover')) return undefined
  const shown: Dict = new Map<Value, Value>([...opts, ['pillar', pillar]])
  if (plugin.has('init')) await plugin.call('init', [shown])
  const found = await plugin.call('discover', [shown])
  const ids = [...new Set(isList(found) ? found.map(str) : [])]
  if (ids.length > MOST_IDS)
    log('warning', `There are ${ids.length} resources of type ${name}; the first ${MOST_IDS} are used`)
  return {
    ids: ids.slice(0, MOST_IDS),
    grains: async (id) => {
      if (!plugin.has('grains')) return new Map()
      const facts = new Map<Value, Value>([['resource', factsOf(name, id)]])
      const grains = await plugin.call('grains', [], { facts })
      return isDict(grains) ? grains : new Map()
    },
    functions: (id, grains, minion) => functionsOf(plugin, { id, grains, minion, type: name }),
  }
}

interface Asked {
  id: string
  type: string
  grains: Dict
  minion: Registry
}

async function functionsOf(plugin: BoundPlugin, { id, type, grains, minion }: Asked): Promise<Registry> {
  const opts: Dict = new Map<Value, Value>([...minion.ctx.opts, ['resource_type', type]])
  if (plugin.path !== undefined) {
    // its folder `modules` comes first
    opts.set('module_dirs', [...option(minion.ctx.opts, 'module_dirs'), plugin.path])
  }
  const resource = factsOf(type, id)
  noteResource(opts, {
    resource,
    families: { resource: familyOf(plugin, resource), minion: functionFamily(minion.ctx) },
  })
  const functions = minion.apart(moduleTable, { opts, grains, memory: new Map() })
  await functions.refresh()
  return functions
}

/** The functions of the kind, `TYPE.function`. */
function familyOf(plugin: BoundPlugin, resource: Dict): AnswerFamily {
  const own = (name: string): string | undefined => {
    const [type = '', fun = ''] = name.split('.', 2)
    return type === plugin.name && plugin.has(fun) ? fun : undefined
  }
  return {
    find: (name) => (own(name) === undefined ? undefined : { doc: '' }),
    names: () => plugin.functions.map((fun) => `${plugin.name}.${fun}`),
    call: (name, args, kwargs) => {
      const fun = own(name)
      if (fun === undefined) throw new Error(`'${name}' is not available.`)
      const facts = new Map<Value, Value>([['resource', resource]])
      return plugin.call(fun, args, { kwargs: new Map<Value, Value>(kwargs), facts })
    },
  }
}
