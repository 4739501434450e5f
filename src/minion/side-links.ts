// Connections to masters that are not the current one, for the returns of jobs that they published. All returns for one
// master share a connection and a sign-in and go one after the other; the connection closes after the last. A master
// that does not answer is not retried for each waiting return.
import { BrineError } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { MasterLink } from './master-link.ts'

export interface SideParts {
  /** Connect to a master, by its name; nothing is sent yet. */
  open(name: string): Promise<MasterLink>
  /** Resolves when the master has let the minion in. */
  enter(link: MasterLink, name: string): Promise<unknown>
  /** Milliseconds before an unreachable master is tried again. */
  pause: number
}

interface Side {
  link?: MasterLink | undefined
  /** Number of waiting requests, the running one included. */
  waiting: number
  /** Settles when the last request is finished. */
  last: Promise<unknown>
  failed?: { error: unknown; until: number } | undefined
}

export class SideLinks {
  private readonly parts: SideParts
  private readonly sides = new Map<string, Side>()
  private isClosed = false

  constructor(parts: SideParts) {
    this.parts = parts
  }

  /** Send a request to a master, after all earlier requests. */
  ask(name: string, load: Dict): Promise<Value> {
    let side = this.sides.get(name)
    if (!side) {
      side = { waiting: 0, last: Promise.resolve() }
      this.sides.set(name, side)
    }
    const own = side
    own.waiting++
    const answer = own.last
      .then(() => this.send(name, own, load))
      .finally(() => {
        if (--own.waiting === 0) drop(own)
      })
    own.last = answer.catch(() => undefined)
    return answer
  }

  /** Close all connections, also those that wait for a sign-in. */
  close(): void {
    this.isClosed = true
    for (const side of this.sides.values()) drop(side)
  }

  private async send(name: string, side: Side, load: Dict): Promise<Value> {
    this.checkOpen()
    if (side.failed && performance.now() < side.failed.until) throw side.failed.error
    const link = side.link ?? (await this.enter(name, side))
    return link.ask(load)
  }

  private async enter(name: string, side: Side): Promise<MasterLink> {
    try {
      const link = await this.parts.open(name)
      side.link = link
      this.checkOpen()
      await this.parts.enter(link, name)
      this.checkOpen()
      side.failed = undefined
      return link
    } catch (error) {
      drop(side)
      side.failed = { error, until: performance.now() + this.parts.pause }
      throw error
    }
  }

  private checkOpen(): void {
    if (this.isClosed) throw new BrineError('MinionClosed', 'The minion was closed')
  }
}

function drop(side: Side): void {
  side.link?.close()
  side.link = undefined
}
