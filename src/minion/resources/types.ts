// The types of resources: how their ids and settings appear in pillar, and which functions they support.
import type { Log } from '../../base/mod.ts'
import { type Dict, isDict, isList, str } from '../../data/mod.ts'
import type { ResourceType } from './resource.ts'

const dictIn = (config: Dict, name: string): Dict => {
  const found = config.get(name)
  return found !== undefined && isDict(found) ? found : new Map()
}

/** Resources without a device, for tests; each answers like its minion. */
const dummy: ResourceType = {
  ids: (config) => {
    const ids = config.get('resource_ids')
    return ids !== undefined && isList(ids) ? ids.map(str) : []
  },
  grains: async (_ctx, id) =>
    new Map([
      ['dummy_grain_1', 'one'],
      ['dummy_grain_2', 'two'],
      ['dummy_grain_3', 'three'],
      ['resource_id', id],
    ]),
  functions: async ({ grains = new Map() }, _id, minion) => ({ functions: minion.with({ grains }) }),
}

/** Machines that a minion reaches by ssh. Most minions have none, so the code for them is loaded at the first use. */
const ssh: ResourceType = {
  ids: (config) => [...dictIn(config, 'hosts').keys()].map(str),
  grains: async (ctx, id) => (await import('./ssh.ts')).sshGrains(ctx, id, dictIn(dictIn(ctx.config, 'hosts'), id)),
  functions: async (ctx, id, minion) =>
    (await import('./ssh.ts')).sshFunctions(ctx, id, dictIn(dictIn(ctx.config, 'hosts'), id), minion),
}

/** Return the pillar data of a namespace: a list contains only names, a dict maps ids to settings. */
const namespaceSettings = (config: Dict, id: string): Dict => dictIn(dictIn(config, 'namespaces'), id)

/** Namespaces of Kubernetes clusters: functions run on the minion, and functions of `kubernetes` use the namespace. */
const kubernetes: ResourceType = {
  ids: (config) => {
    const listed = config.get('namespaces') ?? null
    return isList(listed) ? listed.map(str) : [...dictIn(config, 'namespaces').keys()].map(str)
  },
  grains: async ({ config }, id) =>
    new Map([
      ['kubernetes_namespace', str(namespaceSettings(config, id).get('namespace') ?? id)],
      ['resource_id', id],
    ]),
  functions: async ({ config, grains = new Map() }, id, minion) => {
    const settings = namespaceSettings(config, id)
    const opts = new Map(minion.ctx.opts).set('kubernetes.namespace', settings.get('namespace') ?? id)
    for (const [name, value] of settings) if (name !== 'namespace') opts.set(`kubernetes.${str(name)}`, value)
    return { functions: minion.with({ grains, opts }) }
  },
}

export const resourceTypes: ReadonlyMap<string, ResourceType> = new Map([
  ['dummy', dummy],
  ['kubernetes', kubernetes],
  ['ssh', ssh],
])

/** Return a type of resources from users' own files or an extension; undefined when no file has a type of that name. */
export async function ownType(wish: {
  name: string
  opts: Dict
  pillar: Dict
  log: Log
}): Promise<ResourceType | undefined> {
  const { ownResources } = await import('../../pybridge/mod.ts')
  const found = await ownResources({ ...wish, builtIn: [...resourceTypes.keys()] })
  if (!found) return undefined
  return {
    ids: () => found.ids,
    grains: (_ctx, id) => found.grains(id),
    functions: async ({ grains = new Map() }, id, minion) => ({ functions: await found.functions(id, grains, minion) }),
  }
}
