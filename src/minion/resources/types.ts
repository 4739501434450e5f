// The kinds of things that a minion can look after: how their ids and settings stand in pillar, and which functions they answer.
import { type Dict, isDict, isList, str } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import type { Registry } from '../../loader/mod.ts'
import { sshFunctions, sshGrains } from './ssh.ts'

export interface Resource {
  type: string
  id: string
}

export interface ResourceContext {
  host: Host
  /** What pillar says about its type. */
  config: Dict
}

export interface ResourceType {
  ids(config: Dict): string[]
  grains(ctx: ResourceContext, id: string): Promise<Dict>
  /** The functions of one of them; `minion` has those of the minion that looks after it. */
  functions(ctx: ResourceContext, id: string, minion: Registry): Registry
}

const dictIn = (config: Dict, name: string): Dict => {
  const found = config.get(name)
  return found !== undefined && isDict(found) ? found : new Map()
}

/** Things that are not there, for trying out: each answers as its minion does. */
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
  functions: (_ctx, _id, minion) => minion,
}

/** Machines that a minion reaches by ssh. */
const ssh: ResourceType = {
  ids: (config) => [...dictIn(config, 'hosts').keys()].map(str),
  grains: ({ host, config }, id) => sshGrains(host, dictIn(dictIn(config, 'hosts'), id)),
  functions: ({ config }, id, minion) => sshFunctions(dictIn(dictIn(config, 'hosts'), id), minion),
}

export const resourceTypes: ReadonlyMap<string, ResourceType> = new Map([
  ['dummy', dummy],
  ['ssh', ssh],
])
