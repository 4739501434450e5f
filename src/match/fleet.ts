// The minions that match a target, according to the data of their master.
import { BrineError, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { isList, str, type Value } from '../data/mod.ts'
import { compoundTerms } from './fleet-compound.ts'
import { type Fleet, FleetQuery, hasWildcard, type Targeted, type TargetedData } from './fleet-query.ts'
import { expandNodegroup } from './nodegroup.ts'
import { setOf } from './set-expression.ts'

export interface FleetOptions {
  delimiter?: string
  /** The function of the job. */
  fun?: Value
}

/** Functions that do the work of resources within the minion's own. */
const MERGED = new Set(['state.apply', 'state.highstate', 'state.sls', 'state.sls_id', 'state.single'])

type Kind = (query: FleetQuery, target: Value, options: { delimiter: string; fun: Value }) => Targeted

const only = (minions: string[]): Targeted => ({ minions, missing: [] })

const byData =
  (source: TargetedData, way: { regex?: boolean; exact?: boolean }): Kind =>
  (query, target, { delimiter }) =>
    only(query.within(source, str(target), { delimiter, ...way }))

const compound =
  (isExact: boolean): Kind =>
  (query, target) => {
    const found = compoundTerms(query, target, isExact)
    const minions = found && setOf(found.terms)
    if (!minions) query.fleet.log?.('error', `Invalid compound target: ${str(target)}`)
    return minions ? { minions: [...minions], missing: found!.missing } : only([])
  }

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [
    'glob',
    (query, target, { fun }) => {
      if (isList(target)) return query.list(target)
      const pattern = str(target)
      const minions = query.glob(pattern)
      return only(hasWildcard(pattern) && !MERGED.has(str(fun)) ? query.withResources(minions) : minions)
    },
  ],
  ['list', (query, target) => query.list(target)],
  ['pcre', (query, target) => only(query.pcre(str(target)))],
  ['grain', byData('grains', {})],
  ['grain_pcre', byData('grains', { regex: true })],
  ['pillar', byData('pillar', {})],
  ['pillar_pcre', byData('pillar', { regex: true })],
  ['pillar_exact', byData('pillar', { exact: true })],
  ['ipcidr', (query, target) => only(query.address(str(target)))],
  ['compound', compound(false)],
  ['compound_pillar_exact', compound(true)],
  ['resource', (query, target) => only(query.resource(str(target)))],
  ['managing_minion', (query, target) => only(query.glob(str(target)))],
  [
    'nodegroup',
    (query, target, options) => {
      const nodegroups = option(query.fleet.opts, 'nodegroups')
      return compound(false)(query, expandNodegroup(str(target), nodegroups, query.fleet.log), options)
    },
  ],
])

/** Return the minions that match. An invalid target, or one of an unknown kind, matches nothing. */
export function matchFleet(fleet: Fleet, target: Value, kind: string, options: FleetOptions = {}): Targeted {
  return matched(new FleetQuery(fleet), target, kind, options)
}

/** Return the minions that match a compound target with certainty, and their resources. */
export function matchCertain(fleet: Fleet, target: Value): string[] {
  const query = new FleetQuery(fleet)
  const { minions } = matched(query, target, 'compound', {})
  return query.withResources(query.certain(minions))
}

function matched(
  query: FleetQuery,
  target: Value,
  kind: string,
  { delimiter = ':', fun = '' }: FleetOptions,
): Targeted {
  const { log } = query.fleet
  try {
    const found = KINDS.get(kind)?.(query, target ?? '', { delimiter, fun })
    if (found) return found
    log?.('error', `Nobody knows how to match minions by ${kind}`)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    const why = toError(error).message
    log?.('error', `Failed matching available minions with ${kind} pattern: ${str(target)}: ${why}`)
  }
  return only([])
}
