// Limits for hosts before their identity is proven. A decoded value costs half a microsecond, and one byte can be a
// value; an unanswered message costs its memory. A host with a proven minion has higher limits.
import { Rates } from '../../base/mod.ts'
import { type DecodeOptions, FOREIGN_DEPTH } from '../../data/mod.ts'
import type { Seat } from './seats.ts'
import { MAX_MESSAGE_BYTES, MAX_VALUES, type Peer } from './transport.ts'

/** Free values per message: an envelope and a short command have fewer, and reading them costs less than answering. */
const FREE_VALUES = 160
/** Values of a host per second in the long run. */
const VALUES_PER_SECOND = 50_000
/** The most bytes of one message. */
const UNPROVEN_BYTES = 1 << 26
/** Hosts that are remembered as proven, and for how many milliseconds. */
const MOST_PROVEN = 50_000
const PROVEN_MS = 3_600_000

/** The limits for decoding messages of a connection. */
export type ReadingLimits = Pick<DecodeOptions, 'maxValues' | 'maxDepth' | 'allowance'>

export interface Stranger {
  peer: Peer
  reading: ReadingLimits
  /** Return the values that were read since the last call. */
  takeValues(): number
  isProven(): boolean
  /** Note that something came or was answered now, in milliseconds of `performance.now()`. */
  heard(now: number): void
  /** The most bytes of a message that is announced now. */
  largest(): number
}

export class Strangers {
  private readonly values: Rates
  private readonly proven = new Map<string, number>()
  private readonly now: () => number
  private readonly maxMessageBytes: number

  constructor(maxMessageBytes: number = MAX_MESSAGE_BYTES, now: () => number = () => performance.now()) {
    this.maxMessageBytes = maxMessageBytes
    this.now = now
    this.values = new Rates({ perSecond: VALUES_PER_SECOND, burst: MAX_VALUES, now })
  }

  /** Meet the peer of a new connection. */
  meet(seat: Pick<Seat, 'peer' | 'host' | 'prove' | 'heard'>): Stranger {
    const { host } = seat
    const { values } = this
    let isMinion = false
    let read = 0
    const isProven = (): boolean => isMinion || this.isProven(host)
    const allowance = {
      get left(): number {
        return isProven() ? MAX_VALUES : Math.max(FREE_VALUES, Math.floor(values.left(host)))
      },
      spend: (count: number): void => {
        read += count
        if (count > FREE_VALUES && !isProven()) values.spend(host, count)
      },
    }
    return {
      peer: {
        ...seat.peer,
        host,
        prove: (id) => {
          isMinion = true
          seat.prove(`minion ${id}`)
          this.prove(host)
        },
        recognise: (user) => seat.prove(`user ${user}`),
      },
      reading: { maxValues: MAX_VALUES, maxDepth: FOREIGN_DEPTH, allowance },
      takeValues: () => {
        const taken = read
        read = 0
        return taken
      },
      isProven,
      heard: (moment) => seat.heard(moment),
      largest: () => (isProven() ? this.maxMessageBytes : Math.min(this.maxMessageBytes, UNPROVEN_BYTES)),
    }
  }

  private isProven(host: string): boolean {
    return this.now() - (this.proven.get(host) ?? Number.NEGATIVE_INFINITY) < PROVEN_MS
  }

  private prove(host: string): void {
    const now = this.now()
    // with every request of a minion: once in a while is enough
    if (now - (this.proven.get(host) ?? Number.NEGATIVE_INFINITY) < PROVEN_MS / 60) return
    this.proven.delete(host)
    this.proven.set(host, now)
    if (this.proven.size > MOST_PROVEN) this.proven.delete(this.proven.keys().next().value!)
  }
}
