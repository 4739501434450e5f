// A master's data about its minions (accepted keys, and their last grains and pillar), and one query over it. A minion
// without data matches no query for data, except for addresses, where Salt assumes a match.

import { BrineError, type Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import {
  compileRegex,
  type Dict,
  fnmatch,
  isDict,
  isList,
  str,
  subdictMatch,
  textOf,
  truthy,
  type Value,
} from '../data/mod.ts'
import { ipcidr, isAddressTarget } from './ipcidr.ts'

export interface Targeted {
  minions: string[]
  /** Ids of a list that no key is known for. */
  missing: string[]
}

/** A master's data about its minions. */
export interface Fleet {
  opts: Dict
  /** Ids with an accepted key. */
  accepted: readonly string[]
  /** Ids of minions with stored grains. */
  seen(): Iterable<string>
  grains(id: string): Value | undefined
  pillar(id: string): Value | undefined
  /** The resources of each minion: ids by type. */
  resources?: ReadonlyMap<string, Dict>
  /** Grains of resources by `type:id`. */
  resourceGrains?(): Iterable<readonly [string, Dict]>
  log?: Log
}

export type TargetedData = 'grains' | 'pillar'

export const hasWildcard = (pattern: string): boolean => /[*?[]/.test(pattern)

/** One query over the fleet; data is read at most once per query. */
export class FleetQuery {
  readonly fleet: Fleet
  private seenIds: ReadonlySet<string> | undefined
  private ids: ReadonlySet<string> | undefined
  /** Whether the query read data of minions. */
  private hasAsked = false
  /** Ids of all resources. */
  private managed: ReadonlySet<string> | undefined
  private readonly known = { grains: new Map<string, Dict | undefined>(), pillar: new Map<string, Dict | undefined>() }

  constructor(fleet: Fleet) {
    this.fleet = fleet
  }

  /** Several patterns may be given, with commas between. */
  glob(pattern: string): string[] {
    const { accepted } = this.fleet
    if (pattern === '*') return [...accepted]
    const patterns = pattern.split(',')
    const ids = new Set(accepted)
    const found = new Set(patterns.filter((one) => !hasWildcard(one) && ids.has(one)))
    const wild = patterns.filter(hasWildcard)
    if (wild.length > 0) for (const id of accepted) if (wild.some((one) => fnmatch(id, one))) found.add(id)
    if (!hasWildcard(pattern) && this.isResource(pattern)) found.add(pattern)
    return [...found]
  }

  list(target: Value): Targeted {
    const text = textOf(target)
    const ids = text === undefined ? (isList(target) ? target.map(str) : []) : text.split(',').filter(Boolean)
    const accepted = new Set(this.fleet.accepted)
    const isMeant = (id: string): boolean => accepted.has(id) || this.isResource(id)
    const named = new Set<string>()
    // a resource that is named twice is found once, and counts as missing the second time
    const isMissing = (id: string): boolean => {
      const isAgain = named.has(id)
      named.add(id)
      return !isMeant(id) || (!accepted.has(id) && isAgain)
    }
    return { minions: [...new Set(ids)].filter(isMeant), missing: ids.filter(isMissing) }
  }

  pcre(pattern: string): string[] {
    const regex = compileRegex(pattern)
    return this.fleet.accepted.filter((id) => regex.match(id) !== null)
  }

  /** Return the minions with this value; without a cache, all minions may match. */
  within(source: TargetedData, path: string, way: { delimiter: string; regex?: boolean; exact?: boolean }): string[] {
    this.hasAsked = true
    if (!this.hasCache) return [...this.fleet.accepted]
    const minions = this.fleet.accepted.filter((id) => {
      const data = this.seen.has(id) ? this.data(source, id) : undefined
      return data !== undefined && subdictMatch(data, path, way)
    })
    if (source === 'pillar') return minions
    const managed = [...(this.fleet.resourceGrains?.() ?? [])].filter(([, grains]) => subdictMatch(grains, path, way))
    const names = managed.map(([name]) => name.slice(name.indexOf(':') + 1)).filter((id) => this.isResource(id))
    return [...new Set([...minions, ...names])]
  }

  address(target: string): string[] {
    this.hasAsked = true
    if (!this.hasCache) return [...this.fleet.accepted]
    if (!isAddressTarget(target)) {
      this.fleet.log?.('error', `Invalid IP/CIDR target: ${target}`)
      return []
    }
    const { opts } = this.fleet
    return this.fleet.accepted.filter((id) => {
      const grains = this.data('grains', id)
      return grains === undefined || hasAddress(target, { id, grains, pillar: new Map(), opts })
    })
  }

  /** `type` or `type:id`. */
  resource(name: string): string[] {
    const [type, id] = [name.split(':')[0]!, name.split(':').slice(1).join(':')]
    return id === '' ? [...this.resourceIds((other) => other === type)] : [id]
  }

  /** Add the resources that a pattern of minion ids matches. */
  withResources(minions: string[]): string[] {
    const managed = this.fleet.resources?.size ? minions.flatMap((id) => [...this.resourceIds(() => true, id)]) : []
    return [...new Set([...minions, ...managed])]
  }

  /** Leave out minions without enough data for a certain match. */
  certain(minions: readonly string[]): string[] {
    if (!this.hasAsked) return [...minions]
    return this.hasCache ? minions.filter((id) => this.seen.has(id) || this.isResource(id)) : []
  }

  private isResource(id: string): boolean {
    this.managed ??= new Set(this.resourceIds(() => true))
    return this.managed.has(id)
  }

  private *resourceIds(isWanted: (type: string) => boolean, minion?: string): Generator<string> {
    const { resources = new Map<string, Dict>() } = this.fleet
    // the id of a minion is no resource any more, even if another minion registered it
    this.ids ??= new Set(this.fleet.accepted)
    const own = minion === undefined ? undefined : resources.get(minion)
    for (const types of minion === undefined ? resources.values() : own ? [own] : []) {
      for (const [type, ids] of types) {
        if (isWanted(str(type)) && isList(ids)) yield* ids.map(str).filter((id) => !this.ids!.has(id))
      }
    }
  }

  private get hasCache(): boolean {
    return option(this.fleet.opts, 'minion_data_cache')
  }

  private get seen(): ReadonlySet<string> {
    this.seenIds ??= new Set(this.fleet.seen())
    return this.seenIds
  }

  private data(source: TargetedData, id: string): Dict | undefined {
    const known = this.known[source]
    if (!known.has(id)) {
      const value = this.fleet[source](id)
      known.set(id, value !== undefined && isDict(value) ? value : undefined)
    }
    return known.get(id)
  }
}

/** One minion with addresses that are none must not spoil the target for the others. */
function hasAddress(target: string, subject: Parameters<typeof ipcidr>[1]): boolean {
  try {
    return truthy(ipcidr(target, subject))
  } catch (error) {
    if (error instanceof BrineError) return false
    throw error
  }
}
