// How many connections fit into the limit of open files. Some descriptors are reserved, so that a full port does not
// block stores, the journal, event sockets, commands of local operators, and child processes of the master.
import { readFileSync } from 'node:fs'

/** Descriptors that no connection from the network gets. */
const RESERVE = { share: 1 / 8, least: 64, most: 1024 }

/** More than Brine's programs can serve. */
const MOST_CONNECTIONS = 100_000

/** The share of subscribers in a master's connections when a second process takes further ones. */
const OWN_SUBSCRIBERS = 0.2

/** Return how many files this process may have open. Node raises the limit to the hard one when it starts. */
export function openFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1')
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  } catch (error) {
    // only Linux reports it there
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Number.POSITIVE_INFINITY
    throw error
  }
}

/** Return how many connections from the network a process with this limit may have. */
function networkConnections(limit: number = openFiles()): number {
  const reserve = Math.min(RESERVE.most, Math.max(RESERVE.least, Math.floor(limit * RESERVE.share)))
  return Math.min(MOST_CONNECTIONS, Math.max(2, limit - reserve))
}

export interface ConnectionLimits {
  /** Connections for requests. */
  requests: number
  /** Subscribers of the master itself. */
  own: number
  /** Subscribers of a second process. */
  others: number
}

/** Divide the connections of a master; `isRelieved` says whether a second process takes further subscribers. */
export function connectionLimits(isRelieved: boolean, limit: number = openFiles()): ConnectionLimits {
  const all = networkConnections(limit)
  const own = Math.floor(all * (isRelieved ? OWN_SUBSCRIBERS : 0.5))
  return { requests: all - own, own, others: isRelieved ? all : 0 }
}

/** Return how many minions a master carries: each holds a subscription and a connection for requests. */
export function minionsCarried(isRelieved: boolean, limit: number = openFiles()): number {
  const { requests, own, others } = connectionLimits(isRelieved, limit)
  return Math.min(requests, own + others)
}

/** Advice for operators to raise the limit. */
export const RAISE_LIMIT = 'Raise LimitNOFILE of the unit, or ulimit -n'
