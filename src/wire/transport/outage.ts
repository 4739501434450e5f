// Log lines about a peer that cannot be reached: after the first failure, then at growing intervals, and when it is back.
import { type Log, Repeats } from '../../base/mod.ts'

/** Receives the state of a connection that reconnects. */
export interface ConnectionWatch {
  /** The connection works. */
  works(): void
  /** A connection that worked is over. */
  lost(error: Error | undefined): void
  /** An attempt to connect failed. */
  failed(error: Error | undefined): void
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
}

const reasonOf = (error: Error | undefined): string =>
  REASONS[(error as NodeJS.ErrnoException | undefined)?.code ?? ''] ?? error?.message ?? 'connection closed'

export class Outage implements ConnectionWatch {
  private readonly peer: string
  private readonly log: Log
  private readonly now: () => number
  private readonly repeats: Repeats
  /** When the connection was lost, or the first attempt failed. */
  private since: number | undefined
  private wasUp = false

  /** `peer`: the name in log lines, such as `master 192.0.2.1:4505`; `now`: returns milliseconds. */
  constructor(peer: string, log: Log, now: () => number = () => performance.now()) {
    this.peer = peer
    this.log = log
    this.now = now
    this.repeats = new Repeats({ now })
  }

  works(): void {
    if (this.since !== undefined) {
      const again = this.wasUp ? ' again' : ''
      this.log('warning', `Connected to ${this.peer}${again} after ${this.seconds} s`)
    }
    this.since = undefined
    this.wasUp = true
    this.repeats.over()
  }

  lost(error: Error | undefined): void {
    this.since ??= this.now()
    this.log('warning', `The connection to ${this.peer} was lost: ${reasonOf(error)}`)
  }

  failed(error: Error | undefined): void {
    const isFirst = this.since === undefined
    this.since ??= this.now()
    if (!this.repeats.due()) return
    const howLong = isFirst || this.now() - this.since < 1000 ? '' : ` (for ${this.seconds} s now)`
    this.log('warning', `Cannot reach ${this.peer}${howLong}: ${reasonOf(error)}; trying again`)
  }

  private get seconds(): string {
    const seconds = (this.now() - this.since!) / 1000
    return seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds))
  }
}
