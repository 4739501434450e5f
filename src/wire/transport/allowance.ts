// How many values of messages are read for one host before it is known who sends them. A value costs half a microsecond and a
// byte can stand for one, so a stranger that sends many is slowed down, not the master.
import { type DecodeOptions, FOREIGN_DEPTH, type ValueAllowance } from '../../data/mod.ts'
import { MAX_VALUES, type Peer } from './transport.ts'

/** An envelope and a short command have fewer values; reading them costs less than the rest of answering them. */
const FREE = 64
/** Values of a host at once, and per second in the long run. */
const BURST = MAX_VALUES
const PER_SECOND = 50_000
/** Hosts that are remembered at once. */
const MOST_HOSTS = 10_000

class HostAllowance implements ValueAllowance {
  private level = BURST
  private reckoned: number
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
    this.reckoned = now()
  }

  get left(): number {
    const now = this.now()
    this.level = Math.min(BURST, this.level + ((now - this.reckoned) / 1000) * PER_SECOND)
    this.reckoned = now
    return Math.max(FREE, Math.floor(this.level))
  }

  spend(values: number): void {
    if (values > FREE) this.level -= Math.min(values, BURST)
  }
}

export class Allowances {
  private readonly hosts = new Map<string, HostAllowance>()
  private readonly now: () => number

  /** `now` gives milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  /** Returns the allowance of the host of an address such as `192.0.2.7:40312`. */
  of(address: string): ValueAllowance {
    const host = address.slice(0, Math.max(0, address.lastIndexOf(':')))
    const known = this.hosts.get(host)
    if (known) return known
    if (this.hosts.size >= MOST_HOSTS) this.forget()
    const fresh = new HostAllowance(this.now)
    this.hosts.set(host, fresh)
    return fresh
  }

  /** Forgets the hosts that have all of their allowance, or the oldest where all have spent some. */
  private forget(): void {
    for (const [host, { left }] of this.hosts) if (left === BURST) this.hosts.delete(host)
    if (this.hosts.size >= MOST_HOSTS) this.hosts.delete(this.hosts.keys().next().value!)
  }
}

/** Those of this process. */
const allowances = new Allowances()

/** Returns the limits in which a message is read; a peer is given where it is not known yet who it is. */
export function readingOf(peer: Peer | undefined): Omit<DecodeOptions, 'dialect'> {
  if (peer === undefined) return { maxValues: MAX_VALUES }
  return { maxValues: MAX_VALUES, maxDepth: FOREIGN_DEPTH, allowance: allowances.of(peer.address) }
}
