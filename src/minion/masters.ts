// The masters of a minion and the order in which it tries them: `master`, `master_type`, `random_master`.
import { crc32 } from 'node:zlib'
import { BrineError, type Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isList, str, type Value } from '../data/mod.ts'

/** Masters of which the minion uses one at a time. */
export interface MasterGroup {
  names: string[]
  /** Whether the next one takes over when one is lost. */
  failover: boolean
}

const TYPES = new Set(['str', 'failover', 'distributed', 'disable'])

/** One group for each master that is used at the same time as others; none with `disable`. */
export function masterGroups(opts: Dict, log: Log, random: () => number = Math.random): MasterGroup[] {
  const type = option(opts, 'master_type')
  if (!TYPES.has(type)) {
    throw new BrineError('ConfigError', `Invalid keyword '${type}' for variable 'master_type'`)
  }
  const master = option(opts, 'master')
  const names = (isList(master) ? [...master] : [master]).map((name: Value) => str(name))
  if (type === 'disable') {
    log('warning', 'Master is set to disable, skipping connection')
    return []
  }
  if (type === 'failover') return [{ names: failoverOrder(names, opts, log, random), failover: true }]
  if (type === 'distributed') return [{ names: distributed(names, opts, log, random), failover: true }]
  return names.map((name) => ({ names: [name], failover: false }))
}

/** Return the masters in the order in which a single call tries them; one master is enough for a call. */
export function callOrder(opts: Dict, log: Log, random: () => number = Math.random): string[] {
  const groups = masterGroups(opts, log, random)
  const names = groups.flatMap((group) => group.names)
  return groups.length > 1 && isShuffled(opts, log) ? shuffled(names, random) : names
}

function isShuffled(opts: Dict, log: Log): boolean {
  if (!option(opts, 'master_shuffle')) return option(opts, 'random_master')
  log(
    'warning',
    "Use of 'master_shuffle' detected. 'master_shuffle' is deprecated in favor of 'random_master'. Please update your minion config file.",
  )
  return true
}

/** Return the order for failover. With failback, the first master keeps its place when the rest is shuffled. */
function failoverOrder(names: string[], opts: Dict, log: Log, random: () => number): string[] {
  log('info', `Got list of available master addresses: [${names.map((name) => `'${name}'`).join(', ')}]`)
  if (!isShuffled(opts, log)) return names
  if (!option(opts, 'master_failback')) return shuffled(names, random)
  return [names[0]!, ...shuffled(names.slice(1), random)]
}

/** Choose a master by the minion id; the other masters follow as a fallback. */
function distributed(names: string[], opts: Dict, log: Log, random: () => number): string[] {
  if (names.length < 2) {
    log('warning', 'master_type = distributed needs more than 1 master.')
    return names
  }
  const own = names[crc32(option(opts, 'id')) % names.length]!
  log('info', `Distributed to the master at '${own}'.`)
  const others = names.filter((name) => name !== own)
  return [own, ...(isShuffled(opts, log) ? shuffled(others, random) : others)]
}

function shuffled(names: readonly string[], random: () => number): string[] {
  const order = [...names]
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[order[last], order[other]] = [order[other]!, order[last]!]
  }
  return order
}
